"""The bundle holds what students need and nothing else, byte for byte the same; it is built and scanned once."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import minicourse
import pytest
from releasing import SOLUTION, plant, write
from releasing import bundle as write_bundle

from autograder import nbgrader_bridge
from autograder.authoring import bundle, leaks, release
from autograder.course import Course
from autograder.course.errors import AuthorError, LeakError
from autograder.grading import fingerprint
from autograder.validity import proof


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return minicourse.make(tmp_path / "course")


def test_the_bundle_holds_what_students_need_and_nothing_else(course: Course, tmp_path: Path) -> None:
    sums = write_bundle(course, tmp_path / "out" / "course.zip")
    with zipfile.ZipFile(tmp_path / "out" / "course.zip") as archive:
        assert archive.namelist() == [
            "README.md",
            "data/README.md",
            "data/numbers.csv",
            "manifest.json",
            "notebooks/01_mini.ipynb",
            "notebooks/02_more.ipynb",
            "notebooks/checks/__init__.py",
            "notebooks/matplotlibrc",
            "notebooks/requirements.txt",
        ]
        assert archive.read("notebooks/01_mini.ipynb") == course.released("01_mini").read_bytes()
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["files"] == sums
        assert manifest["stems"] == ["01_mini", "02_more"]
        assert manifest["versions"]["numpy"]
        readme = archive.read("README.md").decode()
    for line in (
        ".venv\\Scripts\\python -m pip install -r notebooks\\requirements.txt",
        ".venv/bin/python -m pip install -r notebooks/requirements.txt",
        "- `notebooks/01_mini.ipynb`: Means",
        "- `notebooks/02_more.ipynb`: more",
    ):
        assert line in readme
    assert "$" not in readme


def test_the_bundle_says_which_packages_are_allowed(course: Course, tmp_path: Path) -> None:
    (course.checks / "packages.py").write_text('WITHOUT = ("scipy", "sklearn")\n')
    assert "notebooks/checks/allowed.txt" not in release.contents(course, {})
    (course.root / "course.toml").write_text('[packages]\nallow = ["sklearn", "scipy"]\n')
    release.release(course, zip_file=tmp_path / "course.zip", unvalidated=True)
    with zipfile.ZipFile(tmp_path / "course.zip") as bundled:
        assert bundled.read("notebooks/checks/allowed.txt") == b"scipy\nsklearn\n"
        assert "course.toml" not in str(bundled.namelist())


def test_two_bundles_are_the_same_bytes(course: Course, tmp_path: Path) -> None:
    write_bundle(course, tmp_path / "a.zip")
    (course.data / "numbers.csv").touch()
    (course.data / "numbers.csv").chmod(0o600)
    write_bundle(course, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_bundle_is_scanned_too(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "template.md").write_text(f"$notebooks\n$first\n{SOLUTION}\n")
    monkeypatch.setattr(bundle, "TEMPLATE", tmp_path / "template.md")
    with pytest.raises(LeakError, match=r"README\.md, line 4: solution line"):
        write_bundle(course, tmp_path / "course.zip")
    assert not (tmp_path / "course.zip").exists()


def test_what_is_scanned_is_the_zip_file_itself(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = bundle.pack

    def careless(inside: Mapping[str, bytes]) -> bytes:
        target = io.BytesIO(honest(inside))
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("notebooks/.ipynb_checkpoints/01_mini-checkpoint.ipynb", "{}")
        return target.getvalue()

    monkeypatch.setattr(bundle, "pack", careless)
    with pytest.raises(LeakError, match=r"\.ipynb_checkpoints/01_mini-checkpoint\.ipynb: file that does not belong"):
        write_bundle(course, tmp_path / "course.zip")
    assert not (tmp_path / "course.zip").exists()


def test_a_bundle_with_some_notebooks_released_anew_needs_the_others_up_to_date(course: Course, tmp_path: Path) -> None:
    write(course)
    plant(course, "Something new.")
    plant(course, "Something new here, too.", "02_more")
    with pytest.raises(
        AuthorError, match="(?s)run `autograder release`.*notebooks/01_mini.ipynb differs in cell planted"
    ):
        write_bundle(course, tmp_path / "course.zip", ["02_more"])
    assert "planted" not in course.released("02_more").read_text() and not (tmp_path / "course.zip").exists()
    write(course, ["01_mini"])
    write_bundle(course, tmp_path / "course.zip", ["02_more"])
    assert "planted" in course.released("02_more").read_text()


@pytest.mark.parametrize("name", ["matplotlibrc", "requirements.txt", "checks/__init__.py"])
def test_a_bundle_without_a_part_is_refused(course: Course, tmp_path: Path, name: str) -> None:
    (course.notebooks / name).unlink()
    with pytest.raises(AuthorError, match=f"The bundle needs notebooks/{name}"):
        write_bundle(course, tmp_path / "course.zip")


def test_the_bundle_holds_the_licences_and_its_readme_names_them(course: Course, tmp_path: Path) -> None:
    for name in ("LICENSE", "LICENSE-CC-BY-4.0"):
        (course.root / name).write_text(f"The terms of {name}.\n")
    write_bundle(course, tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        assert archive.read("LICENSE-CC-BY-4.0") == b"The terms of LICENSE-CC-BY-4.0.\n"
        assert "is written in `LICENSE` and `LICENSE-CC-BY-4.0`." in archive.read("README.md").decode()


def test_a_bundle_is_built_and_scanned_once(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            calls.append(name)
            return function(*args)

        return counted

    for module, name in (
        (nbgrader_bridge, "generate_assignments"),
        (leaks, "scan"),
        (proof, "doubts"),
        (fingerprint, "hash_of_packages"),
    ):
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    write_bundle(course, tmp_path / "course.zip")
    assert sorted(calls) == ["doubts", "generate_assignments", "hash_of_packages", "scan"]
