"""One exercise on a feedback page: how it went, what is not right yet, and what is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from autograder.course.kinds import Kind
from autograder.course.model import CheckResult, ExerciseResult, Fault, FaultKind, Remark, Verdict

_NOT_ASKED = (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
_NOTHING_TO_ASK = (Remark.NOT_FILLED_IN, Remark.NOT_DEFINED)


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

    @classmethod
    def of(cls, exercise: ExerciseResult) -> Outcome:
        """How an exercise went."""
        if exercise.verdict is Verdict.PASSED:
            return cls.RIGHT
        if exercise.earned > 0:
            return cls.PARTLY_RIGHT
        return _WITHOUT_MARKS.get(exercise.verdict, cls.NOT_RIGHT)


_WITHOUT_MARKS = {
    Verdict.NOT_ATTEMPTED: Outcome.NOT_ATTEMPTED,
    Verdict.TIMED_OUT: Outcome.TIMED_OUT,
    Verdict.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    Verdict.CRASHED: Outcome.CRASHED,
    Verdict.GRADER_ERROR: Outcome.GRADER_ERROR,
}


class Cost(StrEnum):
    """What it means for the marks that a check did not pass."""

    ALL = "all"
    """It is the gate: all points of the exercise depend on it."""
    POINTS = "points"
    """The points that it is worth."""
    NOTHING_MORE = "nothing more"
    """The gate has cost all points already."""


@dataclass(frozen=True)
class ProblemView:
    """A check that did not pass: what it asks, what came back, and where the student's own code failed."""

    visible: bool
    asks: str
    remark: str
    explained_above: bool
    """Whether a cell that failed explains the remark, and the page has told of it already."""
    explanation: str
    """What explains the remark and is told nowhere else."""
    rows: Sequence[str]
    traceback: Sequence[str]
    same_lines: bool
    """Whether the lines of the traceback are those of a check above it."""
    question: str | None
    kind: Kind
    cost: Cost
    points: float
    """What the check is worth."""

    @classmethod
    def of(
        cls, check: CheckResult, faults: Sequence[Fault], above: Sequence[CheckResult], *, lost: bool
    ) -> ProblemView:
        """A check as the page tells it, given the faults of the notebook and the problems above it.

        `lost` says that the gate has cost all points.
        """
        fault = None if check.fault is None else faults[check.fault]
        explained = fault is not None and is_listed(fault)
        return cls(
            visible=check.visible,
            asks=check.asks,
            remark=check.remark_text,
            explained_above=explained,
            explanation=fault.text if fault is not None and not explained else "",
            rows=[": ".join(filter(None, row)) for row in check.rows],
            traceback=check.traceback,
            same_lines=check.traceback[:-1] in [other.traceback[:-1] for other in above],
            question=check.question,
            kind=check.kind,
            cost=Cost.ALL if check.gate else Cost.NOTHING_MORE if lost else Cost.POINTS,
            points=check.worth,
        )


@dataclass(frozen=True)
class ExerciseView:
    """One exercise: what was asked, how it went, and why."""

    name: str
    anchor: str
    heading: Markup
    task: Markup
    outcome: Outcome
    solved: bool
    score: float
    points: int
    checks: int
    asked: bool
    """Whether any check was asked at all."""
    missing: Sequence[str]
    """Why checks had nothing to ask."""
    followed_through: bool
    problems: Sequence[ProblemView]
    blocked: int
    blocked_points: float
    """What the checks that were not asked cost, beside what the gate did."""
    question: str | None
    passed: Sequence[CheckResult]

    @classmethod
    def of(cls, exercise: ExerciseResult, task: Task | None, faults: Sequence[Fault]) -> ExerciseView:
        """An exercise as the page tells it, given the faults of the notebook."""
        checks = exercise.checks
        empty = [check for check in checks if check.verdict is Verdict.NOT_ATTEMPTED]
        failed = [check for check in checks if check.verdict not in (Verdict.PASSED, *_NOT_ASKED)]
        blocked = [check for check in checks if check.verdict is Verdict.BLOCKED]
        lost = any(check.gate for check in (*failed, *empty))
        return cls(
            name=exercise.name,
            anchor=re.sub(r"[^A-Za-z0-9_-]", "-", exercise.name),
            heading=task.heading if task else Markup(),
            task=task.text if task else Markup(),
            outcome=Outcome.of(exercise),
            solved=exercise.verdict is Verdict.PASSED,
            score=exercise.score,
            points=exercise.points,
            checks=len(checks),
            asked=any(check.verdict not in _NOT_ASKED for check in checks),
            missing=list(dict.fromkeys(check.remark_text for check in empty if check.remark in _NOTHING_TO_ASK)),
            followed_through=exercise.followed_through,
            problems=[ProblemView.of(check, faults, failed[:place], lost=lost) for place, check in enumerate(failed)],
            blocked=len(blocked),
            blocked_points=0.0 if lost else sum(check.worth for check in blocked),
            question=exercise.question,
            passed=[check for check in checks if check.verdict is Verdict.PASSED],
        )


def is_listed(fault: Fault) -> bool:
    """Whether pages list a fault: that a check cell failed, the checks say themselves."""
    return fault.kind is not FaultKind.CHECK_CELL
