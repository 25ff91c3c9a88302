"""The same corpus for a grader who is not root: what depends on the user is tried again as one without any rights."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import ONLY
from ordinary_user import folder_of_nobody, python_for_anyone, readable_by_anyone, run_as_nobody
from sample_class import REPOSITORY

# Files, memory, the network, processes, signals, limits: wherever the kernel asks who somebody is.
ATTACKS = [
    "d_",
    "e_",
    "f_",
    "g_",
    "h_exits",
    "j_",
    "l_",
    "m_",
    "n_",
    "r_",
    "disk_",
    "holds_",
    "talks_",
    "leaks_to",
    "raises_",
    "descriptors_",
]

pytestmark = pytest.mark.skipif(
    os.getuid() != 0, reason="whoever is not root has just run all of it as an ordinary user"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_of_nobody() as path:
        yield path


def test_the_corpus_gets_nothing_from_an_ordinary_user_either(folder: Path) -> None:
    if not readable_by_anyone(REPOSITORY.root):
        pytest.skip(f"only root can read {REPOSITORY.root}")
    corpus = [Path(__file__).with_name("test_hostile.py"), REPOSITORY.root / "tests/sandbox/test_channels.py"]
    command: list[str | Path] = [python_for_anyone(folder), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--basetemp={folder}/pytest", *corpus]
    done = run_as_nobody(command, folder, cwd=REPOSITORY.root, seconds=1800, **{ONLY: ",".join(ATTACKS)})
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) > 100, done.stdout[-500:]  # both kinds of isolation, not one skipped
