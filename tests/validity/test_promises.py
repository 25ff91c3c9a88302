"""What notebooks promise is found in their words, and held to what the suites say about it."""

from __future__ import annotations

from pathlib import Path

import minicourse
import pytest

from autograder.course import Course, notebook, sources
from autograder.course.errors import SuiteError
from autograder.validity import promises

COURSE = Course.default()

TASK = """### Exercise 1: `weighted_mean` (3 points)

Weigh every value. A list of weights without mass is a `ValueError`. The rest is up to you.

*Hidden checks look at:* other sizes; weights of 0; arguments left alone. The kind of error is not graded."""

STUB = '''def weighted_mean(values, weights):
    """The mean of the values.

    Parameters
    ----------
    values : (n,)
        Numbers, which may be whole. They have an order.

    Returns
    -------
    float
        The mean; never nan.

    Raises
    ------
    ValueError
        If there is no weight.

    Examples
    --------
    >>> weighted_mean([0.0, 1.0], [1, 1])  # a list
    0.5
    """
    ### BEGIN SOLUTION
    return sum(v * w for v, w in zip(values, weights)) / sum(weights)
    ### END SOLUTION'''


@pytest.fixture
def made(tmp_path: Path) -> list[str]:
    """The promises of an exercise whose task and docstring make some."""
    course = minicourse.make(tmp_path)
    cells = minicourse.cells_of_01()
    places = [cell.id for cell in cells]
    cells[places.index("weighted-mean")].source = STUB
    cells.insert(places.index("weighted-mean"), minicourse.markdown("weighted-mean-task", TASK))

    notebook.write(minicourse.make_notebook("01_mini", cells), course.source("01_mini"))
    source = sources.read(course.source("01_mini"))
    [exercise] = [one for one in sources.exercises(source) if one.name == "weighted_mean"]
    return promises.made(source, exercise)


def test_promises_are_found_in_task_and_docstring_and_examples_promise_nothing(made: list[str]) -> None:
    assert made == [
        "other sizes",
        "weights of 0",
        "arguments left alone",
        "A list of weights without mass is a `ValueError`.",
        "Numbers, which may be whole.",
        "The mean; never nan.",
        "ValueError If there is no weight.",
    ]


def test_a_promise_that_no_check_asks_for_is_told(made: list[str]) -> None:
    kept = {words: promises.Kept(("test_it",)) for words in made[1:]}
    assert list(promises.problems(made, kept, ["test_it"])) == [
        "it promises “other sizes”, and PROMISES names no check that asks for it"
    ]


def test_the_words_of_a_suite_are_read_without_running_it(tmp_path: Path) -> None:
    suite = tmp_path / "test_suite.py"
    suite.write_text(
        'raise RuntimeError\nPROMISES = {"f": {"a  list\\nis fine": "test_a", "b": ("test_b", "test_c"), '
        '"no warning": Ungraded("Warnings are not graded.")}}\n'
    )
    assert promises.kept(suite) == {
        "f": {
            "a list is fine": promises.Kept(("test_a",)),
            "b": promises.Kept(("test_b", "test_c")),
            "no warning": promises.Kept(ungraded="Warnings are not graded."),
        }
    }


@pytest.mark.parametrize("value", ["[]", '{"f": 1}', '{"f": {"a": test_a}}', "{**others}"])
def test_promises_of_another_form_are_refused(tmp_path: Path, value: str) -> None:
    suite = tmp_path / "test_suite.py"
    suite.write_text(f"PROMISES = {value}\n")
    with pytest.raises(SuiteError, match=r"test_suite\.py: PROMISES must map names of exercises to promises"):
        promises.kept(suite)


@pytest.mark.parametrize("stem", COURSE.stems())
def test_every_promise_of_the_course_is_asked_for_or_said_to_be_ungraded(stem: str) -> None:
    source, kept = sources.read(COURSE.source(stem)), promises.kept(COURSE.suite(stem))
    for exercise in sources.exercises(source):
        words = promises.made(source, exercise)
        assert words, f"{exercise.name} promises nothing: are the words still understood?"
        assert set(words) == set(kept.get(exercise.name, {})), exercise.name
