"""Late work in nbgrader: its gradebook takes off what our marks take off, and knows the same dates."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sample_course import LIMITS, STEM, copy_course

from autograder.classroom import marks, nbgrader_course
from autograder.course import Course, notebook, sources
from autograder.grading.grade import Options
from autograder.nbgrader_bridge import gradebook
from autograder.validity import samples

DUE = datetime(2026, 10, 12, 21, 59, tzinfo=UTC)

LATE = """
[due]
01_bayes_rule = 2026-10-12T23:59:00+02:00

[late]
percent_per_day = {percent}

[[extension]]
student = "bob"
assignment = "01_bayes_rule"
days = 3
"""


@pytest.fixture(scope="module")
def late_class(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, Path]:
    """A course in which three students handed in: in time, a day and a half late, and as late but with an extension."""
    folder = tmp_path_factory.mktemp("late")
    course = copy_course(folder / "repository")
    root = folder / "autumn"
    nbgrader_course.build(course, root)
    source = sources.read(course.source(STEM))
    right = {cell.metadata.nbgrader.grade_id: cell.source for cell in source.cells if cell.id == "posterior"}
    for student, time in {
        "ada": "2026-10-12 20:00:00",
        "bob": "2026-10-14 09:00:00",
        "eve": "2026-10-14 09:00:00",
    }.items():
        place = root / "submitted" / student / STEM
        place.mkdir(parents=True)
        (place / f"{STEM}.ipynb").write_bytes(notebook.dumps(samples.untouched(source, right)))
        (place / "timestamp.txt").write_text(f"{time} UTC\n")
    (root / "course.toml").write_text(LATE.format(percent=5) + LIMITS)
    return course, root


def penalties(root: Path) -> dict[str, float | None]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root}/gradebook.db", "from_bayes_to_softmax") as book:
        return {
            submission.student_id: submission.notebooks[0].late_submission_penalty
            for submission in book.assignment_submissions(STEM)
        }


def test_late_work_costs_the_same_in_nbgrader_and_here_and_a_change_grades_nothing_again(
    late_class: tuple[Course, Path], tmp_path: Path
) -> None:
    course, before = late_class
    root = tmp_path / "autumn"
    shutil.copytree(before, root)
    nbgrader_course.build(course, root)  # the due date reaches the gradebook
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", STEM], cwd=root, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    by_nbgrader = penalties(root)
    assert by_nbgrader == {"ada": None, "bob": None, "eve": 2.0}

    ours = tmp_path / "ours"
    shutil.copytree(before, ours)
    nbgrader_course.grade_class(course, ours, STEM, Options(ours / "graded"))
    assert penalties(ours) == by_nbgrader
    found = marks.read(ours, course)
    assert [found.of("eve", STEM), found.of("bob", STEM)] == [1, 3]

    results = {path: path.stat().st_mtime_ns for path in (ours / "graded").rglob("*.json")}
    (ours / "course.toml").write_text(LATE.format(percent=2.5) + LIMITS)
    assert marks.read(ours, course).of("eve", STEM) == 2
    told = nbgrader_course.build(course, ours)
    assert "due dates, extensions and late penalties recomputed for 3 submissions" in told
    assert penalties(ours) == {"ada": None, "bob": None, "eve": 1.0}
    assert {path: path.stat().st_mtime_ns for path in (ours / "graded").rglob("*.json")} == results


def test_the_gradebook_knows_due_dates_and_extensions(late_class: tuple[Course, Path], tmp_path: Path) -> None:
    course, before = late_class
    root = tmp_path / "autumn"
    shutil.copytree(before, root)
    nbgrader_course.build(course, root)
    with gradebook.opened(f"sqlite:///{root}/gradebook.db") as book:
        assert book._gradebook.find_assignment(STEM).duedate == DUE.replace(tzinfo=None)
