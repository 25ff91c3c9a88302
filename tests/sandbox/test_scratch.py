"""Folders that student code has written to are measured and removed, whatever they look like."""

from __future__ import annotations

import os
from pathlib import Path

from autograder.sandbox import scratch


def test_a_folder_is_removed_whatever_it_looks_like(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_text("x")
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "locked" / "inside").mkdir(parents=True)
    (folder / "locked" / "inside" / "file").write_text("x")
    for locked in (folder / "locked" / "inside", folder / "locked"):
        locked.chmod(0)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):  # deeper than a path can be long, and than functions can call each other
        os.mkdir("deeper", dir_fd=here)
        there = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(here)
    assert scratch.is_full(str(folder), 1 << 40)
    scratch.remove(str(folder))
    assert not folder.exists() and (outside / "keep").exists()
    scratch.remove(str(folder))  # not there: no error
