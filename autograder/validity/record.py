"""What was found about the hidden suite of a notebook, as it is put on record."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.catalogue import EQUIVALENT, UNGRADED


@dataclass(frozen=True)
class Kept:
    """A wrong answer that keeps more than half of the points: the kinds of checks that it fails, or why it is fair."""

    name: str
    share: float
    because: str


@dataclass(frozen=True)
class Lucky:
    """A wrong answer whose marks depend on the numbers drawn: by how much, and why."""

    name: str
    spread: float
    because: str


@dataclass(frozen=True)
class Spared:
    """A mutant that lives, and why it may."""

    change: str
    because: str
    kind: str


@dataclass(frozen=True)
class ExerciseRecord:
    """What is known about the checks of one exercise. Shares are parts of its points."""

    exercise: str
    points: int
    reference: float
    stub: float
    by_heart: float | None
    right: int
    accepted: int
    wrong: int
    rejected: int
    median: float
    most: float
    kept: tuple[Kept, ...]
    mutants: int
    killed: int
    spared: tuple[Spared, ...]
    named: int
    misnamed: int
    alike: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]
    wired: float | None = None
    """The most that an answer gets which only passes on an earlier exercise; None where none may be used."""
    luck: float = 0.0
    """The largest standard deviation, over the seeds, of what a wrong answer gets."""
    lucky: tuple[Lucky, ...] = ()
    plain: float = 1.0
    """The share of the points that plain numbers are worth."""
    prices: tuple[tuple[str, float], ...] = ()
    """The share of the points that the checks of each other kind are worth."""

    @property
    def mortal(self) -> int:
        """The mutants that a check should reject: all but those that do what the reference does where it matters."""
        return self.mutants - sum(mutant.kind in (EQUIVALENT, UNGRADED) for mutant in self.spared)


@dataclass(frozen=True)
class Record:
    """What is known about the suite of one notebook, and the fingerprint of all that it depends on."""

    stem: str
    fingerprint: str
    exercises: tuple[ExerciseRecord, ...]
    seeds: int = 1
    """With the numbers of how many seeds the answers were asked."""
    wired: float = 0.0
    """The points of a notebook in which every exercise passes on as much as it can, and none is solved."""
    overall: tuple[str, ...] = ()
    """What is off in the notebook as a whole, beside what is off in an exercise."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is off, each with where and what to do next; empty when all targets are met."""
        return (*(problem for exercise in self.exercises for problem in exercise.problems), *self.overall)
