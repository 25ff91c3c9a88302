"""From verdicts to marks: gates, weights, and the one word that sums an exercise up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.course.model import CheckResult, Exercise, ExerciseResult, Verdict


@dataclass(frozen=True)
class Weighed:
    """A check's result with its weight in the marks; visible checks weigh nothing."""

    result: CheckResult
    weight: int


def score(exercise: Exercise, checks: Sequence[Weighed]) -> ExerciseResult:
    """The marks of an exercise: its points times the share of the weight that passed, to two decimals."""
    total = sum(check.weight for check in checks)
    earned = sum(check.weight for check in checks if check.result.verdict is Verdict.PASSED)
    marks = round(exercise.points * earned / total, 2) if total else 0.0
    results = tuple(check.result for check in checks)
    return ExerciseResult(exercise.name, marks, exercise.points, _sum_up(results), results)


# The first of these that occurs names the exercise's verdict: what the student most needs to hear.
_TELLING = (
    Verdict.GRADER_ERROR,
    Verdict.NOT_ATTEMPTED,
    Verdict.TIMED_OUT,
    Verdict.OUT_OF_MEMORY,
    Verdict.CRASHED,
    Verdict.FAILED,
    Verdict.BLOCKED,
)


def _sum_up(checks: Sequence[CheckResult]) -> Verdict:
    verdicts = {check.verdict for check in checks}
    return next(
        (verdict for verdict in _TELLING if verdict in verdicts), Verdict.PASSED if checks else Verdict.GRADER_ERROR
    )
