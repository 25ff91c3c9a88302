"""One exercise on a feedback page: how it went, what is not right yet, and what is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from autograder.course.model import VISIBLE, CheckResult, ExerciseResult, Verdict

_NOT_ASKED = (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
_MISSING = re.compile(r"The stub has not been filled in\.|The notebook defines no `\w+`\.")


@dataclass(frozen=True)
class Task:
    """What an exercise asked, as HTML: its heading, and the text below it."""

    heading: Markup
    text: Markup


class Outcome(StrEnum):
    """How an exercise went, as a student wants to hear it, in the order in which the page counts them."""

    RIGHT = "right"
    PARTLY_RIGHT = "partly right"
    NOT_RIGHT = "not right"
    NOT_ATTEMPTED = "not attempted"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crashed"
    GRADER_ERROR = "grader error"

    @staticmethod
    def of(exercise: ExerciseResult) -> Outcome:
        if exercise.verdict is Verdict.PASSED:
            return Outcome.RIGHT
        if exercise.score > 0:
            return Outcome.PARTLY_RIGHT
        return _NO_MARKS.get(exercise.verdict, Outcome.NOT_RIGHT)


_NO_MARKS = {
    Verdict.NOT_ATTEMPTED: Outcome.NOT_ATTEMPTED,
    Verdict.TIMED_OUT: Outcome.TIMED_OUT,
    Verdict.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    Verdict.CRASHED: Outcome.CRASHED,
    Verdict.GRADER_ERROR: Outcome.GRADER_ERROR,
}


@dataclass(frozen=True)
class CheckView:
    """A check that passed: what it asks."""

    visible: bool
    text: str

    @classmethod
    def of(cls, check: CheckResult) -> CheckView:
        return cls(check.name.startswith(VISIBLE), check.message)


@dataclass(frozen=True)
class ProblemView:
    """A check that did not pass: what it asks, what came back, and where the student's own code failed."""

    visible: bool
    text: str
    rows: Sequence[str]
    traceback: Sequence[str]
    same_lines: bool
    """Whether the lines of the traceback are those of a check above it."""
    question: str

    @classmethod
    def of(cls, check: CheckResult, faults: Sequence[str], above: Sequence[CheckResult]) -> ProblemView:
        message = check.message
        for fault in faults:  # it is told in full above, once
            message = message.replace(fault, "one of your cells failed, see “Cells that failed” above.")
        first, *rows = message.splitlines() or [""]
        question = rows.pop() if rows and rows[-1].endswith("?") and ": " not in rows[-1] else ""
        same = check.traceback[:-1] in [other.traceback[:-1] for other in above]
        return cls(check.name.startswith(VISIBLE), first, rows, check.traceback, same, question)


@dataclass(frozen=True)
class ExerciseView:
    """One exercise: what was asked, how it went, and why."""

    name: str
    anchor: str
    heading: Markup
    task: Markup
    outcome: Outcome
    passed: bool
    score: float
    points: int
    checks: int
    asked: bool
    missing: Sequence[str]
    """Why some checks had nothing to look at."""
    followed_through: bool
    problems: Sequence[ProblemView]
    blocked: int
    question: str | None
    right: Sequence[CheckView]

    @classmethod
    def of(cls, exercise: ExerciseResult, task: Task | None, faults: Sequence[str]) -> ExerciseView:
        checks = exercise.checks
        failed = [check for check in checks if check.verdict not in (Verdict.PASSED, *_NOT_ASKED)]
        empty = [check.message for check in checks if check.verdict is Verdict.NOT_ATTEMPTED]
        return cls(
            exercise.name,
            re.sub(r"[^A-Za-z0-9_-]", "-", exercise.name),
            task.heading if task else Markup(),
            task.text if task else Markup(),
            Outcome.of(exercise),
            exercise.verdict is Verdict.PASSED,
            exercise.score,
            exercise.points,
            len(checks),
            any(check.verdict not in _NOT_ASKED for check in checks),
            list(dict.fromkeys(found for message in empty for found in _MISSING.findall(message))),
            exercise.followed_through,
            [ProblemView.of(check, faults, failed[:place]) for place, check in enumerate(failed)],
            sum(check.verdict is Verdict.BLOCKED for check in checks),
            exercise.question,
            [CheckView.of(check) for check in checks if check.verdict is Verdict.PASSED],
        )
