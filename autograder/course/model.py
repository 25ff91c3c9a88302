"""The words that every other module speaks: verdicts, exercises, checks and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

TOUR = "00_"  # how the stem of a notebook begins that is released, but not graded
VISIBLE = "visible: "  # how the name of a check begins that students have, too


class Verdict(StrEnum):
    """What is known about one check, or one exercise, after grading."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not attempted"
    BLOCKED = "blocked"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crashed"
    GRADER_ERROR = "grader error"


@dataclass(frozen=True)
class Exercise:
    """One thing that is asked: its name, its points, and the functions that answer it."""

    name: str
    points: int
    functions: tuple[str, ...]


@dataclass(frozen=True)
class CheckResult:
    """What one check said. `message` may be read by students; `detail` is for instructors only.

    `traceback` may be read by students, too: the lines of their own cells that an error of a visible check went through.
    """

    name: str
    verdict: Verdict
    message: str
    detail: str = ""
    traceback: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExerciseResult:
    """The marks of one exercise, and the checks that they come from."""

    name: str
    score: float
    points: int
    verdict: Verdict
    checks: tuple[CheckResult, ...]
    misconception: str | None = None
    question: str | None = None
    followed_through: bool = False
    """Whether it was graded with the reference in place of earlier answers that failed, so that these count only once."""


@dataclass(frozen=True)
class Result:
    """Everything that grading one submission found out."""

    student: str
    assignment: str
    isolation: str
    exercises: tuple[ExerciseResult, ...]
    faults: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    key: str = ""
    ungraded: str | None = field(default=None)

    @property
    def score(self) -> float:
        """The sum of the exercises' marks."""
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def max_score(self) -> int:
        """The sum of the exercises' points."""
        return sum(exercise.points for exercise in self.exercises)
