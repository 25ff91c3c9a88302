"""The numbers of a class report: how exercises, hidden checks and beliefs did in a class."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.course.model import ExerciseResult, Result, Verdict

FEW = 5  # students, below which a correlation says nothing
_ASKED = (Verdict.PASSED, Verdict.FAILED, Verdict.TIMED_OUT, Verdict.OUT_OF_MEMORY, Verdict.CRASHED)


@dataclass(frozen=True)
class Item:
    """How an exercise did: the mean share of its points, and how well it goes along with the rest of the notebook."""

    name: str
    points: int
    share: float
    discrimination: float | None
    verdicts: Counter[Verdict]
    followed_through: int


def items(found: Sequence[Result]) -> list[Item]:
    """The exercises of an assignment, in order, with difficulty and discrimination."""
    graded = [result for result in found if result.ungraded is None]
    by_name: dict[str, list[tuple[ExerciseResult, float]]] = defaultdict(list)
    for result in graded:
        for exercise in result.exercises:
            by_name[exercise.name].append((exercise, result.score - exercise.score))
    return [
        Item(
            name,
            pairs[0][0].points,
            statistics.fmean(exercise.score / exercise.points for exercise, _ in pairs),
            correlation([exercise.score for exercise, _ in pairs], [rest for _, rest in pairs]),
            Counter(exercise.verdict for exercise, _ in pairs),
            sum(exercise.followed_through for exercise, _ in pairs),
        )
        for name, pairs in by_name.items()
    ]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's correlation; None for fewer than five students, and where one of the two does not vary."""
    if len(one) < FEW or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


@dataclass(frozen=True)
class Asked:
    """A hidden check of an exercise, and how many students were asked it."""

    exercise: str
    check: str
    times: int


def unanimous(found: Sequence[Result]) -> tuple[list[Asked], list[Asked]]:
    """The hidden checks that nobody fails, and those that nobody passes, among the students who were asked them."""
    verdicts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for result in found:
        for exercise in result.exercises:
            for check in exercise.checks:
                if check.verdict in _ASKED and not check.visible:
                    verdicts[exercise.name, check.name][check.verdict is Verdict.PASSED] += 1
    always = [Asked(*name, counts.total()) for name, counts in verdicts.items() if not counts[False]]
    never = [Asked(*name, counts.total()) for name, counts in verdicts.items() if not counts[True]]
    return always, never


@dataclass(frozen=True)
class Recognised:
    """A misconception that was recognised in an exercise, a question to ask about it, and the students who have it."""

    exercise: str
    misconception: str
    question: str
    students: tuple[str, ...]


def misconceptions(found: Iterable[Result]) -> list[Recognised]:
    """The misconceptions of a class, the most frequent first."""
    students: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for result in found:
        for exercise in result.exercises:
            if exercise.misconception:
                students[exercise.name, exercise.misconception, exercise.question or ""].append(result.student)
    ranked = sorted(students.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [Recognised(*key, tuple(names)) for key, names in ranked]
