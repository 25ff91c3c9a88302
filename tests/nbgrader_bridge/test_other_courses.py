"""A course of somebody else, with tests in its notebooks: what its students read, and what its instructor is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from sample_course import REPOSITORY

from autograder.course import notebook
from autograder.nbgrader_bridge.hidden_tests import HELD_BACK, INSTEAD, NOT_SHOWN, without_hidden_tests

HIDDEN = "assert square(-73901) == 5461357801"
TEST = f"assert square(2) == 4, 'two squared'\n### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS"
CLASS = {
    "right": "def square(x):\n    return x * x",
    "lucky": "def square(x):\n    print('asked for', x)\n    return 4",
    "wrong": "def square(x):\n    return 0",
}
LIAR = "class Yes:\n    def __eq__(self, other):\n        return True\n\n\ndef square(x):\n    return Yes()"
LINE = "c.GenerateFeedback.preprocessors = preprocessors.FEEDBACK\n"


def guide() -> str:
    """The settings as an instructor would copy them."""
    text = (REPOSITORY.root / "docs" / "instructors.md").read_text(encoding="utf-8")
    return text.split("```python\n", 1)[1].split("```", 1)[0]


def told(**labels: object) -> dict[str, object]:
    common = {"schema_version": 3, "locked": False, "task": False, "grade": False, "solution": False}
    return {"nbgrader": {**common, **labels}}


def nbgrader(root: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def course(root: Path, settings: str, answers: dict[str, str]) -> Path:
    """A course in which a class has handed in."""
    stub = "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION"
    cells = [
        new_code_cell(stub, id="square", metadata=told(solution=True, grade_id="square")),
        new_code_cell(TEST, id="test", metadata=told(grade=True, locked=True, points=2, grade_id="test")),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook.write(new_notebook(cells=cells, metadata=metadata), root / "source" / "ps1" / "ps1.ipynb")
    (root / "nbgrader_config.py").write_text(f'c = get_config()\nc.CourseDirectory.course_id = "other"\n{settings}')
    nbgrader(root, "generate_assignment", "ps1")
    for student, answer in answers.items():
        work = notebook.read(root / "release" / "ps1" / "ps1.ipynb")
        work.cells[0].source = answer
        notebook.write(work, root / "submitted" / student / "ps1" / "ps1.ipynb")
    return root


@pytest.fixture(scope="module", params=[True, False], ids=["settings of the guide", "settings without the line"])
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, bool]:
    """A course after autograding and feedback, what autograding said, and whether its settings have our line."""
    settings = guide() if request.param else guide().replace(LINE, "")
    assert (LINE in settings) is request.param
    root = course(tmp_path_factory.mktemp("other"), settings, CLASS)
    said = nbgrader(root, "autograde", "ps1")
    nbgrader(root, "generate_feedback", "ps1")
    return root, said, request.param


def test_feedback_shows_marks_and_visible_tests_but_nothing_hidden(graded: tuple[Path, str, bool]) -> None:
    root, _, _ = graded
    pages = {student: (root / "feedback" / student / "ps1" / "ps1.html").read_text() for student in CLASS}
    for page in pages.values():
        assert "73901" not in page and "5461357801" not in page and "BEGIN HIDDEN" not in page
        assert INSTEAD in page and "two squared" in page
    assert "(Score: 2.0 / 2.0)" in pages["right"] and HELD_BACK not in pages["right"]
    assert "(Score: 0.0 / 2.0)" in pages["lucky"] and HELD_BACK in pages["lucky"]
    assert "(Score: 0.0 / 2.0)" in pages["wrong"] and HELD_BACK not in pages["wrong"]
    assert "AssertionError" in pages["wrong"]  # what a visible test said, above the hidden ones


def test_an_instructor_sees_hidden_tests_if_feedback_is_set_up_to_leave_them_out(
    graded: tuple[Path, str, bool],
) -> None:
    root, said, has_line = graded
    for student in CLASS:
        assert (
            HIDDEN in notebook.read(root / "autograded" / student / "ps1" / "ps1.ipynb").cells[1].source
        ) is has_line
    assert said.count("c.GenerateFeedback.preprocessors = preprocessors.FEEDBACK") == (0 if has_line else 1)


def test_where_promises_end_is_said_once_for_a_class(graded: tuple[Path, str, bool]) -> None:
    _, said, _ = graded
    assert len(CLASS) == 3 and said.count("Autograding ") == 3
    assert said.count("ps1 has tests of its own, which run in the student's process, as with nbgrader itself.") == 1
    assert said.count("Of five known cheats, four got all marks this way.") == 1
    assert said.count("The way out is to move the checks into a suite") == 1


def test_who_cheats_gets_marks_from_tests_in_the_students_process(tmp_path: Path) -> None:
    root = course(tmp_path, guide(), {"liar": LIAR})
    nbgrader(root, "autograde", "ps1")
    nbgrader(root, "generate_feedback", "ps1")
    assert "(Score: 2.0 / 2.0)" in (root / "feedback" / "liar" / "ps1" / "ps1.html").read_text()  # as the guide says


# --- One notebook -----------------------------------------------------------------------------------------------------


def cleaned(source: str, *outputs: NotebookNode, locked: bool = True) -> NotebookNode:
    """A test cell after its hidden tests were taken out."""
    cell = new_code_cell(source, outputs=list(outputs), metadata=told(grade=locked, locked=locked, grade_id="t"))
    some = without_hidden_tests(new_notebook(cells=[cell]), "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")
    return NotebookNode(some.cells[0])


def error(line: int, text: str = "", name: str = "AssertionError") -> NotebookNode:
    lines = [f"<module>, line {line}: x", f"{name}: {text}"]
    return NotebookNode(new_output("error", ename=name, evalue=text, traceback=lines))


def test_a_region_becomes_a_sentence_even_if_it_never_ends() -> None:
    assert cleaned(TEST).source == f"assert square(2) == 4, 'two squared'\n{INSTEAD}"
    assert cleaned("if x:\n    # BEGIN HIDDEN TESTS\n    assert y == 12345\n").source == f"if x:\n    {INSTEAD}"


def test_a_cell_of_a_student_keeps_what_it_says() -> None:
    assert cleaned(TEST, locked=False).source == TEST


def test_only_what_happened_above_hidden_tests_is_quoted() -> None:
    printed = new_output("stream", name="stdout", text="asked for 2\n")
    assert cleaned(TEST, printed, error(1, "two squared")).outputs == [printed, error(1, "two squared")]
    (held_back,) = cleaned(TEST, printed, error(3, "-73901")).outputs
    assert held_back.evalue == HELD_BACK and "73901" not in str(held_back)
    assert cleaned(TEST, printed).outputs == []


def test_partial_credit_and_what_the_sandbox_says_stay() -> None:
    credit = new_output("execute_result", data={"text/plain": "1.5"})
    named = new_output("execute_result", data={"text/plain": "'-73901'"})
    late = new_output("error", ename="timed out", evalue="no answer", traceback=["timed out: no answer"])
    assert cleaned(TEST, credit, named).outputs == [credit]
    assert cleaned(TEST, late).outputs == [late]


def test_lines_of_hidden_tests_are_left_out_of_other_cells() -> None:
    test = new_code_cell(TEST, metadata=told(grade=True, locked=True, grade_id="t"))
    quoting = f"the cell was\n  {HIDDEN}  \nand more"
    other = new_code_cell("print(In)", outputs=[new_output("stream", name="stdout", text=quoting)])
    some = without_hidden_tests(new_notebook(cells=[test, other]), "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")
    assert some.cells[1].outputs[0].text == f"the cell was\n{NOT_SHOWN}\nand more"
