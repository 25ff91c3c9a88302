"""The probes of an exercise: calls that its hidden checks make of the reference, with numbers drawn for the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.model import Exercise
from autograder.engine.probing.behaviour import as_numbers, parts
from autograder.engine.probing.probes import REFUSED, Probe, Questions, Reply, ask, packed
from autograder.engine.running import Call, NotebookRun
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Student

MOST = {
    Kind.PLAIN: 10,
    Kind.SIZES: 6,
    Kind.EDGE: 6,
    Kind.STABILITY: 4,
    Kind.REFUSAL: 6,
    Kind.TYPE: 3,
    Kind.SIDE_EFFECT: 2,
}
"""Probes of each kind; a check of speed asks nothing that the others do not."""
ORDINARY = (Kind.PLAIN, Kind.SIZES)
ENOUGH, SEEDS = 12, 8
"""Ordinary probes of a function that are wanted, and how often at most all checks are drawn anew for them."""
NOTHING = 1e-9
"""Numbers of which none is larger than that are what rounding leaves, at the top of a hill for instance."""


def draw(
    session: SuiteSession,
    checks: Sequence[HiddenCheck],
    exercise: Exercise,
    reference: NotebookRun,
    seed: str,
    parameters: dict[str, tuple[str, ...]],
) -> dict[str, tuple[Questions, list[Reply]]]:
    """For each function of an exercise that there is anything to ask of: its probes, and the reference's replies."""
    drawn: dict[str, list[Probe]] = {name: [] for name in exercise.functions}
    seen: set[tuple[str, bytes | None]] = set()
    for number in range(SEEDS):
        for check in checks:
            # Few draws of the special cases are enough: they are told apart by what is asked, not by the numbers.
            if check.place.kind is Kind.SPEED or (number > 1 and check.place.kind not in ORDINARY):
                continue
            for call in _calls(session, check, exercise, reference, f"{seed} {number}"):
                key = call.function, packed(call.args, call.kwargs)
                if key not in seen and key[1] is not None and _is_asked(call, check.place.kind):
                    seen.add(key)
                    drawn[call.function].append(Probe(call.args, dict(call.kwargs), check.name, check.place.kind))
        if all(_ordinary(probes) >= ENOUGH for probes in drawn.values()):
            break
    found = {}
    for name, probes in drawn.items():
        questions = Questions(name, tuple(_chosen(probes)), parameters.get(name, ()))
        replies = ask(reference, questions) if questions.probes else None
        if replies is not None:
            found[name] = questions, replies
    return found


def _calls(
    session: SuiteSession, check: HiddenCheck, exercise: Exercise, reference: NotebookRun, seed: str
) -> Iterable[Call]:
    """The calls that a check makes of the exercise's own functions; none if the reference does not pass it."""
    before = len(reference.calls)
    error = session.run(check, Student(reference), seed)
    calls = reference.calls[before:]
    del reference.calls[before:]
    return [call for call in calls if call.function in exercise.functions] if error is None else []


def _is_asked(call: Call, kind: Kind) -> bool:
    """Whether a call can be a probe: one that the reference takes, or that it refuses because it should."""
    if call.error is None:
        return kind not in ORDINARY or not _is_noise(call.value)
    return call.error == REFUSED and kind is Kind.REFUSAL


def _is_noise(value: Any) -> bool:
    """Whether a value is made of rounding errors: nobody else makes the same ones."""
    found = [array for _, leaf in parts(value) if (array := as_numbers(leaf)) is not None and array.size]
    largest = max((np.abs(array).max() for array in found), default=1.0)
    return bool(0 < largest < NOTHING)


def _ordinary(probes: Iterable[Probe]) -> int:
    return sum(probe.kind in ORDINARY for probe in probes)


def _chosen(probes: Sequence[Probe]) -> Iterator[Probe]:
    """Some probes of every kind; of each check one first, then more, so that all sorts of questions are among them."""
    turns: Counter[str] = Counter()
    ranked = []
    for at, probe in enumerate(probes):
        ranked.append((turns[probe.check], at, probe))
        turns[probe.check] += 1
    left = Counter(MOST)
    for _, _, probe in sorted(ranked, key=lambda row: row[:2]):
        if left[probe.kind] > 0:
            left[probe.kind] -= 1
            yield probe
