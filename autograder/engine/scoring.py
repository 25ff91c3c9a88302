"""From verdicts to marks: the gate, what each check is worth, and the one word that sums an exercise up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.course import kinds
from autograder.course.kinds import Place
from autograder.course.model import CheckResult, Exercise, ExerciseResult, Verdict


@dataclass(frozen=True)
class Weighed:
    """A check's result with its place in the marks."""

    result: CheckResult
    place: Place


def score(exercise: Exercise, checks: Sequence[Weighed]) -> ExerciseResult:
    """The marks of an exercise, to two decimals: what its checks that passed are worth, and nothing behind a gate."""
    shares = kinds.shares([check.place for check in checks]) if checks else []
    results = tuple(
        replace(
            check.result,
            kind=check.place.kind,
            gate=check.place.gate,
            worth=round(exercise.points * share, 3),
        )
        for check, share in zip(checks, shares, strict=True)
    )
    passed = [check.result.verdict is Verdict.PASSED for check in checks]
    is_open = all(ok for check, ok in zip(checks, passed, strict=True) if check.place.gate)
    earned = sum(share for share, ok in zip(shares, passed, strict=True) if ok) if is_open else 0.0
    return ExerciseResult(exercise.name, round(exercise.points * earned, 2), exercise.points, _sum_up(results), results)


# The first of these that occurs names the exercise's verdict: what the student most needs to hear.
_TELLING = (
    Verdict.GRADER_ERROR,
    Verdict.TIMED_OUT,
    Verdict.OUT_OF_MEMORY,
    Verdict.CRASHED,
    Verdict.FAILED,
    Verdict.BLOCKED,
)


def _sum_up(checks: Sequence[CheckResult]) -> Verdict:
    verdicts = {check.verdict for check in checks}
    if not verdicts:
        return Verdict.GRADER_ERROR
    if Verdict.NOT_ATTEMPTED in verdicts:  # one of two functions may be missing: the other one was attempted
        attempted = verdicts - {Verdict.NOT_ATTEMPTED, Verdict.BLOCKED}
        verdicts = verdicts | {Verdict.FAILED} if attempted else {Verdict.NOT_ATTEMPTED}
    return next((verdict for verdict in (*_TELLING, Verdict.NOT_ATTEMPTED) if verdict in verdicts), Verdict.PASSED)
