"""The probes of an exercise: calls that its hidden checks make of the reference, with numbers drawn for the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.course.model import Exercise
from autograder.engine.diagnosis.behaviour import as_numbers, parts
from autograder.engine.diagnosis.probes import REFUSED, Probe, Questions, Reply, ask, packed, with_argument
from autograder.engine.diagnosis.values import is_code, same
from autograder.engine.running import Call, NotebookRun
from autograder.engine.session import HiddenCheck, SuiteSession
from autograder.engine.student import Student

MOST = {
    Kind.PLAIN: 10,
    Kind.SIZES: 6,
    Kind.EDGE: 6,
    Kind.STABILITY: 6,
    Kind.REFUSAL: 8,
    Kind.TYPE: 4,
    Kind.SIDE_EFFECT: 4,
}
"""Probes of each kind; a check of speed asks nothing that the others do not."""
ORDINARY = (Kind.PLAIN, Kind.SIZES)
ENOUGH, SEEDS = 12, 8
"""Ordinary probes of a function that are wanted, and how often at most all checks are drawn anew for them."""
VARIED, IN_PART = 5, 5
"""Probes of which each argument is varied by itself: as a whole, and in one row, column or entry."""
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
            found[name] = _with_varied(questions, replies, reference)
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


def _with_varied(questions: Questions, replies: list[Reply], reference: NotebookRun) -> tuple[Questions, list[Reply]]:
    """The same, and probes that differ from one of these in one argument, where that changes the right answer."""
    bases = _bases(questions.probes, replies)
    varied = [
        replace(with_argument(probe, place, value), base=at, varied=questions.name_of(probe, place))
        for at, probe in bases[:VARIED]
        for place, value in _variations(probe, questions.probes)
    ] + [
        replace(with_argument(probe, place, value), base=at, varied=f"{part}: {questions.name_of(probe, place)}")
        for at, probe in bases[:IN_PART]
        for place, part, value in _variations_in_part(probe)
    ]
    more = ask(reference, replace(questions, probes=tuple(varied))) if varied else None
    telling = [
        (probe, reply)
        for probe, reply in zip(varied, more or (), strict=bool(more))
        if reply.error is None and probe.base is not None and not same(reply.value, replies[probe.base].value)
    ]
    return (
        replace(questions, probes=(*questions.probes, *(probe for probe, _ in telling))),
        [*replies, *(reply for _, reply in telling)],
    )


def _bases(probes: Sequence[Probe], replies: Sequence[Reply]) -> list[tuple[int, Probe]]:
    pairs = enumerate(zip(probes, replies, strict=True))
    plain = [(at, probe) for at, (probe, reply) in pairs if probe.kind is Kind.PLAIN and reply.error is None]
    return plain


def _variations(probe: Probe, probes: Sequence[Probe]) -> Iterator[tuple[int, Any]]:
    """Another value for each argument that can have one, by its place."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        other = _other(value, (_argument(one, place) for one in probes if _is_like(one, probe)))
        if other is not None and not (type(other) is int and _is_too_small(other, probe)):
            yield place, other


def _is_too_small(number: int, probe: Probe) -> bool:
    """Whether a number could be that of classes, and a label of the call be too large for it: that is not promised."""
    arrays = [one for one in (*probe.args, *probe.kwargs.values()) if isinstance(one, np.ndarray) and one.size]
    return any(array.dtype.kind in "iu" and array.max() >= number for array in arrays)


def _variations_in_part(probe: Probe) -> Iterator[tuple[int, str, Any]]:
    """Each array argument with another first or last row, column or entry, by its place."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim in (1, 2):
            for axis, name in enumerate(("row", "column") if value.ndim == 2 else ("entry",)):
                if value.shape[axis] > 1:
                    yield place, f"first {name}", _with_copy(value, axis, 0, 1)
                    yield place, f"last {name}", _with_copy(value, axis, -1, -2)


def _with_copy(value: np.ndarray[Any, Any], axis: int, to: int, of: int) -> np.ndarray[Any, Any]:
    """An array in which one entry along an axis is a copy of another one: what is valid stays valid."""
    changed = np.moveaxis(value.copy(), axis, 0)
    changed[to] = changed[of]
    return np.moveaxis(changed, 0, axis)


def _is_like(one: Probe, other: Probe) -> bool:
    return len(one.args) == len(other.args) and list(one.kwargs) == list(other.kwargs) and one.kind is Kind.PLAIN


def _argument(probe: Probe, place: int) -> Any:
    return (*probe.args, *probe.kwargs.values())[place]


def _other(value: Any, others: Iterable[Any]) -> Any:
    """Another value of the same sort: the entries of an array in another order, or a number of another probe."""
    if is_code(value) or isinstance(value, str) or value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim:
        moved = (np.roll(value, shift, axis) for axis in range(value.ndim) for shift in (1, 2))
        return next((one for one in moved if not np.array_equal(one, value)), None)
    if isinstance(value, list | tuple):
        return type(value)([*value[1:], *value[:1]]) if len(value) > 1 else None
    same_sort = (one for one in others if type(one) is type(value))
    return next((one for one in same_sort if not same(one, value)), None)
