"""One exercise on a feedback page: how it went, what is not right yet, and what is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from autograder.course.kinds import Kind
from autograder.course.model import CheckResult, ExerciseResult, Fault, FaultKind, Remark, Unasked, Verdict

_NOTHING_TO_ASK = (Remark.NOT_FILLED_IN, Remark.NOT_DEFINED)
_STOPPED = (Verdict.TIMED_OUT, Verdict.OUT_OF_MEMORY, Verdict.CRASHED)


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
        cls,
        check: CheckResult,
        faults: Sequence[Fault],
        above: Sequence[CheckResult],
        *,
        lost: bool,
        question: str | None = None,
    ) -> ProblemView:
        """A check as the page tells it, given the faults of the notebook and the problems above it.

        `lost` says that the gate has cost all points; the `question` about the whole exercise is not asked here, too.
        """
        fault = None if check.fault is None else faults[check.fault]
        explained = fault is not None and is_listed(fault)
        asked = {question, *(other.question for other in above)}
        return cls(
            visible=check.visible,
            asks=check.asks,
            remark=check.remark_text,
            explained_above=explained,
            explanation=fault.text if fault is not None and not explained else "",
            rows=[": ".join(filter(None, row)) for row in check.rows],
            traceback=check.traceback,
            same_lines=check.traceback[:-1] in [other.traceback[:-1] for other in above],
            question=None if check.question in asked else check.question,
            kind=check.kind,
            cost=Cost.ALL if check.gate else Cost.NOTHING_MORE if lost else Cost.POINTS,
            points=check.worth,
        )


@dataclass(frozen=True)
class MissingView:
    """Why checks had nothing to ask."""

    remark: str
    explained_above: bool
    """Whether a cell that failed explains it, and the page has told of it already."""
    explanation: str
    """What explains it and is told nowhere else."""

    @classmethod
    def of(cls, check: CheckResult, faults: Sequence[Fault]) -> MissingView:
        """What the remark on a check that was not asked says, given the faults of the notebook."""
        fault = None if check.fault is None else faults[check.fault]
        explained = fault is not None and is_listed(fault)
        return cls(check.remark_text, explained, fault.text if fault is not None and not explained else "")


@dataclass(frozen=True)
class UnaskedView:
    """Checks that were not asked for one reason."""

    reason: Unasked
    count: int
    points: float
    """What that costs, beside what the gate did."""


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
    asked: int
    """How many checks were asked."""
    stopped: Sequence[tuple[Outcome, int]]
    """How many of these were stopped, by the reason, where the outcome does not say it already."""
    missing: Sequence[MissingView]
    empty: UnaskedView | None
    """The checks that had nothing to ask."""
    unasked: Sequence[UnaskedView]
    """The other checks that were not asked."""
    followed_through: bool
    problems: Sequence[ProblemView]
    question: str | None
    more: bool
    """Whether something is wrong beyond what the question is about."""
    passed: Sequence[CheckResult]

    @classmethod
    def of(cls, exercise: ExerciseResult, task: Task | None, faults: Sequence[Fault]) -> ExerciseView:
        """An exercise as the page tells it, given the faults of the notebook."""
        passed = [check for check in exercise.asked if check.verdict is Verdict.PASSED]
        failed = [check for check in exercise.asked if check.verdict is not Verdict.PASSED]
        lost = any(check.gate and check.verdict is not Verdict.PASSED for check in exercise.checks)
        unasked = {
            reason: UnaskedView(reason, len(checks), 0.0 if lost else sum(check.worth for check in checks))
            for reason, checks in exercise.unasked.items()
        }
        empty = exercise.unasked.get(Unasked.EMPTY, ())
        missing = [MissingView.of(check, faults) for check in empty if check.remark in _NOTHING_TO_ASK]
        outcome = Outcome.of(exercise)
        return cls(
            name=exercise.name,
            anchor=re.sub(r"[^A-Za-z0-9_-]", "-", exercise.name),
            heading=task.heading if task else Markup(),
            task=task.text if task else Markup(),
            outcome=outcome,
            solved=exercise.verdict is Verdict.PASSED,
            score=exercise.score,
            points=exercise.points,
            asked=len(exercise.asked),
            stopped=_stopped(failed, outcome),
            missing=list(dict.fromkeys(missing)),
            empty=unasked.pop(Unasked.EMPTY, None),
            unasked=list(unasked.values()),
            followed_through=exercise.followed_through,
            problems=[
                ProblemView.of(check, faults, failed[:place], lost=lost, question=exercise.question)
                for place, check in enumerate(failed)
            ],
            question=exercise.question,
            more=exercise.more,
            passed=passed,
        )


def _stopped(failed: Sequence[CheckResult], outcome: Outcome) -> list[tuple[Outcome, int]]:
    counts = [(_WITHOUT_MARKS[kind], sum(check.verdict is kind for check in failed)) for kind in _STOPPED]
    return [(kind, count) for kind, count in counts if count and (kind, count) != (outcome, len(failed))]


def is_listed(fault: Fault) -> bool:
    """Whether pages list a fault: that a check cell failed, the checks say themselves."""
    return fault.kind is not FaultKind.CHECK_CELL
