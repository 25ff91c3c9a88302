"""The same question with other numbers, as a student meets it: `check("bayes_binary", another=True)`."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.authoring import practice as drawing

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
if str(NOTEBOOKS) not in sys.path:
    sys.path.insert(0, str(NOTEBOOKS))

import checks  # noqa: E402
from checks import practice  # noqa: E402
from checks.checking import Code  # noqa: E402

STUB = "def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):\n    raise NotImplementedError()\n"
RIGHT = """
def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):
    p_a = np.asarray(p_a)
    return p_b_given_a * p_a / (p_b_given_a * p_a + p_b_given_not_a * (1 - p_a))
"""
WRONG = "def bayes_binary(p_a, p_b_given_a, p_b_given_not_a):\n    return 0.125\n"
ASK = 'check("bayes_binary", another=True)'


def asked(args: list[Any], value: Any, function: str = "bayes_binary", **kwargs: Any) -> dict[str, Any]:
    """One call as a practice file holds it."""
    return {"function": function, "args": args, "kwargs": kwargs, "value": value}


TABLE = {"dtype": "<f8", "shape": [4, 2], "values": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]}
PAIR = {"dtype": "<f8", "shape": [2], "values": [0.5, 0.8571428571]}
QUESTIONS = {
    "bayes_binary": [
        [asked([0.5, 0.75, 0.25], 0.75)],
        [
            asked([0.5, 0.5, 0.5], 0.5),
            asked([{"tuple": [0.2, 0.6]}], PAIR, p_b_given_a=0.8, p_b_given_not_a=0.2),
        ],
        [asked([TABLE, 0.5, 0.5], TABLE)],
    ]
}


class Notebook:
    """A notebook in which some cells have been run."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._namespace: dict[str, Any] = {"np": np}
        self.failed = ""
        exec('import checks\ncheck = checks.start("01_bayes_rule")', self._namespace)

    def said(self, *sources: str) -> str:
        """What running some sources prints; `failed` is the message of the check that failed last."""
        self.failed = ""
        for source in sources:
            try:
                exec(compile(textwrap.dedent(source), "<cell>", "exec"), self._namespace)
            except checks.CheckFailed as failed:
                self.failed = str(failed)
        return self._capsys.readouterr().out


@pytest.fixture
def notebook(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    (tmp_path / "01_bayes_rule.json").write_text(json.dumps(QUESTIONS))
    read = practice.Practice
    monkeypatch.setattr(practice, "Practice", lambda file: read(tmp_path / file.name))
    return Notebook(capsys)


def test_right_answers_lead_through_the_questions_in_turn_and_round_again(notebook: Notebook) -> None:
    said = notebook.said(RIGHT, ASK)
    assert said == (
        "bayes_binary with other numbers, question 1 of 3: right\n"
        "  passes: The same as in the text, with other numbers.\n"
        "      called: bayes_binary(0.5, 0.75, 0.25)\n"
        "      came back: 0.75\n"
        "  Run this cell again for the next question.\n"
    )
    assert not notebook.failed
    second = notebook.said(ASK)
    assert "question 2 of 3: right" in second and "p_b_given_a=0.8, p_b_given_not_a=0.2)" in second
    assert "question 3 of 3: right" in notebook.said(ASK)
    assert "question 1 of 3: right" in notebook.said(ASK)


def test_what_was_expected_is_withheld_once_and_shown_at_the_second_wrong_answer(notebook: Notebook) -> None:
    first = notebook.said(WRONG, ASK)
    assert "called: bayes_binary(0.5, 0.75, 0.25)" in first and "came back: 0.125" in first
    assert "expected:" not in first and "0.75\n" not in first
    assert "What was expected is shown when you have answered this question twice." in first
    assert notebook.failed == "bayes_binary with other numbers, question 1 of 3: not right yet"
    second = notebook.said(ASK)
    assert "question 1 of 3" in second and "came back: 0.125\n      expected: 0.75\n" in second
    assert notebook.failed
    assert "question 2 of 3" in notebook.said(ASK)


def test_a_second_answer_that_is_right_goes_on_and_the_next_question_begins_anew(notebook: Notebook) -> None:
    notebook.said(WRONG, ASK)
    assert "question 1 of 3: right" in notebook.said(RIGHT, ASK)
    said = notebook.said(WRONG, ASK)
    assert "question 2 of 3: not right yet" in said and "expected:" not in said


def test_nothing_withheld_is_told_by_the_difference_except_the_shape(notebook: Notebook) -> None:
    said = notebook.said("bayes_binary = lambda *given: float('nan')", ASK)
    assert "came back: nan" in said and "difference" not in said
    notebook.said(RIGHT, ASK, ASK)
    said = notebook.said("bayes_binary = lambda *given: [0.5]", ASK)
    assert "difference: an array of shape (1,) instead of an array of shape (4, 2)" in said


def test_stubs_and_errors_are_no_answers(notebook: Notebook) -> None:
    for source, verdict in ((STUB, "not attempted yet"), ("del bayes_binary", "cannot run yet")):
        assert f"question 1 of 3: {verdict}" in notebook.said(source, ASK) and notebook.failed
    broken = "def bayes_binary(*given):\n    return 1 / 0\n"
    for _ in range(3):
        said = notebook.said(broken, ASK)
        assert "question 1 of 3: stopped with an error" in said and "ZeroDivisionError" in said
        assert "called: bayes_binary(0.5, 0.75, 0.25)" in said and "expected" not in said
        assert "it asks the same question again" in said
    assert "expected:" not in notebook.said(WRONG, ASK)


def test_arguments_that_are_too_large_for_a_line_are_shown_below_it(notebook: Notebook) -> None:
    notebook.said(RIGHT, ASK, ASK)
    said = notebook.said("bayes_binary = lambda *given: 0.5", ASK)
    assert "called: bayes_binary(<array of shape (4, 2)>, 0.5, 0.5)\n      argument 1: [[0.1, 0.2],\n" in said


def test_arguments_that_nobody_could_read_are_not_listed(tmp_path: Path) -> None:
    many = {"dtype": "<f8", "shape": [31], "values": [0.5] * 31}
    (tmp_path / "x.json").write_text(json.dumps({"f": [[asked([many], 2.0, "f")]]}))
    report, right = practice.Practice(tmp_path / "x.json").ask("f", {"f": lambda values: 1.0})
    assert not right and "called: f(<array of shape (31,)>)\n      came back: 1\n" in repr(report)


def test_an_exercise_without_other_numbers_says_so_and_is_no_failure(notebook: Notebook) -> None:
    assert notebook.said('check("posterior", another=True)') == (
        'posterior: there are no other numbers for this exercise; check("posterior") asks\n'
    )
    assert not notebook.failed


def test_other_numbers_are_asked_of_a_known_exercise(notebook: Notebook) -> None:
    notebook.said("check(another=True)")
    assert notebook.failed.startswith(
        'name the exercise: check("bayes_binary", another=True). They are: bayes_binary, '
    )
    notebook.said('check("bayes_binry", another=True)')
    assert "did you mean 'bayes_binary'?" in notebook.failed


def test_progress_and_ordinary_checks_know_nothing_of_it(notebook: Notebook) -> None:
    before = notebook.said(RIGHT, "check()", 'check("bayes_binary")')
    assert notebook.said(WRONG, ASK, ASK, RIGHT, "check()", 'check("bayes_binary")').endswith(before)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        0.25,
        "text",
        [1, 2.5, [None]],
        (1, (2.5, "a")),
        {"a": (1, 2), 3: [0.5]},
        np.array([[1, 2, 3]]),
        np.array([0.5, np.nan, -np.inf]),
        np.array([True, False]),
        np.zeros((0, 3)),
        np.array([1.5], dtype=np.float32),
        np.array(["a", "bc"]),
        np.array([7], dtype=np.uint8),
        np.float64(0.1),
        np.int64(4),
        float("inf"),
        Code("lambda w: w @ w"),
    ],
)
def test_what_is_drawn_is_what_is_read(value: Any) -> None:
    read = practice.decoded(json.loads(json.dumps(drawing.encoded(value), allow_nan=False)))
    assert type(read) is type(value)
    if isinstance(value, np.ndarray):
        assert read.dtype == value.dtype and read.shape == value.shape
        assert np.array_equal(read, value, equal_nan=value.dtype.kind == "f")
    else:
        assert read == value
