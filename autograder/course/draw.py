"""The numbers of a hidden check, drawn afresh: no two students, and no two attempts, are asked the same.

No draw may hide a mistake that another one would show. So what these functions give is telling by construction: values
are spread over their range and none of them are equal, labels are unbalanced, sizes differ, nothing is 1 by accident.

What is drawn is plain Python numbers that become arrays in the end: an instance of a check is small, and to make a
generator of NumPy's and call its functions takes longer than all the arithmetic.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count as endless
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from autograder.course.model import FIXED

__all__ = ["FIXED", "Draw"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
T = TypeVar("T")

_EDGE = 0.15  # of the part of a range that a value is drawn from: this far it stays away from its neighbours' parts
_TO_EITHER_SIDE = (1 - 2 * _EDGE) / 4  # so far each value of a row can move, on the average, if half of it is kept
_FROM_HALF, _FROM_ONE = 0.06, 0.02
_BLOCK = struct.Struct("<32Q")


def _uniforms(key: str) -> Iterator[float]:
    """Numbers from 0 to below 1 without end, straight from a hash: quicker than to make a generator for a few."""
    for block in endless():
        for bits in _BLOCK.unpack(hashlib.shake_128(f"{key}\n{block}".encode()).digest(_BLOCK.size)):
            yield (bits >> 11) * 2.0**-53


class _Words(ISeedSequence):
    """The first state of a generator, straight from a hash: NumPy would hash it once more, which takes longer."""

    def __init__(self, text: str) -> None:
        self._digest = hashlib.blake2b(text.encode(), digest_size=32).digest()

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        """The words that a PCG64 asks for: four of 64 bits."""
        return np.frombuffer(self._digest, dtype=dtype)[:n_words]


class Draw:
    """What one check of one submission draws its numbers from: a generator, keyed by a seed and the check's name."""

    def __init__(self, seed: str, check: str) -> None:
        self._seed, self._check = seed, check

    def __repr__(self) -> str:
        return "draw"  # it gets into what a failed check says, which must be the same on every machine

    @cached_property
    def _uniforms(self) -> Iterator[float]:
        return _uniforms(f"{self._seed}\n{self._check}")

    @cached_property
    def rng(self) -> np.random.Generator:
        """NumPy's generator, for what has no helper below."""
        words: Any = _Words(f"{self._seed}\n{self._check}")  # NumPy's types know no other seeds than its own
        return np.random.Generator(np.random.PCG64(words))

    # --- numbers ------------------------------------------------------------------------------------------------------

    def number(self, low: float, high: float) -> float:
        """A number between `low` and `high`, at neither end."""
        margin = 0.02 * (high - low)
        return low + margin + (high - low - 2 * margin) * next(self._uniforms)

    def numbers(self, shape: int | tuple[int, ...], low: float = -3.0, high: float = 3.0) -> Floats:
        """Numbers that are spread over the range from `low` to `high`, in any order; no two are close to each other."""
        return _array(self._shuffled(self._spread(_size(shape), low, high)), shape)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int((high - low + 1) * next(self._uniforms))

    def wholes(self, shape: int | tuple[int, ...], low: int, high: int) -> Integers:
        """Different whole numbers from `low` to `high`, both included, in any order."""
        return _array([low + number for number in self._some(_size(shape), high - low + 1)], shape)

    def sizes(self, count: int, low: int = 3, high: int = 9) -> list[int]:
        """Sizes of arrays, no two of them equal: no table is square, and none has a single row or column."""
        low = max(low, 2)
        return [low + number for number in self._some(count, high - low + 1)]

    def coefficients(self, size: int, largest: float = 2.0) -> Floats:
        """Numbers of both signs whose absolute values differ, none near 0 and with a sum that is not near 0 either.

        A single one is positive.
        """
        sign = -1.0 if size > 1 and next(self._uniforms) < 0.5 else 1.0
        magnitudes = enumerate(self._spread(size, 0.25 * largest, largest))
        # Two of three have the same sign: sums do not cancel.
        return np.array(self._shuffled([-sign * value if at % 3 == 1 else sign * value for at, value in magnitudes]))

    def scales(self, size: int, decades: float = 6.0) -> Floats:
        """Powers of ten that lie far apart, in any order: the units of features."""
        return np.array([10.0**power for power in self._shuffled(self._spread(size, -decades / 2, decades / 2))])

    # --- probabilities ------------------------------------------------------------------------------------------------

    def probability(self, low: float = 0.05, high: float = 0.95) -> float:
        """A probability that is not close to 1/2, nor to an end of the range."""
        below, above = min(high, 0.5 - _FROM_HALF), max(low, 0.5 + _FROM_HALF)  # the ends of what is allowed
        width = max(0.0, below - low)
        total = width + max(0.0, high - above)
        if not total:
            return self.number(low, high)
        at = self.number(0.0, total)
        return low + at if at < width else above + (at - width)

    def probabilities(self, shape: int | tuple[int, ...], low: float = 0.05, high: float = 0.95) -> Floats:
        """Probabilities that are spread over the range, in any order; no two are close, and rows do not sum to 1."""
        size = _size(shape)
        part, columns = (high - low) / max(size, 1), shape if isinstance(shape, int) else shape[-1]
        places = self._shuffled(self._spread(size, 0.0, size))  # in units of a part
        gap = min(_FROM_ONE, _TO_EITHER_SIDE * part * columns)  # so much room is there in any case
        for start in range(0, size, columns):
            row = places[start : start + columns]
            beyond = low * columns + part * sum(row) - 1
            if abs(beyond) < gap:  # its values move within their parts, to where there is more room
                up, down = [1 - _EDGE - place % 1 for place in row], [place % 1 - _EDGE for place in row]
                room, side = (up, 1) if sum(up) >= sum(down) else (down, -1)
                move = side * (gap - side * beyond) / (part * sum(room))
                places[start : start + columns] = [place + move * by for place, by in zip(row, room, strict=True)]
        return _array([low + part * place for place in places], shape)

    def distribution(self, size: int, *, least: float = 0.0) -> Floats:
        """Probabilities that sum to 1, no two of them close; each is at least `least` / size."""
        weights = self._shuffled(self._spread(size, 1.0, 1.0 + 2.5 * size))
        share = (1 - least) / sum(weights)
        return np.array([least / size + share * weight for weight in weights])

    def distributions(self, rows: int, size: int) -> Floats:
        """A distribution in every row, no two rows alike: their values are in different orders.

        Where there are more rows than orders of values, those of the same order differ in their largest value.
        """
        orders = self._orders(min(rows, math.factorial(size)), size)
        repeats = -(-rows // len(orders))
        top = 1.0 + 2.5 * size
        found = []
        for order in orders:
            weights = self._spread(size, 1.0, top)
            for largest in self._spread(repeats, top - 2.5 * (1 - _EDGE), top - 2.5 * _EDGE):
                weights[-1] = largest
                total = sum(weights)
                found.append([weights[at] / total for at in order])
        return np.array(self._shuffled(found)[:rows])

    # --- tables of data -----------------------------------------------------------------------------------------------

    def table(self, rows: int, columns: int, *, spread: float = 1.0, centre: float = 0.7) -> Floats:
        """A well-conditioned table of features: columns differ in mean and in spread, and are somewhat correlated.

        The columns have means up to `centre` away from 0 and standard deviations around `spread`, exactly so where
        there are more rows than columns. Fewer would depend on each other.
        """
        if rows < columns:
            raise ValueError(f"{columns} columns of {rows} rows depend on each other: ask for more rows")
        raw = self.rng.standard_normal((rows, columns))
        orthonormal, _ = np.linalg.qr(raw - raw.mean(axis=0) if rows > columns else raw)
        # Columns that were not correlated at all would hide whoever forgets what stands off the diagonal.
        shared = self.rng.uniform(-0.3, 0.3, (columns, columns))
        shared += np.copysign(0.3, shared)
        mixing = np.triu(shared / max(columns - 1, 1) ** 0.5, 1) + np.eye(columns)
        mixed = orthonormal @ (mixing / np.linalg.norm(mixing, axis=0))
        widths = spread * self.numbers(columns, 0.7, 1.6)
        found: Floats = mixed * np.sqrt(rows) * widths + centre * self.coefficients(columns, 1.0)
        return found

    def with_ones(self, rows: int, columns: int, **how: float) -> Floats:
        """A table with a first column of ones, as in the model with an intercept; `columns` more after it."""
        return np.column_stack([np.ones(rows), self.table(rows, columns, **how)])

    def labels(self, size: int, classes: int = 2) -> Integers:
        """Labels from 0 to `classes` - 1 in any order, each at least once; no two classes are equally frequent.

        `size` must be at least classes * (classes + 1) / 2.
        """
        counts = list(range(1, classes + 1))
        if sum(counts) > size:
            raise ValueError(f"{size} labels are too few for {classes} classes of different sizes")
        counts[-1] += size - sum(counts)
        if classes == 2 and counts[1] > 2 * counts[0]:  # about a third against two thirds
            counts[0] = max(1, round(size * 0.3))
            counts[1] = size - counts[0]
        classes_and_counts = zip(self._shuffled(range(classes)), counts, strict=True)
        return np.array(self._shuffled([label for label, count in classes_and_counts for _ in range(count)]))

    def counts(self, shape: int | tuple[int, ...], *, low: int = 2, high: int = 60, empty: int = 0) -> Integers:
        """Different counts, `empty` of them replaced by 0, at any places of which no two are in one row or column."""
        found = self.wholes(shape, low, max(high, low + 2 * _size(shape)))
        if empty:
            flat = found.reshape(-1, found.shape[-1])
            rows, columns = flat.shape
            if 1 < rows < empty:
                raise ValueError(f"{empty} empty cells of {rows} rows are not all in different ones")
            flat[self._some(empty, rows) if rows >= empty else [0] * empty, self._some(empty, columns)] = 0
        return found

    def bits(self, shape: int | tuple[int, ...], ones: float | None = None) -> Integers:
        """Zeros and ones in any order, with a share of ones that is not one half (about `ones`, if given)."""
        size = _size(shape)
        if size < 3:
            raise ValueError(f"{size} bits are all the same or balanced: ask for three or more")
        share = self.probability(0.2, 0.8) if ones is None else ones
        count = min(max(round(share * size), 1), size - 1)
        count += 1 if 2 * count == size else 0
        return _array(self._shuffled([1] * count + [0] * (size - count)), shape)

    def order(self, size: int) -> Integers:
        """A permutation that leaves nothing in its place and is not its own inverse (for three or more)."""
        cycle = self._shuffled(range(size))  # one through all of them
        moved = dict(zip(cycle, [cycle[-1], *cycle[:-1]], strict=True))
        return np.array([moved[at] for at in range(size)])

    def _spread(self, size: int, low: float, high: float) -> list[float]:
        """Ascending numbers, one in each of `size` equal parts of the range, away from the ends of its part."""
        part = (high - low) / max(size, 1)
        start, wide = low + part * _EDGE, part * (1 - 2 * _EDGE)
        return [start + part * at + wide * share for at, share in enumerate(islice(self._uniforms, size))]

    def _shuffled(self, values: Sequence[T]) -> list[T]:
        """The same in any order."""
        keys = list(islice(self._uniforms, len(values)))
        return [values[at] for at in sorted(range(len(values)), key=keys.__getitem__)]

    def _some(self, count: int, below: int) -> list[int]:
        """So many different whole numbers from 0 to `below` - 1, in any order."""
        if count > below:
            raise ValueError(f"there are no {count} different whole numbers among {below}")
        moved: dict[int, int] = {}  # a shuffle of all of them, of which only the beginning is carried out
        found = []
        for at in range(count):
            other = at + int((below - at) * next(self._uniforms))
            found.append(moved.get(other, other))
            moved[other] = moved.get(at, at)
        return found

    def _orders(self, count: int, size: int) -> list[list[int]]:
        """So many different permutations."""
        all_of_them = math.factorial(size)
        several = min(all_of_them, max(count, 10_000))
        return [_permutation(number * (all_of_them // several), size) for number in self._some(count, several)]


def _permutation(number: int, size: int) -> list[int]:
    """The permutation with this number, of all in alphabetical order."""
    left, found = list(range(size)), []
    for count in range(size - 1, -1, -1):
        at, number = divmod(number, math.factorial(count))
        found.append(left.pop(at))
    return found


def _size(shape: int | tuple[int, ...]) -> int:
    """How many numbers an array of this shape holds; np.prod takes longer than all the rest of a small draw."""
    return shape if isinstance(shape, int) else math.prod(shape)


def _array(values: list[Any], shape: int | tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The values as an array of this shape."""
    found = np.array(values)
    return found if isinstance(shape, int) else found.reshape(shape)
