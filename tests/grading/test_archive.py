"""What is sent to another machine: all that grading needs, nothing of other notebooks, and nothing damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_class import REPOSITORY, STEM

from autograder.course.errors import GraderError
from autograder.grading.cluster import archive


def test_an_archive_holds_what_grading_needs_and_nothing_of_other_notebooks(tmp_path: Path) -> None:
    sent = archive.pack(REPOSITORY, [STEM])
    assert sent == archive.pack(REPOSITORY, [STEM])
    unpacked = archive.unpack(sent, tmp_path)
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        f"solutions/{STEM}.ipynb",
        f"autograder/suites/test_{STEM}.py",
        f"autograder/misconceptions/{STEM}.py",
    } <= names
    assert unpacked.stems() == (STEM,) and len(list(unpacked.suites.iterdir())) == 1
    assert (unpacked.data / "penguins.csv").read_bytes() == (REPOSITORY.data / "penguins.csv").read_bytes()


def test_a_damaged_archive_is_not_unpacked(tmp_path: Path) -> None:
    sent = archive.pack(REPOSITORY, [STEM])
    with pytest.raises(GraderError, match="arrived damaged"):
        archive.unpack(archive.Archive(sent.data[:-1] + b"x", sent.digest), tmp_path)
    assert list(tmp_path.iterdir()) == []
