"""What was replied to a group, in a real gradebook: marks and comments, those of people, and all ways of grading."""

from __future__ import annotations

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from sample_class import hand_in, source_of
from sample_course import LIMITS, STEM, copy_course
from whole_class import BODY, right_except

from autograder.classroom import marks, nbgrader_course, replying
from autograder.cli import main
from autograder.course import Course, notebook
from autograder.course.errors import GradebookError
from autograder.grading import reading
from autograder.grading.grade import Options
from autograder.grading.groups import replies
from autograder.nbgrader_bridge import gradebook
from autograder.nbgrader_bridge.by_hand import OPENING
from autograder.nbgrader_bridge.folder import CourseFolder
from autograder.pages import feedback

WRONG = BODY + "return np.asarray(likelihood) / np.sum(likelihood)"
THE_SAME = BODY + "total = np.sum(likelihood)\n    return np.asarray(likelihood) / total"
OTHER = BODY + "return np.asarray(prior, float)"
SAID = f"{OPENING}Look at the *prior*."


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "repository")


@pytest.fixture(scope="module")
def first(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded course of nbgrader: ada and bob made the same mistake, eve another one."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root)
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    for student, text in (("ada", WRONG), ("bob", THE_SAME), ("eve", OTHER)):
        hand_in(root / "submitted", student, right_except(posterior=text).notebook(source_of(course)))
    grade(course, root)
    return root


@pytest.fixture
def autumn(first: Path, tmp_path: Path) -> Path:
    """The same, for one test to change."""
    shutil.copytree(first, tmp_path / "autumn")
    return tmp_path / "autumn"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", os.devnull)  # nobody's own settings


def grade(course: Course, root: Path, **options: object) -> None:
    nbgrader_course.grade_class(course, root, STEM, Options(root / "graded", workers=1, **options))  # type: ignore[arg-type]


def autograde(root: Path) -> None:
    """Grade everything again with nbgrader's own command."""
    command = [sys.executable, "-m", "nbgrader", "autograde", STEM, "--force"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr


def reply(course: Course, root: Path, told: str) -> str:
    """Reply to the group of ada and bob; its name."""
    group = next(group for group in replying.look(root).groups if "ada" in group.students)
    head = f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\n'
    (root / "given.toml").write_text(head + told)
    replying.reply(root, course, root / "given.toml")
    return group.name


class InBook(NamedTuple):
    """What the gradebook has for the exercise `posterior` of a student."""

    auto: float | None
    manual: float | None
    needs_a_look: bool
    comment: str | None


def in_book(root: Path) -> dict[str, InBook]:
    handed_in = """JOIN submitted_notebook n ON x.notebook_id = n.id
        JOIN submitted_assignment s ON n.assignment_id = s.id
        JOIN base_cell c ON c.id = x.cell_id WHERE c.name = ?"""
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        comment = "coalesce(x.manual_comment, x.auto_comment)"
        said = dict(
            book.execute(f"SELECT s.student_id, {comment} FROM comment x {handed_in}", ["posterior"]).fetchall()
        )
        rows = book.execute(
            f"SELECT s.student_id, x.auto_score, x.manual_score, x.needs_manual_grade FROM grade x {handed_in}",
            ["posterior-check"],
        ).fetchall()
    return {student: InBook(auto, manual, bool(look), said[student]) for student, auto, manual, look in rows}


def type_in_formgrader(root: Path, student: str, *, mark: float | None = None, comment: str | None = None) -> None:
    """Give a mark or a comment as formgrader does."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        if comment is not None:
            book.find_comment("posterior", STEM, STEM, student).manual_comment = comment
        else:
            grade = book.find_grade("posterior-check", STEM, STEM, student)
            grade.manual_score, grade.needs_manual_grade = mark, False
        book.db.commit()


GIVEN = 'comment = "Look at the *prior*."\npoints = 1.25\n'
UNANSWERED = InBook(0.0, None, False, None)
ANSWERED = InBook(0.0, 1.25, False, SAID)


def test_a_reply_is_in_the_gradebook_at_once_and_only_for_those_who_answered_like_that(
    course: Course, autumn: Path
) -> None:
    assert in_book(autumn) == dict.fromkeys(("ada", "bob", "eve"), UNANSWERED)
    reply(course, autumn, GIVEN)
    assert in_book(autumn) == {"ada": ANSWERED, "bob": ANSWERED, "eve": UNANSWERED}
    found = marks.read(autumn, course)
    assert {student: float(found.of(student, STEM) or 0) for student in ("ada", "bob", "eve")} == {
        "ada": 18.25,
        "bob": 18.25,
        "eve": 17.0,
    }


def test_comment_and_question_are_one_comment(course: Course, autumn: Path) -> None:
    reply(course, autumn, 'comment = "Look at the *prior*."\nquestion = "Does it move?"\n')
    assert in_book(autumn)["bob"] == InBook(0.0, None, False, f"{SAID}\n\nDoes it move?")


@pytest.mark.parametrize("by_nbgrader", [False, True])
def test_a_reply_survives_grading_again(course: Course, autumn: Path, *, by_nbgrader: bool) -> None:
    reply(course, autumn, GIVEN)
    autograde(autumn) if by_nbgrader else grade(course, autumn, force=True)
    assert in_book(autumn) == {"ada": ANSWERED, "bob": ANSWERED, "eve": UNANSWERED}
    assert {result.student: result.score for result in reading.in_folder(autumn / "graded").apart()[0]}["ada"] == 18.25


@pytest.mark.parametrize("by_nbgrader", [False, True])
def test_who_hands_in_another_answer_has_nothing_of_the_reply_any_more(
    course: Course, autumn: Path, *, by_nbgrader: bool
) -> None:
    reply(course, autumn, GIVEN)
    changed = right_except(posterior=OTHER).notebook(source_of(course))
    (autumn / "submitted" / "bob" / STEM / f"{STEM}.ipynb").write_bytes(notebook.dumps(changed))
    autograde(autumn) if by_nbgrader else grade(course, autumn)
    assert in_book(autumn) == {"ada": ANSWERED, "bob": UNANSWERED, "eve": UNANSWERED}


def test_a_reply_that_is_taken_back_leaves_nothing_in_the_gradebook(course: Course, autumn: Path) -> None:
    name = reply(course, autumn, GIVEN)
    replying.take_back(autumn, course, name)
    assert in_book(autumn) == dict.fromkeys(("ada", "bob", "eve"), UNANSWERED)
    assert list(replies.load(autumn / "graded")) == []


def test_another_reply_to_the_group_comes_in_the_place_of_the_first(course: Course, autumn: Path) -> None:
    reply(course, autumn, GIVEN)
    reply(course, autumn, "points = 2\n")
    assert in_book(autumn)["ada"] == InBook(0.0, 2.0, False, None)


def test_what_was_typed_in_formgrader_before_stays(course: Course, autumn: Path) -> None:
    type_in_formgrader(autumn, "ada", mark=0.5)
    type_in_formgrader(autumn, "bob", comment="Come and see me.")
    name = reply(course, autumn, GIVEN)
    assert in_book(autumn)["ada"] == InBook(0.0, 0.5, False, SAID)
    assert in_book(autumn)["bob"] == InBook(0.0, 1.25, False, "Come and see me.")
    replying.take_back(autumn, course, name)
    assert in_book(autumn)["ada"] == InBook(0.0, 0.5, False, None)
    assert in_book(autumn)["bob"] == InBook(0.0, None, False, "Come and see me.")


@pytest.mark.parametrize("by_nbgrader", [False, True])
def test_what_was_typed_in_formgrader_afterwards_stays(course: Course, autumn: Path, *, by_nbgrader: bool) -> None:
    name = reply(course, autumn, GIVEN)
    type_in_formgrader(autumn, "ada", mark=2.5)
    type_in_formgrader(autumn, "ada", comment="Come and see me.")
    type_in_formgrader(autumn, "bob", mark=None)  # the mark is taken away again
    autograde(autumn) if by_nbgrader else grade(course, autumn, force=True)
    # Where a person gave a mark, both ways of grading ask that person for another look.
    assert in_book(autumn)["ada"] == InBook(0.0, 2.5, True, "Come and see me.")
    assert in_book(autumn)["bob"] == InBook(0.0, None, False, SAID)
    replying.take_back(autumn, course, name)
    assert in_book(autumn)["ada"] == InBook(0.0, 2.5, True, "Come and see me.")
    assert in_book(autumn)["bob"] == UNANSWERED


def test_what_formgrader_shows_below_an_exercise_is_what_the_checks_gave(course: Course, autumn: Path) -> None:
    reply(course, autumn, GIVEN)
    grade(course, autumn, force=True)
    shown = (autumn / "autograded" / "ada" / STEM / f"{STEM}.ipynb").read_text()
    assert "posterior: failed, 0 of 3 points" in shown


def test_feedback_says_what_was_given_by_hand_and_that_it_is_the_mark(course: Course, autumn: Path) -> None:
    reply(course, autumn, GIVEN)
    feedback.write(autumn, course)
    page = (autumn / "feedback" / "ada" / STEM / f"{STEM}.html").read_text()
    assert "18.25 <small>of 20 points" in page and "given by hand" in page
    assert "your instructor made it" not in page
    type_in_formgrader(autumn, "ada", mark=2.5)
    feedback.write(autumn, course)
    page = (autumn / "feedback" / "ada" / STEM / f"{STEM}.html").read_text()
    assert "The checks gave 17 points; your instructor made it 19.5." in page


def test_a_locked_gradebook_stops_a_reply_before_anything_is_written(course: Course, autumn: Path) -> None:
    with closing(sqlite3.connect(autumn / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(GradebookError, match="is locked: another program is writing to it"):
            reply(course, autumn, GIVEN)
    assert not (autumn / "graded" / replies.FILE).exists()
    assert {result.score for result in reading.in_folder(autumn / "graded").apart()[0]} == {17.0}


def test_nbgrader_finds_nothing_odd_in_a_gradebook_with_marks_given_by_hand(course: Course, autumn: Path) -> None:
    reply(course, autumn, GIVEN)
    place = CourseFolder.at(autumn)
    with gradebook.opened(place.gradebook, place.course_id) as book:
        assert {entry.student: entry.needs_manual_grade for entry in book.entries()} == {
            "ada": False,
            "bob": False,
            "eve": False,
        }
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to", "marks.csv"],
        cwd=autumn,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in (autumn / "marks.csv").read_text().splitlines()]
    scores = {row[rows[0].index("student_id")]: row[rows[0].index("score")] for row in rows[1:]}
    assert scores == {"ada": "18.25", "bob": "18.25", "eve": "17.0"}


DAMAGES = """
from pathlib import Path
from nbgrader.preprocessors import NbGraderPreprocessor


class Damages(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        if resources["nbgrader"]["student"] == "ada":
            next(Path(__file__).parent.glob("graded/results/ada/*.json")).write_text("{")
        return nb, resources


steps = list(preprocessors.AUTOGRADE)
steps.insert(steps.index(preprocessors.Settle), Damages)
c.Autograde.autograde_preprocessors = steps
"""


def test_nbgrader_stops_at_a_result_that_is_damaged_before_what_was_replied_is_put_in(
    course: Course, autumn: Path
) -> None:
    reply(course, autumn, "points = 1\n")
    with (autumn / "nbgrader_config.py").open("a") as config:
        config.write(DAMAGES)
    command = [sys.executable, "-m", "nbgrader", "autograde", STEM, "--force"]
    done = subprocess.run(command, cwd=autumn, capture_output=True, text=True, timeout=1200)
    assert done.returncode != 0
    assert f"graded/results/ada/{STEM}.json cannot be read as a result: it breaks off in the middle." in done.stderr
    assert in_book(autumn)["bob"].manual == 1


def test_a_damaged_result_of_a_course_is_named_and_the_mark_of_the_gradebook_stays(
    course: Course, autumn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (autumn / "graded" / "results" / "ada" / f"{STEM}.json").write_text("{")
    hidden = autumn / "graded" / "results" / "zoe" / f"{STEM}.json"
    hidden.parent.mkdir()
    hidden.write_text("{")
    assert main(["marks", str(autumn)], course) == 1
    said = capsys.readouterr()
    rows = {row["student"]: (row["total"], row["status"]) for row in csv.DictReader(said.out.splitlines())}
    assert rows["ada"] == ("17", "complete")  # the gradebook knows it
    assert rows["zoe"] == ("", f"incomplete ({STEM} cannot be read)")
    assert (
        f"ada/{STEM} has the mark of the gradebook; whether it is of what was handed in last is not known" in said.err
    )
    assert f"autograder grade ASSIGNMENT --course {autumn}" in said.err
    assert main(["report", str(autumn), "--out", str(autumn / "report.html")], course) == 1
    assert "This report is not complete." in (autumn / "report.html").read_text()
    group = next(group for group in replying.look(autumn).groups if "bob" in group.students)
    (autumn / "given.toml").write_text(
        f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\npoints = 1\n'
    )
    replying.reply(autumn, course, autumn / "given.toml")  # who cannot be read keeps what the gradebook has
    assert {who: told.manual for who, told in in_book(autumn).items()} == {"ada": None, "bob": 1, "eve": None}
    grade(course, autumn)
    assert in_book(autumn)["ada"].manual == 1
    assert main(["marks", str(autumn)], course) == 1  # zoe handed in nothing that could be graded again
    assert "1 result cannot be read" in capsys.readouterr().err
