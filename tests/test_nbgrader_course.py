"""An nbgrader course made from this repository: nbgrader's own commands in it, our engine under them, and the same marks either way."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder import autograded, classroom, demo, notebook
from autograder.course import Course
from autograder.errors import GradebookError, UsageError
from autograder.grade import Options, Run
from autograder.nbgrader_bridge import examiner, gradebook
from autograder.nbgrader_bridge.folder import CourseFolder
from autograder.nbgrader_bridge.gradebook import Book
from semester import LIMITS, STEM, copy_course

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
    return copy_course(tmp_path_factory.mktemp("semester") / "repository")


@pytest.fixture(scope="module")
def built(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The nbgrader course as `autograder course` makes it, with a class that has handed in."""
    root = tmp_path_factory.mktemp("nbgrader") / "autumn"
    classroom.build(course, root)
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
    done = subprocess.run([sys.executable, "-m", "nbgrader", *arguments], cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def grade(course: Course, root: Path, **options: object) -> Run:
    return classroom.grade_class(course, root, STEM, Options(root / "graded", **options))  # type: ignore[arg-type]


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
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", os.devnull)  # nobody's own settings
    yield


# --- The course folder ------------------------------------------------------------------------------------------------


def test_a_course_has_all_that_nbgrader_needs(built: Path) -> None:
    inside = contents(built)
    for folder in ("source", "release"):
        for name in (f"{STEM}.ipynb", "checks/__init__.py", f"checks/exercises/{STEM}.py", "matplotlibrc", "data/README.md"):
            assert f"{folder}/{STEM}/{name}" in inside
    with gradebook.opened(f"sqlite:///{built}/gradebook.db") as book:
        assert book.points() == {STEM: 20}


def test_checks_and_data_work_in_a_released_assignment(built: Path) -> None:
    names = [path.name for path in (built / "release" / STEM / "data").iterdir() if path.suffix != ".md"]
    assert names
    code = f"import checks; checks.start({STEM!r}); [checks.data(name).stat() for name in {names!r}]"
    subprocess.run([sys.executable, "-c", code], cwd=built / "release" / STEM, check=True, timeout=60)


def test_nothing_confidential_is_in_what_students_get(course: Course, built: Path) -> None:
    released = contents(built / "release")
    assert released[f"{STEM}/{STEM}.ipynb"] != course.source(STEM).read_bytes()
    everything = b"\n".join(released.values())
    assert b"BEGIN SOLUTION" not in everything and b"autograder.suite" not in everything
    assert not [name for name in released if "test_" in name or "misconception" in name]


def test_a_second_run_changes_nothing(course: Course, graded: Path) -> None:
    before, marks = contents(graded), scores(graded)
    told = classroom.build(course, graded)
    assert f"{STEM}: unchanged" in told
    after = contents(graded)
    assert {name for name in after if after[name] != before.get(name)} <= {"gradebook.db"}
    assert scores(graded) == marks


def test_an_update_leaves_submissions_grades_and_settings_alone(course: Course, graded: Path, tmp_path: Path) -> None:
    newer = Course(tmp_path / "newer")
    shutil.copytree(course.root, newer.root)
    source = notebook.read_source(newer.source(STEM))
    next(cell for cell in source.cells if cell.cell_type == "markdown").source += "\n\nA new sentence."
    notebook.write(source, newer.source(STEM))
    with (graded / "nbgrader_config.py").open("a") as config:
        config.write("# mine\n")
    marks, handed_in = scores(graded), contents(graded / "submitted")
    assert f"{STEM}: brought up to date" in classroom.build(newer, graded)
    assert "A new sentence." in (graded / "release" / STEM / f"{STEM}.ipynb").read_text()
    assert (graded / "nbgrader_config.py").read_text().endswith("# mine\n")
    assert (scores(graded), contents(graded / "submitted")) == (marks, handed_in)


def test_graded_cells_cannot_change_once_somebody_has_handed_in(course: Course, graded: Path, tmp_path: Path) -> None:
    newer = Course(tmp_path / "newer")
    shutil.copytree(course.root, newer.root)
    source = notebook.read_source(newer.source(STEM))
    source.cells = [cell for cell in source.cells if cell.id != "reflect-1-answer"]
    notebook.write(source, newer.source(STEM))
    before = contents(graded)
    with pytest.raises(GradebookError, match=r"its graded cells have changed since \(reflect-1-answer\).*another folder"):
        classroom.build(newer, graded)
    assert contents(graded) == before


def test_a_folder_with_other_things_in_it_is_refused(course: Course, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not empty and is no course of nbgrader"):
        classroom.build(course, tmp_path)
    assert list(contents(tmp_path)) == ["thesis.tex"]


def test_an_unknown_assignment_is_named(course: Course, built: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"There is no notebook '01_bayes_rules'.*Known are: {STEM}"):
        classroom.build(course, tmp_path / "new", ["01_bayes_rules"])
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError, match=f"There is no notebook '01_bayes_rules'.*Known are: {STEM}"):
        classroom.grade_class(course, built, "01_bayes_rules", Options(built / "graded"))
    with pytest.raises(UsageError, match="is no course of nbgrader: it has no nbgrader_config.py. `autograder course"):
        CourseFolder.at(tmp_path)


# --- Grading ----------------------------------------------------------------------------------------------------------


def test_both_ways_give_the_same_marks(by_nbgrader: Path, by_us: Path) -> None:
    assert {student for student, _ in scores(by_us)} == set(CLASS)
    assert scores(by_us) == scores(by_nbgrader)
    assert comments(by_us) == comments(by_nbgrader)


def test_partial_credit_reaches_the_gradebook(by_nbgrader: Path) -> None:
    found = scores(by_nbgrader)
    assert found[HALF_RIGHT, "posterior-check"][0] not in (None, 0, 3)
    assert found["perfect-with-cells-deleted", "posterior-check"] == (3, False)
    assert found["crashes", "bayes_binary-check"] == (0, False)


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
    assert notebook.image_outputs(notebook.read(by_nbgrader / "autograded" / "perfect" / STEM / f"{STEM}.ipynb"))


def test_feedback_and_export_work_after_our_grading(graded: Path) -> None:
    nbgrader(graded, "generate_feedback", STEM, f"--student={HALF_RIGHT}")
    page = (graded / "feedback" / HALF_RIGHT / STEM / f"{STEM}.html").read_text()
    assert "A question" in page and "posterior: failed" in page
    nbgrader(graded, "export", "--to", "marks.csv")
    assert f"{STEM},,,perfect,,,,20.0,0.0,20.0,20.0" in (graded / "marks.csv").read_text()


def give_by_hand(root: Path, student: str = "half-done") -> None:
    """A manual score, a comment and extra credit, as formgrader would write them."""
    of = f"""(SELECT n.id FROM submitted_notebook n JOIN submitted_assignment s ON n.assignment_id = s.id
        WHERE s.student_id = '{student}')"""
    with closing(book_of(root)) as book:
        book.execute(f"UPDATE grade SET manual_score = 2.5, extra_credit = 1 WHERE notebook_id = {of} AND auto_score = 3")
        book.execute(f"UPDATE comment SET manual_comment = 'Well argued.' WHERE notebook_id = {of}")
        book.commit()


def given_by_hand(root: Path) -> tuple[list[tuple[float, float]], int]:
    with closing(book_of(root)) as book:
        grades = book.execute("SELECT manual_score, extra_credit FROM grade WHERE manual_score IS NOT NULL").fetchall()
        return grades, len(book.execute("SELECT id FROM comment WHERE manual_comment = 'Well argued.'").fetchall())


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


def test_marks_and_notebook_are_written_together_or_not_at_all(course: Course, built: Path, by_us: Path, tmp_path: Path) -> None:
    root = move(built, tmp_path / "autumn")
    shutil.copytree(by_us / "graded", root / "graded")  # what is known is not graded again
    (root / "autograded").write_text("in the way")
    with pytest.raises(OSError, match="autograded"):
        grade(course, root)
    assert scores(root) == {}
    (root / "autograded").unlink()
    grade(course, root)
    assert scores(root) == scores(by_us)


def test_a_student_who_is_not_on_the_roster_is_listed_and_not_written(course: Course, built: Path, by_us: Path, tmp_path: Path) -> None:
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


def test_a_locked_gradebook_is_told_and_nothing_is_half_written(course: Course, built: Path, by_us: Path, tmp_path: Path) -> None:
    root = move(built, tmp_path / "autumn")
    shutil.copytree(by_us / "graded", root / "graded")
    with closing(book_of(root)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="gradebook.db is locked: another program is writing to it"):
            grade(course, root)
    assert scores(root) == {} and not (root / "autograded").exists()


def test_a_gradebook_of_another_version_is_refused(built: Path, tmp_path: Path) -> None:
    shutil.copy(built / "gradebook.db", tmp_path)
    with closing(book_of(tmp_path)) as book:
        book.execute("UPDATE alembic_version SET version_num = 'b6d005d67074'")
        book.commit()
    with pytest.raises(GradebookError, match="has version b6d005d67074, and the installed nbgrader needs.*nbgrader db upgrade"):
        with gradebook.opened(f"sqlite:///{tmp_path}/gradebook.db"):
            pass


def test_a_file_that_is_no_gradebook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("hello " * 1000)
    with pytest.raises(GradebookError, match="is no gradebook of nbgrader"):
        with gradebook.opened(f"sqlite:///{tmp_path}/gradebook.db"):
            pass


# --- Putting a notebook in order --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def originals(course: Course, built: Path) -> tuple[autograded.Original, ...]:
    with gradebook.opened(f"sqlite:///{built}/gradebook.db") as book:
        assert isinstance(book, Book)
        return book.originals(notebook.read_source(course.source(STEM)), STEM)


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


def test_deleted_check_cells_come_back_in_order_and_solutions_do_not(built: Path, originals: tuple[autograded.Original, ...]) -> None:
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
    fresh = next(cell for cell in restored.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "posterior-check")
    assert fresh.source == 'check("posterior")' and fresh.id != edited.id
    nbformat.validate(restored)


def test_text_of_a_student_is_escaped_in_what_a_browser_shows() -> None:
    from autograder.model import CheckResult, ExerciseResult, Verdict

    check = CheckResult("visible: x", Verdict.FAILED, "came back: <script>alert(1)</script>\nexpected: 2")
    shown = autograded.as_html(ExerciseResult("x", 0, 3, Verdict.FAILED, (check,)))
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "<br>expected: 2" in shown


# --- Notebooks of other courses ---------------------------------------------------------------------------------------


def foreign_source() -> NotebookNode:
    def told(**labels: object) -> NotebookNode:
        common = {"schema_version": 3, "locked": False, "task": False, "grade": False, "solution": False}
        return NotebookNode(nbgrader=NotebookNode({**common, **labels}))

    return new_notebook(
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
        config.write(
            "from autograder.nbgrader_bridge import preprocessors\n"
            "c.Autograde.sanitize_preprocessors = preprocessors.SANITIZE\n"
            "c.Autograde.autograde_preprocessors = preprocessors.AUTOGRADE\n"
            f"c.Restore.repository = c.Examine.repository = {str(course.root)!r}\n"
        )
    nbgrader(plain, "autograde", "ps1")
    nbgrader(ours, "autograde", "ps1")
    expected = {("right", "test-square"): 2, ("lucky", "test-square"): 0, ("noisy", "test-square"): 0, ("right", "partial"): 1.5}
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
    ran = examiner.run(NotebookNode(cells=cells, metadata=NotebookNode(), nbformat=4, nbformat_minor=5), None, course=course, wanted="auto")
    assert [cell.outputs[0].output_type for cell in ran.cells] == ["error", "execute_result"]
