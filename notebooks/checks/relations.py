"""How a wrong value relates to the right one, as far as the two values alone can tell, with a question for each way.

    relations.found([(got, want), ...])  # "negative", if every wrong value is the right one with the other sign

A relation is believed only if it holds for every wrong value, and tells something about enough of them: 0.8 is also
1 - 0.2, so that one number alone proves little. The same relations are looked for when a notebook is graded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

RTOL = 1e-7
NOISE = 1e-13  # of the largest number: below that, digits are what rounding left

Array = np.ndarray
Ways = Iterator[tuple[str, Array]]  # what a mistake would make of the right value; each way has a name of its own

QUESTIONS = {
    "negative": "The numbers are right but for their sign. What should be positive here, and what negative?",
    "complement": "Is this the probability of what is asked for, or of its opposite?",
    "reciprocal": "What do you divide by what? Which of the two should be on top?",
    "logarithm": "Is a number asked for, or its logarithm? Which of the two do you give back?",
    "exponential": "Is a number asked for, or its logarithm? Which of the two do you give back?",
    "base": "To which base is your logarithm? Which base does the course use?",
    "odds": "Are these odds or probabilities? Which of the two can be larger than 1?",
    "percent": "Is this a share of 1, or of 100?",
    "factor": "Wrong numbers are off by one and the same factor here. Is a factor missing, or there twice?",
    "squared": "In which unit is your answer measured: that of the data, its square, or its root?",
    "absolute": "Which of your numbers may be negative? What has become of their signs?",
    "transposed": "Compare the shape with the one in the description. What belongs in rows, and what in columns?",
    "reversed": "The numbers are right, but in the opposite order. Which one comes first?",
    "moved": "The numbers are right, but each is one place off. Where does your counting start?",
    "counted from one": "You are off by one. Does your counting start where the description's does?",
    "one too few": "How many entries does the description promise? Which one is missing, the first or the last?",
    "one of them": "Your answer is one entry of the whole. Where are the others?",
    "collapsed": "What has each number of yours to do with one entry alone? Which ones have you added up, or averaged?",
    "running": "Does each entry stand for itself, or for all entries up to it? Which is asked for?",
    "made to sum to one": "You divide by a sum, so that your numbers add up to 1. Should they, and along which axis?",
    "out of proportion": "Your numbers are right in proportion. What should they add up to, and along which axis?",
    "another axis": "Along one axis your numbers add up to 1. Is it the axis along which they should?",
    "position": "Is the largest value asked for, or its place, or all of them?",
    "rounded": "Did you round? Whoever calls your function may need all the digits: can you leave that to them?",
    "cut to whole numbers": "What has become of the digits after the point? Of which type is what you calculate with?",
    "shape": "The numbers are right. Which shape does the description promise, and which one has your answer?",
}
"""What to ask about each relation: it points to what is off, and leaves it to the student to put it right."""


def close(got: Array, want: Array) -> bool:
    """Whether two arrays are the same numbers in the same arrangement, up to rounding."""
    if got.shape != want.shape:
        return False
    with np.errstate(all="ignore"):
        sizes = np.abs(want)
        noise = NOISE * sizes.max(initial=0.0, where=np.isfinite(sizes))
        near = np.abs(got - want) <= RTOL * sizes + noise
    return bool((near & np.isfinite(sizes) | (got == want) | (np.isnan(got) & np.isnan(want))).all())


def between(got: Any, want: Any) -> frozenset[str] | None:
    """The relations that lead from the right value to the other one, each with its way: "reversed/0".

    None where the two values tell nothing: they are the same, or at least one of them is not made of numbers.
    """
    one, other = _numbers(got), _numbers(want)
    if one is None or other is None or not other.size or close(one, other):
        return None
    with np.errstate(all="ignore"):
        ways = frozenset(
            f"{name}/{way}" for name, make in _WAYS.items() for way, wrong in make(other) if _tells(one, wrong, other)
        )
    return ways | frozenset(_of_both(one, other))


def found(pairs: Iterable[tuple[Any, Any]], *, least: int = 6) -> str | None:
    """The one relation that holds for all pairs of a wrong value and the right one; None if none does, or several do.

    It must tell something about at least so many numbers.
    """
    names, told = _shared(pairs)
    return next(iter(names)) if len(names) == 1 and told >= least else None


def _shared(pairs: Iterable[tuple[Any, Any]]) -> tuple[frozenset[str], int]:
    """The names of the relations that hold for all pairs in the same way, and how many numbers these tell about."""
    shared: frozenset[str] | None = None
    told = 0
    for got, want in pairs:
        ways = between(got, want)
        if ways is None:
            if not _equal(got, want):
                return frozenset(), 0
            continue
        shared = ways if shared is None else shared & ways
        told += np.size(want)
        if not shared:
            return frozenset(), 0
    return frozenset(name_of(way) for way in shared or ()), told


def question(pairs: Iterable[tuple[Any, Any]]) -> str | None:
    """What to ask about the few values of visible checks that differ, (got, want); None if they do not prove enough.

    The one relation that holds for all of them must explain numbers of two comparisons, or three numbers of one; the
    same number, asked for twice, counts once. Only a shape is proved by a single number.
    """
    pairs = list(pairs)
    names, _ = _shared(pairs)
    if "negative" in names:  # where nothing is positive, the sizes are the negatives, and one question fits both
        names -= {"absolute"}
    if len(names) != 1 or not fits(name := next(iter(names)), pairs):
        return None
    explained: set[tuple[str, ...]] = set()
    comparisons = 0
    for got, want in pairs:
        before = len(explained)
        explained |= _told(got, want)
        comparisons += len(explained) > before
    return QUESTIONS[name] if name == "shape" or comparisons > 1 or len(explained) > 2 else None


def fits(name: str, pairs: list[tuple[Any, Any]]) -> bool:
    """Whether the words fit: who decides does not round, who always answers 1 cuts nothing, and one counts wholes."""
    if name == "rounded":
        return not all(_whole(got) for got, _ in pairs)
    if name == "cut to whole numbers":
        return len({number for got, _ in pairs for number in np.ravel(got)}) > 1
    return name != "counted from one" or all(_whole(want) for _, want in pairs)


def _whole(value: Any) -> bool:
    array = _numbers(value)
    return array is not None and bool((array == np.round(array)).all())


def _told(got: Any, want: Any) -> set[tuple[str, ...]]:
    """The wrong numbers to nine digits, each with the right one where both stand in the same place."""
    arrays = [array for array in (_numbers(got), _numbers(want)) if array is not None]
    wrong, *right = ([f"{number + 0.0:.8e}" for number in array.ravel()] for array in arrays)  # -0.0 + 0.0 is 0.0
    same_shape = len({array.shape for array in arrays}) == 1
    return {pair for pair in zip(wrong, *right) if pair[0] != pair[1]} if same_shape else {(one,) for one in wrong}


def is_trivial(way: str, want: Any) -> bool:
    """Whether a mistake of this way would not be seen in this value: the negative of zero is zero."""
    other = _numbers(want)
    if other is None:
        return True
    name, _, how = way.partition("/")
    with np.errstate(all="ignore"):
        return any(wrong_way == how and close(wrong, other) for wrong_way, wrong in _WAYS.get(name, _none)(other))


def name_of(way: str) -> str:
    """The name of the relation that a way belongs to."""
    return way.partition("/")[0]


def _equal(got: Any, want: Any) -> bool:
    one, other = _numbers(got), _numbers(want)
    return one is not None and other is not None and close(one, other)


def _numbers(value: Any) -> Array | None:
    """The value as an array of floats; None for what is not made of numbers."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return None
    return array.astype(float) if array.dtype.kind in "biuf" else None


def _tells(got: Array, wrong: Array, want: Array) -> bool:
    """Whether a value is what a mistake makes of the right one, and could have been nothing else."""
    if got.shape != wrong.shape or not _begin_alike(got, wrong):
        return False
    return close(got, wrong) and (bool(np.isfinite(wrong).any()) or not wrong.size) and not close(wrong, want)


def _begin_alike(got: Array, wrong: Array) -> bool:
    """Whether the first numbers of two arrays are about the same: most ways are ruled out by that alone."""
    if not got.size:
        return True
    one, other = got.flat[0], wrong.flat[0]
    return not abs(one - other) > 1e-6 * abs(other) + 1e-9  # nan gets through: `close` knows what to do with it


# ------------------------------------------------------- what a mistake would make of the right value


def _axes(want: Array) -> Iterator[int]:
    return (axis for axis in range(want.ndim) if want.shape[axis] > 1)


def _reversed(want: Array) -> Ways:
    return ((str(axis), np.flip(want, axis)) for axis in _axes(want))


def _moved(want: Array) -> Ways:
    return ((f"{axis} by {by}", np.roll(want, by, axis)) for axis in _axes(want) for by in (1, -1))


def _one_too_few(want: Array) -> Ways:
    for axis in range(want.ndim):
        yield f"{axis} first", np.delete(want, 0, axis)
        yield f"{axis} last", np.delete(want, -1, axis)


def _one_of_them(want: Array) -> Ways:
    for axis in _axes(want):
        yield f"{axis} first", np.take(want, 0, axis)
        yield f"{axis} last", np.take(want, -1, axis)


def _collapsed(want: Array) -> Ways:
    if want.size > 1:
        yield "sum", np.asarray(want.sum())
        yield "mean", np.asarray(want.mean())
        yield "sum everywhere", np.full_like(want, want.sum())
        if not _adds_up(want.ravel(), 0):  # equal shares may also be no more than a guess
            yield "mean everywhere", np.full_like(want, want.mean())
    if want.ndim > 1:
        for axis in _axes(want):
            yield f"sum {axis}", want.sum(axis)
            yield f"mean {axis}", want.mean(axis)
            yield f"mean {axis} everywhere", np.broadcast_to(want.mean(axis, keepdims=True), want.shape)


def _running(want: Array) -> Ways:
    for axis in _axes(want):
        yield f"sum {axis}", np.cumsum(want, axis)
        yield f"product {axis}", np.cumprod(want, axis)


def _made_to_sum_to_one(want: Array) -> Ways:
    if want.size > 1:
        yield "all", want / want.sum()
        for axis in _axes(want):
            yield str(axis), want / want.sum(axis, keepdims=True)


def _position(want: Array) -> Ways:
    if want.size > 1:
        yield "all", np.asarray(want.argmax(), dtype=float)
        for axis in _axes(want):
            yield str(axis), want.argmax(axis).astype(float)
            yield f"value {axis}", want.max(axis)


def _shape(want: Array) -> Ways:
    yield "flat", want.ravel()
    yield "row", want[None]
    yield "column", want[..., None]
    yield "without", want.squeeze()
    if want.ndim:
        yield "repeated", np.broadcast_to(want, (want.shape[0], *want.shape))


def _rounded(want: Array) -> Ways:
    return ((str(digits), np.round(want, digits)) for digits in range(7))


def _cut(want: Array) -> Ways:
    yield "towards zero", np.trunc(want)
    yield "down", np.floor(want)
    yield "up", np.ceil(want)


def _single(make: Callable[[Array], Array]) -> Callable[[Array], Ways]:
    return lambda want: iter([("", make(want))])


def _none(want: Array) -> Ways:
    return iter(())


_WAYS: dict[str, Callable[[Array], Ways]] = {
    "negative": _single(np.negative),
    "complement": _single(lambda want: 1 - want),
    "reciprocal": _single(lambda want: 1 / want),
    "logarithm": _single(np.log),
    "exponential": _single(np.exp),
    "base": lambda want: iter([("2", want / np.log(2)), ("10", want / np.log(10))]),
    "odds": lambda want: iter([("for", want / (1 - want)), ("against", (1 - want) / want)]),
    "percent": _single(lambda want: 100 * want),
    "factor": lambda want: iter([("2", 2 * want), ("1/2", want / 2)]),
    "squared": lambda want: iter([("square", want**2), ("root", np.sqrt(want))]),
    "absolute": _single(np.abs),
    "transposed": lambda want: iter([("", want.T)] if want.ndim > 1 else []),
    "reversed": _reversed,
    "moved": _moved,
    "counted from one": lambda want: iter([("up", want + 1), ("down", want - 1)]),
    "one too few": _one_too_few,
    "one of them": _one_of_them,
    "collapsed": _collapsed,
    "running": _running,
    "made to sum to one": _made_to_sum_to_one,
    "position": _position,
    "rounded": _rounded,
    "cut to whole numbers": _cut,
    "shape": _shape,
}


def _of_both(got: Array, want: Array) -> Iterator[str]:
    """The relations that need both values to be seen: what adds up to 1, and what is the same in proportion."""
    if got.shape != want.shape or not got.size:
        return
    for axis in _axes(want):
        if not _adds_up(want, axis):
            continue
        with np.errstate(all="ignore"):
            shares = np.moveaxis(got / want, axis, -1)
        in_proportion = close(shares, np.broadcast_to(shares[..., :1], shares.shape))
        if in_proportion and np.isfinite(shares).all() and (shares > 0).all():
            yield f"out of proportion/{axis}"
        if not _adds_up(got, axis):
            others = (other for other in _axes(want) if other != axis)
            yield from (
                f"another axis/{other}" for other in others if _adds_up(got, other) and not _adds_up(want, other)
            )


def _adds_up(shares: Array, axis: int) -> bool:
    sums = shares.sum(axis)
    return close(sums, np.ones_like(sums))
