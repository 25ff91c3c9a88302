"""What an answer earns with the numbers of many seeds, and what luck is worth."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import pstdev

from autograder.course.model import ExerciseResult, Verdict
from autograder.engine.jobs import Mark

RECORDED, TRIED = 20, 2
"""How many seeds the record in docs/ is made with, and how many the tests try."""


def seeds(count: int) -> tuple[str, ...]:
    """The seeds that known answers are asked with: fixed, and none that a submission could ever get."""
    return tuple(f"validate {number}" for number in range(count))


@dataclass(frozen=True)
class Graded:
    """An answer to one exercise: the whole result with the first seed, and what it earned with the others.

    An answer that ended its process is asked with one seed only: twenty endless loops tell no more than one.
    """

    result: ExerciseResult
    others: tuple[Mark, ...] = ()

    @property
    def shares(self) -> list[float]:
        """The share of the points that it got, seed by seed."""
        scores = [self.result.score, *(mark.score for mark in self.others)]
        return [round(score / self.result.points, 4) for score in scores]

    @property
    def failed(self) -> list[set[str]]:
        """The checks that it was asked and failed, seed by seed; visible ones are asked once."""
        failures = {check.name for check in self.result.checks if check.verdict not in _FINE}
        visible = {check.name for check in self.result.checks if check.visible} & failures
        return [failures, *(set(mark.failed) | visible for mark in self.others)]

    @property
    def spread(self) -> float:
        """The standard deviation of its share over the seeds: what luck is worth to whoever answers like that."""
        return round(pstdev(self.shares), 4)

    def is_accepted(self) -> bool:
        """Whether it gets full marks, whatever the numbers are."""
        return min(self.shares) == 1


_FINE = (Verdict.PASSED, Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
