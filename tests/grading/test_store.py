"""Result documents: what they hold, that they come back as they were, and those of the first version."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.course.codec import CodecError
from autograder.course.model import (
    CheckResult,
    ExerciseResult,
    Fault,
    FaultKind,
    Remark,
    Result,
    Verdict,
    Whose,
)
from autograder.grading import reading, store
from autograder.grading.reading import Unreadable

STEM = "01_bayes_rule"
FAULT = Fault("cell 'prior' raised NameError: name 'x' is not defined (line 2)", FaultKind.RAISED)
SHOWN = CheckResult(
    "visible: one_cough",
    Verdict.FAILED,
    "One cough.\ncalled: posterior(0.5)\ncame back: 0.1\nexpected: 0.2\nDid you divide?",
    visible=True,
    description="One cough.",
    rows=(("called", "posterior(0.5)"), ("came back", "0.1"), ("expected", "0.2")),
    question="Did you divide?",
)
UNDEFINED = CheckResult(
    "test_a_law",
    Verdict.FAILED,
    f"A law. The notebook defines no `joint`: {FAULT}",
    "NameError: joint",
    description="A law.",
    remark=Remark.NOT_DEFINED,
    remark_text="The notebook defines no `joint`.",
    fault=0,
)
PASSED = CheckResult("test_another_law", Verdict.PASSED, "Another law.")
RESULT = Result(
    "ada",
    STEM,
    "strong",
    (ExerciseResult("posterior", 1.5, 3, Verdict.FAILED, (SHOWN, UNDEFINED, PASSED), "forgets_it", "Why?", True),),
    (FAULT, Fault("cell 'posterior-check' raised CheckFailed: no", FaultKind.CHECK_CELL)),
    ("cells are missing",),
    "key",
)
UNGRADED = Result("bob", STEM, "strong", (), ungraded="The notebook has no code.", ungraded_by=Whose.STUDENT)


@pytest.mark.parametrize("result", [RESULT, UNGRADED])
def test_a_result_comes_back_as_it_was(result: Result, tmp_path: Path) -> None:
    store.write(tmp_path, result)
    assert reading.read(store.path_of(tmp_path, result.student, STEM)) == result


def test_a_document_has_a_version_and_what_others_read_in_it() -> None:
    document = store.to_json(RESULT)
    assert document["version"] == store.VERSION
    assert {"student", "assignment", "score", "max_score", "status", "faults", "exercises"} <= document.keys()
    assert document["faults"] == [fault.text for fault in RESULT.faults]
    (exercise,) = document["exercises"]
    assert {"name", "score", "points", "verdict", "misconception", "question", "checks"} <= exercise.keys()
    for check in exercise["checks"]:
        assert {"name", "verdict", "message", "detail"} <= check.keys()


def test_a_check_leaves_out_what_it_does_not_have() -> None:
    passed = store.to_json(RESULT)["exercises"][0]["checks"][2]
    always = {"name", "verdict", "message", "detail", "traceback", "visible"}
    assert passed.keys() == always | {"kind", "gate", "worth"}


def test_the_students_code_is_in_the_document_and_not_in_the_memory_of_a_run() -> None:
    (exercise,) = RESULT.exercises
    written = replace(RESULT, exercises=(replace(exercise, code="def posterior():\n    pass"),))
    assert store.from_json(store.to_json(written)) == written
    shared = store.Shared().share(written)
    assert shared == RESULT


def test_a_document_of_a_later_version_is_not_guessed_at() -> None:
    with pytest.raises(CodecError, match="version 3"):
        store.from_json({**store.to_json(RESULT), "version": 3})


@pytest.mark.parametrize(
    "change",
    [
        {"faults": ["one"]},
        {"faults": [], "fault_kinds": []},
        {"faults": 3},
        {"exercises": [{"name": 1}]},
        {"isolation": None},
        {"key": []},
    ],
)
def test_a_document_that_somebody_damaged_is_an_error(change: dict[str, Any]) -> None:
    with pytest.raises(CodecError):
        store.from_json({**store.to_json(RESULT), **change})


def test_a_file_that_is_not_a_result_says_why_and_no_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert reading.read(path) is None
    for text in ("", "[]", '{"version": 2}', '{"student": "ada"}', "[" * 10_000):
        path.write_text(text)
        assert isinstance(reading.read(path), Unreadable)


def first_version(result: Result) -> dict[str, Any]:
    """The document as the first version wrote it."""
    document = store.to_json(result)
    for name in ("version", "fault_kinds", "ungraded_by"):
        del document[name]
    for exercise in document["exercises"]:
        known = ("name", "verdict", "message", "detail", "traceback")
        exercise["checks"] = [{name: check[name] for name in known} for check in exercise["checks"]]
    return json.loads(json.dumps(document))  # type: ignore[no-any-return]


@pytest.mark.parametrize("result", [RESULT, UNGRADED])
def test_a_document_of_the_first_version_says_the_same(result: Result) -> None:
    assert store.from_json(first_version(result)) == result


@pytest.mark.parametrize(
    ("sentence", "remark"),
    [
        ("The stub has not been filled in.", Remark.NOT_FILLED_IN),
        ("The notebook defines no `joint`.", Remark.NOT_DEFINED),
        ("Your code raised ValueError.", Remark.RAISED),
        ("Your code raised an error.", Remark.RAISED),
        ("What your function gave back has another form than asked.", Remark.OTHER_FORM),
        ("It took too long and was stopped.", Remark.STOPPED),
        ("It ended the Python process, or answered in a way that cannot be read.", Remark.STOPPED),
        ("Not asked, because “test_a_law” did not pass.", Remark.NOT_ASKED),
    ],
)
def test_sentences_of_the_first_version_are_remarks_now(sentence: str, remark: Remark) -> None:
    check = CheckResult("test_a_law", Verdict.FAILED, f"A law. {sentence}")
    result = Result("ada", STEM, "strong", (ExerciseResult("x", 0.0, 1, Verdict.FAILED, (check,)),))
    found = store.from_json(first_version(result)).exercises[0].checks[0]
    assert (found.asks, found.remark, found.remark_text) == ("A law.", remark, sentence)


def test_whose_fault_it_was_in_the_first_version() -> None:
    for reason in ("the grader failed: OSError", "something that nobody thought of"):
        ours = first_version(Result("ada", STEM, "strong", (), ungraded=reason))
        assert store.from_json(ours).ungraded_by is Whose.GRADER


@pytest.mark.parametrize("damage", [{"faults": None}, {"exercises": 1}, {"exercises": [{"checks": [{}]}]}])
def test_a_damaged_document_of_the_first_version_is_an_error(damage: dict[str, Any]) -> None:
    with pytest.raises(CodecError):
        store.from_json({**first_version(RESULT), **damage})
