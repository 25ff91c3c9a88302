"""An nbgrader course made from this one: nbgrader's commands and ours work in it, and give the same marks."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sample_class import hand_in, source_of, work
from sample_course import LIMITS, REPOSITORY, STEM, copy_course
from traitlets.config import Config

from autograder.classroom import demo, nbgrader_course
from autograder.course import Course, notebook, sources
from autograder.course.errors import AuthorError, GradebookError, UsageError
from autograder.course.model import CheckResult, ExerciseResult, Remark, Verdict
from autograder.grading import reading
from autograder.grading.grade import Options, Run
from autograder.nbgrader_bridge import autograded, examiner, gradebook, pages
from autograder.nbgrader_bridge.folder import CourseFolder
from autograder.nbgrader_bridge.gradebook import Book
from autograder.pages import feedback

CLASS = (
    "perfect",
    "perfect-but-noisy",
    "perfect-with-cells-deleted",
    "half-done",
    "untouched",
    "crashes",
    "has-a-syntax-error",
    "wrong-posterior-adds-a-small-constant-against-zero",
)
HALF_RIGHT = CLASS[-1]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A copy of the course with one notebook, and short limits."""
    copied = copy_course(tmp_path_factory.mktemp("course") / "repository")
    copied.practice(STEM).parent.mkdir()
    copied.practice(STEM).write_text("{}")
    return copied


@pytest.fixture(scope="module")
def built(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The nbgrader course as `autograder course` makes it, with a class that has handed in."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root)
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    everybody = demo.build(course, tmp_path_factory.mktemp("demo") / "class", STEM)
    for student in CLASS:
        shutil.copytree(everybody / student, root / "submitted" / student)
    return root


@pytest.fixture(scope="module")
def by_nbgrader(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class, graded by `nbgrader autograde`."""
    root = move(built, tmp_path_factory.mktemp("slow") / "autumn")
    nbgrader(root, "autograde", STEM)
    return root


@pytest.fixture(scope="module")
def by_us(course: Course, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class, graded by `autograder grade --course`."""
    root = move(built, tmp_path_factory.mktemp("fast") / "autumn")
    assert len(grade(course, root).results) == len(CLASS)
    return root


@pytest.fixture
def graded(by_us: Path, tmp_path: Path) -> Path:
    """A graded course that a test may change."""
    return move(by_us, tmp_path / "autumn")


def move(root: Path, to: Path) -> Path:
    """A copy of a course in another folder."""
    shutil.copytree(root, to)
    return to


def nbgrader(root: Path, *arguments: str) -> str:
    """What a command of nbgrader says in a course; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=root, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def grade(course: Course, root: Path, **options: object) -> Run:
    return nbgrader_course.grade_class(course, root, STEM, Options(root / "graded", **options))  # type: ignore[arg-type]


def book_of(root: Path) -> sqlite3.Connection:
    return sqlite3.connect(root / "gradebook.db")


def scores(root: Path) -> dict[tuple[str, str], tuple[float | None, bool]]:
    """Automatic score and need for a look, by student and cell."""
    query = """SELECT s.student_id, c.name, g.auto_score, g.needs_manual_grade FROM grade g
        JOIN submitted_notebook n ON g.notebook_id = n.id JOIN submitted_assignment s ON n.assignment_id = s.id
        JOIN base_cell c ON c.id = g.cell_id"""
    with closing(book_of(root)) as book:
        return {(student, cell): (score, bool(manual)) for student, cell, score, manual in book.execute(query)}


def comments(root: Path) -> dict[tuple[str, str], str | None]:
    query = """SELECT s.student_id, c.name, k.auto_comment FROM comment k
        JOIN submitted_notebook n ON k.notebook_id = n.id JOIN submitted_assignment s ON n.assignment_id = s.id
        JOIN base_cell c ON c.id = k.cell_id"""
    with closing(book_of(root)) as book:
        return {(student, cell): words for student, cell, words in book.execute(query)}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", os.devnull)  # nobody's own settings


# --- The course folder ------------------------------------------------------------------------------------------------


def test_a_course_has_all_that_nbgrader_needs(built: Path) -> None:
    inside = contents(built)
    for folder in ("source", "release"):
        for name in (
            f"{STEM}.ipynb",
            "checks/__init__.py",
            f"checks/exercises/{STEM}.py",
            f"checks/practice/{STEM}.json",
            "matplotlibrc",
            "data/README.md",
        ):
            assert f"{folder}/{STEM}/{name}" in inside
    with gradebook.opened(f"sqlite:///{built}/gradebook.db") as book:
        assert book.points() == {STEM: 20}


def test_checks_and_data_work_in_a_released_assignment(built: Path) -> None:
    names = [path.name for path in (built / "release" / STEM / "data").iterdir() if path.suffix != ".md"]
    assert names
    code = f"import checks; checks.start({STEM!r}); [checks.data(name).stat() for name in {names!r}]"
    subprocess.run([sys.executable, "-c", code], cwd=built / "release" / STEM, check=True, timeout=600)


def test_nothing_confidential_is_in_what_students_get(course: Course, built: Path) -> None:
    released = contents(built / "release")
    assert released[f"{STEM}/{STEM}.ipynb"] != course.source(STEM).read_bytes()
    everything = b"\n".join(released.values())
    assert b"BEGIN SOLUTION" not in everything and b"autograder.course.suite" not in everything
    assert not [name for name in released if "test_" in name or "misconception" in name]


def test_a_second_run_changes_nothing(course: Course, graded: Path) -> None:
    before, marks = contents(graded), scores(graded)
    told = nbgrader_course.build(course, graded)
    assert f"{STEM}: unchanged" in told
    after = contents(graded)
    assert {name for name in after if after[name] != before.get(name)} <= {"gradebook.db"}
    assert scores(graded) == marks


def test_an_update_leaves_submissions_grades_and_settings_alone(course: Course, graded: Path, tmp_path: Path) -> None:
    newer = Course(tmp_path / "newer")
    shutil.copytree(course.root, newer.root)
    source = sources.read(newer.source(STEM))
    next(cell for cell in source.cells if cell.cell_type == "markdown").source += "\n\nA new sentence."
    notebook.write(source, newer.source(STEM))
    with (graded / "nbgrader_config.py").open("a") as config:
        config.write("# mine\n")
    marks, handed_in = scores(graded), contents(graded / "submitted")
    assert f"{STEM}: brought up to date" in nbgrader_course.build(newer, graded)
    assert "A new sentence." in (graded / "release" / STEM / f"{STEM}.ipynb").read_text()
    assert (graded / "nbgrader_config.py").read_text().endswith("# mine\n")
    assert (scores(graded), contents(graded / "submitted")) == (marks, handed_in)


def test_graded_cells_cannot_change_once_somebody_has_handed_in(course: Course, graded: Path, tmp_path: Path) -> None:
    newer = Course(tmp_path / "newer")
    shutil.copytree(course.root, newer.root)
    source = sources.read(newer.source(STEM))
    source.cells = [cell for cell in source.cells if cell.id != "reflect-1-answer"]
    notebook.write(source, newer.source(STEM))
    before = contents(graded)
    with pytest.raises(
        GradebookError, match=r"its graded cells have changed since \(reflect-1-answer\).*another folder"
    ):
        nbgrader_course.build(newer, graded)
    assert contents(graded) == before


def test_a_folder_with_other_things_in_it_is_refused(course: Course, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not empty and is not an nbgrader course"):
        nbgrader_course.build(course, tmp_path)
    assert list(contents(tmp_path)) == ["thesis.tex"]


def test_an_unknown_assignment_is_named(course: Course, built: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"There is no notebook '01_bayes_rules'.*Known are: {STEM}"):
        nbgrader_course.build(course, tmp_path / "new", ["01_bayes_rules"])
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError, match=f"There is no notebook '01_bayes_rules'.*Known are: {STEM}"):
        nbgrader_course.grade_class(course, built, "01_bayes_rules", Options(built / "graded"))
    with pytest.raises(UsageError, match="is not an nbgrader course: it has no nbgrader_config.py. `autograder course"):
        CourseFolder.at(tmp_path)


# --- Grading ----------------------------------------------------------------------------------------------------------


def test_both_ways_give_the_same_marks(by_nbgrader: Path, by_us: Path) -> None:
    assert {student for student, _ in scores(by_us)} == set(CLASS)
    assert scores(by_us) == scores(by_nbgrader)
    assert comments(by_us) == comments(by_nbgrader)


def test_both_ways_ask_with_the_same_numbers(by_nbgrader: Path, by_us: Path) -> None:
    drawn = [
        {
            result.student: (result.seed, result.attempt, result.secret)
            for result in reading.in_folder(root / "graded").apart()[0]
        }
        for root in (by_us, by_nbgrader)
    ]
    assert drawn[0] == drawn[1] and len({seed for seed, _, _ in drawn[0].values()}) == len(CLASS)


def test_a_cluster_writes_the_same_course(course: Course, built: Path, by_us: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    root = move(built, tmp_path / "autumn")
    grade(course, root, executor="dask", workers=1)
    assert scores(root) == scores(by_us) and comments(root) == comments(by_us)
    assert contents(root / "autograded") == contents(by_us / "autograded")


def test_partial_credit_reaches_the_gradebook(by_nbgrader: Path) -> None:
    found = scores(by_nbgrader)
    assert found[HALF_RIGHT, "posterior-check"][0] not in (None, 0, 3)
    assert found["perfect-with-cells-deleted", "posterior-check"] == (3, False)
    assert found["crashes", "bayes_binary-check"] == (0, False)


def test_answers_without_points_wait_for_nobody(by_nbgrader: Path) -> None:
    found = scores(by_nbgrader)
    assert found["perfect", "reflect-1-answer"] == (
        0,
        False,
    )  # there is an answer, and it differs from what was released
    assert comments(by_nbgrader)["perfect", "reflect-1-answer"] is None
    assert not [key for key, (_, needs_a_look) in found.items() if needs_a_look]


@pytest.mark.parametrize("way", ["by_nbgrader", "by_us"])
def test_the_autograded_notebook_says_why_and_asks_a_question(way: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(way)
    shown = notebook.read(root / "autograded" / HALF_RIGHT / STEM / f"{STEM}.ipynb")
    nbformat.validate(shown)
    report, marks = next(cell for cell in shown.cells if cell.id == "posterior-check").outputs
    words = report.data["text/plain"]
    assert words.startswith(f"posterior: failed, {marks.data['text/plain']} of 3 points")
    assert "A question: " in words and "  failed: " in words
    assert "test_" not in words  # the names of hidden checks are for instructors


def test_figures_are_in_the_notebook_that_nbgrader_shows(by_nbgrader: Path) -> None:
    assert sources.image_outputs(notebook.read(by_nbgrader / "autograded" / "perfect" / STEM / f"{STEM}.ipynb"))


def test_feedback_and_export_work_after_our_grading(graded: Path) -> None:
    nbgrader(graded, "generate_feedback", STEM, f"--student={HALF_RIGHT}")
    page = (graded / "feedback" / HALF_RIGHT / STEM / f"{STEM}.html").read_text()
    assert "A question" in page and "posterior: failed" in page
    assert "<math" in page and "<script" not in page  # its mathematics needs neither script nor network
    nbgrader(graded, "export", "--to", "marks.csv")
    assert f"{STEM},,,perfect,,,,20.0,0.0,20.0,20.0" in (graded / "marks.csv").read_text()


def give_by_hand(root: Path, student: str = "half-done") -> None:
    """A manual score, a comment and extra credit, as formgrader would write them."""
    of = f"""(SELECT n.id FROM submitted_notebook n JOIN submitted_assignment s ON n.assignment_id = s.id
        WHERE s.student_id = '{student}')"""
    with closing(book_of(root)) as book:
        book.execute(
            f"UPDATE grade SET manual_score = 2.5, extra_credit = 1 WHERE notebook_id = {of} AND auto_score = 3"
        )
        book.execute(f"UPDATE comment SET manual_comment = 'Well argued.' WHERE notebook_id = {of}")
        book.commit()


def given_by_hand(root: Path) -> tuple[list[tuple[float, float]], int]:
    with closing(book_of(root)) as book:
        grades = book.execute("SELECT manual_score, extra_credit FROM grade WHERE manual_score IS NOT NULL").fetchall()
        return grades, len(book.execute("SELECT id FROM comment WHERE manual_comment = 'Well argued.'").fetchall())


def test_the_exchange_hands_out_our_own_pages(course: Course, graded: Path, tmp_path: Path) -> None:
    handed_in = graded / "submitted" / HALF_RIGHT / STEM
    (handed_in / "timestamp.txt").write_text("2026-10-14 09:00:00 UTC")
    (handed_in / "submission_secret.txt").write_text("known to this student only")
    grade(course, graded)
    nbgrader(graded, "generate_feedback", STEM, "--student", HALF_RIGHT)
    feedback.write(graded, course, students=[HALF_RIGHT])
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    nbgrader(graded, "release_feedback", STEM, "--student", HALF_RIGHT, f"--Exchange.root={exchange}")
    [released] = exchange.rglob("*.html")
    page = released.read_text()
    assert page == (graded / "feedback" / HALF_RIGHT / STEM / f"{STEM}.html").read_text()
    assert "What is not right yet" in page and "of 20 points" in page


def test_what_people_gave_survives_grading_again(course: Course, graded: Path) -> None:
    give_by_hand(graded)
    before = given_by_hand(graded)
    assert before[0] == [(2.5, 1.0)] * 2 and before[1] > 5
    grade(course, graded, force=True)
    assert given_by_hand(graded) == before
    nbgrader(graded, "autograde", STEM, "--student=half-done", "--force")
    assert given_by_hand(graded) == before


def test_a_new_version_of_a_submission_is_graded_and_replaces_the_old_marks(course: Course, graded: Path) -> None:
    for folder in ("submitted", "autograded"):
        assert (graded / folder / "untouched").exists()
    shutil.copy(graded / "submitted" / "perfect" / STEM / f"{STEM}.ipynb", graded / "submitted" / "untouched" / STEM)
    run = grade(course, graded)
    assert run.unchanged == len(CLASS) - 1
    assert scores(graded)["untouched", "posterior-check"] == (3, False)


def test_marks_and_notebook_are_written_together_or_not_at_all(
    course: Course, built: Path, by_us: Path, tmp_path: Path
) -> None:
    root = move(built, tmp_path / "autumn")
    shutil.copytree(by_us / "graded", root / "graded")  # what is known is not graded again
    (root / "autograded").write_text("in the way")
    with pytest.raises(OSError, match="autograded"):
        grade(course, root)
    assert scores(root) == {}
    (root / "autograded").unlink()
    grade(course, root)
    assert scores(root) == scores(by_us)


def test_a_student_who_is_not_on_the_roster_is_listed_and_not_written(
    course: Course, built: Path, by_us: Path, tmp_path: Path
) -> None:
    root = move(built, tmp_path / "autumn")
    shutil.copytree(by_us / "graded", root / "graded")
    known = [student for student in CLASS if student != "crashes"]
    (root / "students.csv").write_text("id,first_name\n" + "".join(f"{student},A\n" for student in [*known, "crashed"]))
    (root / "course.toml").write_text('students = "students.csv"\n' + LIMITS)
    run = grade(course, root)
    reason = next(entry.reason for entry in run.skipped if "crashes" in entry.where)
    assert reason.startswith("there is no student 'crashes' on the roster. Is it 'crashed'?")
    assert {student for student, _ in scores(root)} == set(known)
    assert not (root / "autograded" / "crashes").exists()


def test_a_locked_gradebook_is_told_and_nothing_is_half_written(
    course: Course, built: Path, by_us: Path, tmp_path: Path
) -> None:
    root = move(built, tmp_path / "autumn")
    shutil.copytree(by_us / "graded", root / "graded")
    with closing(book_of(root)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="gradebook.db is locked: another program is writing to it"):
            grade(course, root)
    assert scores(root) == {} and not (root / "autograded").exists()


def test_an_autograded_notebook_is_not_replaced_while_its_marks_cannot_be(course: Course, graded: Path) -> None:
    shutil.copy(graded / "submitted" / "perfect" / STEM / f"{STEM}.ipynb", graded / "submitted" / "untouched" / STEM)
    before, marks = contents(graded / "autograded"), scores(graded)
    with closing(book_of(graded)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="is locked"):
            grade(course, graded)
    assert (contents(graded / "autograded"), scores(graded)) == (before, marks)


def test_a_course_is_not_half_brought_up_to_date(course: Course, built: Path, tmp_path: Path) -> None:
    newer, root = Course(tmp_path / "newer"), move(built, tmp_path / "autumn")
    shutil.copytree(course.root, newer.root)
    source = sources.read(newer.source(STEM))
    next(cell for cell in source.cells if cell.cell_type == "markdown").source += "\n\nA new sentence."
    notebook.write(source, newer.source(STEM))
    before = contents(root)
    with closing(book_of(root)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="gradebook.db is locked: another program is writing to it"):
            nbgrader_course.build(newer, root)
    assert contents(root) == before
    (root / "course.toml").write_text(f"[due]\n{STEM} = 2026-10-12 23:59:00\n")
    with pytest.raises(AuthorError, match="has no time zone"):
        nbgrader_course.build(newer, root)
    extension = f'[[extension]]\nstudent = "gauss"\nassignment = "{STEM}"\ndays = 3\n'
    (root / "course.toml").write_text(f"[due]\n{STEM} = 2026-10-12T23:59:00Z\n{extension}")
    with pytest.raises(AuthorError, match="for 'gauss', who is not a student of this course"):
        nbgrader_course.build(newer, root)
    assert {name: data for name, data in contents(root).items() if name != "course.toml"} == {
        name: data for name, data in before.items() if name != "course.toml"
    }


def test_nbgrader_grades_nobody_who_is_not_on_the_roster(built: Path, tmp_path: Path) -> None:
    root = move(built, tmp_path / "autumn")
    (root / "course.toml").write_text('students = "students.csv"\n' + LIMITS)
    (root / "students.csv").write_text("id\nperfect\n")
    command = [sys.executable, "-m", "nbgrader", "autograde", STEM, "--student=crashes"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=1200)
    assert done.returncode != 0 and "No student with ID 'crashes' exists in the database" in done.stderr
    assert scores(root) == {} and not (root / "autograded" / "crashes" / STEM).exists()


def test_nbgrader_follows_no_link_to_somebody_elses_work(built: Path, tmp_path: Path) -> None:
    root = move(built, tmp_path / "autumn")
    link = root / "submitted" / "crashes" / STEM / f"{STEM}.ipynb"
    link.unlink()
    link.symlink_to(root / "submitted" / "perfect" / STEM / f"{STEM}.ipynb")
    command = [sys.executable, "-m", "nbgrader", "autograde", STEM, "--student=crashes"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=1200)
    assert done.returncode != 0 and "is a symbolic link. Hand in the file itself." in done.stderr
    assert not any(score for score, _ in scores(root).values())


def test_a_gradebook_of_another_version_is_refused(built: Path, tmp_path: Path) -> None:
    shutil.copy(built / "gradebook.db", tmp_path)
    with closing(book_of(tmp_path)) as book:
        book.execute("UPDATE alembic_version SET version_num = 'b6d005d67074'")
        book.commit()
    with (
        pytest.raises(
            GradebookError, match="has version b6d005d67074, and the installed nbgrader needs.*nbgrader db upgrade"
        ),
        gradebook.opened(f"sqlite:///{tmp_path}/gradebook.db"),
    ):
        pass


def test_an_address_of_a_gradebook_holds_no_secret_and_is_one(course: Course, tmp_path: Path) -> None:
    refused = {
        "postgresql://ada:secret@host/grades": "must not contain a password.*PGPASSWORD",
        "postgresql://ada@host/grades?password=secret": "must not contain a password",
        "mysql://ada@host/grades": "kept by SQLite or PostgreSQL, not by mysql",
        "grades": "is not the address of a gradebook. Write it like postgresql://user@host/name",
    }
    for given, words in refused.items():
        with pytest.raises(UsageError, match=words) as told:
            nbgrader_course.build(course, tmp_path / "autumn", address=given)
        assert "secret" not in str(told.value).replace("a secret", "")
    assert not (tmp_path / "autumn").exists()
    assert gradebook.address("postgresql://ada@host/grades") == "postgresql+psycopg://ada@host/grades"


def test_a_file_that_is_no_gradebook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("hello " * 1000)
    told = pytest.raises(GradebookError, match="is not a gradebook of nbgrader")
    with told, gradebook.opened(f"sqlite:///{tmp_path}/gradebook.db"):
        pass


# --- Putting a notebook in order --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def originals(course: Course, built: Path) -> tuple[autograded.Original, ...]:
    with gradebook.opened(f"sqlite:///{built}/gradebook.db") as book:
        assert isinstance(book, Book)
        return book.originals(sources.read(course.source(STEM)), STEM)


def handed_in(built: Path, student: str = "perfect") -> NotebookNode:
    return notebook.read(built / "submitted" / student / STEM / f"{STEM}.ipynb")


def graded_ids(some: NotebookNode) -> list[str]:
    return [cell.metadata.nbgrader.grade_id for cell in some.cells if "nbgrader" in cell.metadata]


def test_lost_metadata_and_ids_are_put_back(built: Path, originals: tuple[autograded.Original, ...]) -> None:
    submission = handed_in(built)
    for number, cell in enumerate(submission.cells):
        cell.metadata, cell.id = NotebookNode(), f"x{number}"
    found = graded_ids(autograded.restored(submission, originals))
    assert sorted(found) == sorted(original.grade_id for original in originals)


def test_deleted_check_cells_come_back_in_order_and_solutions_do_not(
    built: Path, originals: tuple[autograded.Original, ...]
) -> None:
    submission = handed_in(built)
    submission.cells = [cell for cell in submission.cells if "nbgrader" not in cell.metadata]
    expected = [original.grade_id for original in originals if original.role != "solution"]
    assert graded_ids(autograded.restored(submission, originals)) == expected


def test_an_edited_check_cell_stays_beside_a_fresh_one(built: Path, originals: tuple[autograded.Original, ...]) -> None:
    submission = handed_in(built)
    edited = next(cell for cell in submission.cells if cell.id == "posterior-check")
    edited.source = "print('all passed')"
    restored = autograded.restored(submission, originals)
    assert "nbgrader" not in edited.metadata and edited in restored.cells
    fresh = next(
        cell for cell in restored.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "posterior-check"
    )
    assert fresh.source == 'check("posterior")' and fresh.id != edited.id
    nbformat.validate(restored)


def _checks(*verdicts: Verdict, **more: Any) -> tuple[CheckResult, ...]:
    return tuple(CheckResult("x", verdict, "A law.", **more) for verdict in verdicts)


PASSED, FAILED, BLOCKED, SLOW = Verdict.PASSED, Verdict.FAILED, Verdict.BLOCKED, Verdict.TIMED_OUT
STUB = CheckResult(
    "x", Verdict.NOT_ATTEMPTED, "A law.", remark=Remark.NOT_FILLED_IN, remark_text="The stub has not been filled in."
)


@pytest.mark.parametrize(
    ("checks", "heading", "rest"),
    [
        (_checks(PASSED, PASSED), "2 of 2 checks pass", []),
        (_checks(PASSED, FAILED), "1 of 2 checks passes", []),
        (
            (*_checks(FAILED, gate=True), *_checks(BLOCKED)),
            "the one check that was asked does not pass",
            ["1 more check was not asked: it counts only once the plain numbers are right."],
        ),
        (
            (*_checks(PASSED), *_checks(FAILED, gate=True), *_checks(BLOCKED, BLOCKED)),
            "1 of 2 checks that were asked passes",
            ["2 more checks were not asked: they count only once the plain numbers are right."],
        ),
        (
            _checks(SLOW, SLOW, BLOCKED, BLOCKED),
            "0 of 2 checks that were asked pass",
            ["2 more checks were not asked, because an earlier one did not come to its end."],
        ),
        ((STUB, STUB), "no check was asked", ["The stub has not been filled in. 2 checks had nothing to look at."]),
    ],
)
def test_what_a_check_cell_shows_counts_what_was_asked_and_says_why_the_rest_was_not(
    checks: tuple[CheckResult, ...], heading: str, rest: list[str]
) -> None:
    first, *lines = autograded.as_text(ExerciseResult("x", 0, 3, FAILED, checks)).splitlines()
    assert first == f"x: failed, 0 of 3 points ({heading})"
    assert [line.strip() for line in lines if "A law." not in line] == rest


def test_a_question_about_a_part_of_what_is_wrong_says_that_there_is_more() -> None:
    some = ExerciseResult("x", 0, 3, FAILED, _checks(FAILED), relation="negative", question="Which sign?", more=True)
    for shown in (autograded.as_text(some), autograded.as_html(some)):
        assert "Which sign? (This is about one thing only: something else is not right yet, too.)" in shown


def test_text_of_a_student_is_escaped_in_what_a_browser_shows() -> None:
    check = CheckResult("visible: x", Verdict.FAILED, "came back: <script>alert(1)</script>\nexpected: 2")
    shown = autograded.as_html(ExerciseResult("x", 0, 3, Verdict.FAILED, (check,)))
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "<br>expected: 2" in shown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<form action=/formgrader/api/grade/1><button>press</button></form>",
        "<a href='javascript:alert(1)'>x</a> [y](javascript:alert(1)) [z](data:text/html,x) "
        "<a href=' JaVaScript:alert(1)'>x</a>",
        "<div style='position: fixed' id=posterior-check class=score onclick=alert(1)>x</div>",
        "$\\text{<script>alert(1)</script>}$ $$\\href{javascript:alert(1)}{x}$$",
        "![$x$](http://192.0.2.1/x.png) <img src='//192.0.2.1/x.png' srcset='http://192.0.2.1/x.png'>",
        "![x](attachment:lost.png)",
        "<p><table><style><img src=x onerror=alert(1)></style></table>",
        "```html\n<script>alert(1)</script>\n```\n`<script>`",
    ],
)
def test_text_of_a_student_never_acts_on_the_pages_that_nbgrader_makes(text: str) -> None:
    for element in shown(
        [new_markdown_cell(text), new_code_cell("1", outputs=[new_output("display_data", data={"text/html": text})])]
    ):
        elements = "script, svg, iframe, form, button, style, object, embed, link"
        assert not element.select(f"{elements}, [style], [onerror], [onload], [onclick], [srcset]")
        assert not element.select(".score, #posterior-check")
        assert all(str(link["href"]).startswith(("http", "#", "mailto:")) for link in element.select("a[href]"))
        assert all("192.0.2.1" not in image["src"] for image in element.select("img[src]"))


def shown(cells: list[NotebookNode]) -> list[Tag]:
    """The cells' texts and outputs, as formgrader would show them."""
    settings = Config(
        {"HTMLExporter": {"sanitize_html": True, "filters": pages.FILTERS, "extra_template_basedirs": pages.TEMPLATES}}
    )
    page, _ = HTMLExporter(config=settings, template_name="formgrade").from_notebook_node(
        new_notebook(cells=cells), resources={"index": 0, "total": 1, "base_url": "", "metadata": {}}
    )
    found = BeautifulSoup(page, "html.parser").select(".rendered_html")
    assert len(found) == len(cells)
    return list(found)


def test_ordinary_text_and_formulas_are_shown_as_they_are_meant() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"## Why\n\n**Bold**, `a < b`, $a < b$ and\n\n{table}\n\n$$\\sum_k p_k = 1$$ ![seen](figure.png)"
    (element,) = shown([new_markdown_cell(text)])
    assert [found.get_text() for found in element.select("h2, strong, code, th")] == ["Why", "Bold", "a < b", "a", "b"]
    assert [found["display"] for found in element.select("math")] == ["inline", "block"]
    assert [image["src"] for image in element.select("img")] == ["figure.png"]


def test_a_text_of_great_length_is_shown_as_it_was_typed() -> None:
    (element,) = shown(
        [new_markdown_cell("**<div>**" * 5000)]
    )  # as Markdown it takes seconds, and ten times as much takes minutes
    assert element.get_text().strip() == "**<div>**" * 5000 and not element.select("div, strong")


# --- Notebooks of other courses ---------------------------------------------------------------------------------------


def foreign_source() -> NotebookNode:
    def told(**labels: object) -> NotebookNode:
        common = {"schema_version": 3, "locked": False, "task": False, "grade": False, "solution": False}
        return NotebookNode(nbgrader=NotebookNode({**common, **labels}))

    made: NotebookNode = new_notebook(
        cells=[
            new_code_cell("import pathlib\nfrom helper import twice", id="setup"),
            new_code_cell(
                "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION",
                id="square",
                metadata=told(solution=True, grade_id="square"),
            ),
            new_code_cell(
                "assert square(2) == 4\n### BEGIN HIDDEN TESTS\nassert square(-3) == 9\n### END HIDDEN TESTS",
                id="test-square",
                metadata=told(grade=True, locked=True, points=2, grade_id="test-square"),
            ),
            new_code_cell(
                "text = pathlib.Path('numbers.txt').read_text()\n[0, 1.5, 3][min(twice(square(1)), int(text))]",
                id="partial",
                metadata=told(grade=True, locked=True, points=3, grade_id="partial"),
            ),
            new_markdown_cell("Why?", id="why", metadata=told(grade=True, solution=True, points=1, grade_id="why")),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    return made


FOREIGN = {
    "right": "def square(x):\n    return x * x",
    "lucky": "def square(x):\n    return 4 if x == 2 else 1",
    "noisy": "def square(x):\n    import sys\n    print('careful', file=sys.stderr)\n    return x * x",
    "wrong": "def square(x):\n    return 0",
    "broken": "def square(x)\n    return 0",
}


def test_notebooks_of_other_courses_get_what_nbgrader_would_give(course: Course, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    (plain / "source" / "ps1").mkdir(parents=True)
    (plain / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "other"\n')
    nbformat.write(foreign_source(), plain / "source" / "ps1" / "problem.ipynb")
    (plain / "source" / "ps1" / "helper.py").write_text("def twice(x):\n    return 2 * x\n")
    (plain / "source" / "ps1" / "numbers.txt").write_text("1")
    nbgrader(plain, "generate_assignment", "ps1")
    for student, answer in FOREIGN.items():
        shutil.copytree(plain / "release" / "ps1", plain / "submitted" / student / "ps1")
        work = nbformat.read(plain / "submitted" / student / "ps1" / "problem.ipynb", as_version=4)
        assert "HIDDEN" not in work.cells[2].source
        work.cells[1].source = answer
        nbformat.write(work, plain / "submitted" / student / "ps1" / "problem.ipynb")
    ours = move(plain, tmp_path / "ours")
    with (ours / "nbgrader_config.py").open("a") as config:
        guide = (REPOSITORY.root / "docs" / "instructors.md").read_text(encoding="utf-8")
        (lines,) = re.findall(
            r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL
        )  # as an instructor would copy them
        config.write(f"{lines}c.Restore.repository = c.Examine.repository = {str(course.root)!r}\n")
    nbgrader(plain, "autograde", "ps1")
    nbgrader(ours, "autograde", "ps1")
    expected = {
        ("right", "test-square"): 2,
        ("lucky", "test-square"): 0,
        ("noisy", "test-square"): 0,
        ("right", "partial"): 1.5,
    }
    assert {key: scores(plain)[key][0] for key in expected} == expected
    assert scores(ours) == scores(plain)


def test_a_cell_that_was_not_run_never_counts_as_success(course: Course) -> None:
    cells = [new_code_cell(f"import os; os._exit({number})", id=f"deadly-{number}") for number in range(7)]
    cells.append(new_code_cell("1 == 1", id="last"))
    ran = examiner.run(new_notebook(cells=cells), None, course=course, wanted="auto")
    assert all(any(output.output_type == "error" for output in cell.outputs) for cell in ran.cells)


def test_a_copied_id_brings_no_test_the_outputs_of_another_cell(course: Course) -> None:
    cells = [new_code_cell("assert False", id="test-square"), new_code_cell("1", id="other")]
    cells[1].id = "test-square"
    ran = examiner.run(
        NotebookNode(cells=cells, metadata=NotebookNode(), nbformat=4, nbformat_minor=5),
        None,
        course=course,
        wanted="auto",
    )
    assert [cell.outputs[0].output_type for cell in ran.cells] == ["error", "execute_result"]


# --- Packages that a class allows ------------------------------------------------------------------------------------


def test_what_a_class_allows_reaches_students_and_both_ways_of_grading(
    course: Course, built: Path, tmp_path: Path
) -> None:
    root = move(built, tmp_path / "autumn")
    (root / "course.toml").write_text('[packages]\nallow = ["scipy"]\n')
    nbgrader_course.build(course, root, [STEM])
    assert (root / "release" / STEM / "checks" / "allowed.txt").read_text() == "scipy\n"
    shutil.rmtree(root / "submitted")
    use = work({"setup": ["from scipy.linalg import norm\nassert norm([3, 4]) == 5"]}, posterior=None)
    hand_in(root / "submitted", "ada", use.notebook(source_of(course)))
    (result,) = grade(course, root).results
    assert result.faults == ()
    assert "scipy" not in nbgrader(root, "autograde", STEM, "--create", "--force")
    (root / "course.toml").write_text("")
    nbgrader_course.build(course, root, [STEM])
    assert (root / "release" / STEM / "checks" / "allowed.txt").read_text() == ""
    (result,) = grade(course, root).results
    assert "scipy.linalg.norm is not there" in str(result.faults)
    assert "scipy.linalg.norm is not there" in nbgrader(root, "autograde", STEM, "--create", "--force")


def test_a_package_that_cannot_be_allowed_is_named_before_anything_is_written(
    course: Course, built: Path, tmp_path: Path
) -> None:
    root = move(built, tmp_path / "autumn")
    (root / "course.toml").write_text('[packages]\nallow = ["numpyy"]\n')
    before = contents(root)
    with pytest.raises(AuthorError, match="allows 'numpyy', which is not one of those that answers do without"):
        nbgrader_course.build(course, root, [STEM])
    assert contents(root) == before
