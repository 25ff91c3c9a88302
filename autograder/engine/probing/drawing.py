"""The probes of an exercise: calls that its hidden checks make of the reference, with numbers drawn for the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.model import Exercise
from autograder.engine.probing.behaviour import as_numbers, parts
from autograder.engine.probing.probes import REFUSED, Probe, Questions, Reply, ask, packed, with_argument
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
NOTHING, SAME = 1e-9, 1e-3
"""A number smaller than the first may be what rounding leaves, at the top of a hill for instance. It is, if it changes
by more than the second, as a share of itself, when the last bits of the arguments do."""


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
        told = _told(questions, reference)
        if told:
            found[name] = replace(questions, probes=tuple(probe for probe, _ in told)), [reply for _, reply in told]
    return found


def _told(questions: Questions, reference: NotebookRun) -> list[tuple[Probe, Reply]]:
    """The probes with the reference's replies, without those whose answer is made of rounding errors."""
    if not questions.probes:
        return []
    replies = ask(reference, questions)
    nudged = ask(reference, replace(questions, probes=tuple(map(_nudged, questions.probes))))
    pairs = list(zip(questions.probes, replies or (), strict=replies is not None))
    if nudged is None:
        return pairs
    return [pair for pair, other in zip(pairs, nudged, strict=True) if not _is_noise(pair[1].value, other.value)]


def _nudged(probe: Probe) -> Probe:
    """The same call with arrays of which the last bits are other ones."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            probe = with_argument(probe, place, value * (1 + 4 * np.finfo(float).eps))
    return probe


def _is_noise(value: Any, other: Any) -> bool:
    """Whether a number in a value is left by rounding: nobody else leaves the same."""
    pairs = [(as_numbers(one), as_numbers(two)) for (_, one), (_, two) in zip(parts(value), parts(other), strict=False)]
    for one, two in pairs:
        if one is None or two is None or one.shape != two.shape:
            continue
        tiny = (np.abs(one) > 0) & (np.abs(one) < NOTHING) & (np.abs(two) < NOTHING)
        if (tiny & (np.abs(one - two) > SAME * np.abs(one))).any():
            return True
    return False


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
    return call.error is None or (call.error == REFUSED and kind is Kind.REFUSAL)


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
