"""Behaviour: the replies of one function to all probes, laid out so that two of them can be compared at once.

Every number that the reference gives has a place in one long row. What another function gives is laid out along it:
a value that fits the reference's shape by broadcasting or reshaping is compared number by number, and that its shape
was another one is kept apart. A *part* is an entry of a tuple or a dictionary, or the whole value; the part of one
reply is a *slot*.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.probing.probes import Probe, Reply

Array = np.ndarray[Any, Any]
RTOL = 1e-7
NOISE = 1e-12
"""Of the largest number of a slot: what rounding leaves. Where digits are the point, nothing is noise."""


class Fit(IntEnum):
    """How a reply fits into a slot."""

    EXACT = 0
    RESHAPED = 1
    """The same number of numbers, or some that were broadcast, in another shape."""
    OTHER = 2
    """A value that cannot be compared with the reference's number by number."""
    REFUSED = 3
    FAILED = 4


@dataclass(frozen=True)
class Slot:
    """Where one part of the reference's reply to one probe lies in the row."""

    probe: int
    part: str
    start: int
    stop: int
    shape: tuple[int, ...]
    want: Array


@dataclass(frozen=True)
class Behaviour:
    """How one function replies: `numbers` in the reference's places, and how each slot fits."""

    replies: Sequence[Reply]
    numbers: Array
    fits: Array
    others: dict[int, str]
    """What was given in slots of the kind OTHER, as a text to compare."""

    def value(self, slot: int, layout: Layout) -> Any:
        """What was given in a slot, as it came."""
        place = layout.slots[slot]
        return dict(parts(self.replies[place.probe].value)).get(place.part)


class Layout:
    """The slots of some probes: those to which the reference replies with numbers."""

    def __init__(self, probes: Sequence[Probe], reference: Sequence[Reply]) -> None:
        self.probes, self.reference = probes, reference
        self.slots: list[Slot] = []
        start = 0
        for at, (_, reply) in enumerate(zip(probes, reference, strict=True)):
            if reply.error is not None:
                continue
            for part, leaf in parts(reply.value):
                want = as_numbers(leaf)
                if want is not None and want.size:
                    self.slots.append(Slot(at, part, start, start + want.size, want.shape, want))
                    start += want.size
        self.size = start
        self._starts = np.array([slot.start for slot in self.slots], dtype=int)
        self._lengths = np.array([slot.stop - slot.start for slot in self.slots], dtype=int)
        self._noise = np.repeat([self._noise_of(slot) for slot in self.slots], self._lengths)
        self.kinds = [probes[slot.probe].kind for slot in self.slots]
        self.ours = self.align(reference)

    def _noise_of(self, slot: Slot) -> float:
        finite = np.abs(slot.want[np.isfinite(slot.want)])
        if self.probes[slot.probe].kind is Kind.STABILITY or not finite.size:
            return 0.0
        return float(NOISE * finite.max())

    def align(self, replies: Sequence[Reply]) -> Behaviour:
        """Replies of any origin, laid out along the reference's."""
        numbers = np.full(self.size, np.nan)
        fits = np.empty(len(self.slots), dtype=np.int8)
        others: dict[int, str] = {}
        known: dict[int, dict[str, Any]] = {}
        for at, slot in enumerate(self.slots):
            reply = replies[slot.probe]
            if reply.unreadable:
                fits[at], others[at] = Fit.OTHER, "unreadable"
                continue
            if reply.error is not None:
                fits[at] = Fit.REFUSED if reply.refused else Fit.FAILED
                continue
            if slot.probe not in known:
                known[slot.probe] = dict(parts(reply.value))
            leaf = known[slot.probe].get(slot.part)
            array = as_numbers(leaf)
            placed = None if array is None else _placed(array, slot.shape)
            if placed is None:
                fits[at] = Fit.OTHER
                others[at] = _told(leaf, array)
            else:
                numbers[slot.start : slot.stop] = placed.ravel()
                fits[at] = Fit.EXACT if array is not None and array.shape == slot.shape else Fit.RESHAPED
        return Behaviour(replies, numbers, fits, others)

    def same(self, one: Behaviour, other: Behaviour) -> Array:
        """For every slot, whether two functions give the same there: equal numbers, or the same sort of failure."""
        if not self.slots:
            return np.zeros(0, dtype=bool)
        comparable = (one.fits < Fit.OTHER) & (other.fits < Fit.OTHER)
        found = comparable & self.all_of(self.close(one.numbers, other.numbers))
        found |= (one.fits == other.fits) & (one.fits > Fit.OTHER)
        for at in one.others.keys() & other.others.keys():
            found[at] = one.others[at] == other.others[at]
        return found

    def close(self, one: Array, other: Array) -> Array:
        """For every number of the row, whether two are the same up to rounding."""
        with np.errstate(all="ignore"):
            largest = np.maximum(np.abs(one), np.abs(other))
            near = np.abs(one - other) <= RTOL * largest + self._noise
        found: Array = (near & np.isfinite(largest)) | (one == other) | (np.isnan(one) & np.isnan(other))
        return found

    def all_of(self, numbers: Array) -> Array:
        """For every slot, whether something is true of all its numbers."""
        found: Array = np.logical_and.reduceat(numbers, self._starts)
        return found

    def spread(self, slots: Array) -> Array:
        """What is known of every slot, for every number of the row."""
        return np.repeat(slots, self._lengths)


def parts(value: Any) -> Iterable[tuple[str, Any]]:
    """The parts of a value, each with its name: entries of a tuple or a dictionary, or the value itself."""
    if isinstance(value, tuple):
        return [(str(at + 1), item) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return [(str(key), item) for key, item in value.items()]
    return [("", value)]


def as_numbers(leaf: Any) -> Array | None:
    """A part as an array of floats; None where it is not made of real numbers."""
    if isinstance(leaf, np.ndarray):
        return leaf.astype(float) if leaf.dtype.kind in "biuf" else None
    if isinstance(leaf, bool | int | float):
        try:
            return np.asarray(float(leaf))
        except OverflowError:
            return None
    return None


def _placed(array: Array, shape: tuple[int, ...]) -> Array | None:
    if array.shape == shape:
        return array
    if array.size == int(np.prod(shape)):
        plain, wanted = tuple(n for n in array.shape if n != 1), tuple(n for n in shape if n != 1)
        return array.reshape(shape) if plain == wanted else None
    try:
        return np.broadcast_to(array, shape) if array.size == 1 else None
    except ValueError:
        return None


def _told(leaf: Any, array: Array | None) -> str:
    """A value that has no place in the row, as a text: equal texts are equal values."""
    if array is not None:
        return f"{array.shape} {_digits(array.ravel())}"
    return f"{type(leaf).__name__} {leaf!r:.400}"


def _digits(numbers: Array) -> str:
    """Numbers with as many digits as do not depend on the order of additions."""
    return " ".join([f"{number + 0.0:.5e}" for number in numbers[:2000].tolist()])


def near(got: Array, want: Array) -> bool:
    """Whether two arrays are the same up to rounding, nan included."""
    return not differing(got, want).any()


def differing(got: Array, want: Array) -> Array:
    """Where two arrays of one shape differ by more than rounding."""
    with np.errstate(all="ignore"):
        scale = np.abs(want[np.isfinite(want)]).max(initial=0.0)
        return ~np.isclose(got, want, rtol=1e-7, atol=1e-12 * scale, equal_nan=True)


def digest(layout: Layout, behaviour: Behaviour, also: Sequence[str] = ()) -> str:
    """A short text that is the same for two functions that behave alike; `also` is what else tells them apart."""
    clean = np.where(layout.close(behaviour.numbers, np.zeros(layout.size)), 0.0, behaviour.numbers)
    told = [
        _digits(clean),
        " ".join(map(str, behaviour.fits.tolist())),
        *(f"{at} {text}" for at, text in sorted(behaviour.others.items())),
        *(
            f"{at} {_shape(behaviour.value(at, layout))}"
            for at in np.flatnonzero(behaviour.fits == Fit.RESHAPED).tolist()
        ),
        *(f"{reply.error} {reply.changed}" for reply in behaviour.replies),
        *_beyond(layout, behaviour),
        *([] if layout.slots else (f"{reply.value!r:.4000}" for reply in behaviour.replies)),
        *also,
    ]
    return hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:16]


def _shape(leaf: Any) -> tuple[int, ...]:
    return np.shape(leaf)


def _beyond(layout: Layout, behaviour: Behaviour) -> Iterable[str]:
    """What was given where the reference refuses, which has no place in the row."""
    for at, (ours, reply) in enumerate(zip(layout.reference, behaviour.replies, strict=True)):
        if ours.error is not None and reply.error is None:
            for part, leaf in parts(reply.value):
                array = as_numbers(leaf)
                yield f"{at} {part} {_told(leaf, None if array is None else _without_noise(array))}"


def _without_noise(array: Array) -> Array:
    finite = np.abs(array[np.isfinite(array)])
    return np.where(np.abs(array) <= NOISE * finite.max(), 0.0, array) if finite.size else array
