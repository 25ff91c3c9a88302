"""A gradebook on a real PostgreSQL server: the same marks both ways, and nothing lost.

Skipped where it is not installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import postgresql
import pytest
from sample_course import LIMITS, STEM, copy_course
from sqlalchemy import create_engine, text

from autograder.classroom import demo, marks, nbgrader_course, replying
from autograder.course import Course
from autograder.course.errors import GradebookError, UsageError
from autograder.grading.grade import Options
from autograder.nbgrader_bridge import gradebook
from autograder.nbgrader_bridge.folder import CourseFolder

CLASS = ("perfect", "half-done", "wrong-posterior-adds-a-small-constant-against-zero")


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.Server]:
    with postgresql.started() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSFILE", str(running.passfile))
        patch.setenv("JUPYTER_CONFIG_DIR", os.devnull)
        yield running


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "repository")


@pytest.fixture(scope="module")
def autumn(server: postgresql.Server, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with its gradebook on the server, and a class that has handed in."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    nbgrader_course.build(course, root, address=server.create("autumn"))
    with (root / "course.toml").open("a") as policy:
        policy.write(LIMITS)
    everybody = demo.build(course, tmp_path_factory.mktemp("demo") / "class", STEM)
    for student in CLASS:
        shutil.copytree(everybody / student, root / "submitted" / student)
    return root


def copy_of(autumn: Path, server: postgresql.Server, root: Path, database: str) -> Path:
    """The course in another folder, with a gradebook of its own."""
    shutil.copytree(autumn, root)
    config = (root / "nbgrader_config.py").read_text()
    before, after = (url.partition("//")[2] for url in (server.url("autumn"), server.create(database, "autumn")))
    (root / "nbgrader_config.py").write_text(config.replace(before, after))
    return root


@pytest.fixture(scope="module")
def fast(server: postgresql.Server, course: Course, autumn: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class, graded by us."""
    root = copy_of(autumn, server, tmp_path_factory.mktemp("fast") / "autumn", "fast")
    assert len(grade(course, root)) == len(CLASS)
    return root


def grade(course: Course, root: Path, **options: object) -> list[str]:
    run = nbgrader_course.grade_class(course, root, STEM, Options(root / "graded", **options))  # type: ignore[arg-type]
    return [result.student for result in run.results]


def ask(root: Path, query: str) -> list[tuple[object, ...]]:
    """The answer of a course's gradebook."""
    engine = create_engine(CourseFolder.at(root).gradebook)
    try:
        with engine.begin() as connection:
            answer = connection.execute(text(query))
            return [tuple(row) for row in answer] if answer.returns_rows else []
    finally:
        engine.dispose()


SCORES = """SELECT s.student_id, c.name, g.auto_score, g.needs_manual_grade FROM grade g
    JOIN submitted_notebook n ON g.notebook_id = n.id JOIN submitted_assignment s ON n.assignment_id = s.id
    JOIN base_cell c ON c.id = g.cell_id ORDER BY s.student_id, c.name"""


def test_both_ways_give_the_same_marks(server: postgresql.Server, autumn: Path, fast: Path, tmp_path: Path) -> None:
    slow = copy_of(autumn, server, tmp_path / "autumn", "slow")
    command = [sys.executable, "-m", "nbgrader", "autograde", STEM]
    done = subprocess.run(command, cwd=slow, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    found = ask(slow, SCORES)
    assert found == ask(fast, SCORES)
    assert {row[0] for row in found} == set(CLASS) and (CLASS[-1], "posterior-check", 2.1, False) in found
    with gradebook.opened(CourseFolder.at(fast).gradebook) as book:
        assert {entry.student: float(entry.score) for entry in book.entries()} == {
            "perfect": 20,
            "half-done": 10,
            CLASS[-1]: 19.1,
        }


def test_the_grades_are_on_the_server_and_no_secret_is_in_the_course(fast: Path) -> None:
    assert not (fast / "gradebook.db").exists()
    assert "postgresql+psycopg://teacher@127.0.0.1" in (fast / "nbgrader_config.py").read_text()
    secret = postgresql.PASSWORD.encode()
    assert not [path for path in fast.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_what_people_gave_survives_grading_again(course: Course, fast: Path) -> None:
    ask(fast, "UPDATE grade SET manual_score = 2.5, extra_credit = 1 WHERE auto_score = 2.1")
    ask(fast, "UPDATE comment SET manual_comment = 'Well argued.'")
    grades = "SELECT manual_score, extra_credit FROM grade WHERE manual_score IS NOT NULL"
    by_hand = (grades, "SELECT count(*), manual_comment FROM comment GROUP BY 2")
    before = [ask(fast, query) for query in by_hand]
    assert before[0] == [(2.5, 1.0)]
    assert len(grade(course, fast)) == len(CLASS)
    assert [ask(fast, query) for query in by_hand] == before


def test_what_a_group_is_given_is_on_the_server_and_can_be_taken_back(
    server: postgresql.Server, course: Course, autumn: Path, tmp_path: Path
) -> None:
    root = copy_of(autumn, server, tmp_path / "autumn", "groups")
    grade(course, root)
    given = "SELECT manual_score, needs_manual_grade FROM grade WHERE manual_score IS NOT NULL"
    said = "SELECT auto_comment FROM comment WHERE auto_comment LIKE 'To everybody%'"
    group = next(group for group in replying.look(root).groups if CLASS[-1] in group.students)
    head = f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\n'
    (root / "given.toml").write_text(head + 'comment = "Look."\npoints = 2.35\n')
    replying.reply(root, course, root / "given.toml")
    for _ in range(2):
        assert ask(root, given) == [(2.35, False)]
        assert ask(root, said) == [("To everybody who answered like this: Look.",)]
        grade(course, root, force=True)
    replying.take_back(root, course, group.name)
    assert ask(root, given) == ask(root, said) == []


def test_a_locked_gradebook_is_told_and_nothing_is_half_written(
    server: postgresql.Server, course: Course, autumn: Path, fast: Path, tmp_path: Path
) -> None:
    root = copy_of(autumn, server, tmp_path / "autumn", "locked")
    shutil.copytree(fast / "graded", root / "graded")  # what is known is not graded again
    engine = create_engine(CourseFolder.at(root).gradebook)
    with engine.begin() as other:
        other.execute(text("LOCK TABLE grade IN EXCLUSIVE MODE"))
        with pytest.raises(GradebookError, match="locked is locked: another program is writing to it"):
            grade(course, root)
    engine.dispose()
    assert ask(root, SCORES) == [] and not (root / "autograded").exists()
    assert len(grade(course, root)) == len(CLASS)
    assert len(ask(root, SCORES)) == len(ask(fast, SCORES))


def test_that_no_copy_is_made_is_told_before_marks_change(course: Course, fast: Path) -> None:
    told = list[str]()
    grade(course, fast, tell=told.append)
    assert len(told) == 1 and "No copy of the gradebook is made before it changes, because it is on a server" in told[0]
    assert not (fast / "backups").exists()


def test_a_database_that_has_lost_its_grades_is_told_and_not_filled_anew(
    server: postgresql.Server, course: Course, fast: Path, tmp_path: Path
) -> None:
    root = tmp_path / "autumn"
    shutil.copytree(fast, root)
    config, (before, after) = root / "nbgrader_config.py", (server.url("fast"), server.create("lost"))
    config.write_text(config.read_text().replace(before.partition("//")[2], after.partition("//")[2]))
    for attempt in (
        lambda: nbgrader_course.build(course, root),
        lambda: grade(course, root),
        lambda: marks.read(root, course),
    ):
        with pytest.raises(GradebookError, match="is empty, and there was one with grades: see .*autograded") as told:
            attempt()
        assert "Put back what you have kept of its database." in str(told.value)
    assert ask(root, "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'") == [(0,)]


def test_a_gradebook_that_cannot_be_reached_is_named_and_nothing_is_written(
    server: postgresql.Server, course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GradebookError, match="does not exist"):
        nbgrader_course.build(course, tmp_path / "autumn", address=server.url("nowhere"))
    monkeypatch.setenv("PGPASSFILE", os.devnull)
    with pytest.raises(GradebookError, match="no password supplied"):
        nbgrader_course.build(course, tmp_path / "autumn", address=server.url("fast"))
    assert not (tmp_path / "autumn").exists()


def test_a_course_keeps_the_gradebook_that_it_has(server: postgresql.Server, course: Course, fast: Path) -> None:
    with pytest.raises(
        UsageError, match="has its gradebook elsewhere: see c.CourseDirectory.db_url in .*nbgrader_config.py"
    ):
        nbgrader_course.build(course, fast, address=server.url("slow"))
