"""Calls that differ from a probe in one thing: an argument, a part of it, its size; and the reference's replies to them.

They are asked where a probe alone does not tell what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.probing.behaviour import Layout
from autograder.engine.probing.probes import Probe, Questions, Reply, with_argument
from autograder.engine.probing.values import is_code, same

Array = np.ndarray[Any, Any]
Asking = Callable[[Questions], list[Reply] | None]
VARIED, SIMPLIFIED = 6, 8
"""How many probes are changed in each way."""


@dataclass(frozen=True)
class Changes:
    """Changed calls of a function, each with the number of its probe and the name of the change."""

    questions: Questions
    layout: Layout

    @classmethod
    def of(cls, questions: Questions, changed: Iterable[Probe], asking: Asking) -> Changes:
        """Changed calls that the reference takes; `asking` asks it."""
        probes = tuple(changed)
        told = (asking(replace(questions, probes=probes)) or []) if probes else []
        kept = [(probe, reply) for probe, reply in zip(probes, told, strict=False) if reply.error is None]
        asked = replace(questions, probes=tuple(probe for probe, _ in kept))
        return cls(asked, Layout(asked.probes, [reply for _, reply in kept]))


def varied(questions: Questions, replies: Sequence[Reply]) -> Iterator[Probe]:
    """Calls with another argument ("X"), or another first or last row, column or entry of one ("last row: X")."""
    for at, probe in _plain(questions, replies)[:VARIED]:
        for place, value in _others(probe, questions.probes):
            name = questions.name_of(probe, place)
            yield replace(with_argument(probe, place, value), base=at, change=name)
        for place, part, value in _others_in_part(probe):
            name = f"{part}: {questions.name_of(probe, place)}"
            yield replace(with_argument(probe, place, value), base=at, change=name)


def simplified(questions: Questions, replies: Sequence[Reply]) -> Iterator[Probe]:
    """Calls in which the right answer is simpler ("zero: lam"), or follows from that to the probe ("doubled: w")."""
    for at, probe in _plain(questions, replies)[:SIMPLIFIED]:
        values = (*probe.args, *probe.kwargs.values())
        for place, value in enumerate(values):
            for change, make in _SIMPLE.items():
                other = None if is_code(value) else make(value)
                if other is not None:
                    name = f"{change}: {questions.name_of(probe, place)}"
                    yield replace(with_argument(probe, place, other), base=at, change=name)
        first = _with_one_example(probe, values)
        if first is not None:
            yield replace(first, base=at, change=ONE_EXAMPLE)


def _plain(questions: Questions, replies: Sequence[Reply]) -> list[tuple[int, Probe]]:
    pairs = enumerate(zip(questions.probes, replies, strict=True))
    return [(at, probe) for at, (probe, reply) in pairs if probe.kind is Kind.PLAIN and reply.error is None]


# --- Other arguments --------------------------------------------------------------------------------------------------


def _others(probe: Probe, probes: Sequence[Probe]) -> Iterator[tuple[int, Any]]:
    """Another value for each argument that can have one, by its place."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        other = _other(value, (_argument(one, place) for one in probes if _is_like(one, probe)))
        if other is not None and not (type(other) is int and _is_too_small(other, probe)):
            yield place, other


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


def _is_like(one: Probe, other: Probe) -> bool:
    return len(one.args) == len(other.args) and list(one.kwargs) == list(other.kwargs) and one.kind is Kind.PLAIN


def _argument(probe: Probe, place: int) -> Any:
    return (*probe.args, *probe.kwargs.values())[place]


def _is_too_small(number: int, probe: Probe) -> bool:
    """Whether a number could be that of classes, and a label of the call be too large for it: that is not promised."""
    arrays = [one for one in (*probe.args, *probe.kwargs.values()) if isinstance(one, np.ndarray) and one.size]
    return any(array.dtype.kind in "iu" and array.max() >= number for array in arrays)


def _others_in_part(probe: Probe) -> Iterator[tuple[int, str, Any]]:
    """Each array argument with another first or last row, column or entry, by its place."""
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim in (1, 2):
            for axis, name in enumerate(("row", "column") if value.ndim == 2 else ("entry",)):
                if value.shape[axis] > 1:
                    yield place, f"first {name}", _with_copy(value, axis, 0, 1)
                    yield place, f"last {name}", _with_copy(value, axis, -1, -2)


def _with_copy(value: Array, axis: int, to: int, of: int) -> Array:
    """An array in which one entry along an axis is a copy of another one: what is valid stays valid."""
    changed = np.moveaxis(value.copy(), axis, 0)
    changed[to] = changed[of]
    return np.moveaxis(changed, 0, axis)


# --- Simpler ones -----------------------------------------------------------------------------------------------------


def _number(change: Callable[[float], float]) -> Callable[[Any], Any]:
    def make(value: Any) -> Any:
        if type(value) not in (float, int):
            return None
        changed = type(value)(change(value))
        return None if changed == value else changed

    return make


def _array(change: Callable[[Array], Array]) -> Callable[[Any], Any]:
    def make(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.ndim or not value.size:
            return None
        with np.errstate(all="ignore"):
            changed = change(value)
        return None if np.array_equal(changed, value) else changed

    return make


def _doubled(value: Any) -> Any:
    return _array(lambda array: 2 * array)(value) if isinstance(value, np.ndarray) else _number(lambda n: 2 * n)(value)


def _turned(value: Any) -> Any:
    return ~value if isinstance(value, np.ndarray) and value.dtype.kind == "b" else None


def _with_one_example(probe: Probe, values: Sequence[Any]) -> Probe | None:
    """The first example alone: all arguments as long as the first table are cut."""
    lengths = [len(value) for value in values if isinstance(value, np.ndarray) and value.ndim == 2]
    if not lengths or lengths[0] < 2:
        return None
    for place, value in enumerate(values):
        if isinstance(value, np.ndarray) and value.ndim and len(value) == lengths[0]:
            probe = with_argument(probe, place, value[:1])
    return probe


ONE_EXAMPLE = "one example"
SIMPLER = ("zero", "one", ONE_EXAMPLE, "all zero", "all equal")
"""The changes after which the right answer is simpler; after the others it follows from what it was before."""
_SIMPLE: dict[str, Callable[[Any], Any]] = {
    "zero": _number(lambda number: 0),
    "one": _number(lambda number: 1),
    "all zero": lambda value: _array(np.zeros_like)(value) if np.ndim(value) == 1 else None,
    "all equal": _array(lambda array: np.full_like(array, array.mean())),
    "doubled": _doubled,
    "raised": _array(lambda array: array + 1),
    "turned": _turned,
}
