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
class Recognised:
    """What the diagnosis makes of wrong answers to one exercise: how many get a question, and how many a false one.

    A stranger is a wrong answer of the catalogue that is examined as if nobody knew it. A question is false if what it
    is about, the same belief or relation, is not found again with probes that were drawn anew.
    """

    named: int = 0
    """Wrong answers whose own belief is found with both draws."""
    misnamed: tuple[tuple[str, str], ...] = ()
    """Wrong answers that are called another one although both are known."""
    alike: tuple[tuple[str, str], ...] = ()
    """Strangers that are taken for another wrong answer, and behave like it with both draws."""
    strangers: int = 0
    asked: int = 0
    false: tuple[str, ...] = ()
    """Strangers that get a false question."""
    aside: int = 0
    """Wrong answers that are kept aside: each is examined as if none of them were known."""
    aside_asked: int = 0
    mutants: int = 0
    """Mutants that no rule about small changes is asked about."""
    mutants_asked: int = 0
    mutants_false: int = 0


UNKNOWN = Recognised()


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
    problems: tuple[str, ...]
    wired: float | None = None
    """The most that an answer gets which only passes on an earlier exercise; None where none may be used."""
    luck: float = 0.0
    """The largest standard deviation, over the seeds, of what a wrong answer gets."""
    lucky: tuple[Lucky, ...] = ()
    plain: float = 1.0
    """The share of the points that plain numbers are worth."""
    recognised: Recognised = UNKNOWN
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
