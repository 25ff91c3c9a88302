"""The hash of the code that judges: every change in a package changes it, and a missing package is an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.errors import GraderError
from autograder.grading.fingerprint import ENGINE, hash_of_packages, package_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two small packages, one of them with a package inside."""
    for name in ("engine/a.py", "engine/inner/b.py", "sandbox/c.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return tmp_path


def rename(root: Path) -> None:
    (root / "engine" / "a.py").rename(root / "engine" / "z.py")


def move(root: Path) -> None:
    (root / "engine" / "inner" / "b.py").rename(root / "engine" / "b.py")


def edit(root: Path) -> None:
    (root / "engine" / "inner" / "b.py").write_text("# edited\n")


def add(root: Path) -> None:
    (root / "engine" / "inner" / "new.py").write_text("")


def remove(root: Path) -> None:
    (root / "engine" / "a.py").unlink()


@pytest.mark.parametrize("change", [rename, move, edit, add, remove])
def test_every_change_in_a_package_changes_the_hash(root: Path, change: Callable[[Path], None]) -> None:
    before, other = hash_of_packages(["engine"], root), hash_of_packages(["sandbox"], root)
    change(root)
    assert hash_of_packages(["engine"], root) != before
    assert hash_of_packages(["sandbox"], root) == other


def test_the_hash_does_not_depend_on_the_place(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    there = root.rename(tmp_path_factory.mktemp("elsewhere") / "copy")
    before = hash_of_packages(["engine"], there)
    assert hash_of_packages(["engine"], there.rename(there.parent / "again")) == before


def test_the_hash_depends_neither_on_line_endings_nor_on_compiled_files(root: Path) -> None:
    before = hash_of_packages(["engine"], root)
    (root / "engine" / "a.py").write_bytes((root / "engine" / "a.py").read_bytes().replace(b"\n", b"\r\n"))
    (root / "engine" / "__pycache__").mkdir()
    (root / "engine" / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"compiled")
    assert hash_of_packages(["engine"], root) == before


def test_a_package_that_is_missing_is_an_error(root: Path) -> None:
    with pytest.raises(GraderError, match="There is no package wire in .*Install autograder again"):
        hash_of_packages(["engine", "wire"], root)


@pytest.mark.parametrize("name", ENGINE)
def test_the_packages_that_judge_are_found(name: str) -> None:
    assert f"autograder/{name}/__init__.py" in {"/".join(path.parts[-3:]) for path in package_files(name)}
