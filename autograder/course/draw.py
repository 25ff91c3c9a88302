"""The numbers of a hidden check, drawn afresh: no two students, and no two attempts, are asked the same.

No draw may hide a mistake that another one would show. So what these functions give is telling by construction: values
are spread over their range and none of them are equal, labels are unbalanced, sizes differ, nothing is 1 by accident.
"""

from __future__ import annotations

import hashlib
import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from autograder.course.model import FIXED

__all__ = ["FIXED", "Draw"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


_EDGE = 0.15  # of the part of a range that a value is drawn from: this far it stays away from its neighbours' parts
_TO_EITHER_SIDE = (1 - 2 * _EDGE) / 4  # so far each value of a row can move, on the average, if half of it is kept
_FROM_HALF, _FROM_ONE = 0.06, 0.02


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
    def rng(self) -> np.random.Generator:
        """NumPy's generator, for what has no helper below."""
        words: Any = _Words(f"{self._seed}\n{self._check}")  # NumPy's types know no other seeds than its own
        return np.random.Generator(np.random.PCG64(words))

    # --- numbers ------------------------------------------------------------------------------------------------------

    def number(self, low: float, high: float) -> float:
        """A number between `low` and `high`, at neither end."""
        margin = 0.02 * (high - low)
        return float(self.rng.uniform(low + margin, high - margin))

    def numbers(self, shape: int | tuple[int, ...], low: float = -3.0, high: float = 3.0) -> Floats:
        """Numbers that are spread over the range from `low` to `high`, in any order; no two are close to each other."""
        size = _size(shape)
        return self.rng.permutation(self._spread(size, low, high)).reshape(shape)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return int(self.rng.integers(low, high, endpoint=True))

    def wholes(self, shape: int | tuple[int, ...], low: int, high: int) -> Integers:
        """Different whole numbers from `low` to `high`, both included, in any order."""
        size, count = _size(shape), high - low + 1
        if count > 1000 or size > count:
            return (low + self.rng.choice(count, size=size, replace=False)).reshape(shape)
        return (low + self.rng.permutation(count)[:size]).reshape(shape)  # the same, six times as quick

    def sizes(self, count: int, low: int = 3, high: int = 9) -> list[int]:
        """Sizes of arrays, no two of them equal: no table is square, and none has a single row or column."""
        return [int(size) for size in self.wholes(count, max(low, 2), high)]

    def coefficients(self, size: int, largest: float = 2.0) -> Floats:
        """Numbers of both signs whose absolute values differ, none near 0 and with a sum that is not near 0 either.

        A single one is positive.
        """
        magnitudes = self._spread(size, 0.25 * largest, largest)
        signs = np.where(np.arange(size) % 3 == 1, -1.0, 1.0)  # two of three are positive: sums do not cancel
        if size > 1 and self.rng.random() < 0.5:
            signs = -signs
        order = self.rng.permutation(size)
        return (magnitudes * signs)[order]

    def scales(self, size: int, decades: float = 6.0) -> Floats:
        """Powers of ten that lie far apart, in any order: the units of features."""
        return 10.0 ** self.rng.permutation(self._spread(size, -decades / 2, decades / 2))

    # --- probabilities ------------------------------------------------------------------------------------------------

    def probability(self, low: float = 0.05, high: float = 0.95) -> float:
        """A probability that is not close to 1/2, nor to an end of the range."""
        below, above = min(high, 0.5 - _FROM_HALF), max(low, 0.5 + _FROM_HALF)  # the ends of what is allowed
        width = max(0.0, below - low)
        total = width + max(0.0, high - above)
        if not total:
            return self.number(low, high)
        at = float(self.rng.uniform(0.02, 0.98)) * total
        return low + at if at < width else above + (at - width)

    def probabilities(self, shape: int | tuple[int, ...], low: float = 0.05, high: float = 0.95) -> Floats:
        """Probabilities that are spread over the range, in any order; no two are close, and rows do not sum to 1."""
        size = _size(shape)
        part = (high - low) / max(size, 1)
        places = self.rng.permutation(self._spread(size, 0.0, size)).reshape(shape)  # in units of a part
        columns = places.shape[-1]
        gap = min(_FROM_ONE, _TO_EITHER_SIDE * part * columns)  # so much room is there in any case
        beyond = (low + part * places).sum(axis=-1).ravel() - 1
        for at in np.flatnonzero(np.abs(beyond) < gap):
            row = places.reshape(-1, columns)[at]  # its values move within their parts, to where there is more room
            up, down = row // 1 + (1 - _EDGE) - row, row % 1 - _EDGE
            room, side = (up, 1) if up.sum() >= down.sum() else (down, -1)
            row += side * room * (gap - side * beyond[at]) / (part * room.sum())
        return low + part * places

    def distribution(self, size: int, *, least: float = 0.0) -> Floats:
        """Probabilities that sum to 1, no two of them close; each is at least `least` / size."""
        weights = self.rng.permutation(self._spread(size, 1.0, 1.0 + 2.5 * size))
        found: Floats = least / size + (1 - least) * weights / weights.sum()
        return found

    def distributions(self, rows: int, size: int) -> Floats:
        """A distribution in every row, no two rows alike: they have their largest values at different places.

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
                found.append((weights / weights.sum())[order])
        return self.rng.permutation(np.array(found))[:rows]

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
        widths = spread * self.rng.permutation(self._spread(columns, 0.7, 1.6))
        found: Floats = mixed * np.sqrt(rows) * widths + centre * self.coefficients(columns, 1.0)
        return found

    def with_ones(self, rows: int, columns: int, **how: float) -> Floats:
        """A table with a first column of ones, as in the model with an intercept; `columns` more after it."""
        return np.column_stack([np.ones(rows), self.table(rows, columns, **how)])

    def labels(self, size: int, classes: int = 2) -> Integers:
        """Labels from 0 to `classes` - 1 in any order, each at least once; no two classes are equally frequent.

        `size` must be at least classes * (classes + 1) / 2.
        """
        counts = np.arange(1, classes + 1) + np.zeros(classes, dtype=int)
        if counts.sum() > size:
            raise ValueError(f"{size} labels are too few for {classes} classes of different sizes")
        counts[-1] += size - counts.sum()
        if classes == 2 and counts[1] > 2 * counts[0]:  # about a third against two thirds
            counts[0] = max(1, round(size * 0.3))
            counts[1] = size - counts[0]
        labels = np.repeat(self.rng.permutation(classes), counts)
        return self.rng.permutation(labels)

    def counts(self, shape: int | tuple[int, ...], *, low: int = 2, high: int = 60, empty: int = 0) -> Integers:
        """Different counts, `empty` of them replaced by 0, at any places of which no two are in one row or column."""
        found = self.wholes(shape, low, max(high, low + 2 * _size(shape)))
        if empty:
            rows, columns = found.reshape(-1, found.shape[-1]).shape
            flat = found.reshape(rows, columns)
            places = zip(
                self.rng.choice(rows, size=empty, replace=False) if rows >= empty else [0] * empty,
                self.rng.choice(columns, size=empty, replace=False),
                strict=True,
            )
            for row, column in places:
                flat[row, column] = 0
        return found

    def bits(self, shape: int | tuple[int, ...], ones: float | None = None) -> Integers:
        """Zeros and ones in any order, with a share of ones that is not one half (about `ones`, if given)."""
        size = _size(shape)
        share = self.probability(0.2, 0.8) if ones is None else ones
        count = min(max(round(share * size), 1), size - 1)
        count += 1 if 2 * count == size and size > 2 else 0
        return self.rng.permutation(np.arange(size) < count).astype(int).reshape(shape)

    def order(self, size: int) -> Integers:
        """A permutation that leaves nothing in its place and is not its own inverse (for three or more)."""
        shuffled = self.rng.permutation(size)
        moved = np.empty(size, dtype=int)
        moved[shuffled] = np.roll(shuffled, 1)  # one cycle through all of them
        return moved

    def _spread(self, size: int, low: float, high: float) -> Floats:
        """Ascending numbers, one in each of `size` equal parts of the range, away from the ends of its part."""
        part = (high - low) / max(size, 1)
        return low + part * (np.arange(_EDGE, size) + (1 - 2 * _EDGE) * self.rng.random(size))

    def _orders(self, count: int, size: int) -> list[Integers]:
        """So many different permutations."""
        all_of_them = math.factorial(size)
        several = min(all_of_them, max(count, 10_000))
        chosen = self.rng.choice(several, size=count, replace=False)
        return [_permutation(int(number) * (all_of_them // several), size) for number in chosen]


def _permutation(number: int, size: int) -> Integers:
    """The permutation with this number, of all in alphabetical order."""
    left, found = list(range(size)), []
    for count in range(size - 1, -1, -1):
        at, number = divmod(number, math.factorial(count))
        found.append(left.pop(at))
    return np.array(found, dtype=int)


def _size(shape: int | tuple[int, ...]) -> int:
    """How many numbers an array of this shape holds; np.prod takes longer than all the rest of a small draw."""
    return shape if isinstance(shape, int) else math.prod(shape)
