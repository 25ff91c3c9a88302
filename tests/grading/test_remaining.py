"""Nothing is graded twice, and nothing too seldom."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sample_class import SHORT, STEM, assert_same, copy_course, documents, hand_in, source_of, work
from whole_class import QUICK, hand_in_class, result_of, run

from autograder.course import Course, notebook
from autograder.grading.grade import Options, grade

OTHER = "02_maximum_likelihood"


@pytest.fixture(scope="module")
def two_notebooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Path, Path]:
    """A course of two notebooks, two students who handed in both, and their results."""
    root = tmp_path_factory.mktemp("two")
    course = copy_course(root / "course", [STEM, OTHER])
    for student in ("ada", "bob"):
        for stem in (STEM, OTHER):
            source = source_of(course, stem)
            hand_in(root / "in", student, work().notebook(source), stem)
    assert run(course, root / "in", root / "out").unchanged == 0
    return course, root / "in", root / "out"


def test_another_notebook_under_the_right_name_is_told(
    two_notebooks: tuple[Course, Path, Path], tmp_path: Path
) -> None:
    course, submitted, _ = two_notebooks
    target = tmp_path / "in" / "ada" / OTHER / f"{OTHER}.ipynb"
    target.parent.mkdir(parents=True)
    shutil.copy(submitted / "ada" / STEM / f"{STEM}.ipynb", target)
    [result] = run(course, tmp_path / "in", tmp_path / "out").results
    assert result.repairs == (
        f"by its metadata this is the notebook '{STEM}', not {OTHER}: was the wrong file handed in?",
    )


def test_what_has_not_changed_is_not_graded_again(two_notebooks: tuple[Course, Path, Path]) -> None:
    course, submitted, out = two_notebooks
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.json")}
    assert run(course, submitted, out).unchanged == 4
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.json")} == before
    assert run(course, submitted, out, force=True).unchanged == 0


def changed_file(path: Path) -> Callable[[], None]:
    """Append something that means nothing."""
    original = path.read_bytes()

    def restore() -> None:
        path.write_bytes(original)

    path.write_bytes(original + b"\n")
    return restore


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("autograder/suites/test_01_bayes_rule.py", {STEM}),
        ("autograder/misconceptions/02_maximum_likelihood.py", {OTHER}),
        ("notebooks/checks/exercises/01_bayes_rule.py", {STEM}),
        ("notebooks/checks/checking.py", {STEM, OTHER}),
        ("data/adult_gender_hours_wealth.csv", {STEM}),
        ("data/digits.npz", set()),
        ("notebooks/unrelated.txt", set()),
    ],
)
def test_a_change_regrades_exactly_what_depends_on_it(
    two_notebooks: tuple[Course, Path, Path], change: str, again: set[str], tmp_path: Path
) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    path = course.root / change
    if not path.exists():
        path.write_text("x")
    restore = changed_file(path)
    try:
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.json")}
        some = run(course, submitted, tmp_path / "out")
        done = {path.stem for path in before if path.stat().st_mtime_ns != before[path]}
        assert done == again and some.unchanged == 4 - 2 * len(again)
    finally:
        restore()


def test_a_limit_regrades_everything(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    assert (
        run(course, submitted, tmp_path / "out", limits=replace(SHORT, call_seconds=SHORT.call_seconds + 0.1)).unchanged
        == 0
    )


def test_a_changed_submission_is_graded_alone(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    shutil.copytree(submitted, tmp_path / "in")
    path = tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb"
    path.write_bytes(notebook.dumps(work(prob=None).notebook(source_of(course))))
    some = run(course, tmp_path / "in", tmp_path / "out")
    assert (some.unchanged, result_of(some, "ada").score) == (3, 4)


def test_a_damaged_result_is_graded_again(two_notebooks: tuple[Course, Path, Path], tmp_path: Path) -> None:
    course, submitted, out = two_notebooks
    shutil.copytree(out, tmp_path / "out")
    for path, damage in zip(
        sorted((tmp_path / "out").rglob("*.json")), [b"", b"{", b'{"student": "ada"}', b"\xff"], strict=True
    ):
        path.write_bytes(damage)
    assert run(course, submitted, tmp_path / "out").unchanged == 0
    assert_same(documents(tmp_path / "out"), documents(out))


def test_a_submission_that_changes_meanwhile_is_graded_again(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    small = hand_in_class(course, tmp_path / "in", QUICK)
    last = small / "wrong" / STEM / f"{STEM}.ipynb"

    def change(done: int, total: int) -> None:
        last.write_bytes(notebook.dumps(work(prob=None).notebook(source_of(course))))

    options = Options(tmp_path / "out", workers=1, limits=SHORT)
    first = grade(course, small, options, change)
    assert result_of(first, "wrong").score in (17, 4)
    second = run(course, small, tmp_path / "out")
    assert result_of(second, "wrong").score == 4 and second.unchanged >= len(QUICK) - 1
