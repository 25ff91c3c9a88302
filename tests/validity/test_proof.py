"""The gate: whatever a record of validity depends on, a change of it refuses the release."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import minicourse
import pytest

from autograder.cli import main
from autograder.course import Course
from autograder.course.errors import AuthorError, GraderError
from autograder.grading import fingerprint
from autograder.validity import proof
from autograder.validity.record import ExerciseRecord, Record

STEM = "01_mini"
SOUND = ExerciseRecord(
    exercise="weighted_mean",
    points=3,
    reference=1.0,
    stub=0.0,
    by_heart=0.0,
    right=3,
    accepted=3,
    wrong=6,
    rejected=6,
    median=0.0,
    most=0.0,
    kept=(),
    mutants=20,
    killed=20,
    spared=(),
    problems=(),
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the packages that judge, which the gate looks at in the place of the real ones."""
    copy = tmp_path / "autograder"
    for name in proof.JUDGING:
        shutil.copytree(proof.AUTOGRADER / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(proof, "AUTOGRADER", copy)
    return copy


@pytest.fixture
def course(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course with one notebook whose suite is on record as right; it is the one that commands work on."""
    course = minicourse.make(tmp_path / "course")
    course.source("02_more").unlink()
    (course.checks / "exercises").mkdir()
    for name in (f"exercises/{STEM}.py", "exercises/02_other.py", "exercises/__init__.py", "checking.py"):
        (course.checks / name).write_text(f'"""{name}"""\n')
    proof.write(course, [Record(STEM, proof.fingerprints(course, [STEM])[STEM], (SOUND,))])
    monkeypatch.setattr(Course, "default", staticmethod(lambda: course))
    return course


def append_a_line(path: Path) -> None:
    with path.open("a") as file:
        file.write("# another line\n")


def rename(path: Path) -> None:
    path.rename(path.with_name(f"other_{path.name}"))


def move(path: Path) -> None:
    (path.parent / "inner").mkdir()
    path.rename(path.parent / "inner" / path.name)


def take_away(path: Path) -> None:
    path.unlink()


def assert_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release"]) == 1
    told = capsys.readouterr().err
    assert f"{STEM}: its hidden checks, or what they depend on, have changed since they were validated" in told
    assert f"Run `autograder validate {STEM}`" in told


def test_what_has_not_changed_is_released(course: Course) -> None:
    assert main(["release"]) == 0
    assert course.released(STEM).is_file()


@pytest.mark.parametrize(
    "name",
    [
        "course/notebook.py",
        "engine/following/second_runs.py",
        "engine/session.py",
        "engine/student.py",
        "grading/worker.py",
        "sandbox/wire.py",
        "validity/validate.py",
    ],
)
@pytest.mark.parametrize("change", [append_a_line, rename, move, take_away])
def test_a_release_is_refused_after_a_change_of_what_judges(
    course: Course, package: Path, capsys: pytest.CaptureFixture[str], name: str, change: Callable[[Path], None]
) -> None:
    change(package / name)
    assert_refused(capsys)
    assert not course.released(STEM).exists()


@pytest.mark.parametrize("name", proof.JUDGING)
def test_every_file_of_a_package_that_judges_counts(course: Course, package: Path, name: str) -> None:
    files = fingerprint.package_files(name, package)
    assert len(files) > 5
    for path in files:
        content = path.read_bytes()
        append_a_line(path)
        assert list(proof.doubts(course, [STEM])) == [STEM], path.name
        path.write_bytes(content)
    assert proof.doubts(course, [STEM]) == {}


@pytest.mark.parametrize("name", proof.JUDGING)
def test_a_package_that_is_missing_is_an_error_that_says_what_to_do(course: Course, package: Path, name: str) -> None:
    shutil.rmtree(package / name)
    with pytest.raises(GraderError, match=f"There is no package {name} in .*Install autograder again"):
        proof.doubts(course, [STEM])


@pytest.mark.parametrize("name", ["__init__.py", "checking.py", "exercises/__init__.py", f"exercises/{STEM}.py"])
def test_a_release_is_refused_after_a_change_of_the_visible_checks(
    course: Course, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    append_a_line(course.checks / name)
    assert_refused(capsys)


def test_a_file_of_the_framework_that_is_renamed_counts_as_changed(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    rename(course.checks / "checking.py")
    assert_refused(capsys)


def test_the_visible_checks_of_another_notebook_do_not_count(course: Course) -> None:
    append_a_line(course.checks / "exercises" / "02_other.py")
    assert proof.doubts(course, [STEM]) == {}


@pytest.mark.parametrize(
    "name",
    [
        f"autograder/suites/test_{STEM}.py",
        f"notebooks/checks/exercises/{STEM}.py",
        "notebooks/checks/__init__.py",
    ],
)
def test_a_file_that_is_missing_is_an_error_that_says_what_to_do(course: Course, name: str) -> None:
    take_away(course.root / name)
    with pytest.raises(AuthorError, match=f"{name} is missing.* Restore it, or .*`autograder validate {STEM}`"):
        proof.doubts(course, [STEM])


def test_line_endings_caches_and_the_place_do_not_count(
    course: Course, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (package / "engine" / "student.py", course.suite(STEM), course.data / "numbers.csv"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (package / "engine" / "__pycache__").mkdir()
    (package / "engine" / "__pycache__" / "student.cpython-311.pyc").write_bytes(b"compiled")
    assert proof.doubts(course, [STEM]) == {}
    monkeypatch.setattr(proof, "AUTOGRADER", package.rename(tmp_path / "moved"))
    assert proof.doubts(Course(course.root.rename(tmp_path / "moved-course")), [STEM]) == {}
