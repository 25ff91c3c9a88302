"""The same corpus for a grader who is not root: what depends on the user is tried again as one without any rights."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from corpus import ONLY
from sample_class import REPOSITORY

NOBODY = 65534
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


def readable_by_anyone(path: Path) -> bool:
    path = path.resolve()
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that belongs to nobody; pytest's own are closed to others."""
    path = Path("/tmp", f"ordinary-user-{os.getpid()}")
    path.mkdir(mode=0o755)
    os.chown(path, NOBODY, NOBODY)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def python(folder: Path) -> Path:
    """An interpreter with our packages that others may run: this one, or the system's with links to them."""
    if not readable_by_anyone(REPOSITORY.root):
        pytest.skip(f"only root can read {REPOSITORY.root}")
    if readable_by_anyone(Path(sys.prefix)) and readable_by_anyone(Path(sys.base_prefix)):
        return Path(sys.executable)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    other = Path("/usr/bin", version)
    if not other.exists():
        pytest.skip(f"only root can run this Python, and there is no {other}")
    environment = folder / "environment"
    subprocess.run([other, "-m", "venv", "--without-pip", environment], check=True)
    packages = Path(np.__file__).parents[1]
    shutil.copytree(
        packages, environment / "lib" / version / "site-packages", copy_function=os.link, dirs_exist_ok=True
    )
    return environment / "bin" / "python"


def test_the_corpus_gets_nothing_from_an_ordinary_user_either(python: Path, folder: Path) -> None:
    corpus = [str(Path(__file__).with_name("test_hostile.py")), str(REPOSITORY.root / "tests/sandbox/test_channels.py")]
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder}/pytest", *corpus]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        ONLY: ",".join(ATTACKS),
    }
    done = subprocess.run(
        command,
        cwd=REPOSITORY.root,
        env=environment,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) > 100, done.stdout[-500:]  # both kinds of isolation, not one skipped
