"""By how much values are off: by a factor or a term that the arguments, or the way to the answer, make known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from autograder.engine.diagnosis.comparison import LEAST, Values
from autograder.engine.probing.behaviour import Array, as_numbers, near
from autograder.engine.probing.probes import Probe


def of_factors(values: Values) -> Iterator[str]:
    """Whether values are off by one factor in each probe, and where that comes from: a size, an argument."""
    pairs = {at: (got, values.want(at)) for at in values.wrong if (got := values.got(at)) is not None}
    if len(pairs) == len(values.wrong):
        fine = [at for at in values.fine if np.abs(values.want(at)).max(initial=0.0) > 0]
        yield from _factors(values, pairs, fine)


def _factors(values: Values, pairs: Mapping[int, tuple[Array, Array]], fine: Sequence[int]) -> Iterator[str]:
    """Where the factors between pairs come from; between those that are fine it is one."""
    found = {at: _factor(*pair) for at, pair in pairs.items()}
    if len(found) < LEAST or any(factor is None for factor in found.values()):
        return
    known = {at: factor for at, factor in found.items() if factor is not None}
    factors = np.array([*known.values(), *(1.0 for _ in fine)])
    negative = (factors[: len(known)] < 0).all()
    if negative:
        factors[: len(known)] *= -1
    probes = [values.probe(at) for at in (*known, *fine)]
    ending = ", negative" if negative else ""
    for axis, argument, counts in _counts(values, probes):
        if len(set(counts)) < 2 or (counts < 1).any():
            continue
        with np.errstate(all="ignore"):
            expected = {
                "mean for sum": 1 / counts,
                "sum for mean": counts,
                "one example more or less": counts / (counts - 1),
                "one example more or less ": (counts - 1) / counts,
            }
        for name, factor in expected.items():
            if np.allclose(factors, factor, rtol=1e-6, atol=0):
                yield f"{name.strip()}{ending}" if axis == 0 else f"size: {argument}"
                return
    for name, numbers in _scalars(values, probes):
        with np.errstate(all="ignore"):
            powers = (numbers, 1 / numbers, numbers**2, numbers / 2, 2 * numbers)
        if len(set(numbers)) > 1 and any(np.allclose(factors, one, rtol=1e-6, atol=0) for one in powers):
            yield f"factor of: {name}"
            return
    if not fine and not negative and np.allclose(factors, factors[0], rtol=1e-6, atol=0):
        yield "factor"


def _factor(got: Array, want: Array) -> float | None:
    """The one factor between two arrays; None where there is none."""
    if got.shape != want.shape:
        return None
    telling = np.abs(want) > 1e-9 * np.abs(want).max(initial=0.0)
    if not telling.any():
        return None
    with np.errstate(all="ignore"):
        factors = got[telling] / want[telling]
    same = np.allclose(factors, factors[0], rtol=1e-6, atol=0) and np.isfinite(factors).all()
    return float(factors[0]) if same and factors[0] and near(got, factors[0] * want) else None


def _counts(values: Values, probes: Sequence[Probe]) -> Iterator[tuple[int, str, Array]]:
    """What can be a number of examples in each probe: axis, argument, and sizes; whole numbers, and sums of two.

    The axis of a whole number is the first: it counts what a table would have in rows.
    """
    sizes = [_sizes(values, probe) for probe in probes]
    names = [name for name in sizes[0] if all(name in one for one in sizes)]
    for argument, axis in sorted(names, key=lambda name: name[1] or 0):
        yield axis or 0, argument, np.array([one[argument, axis] for one in sizes], dtype=float)
    for one, other in combinations([name for name in names if name[1] is None], 2):
        yield 0, one[0], np.array([size[one] + size[other] for size in sizes], dtype=float)


def _sizes(values: Values, probe: Probe) -> dict[tuple[str, int | None], float]:
    found: dict[tuple[str, int | None], float] = {}
    for name, array in values.survey.questions.numbers_of(probe):
        found |= {(name, axis): size for axis, size in enumerate(array.shape)}
        if not array.ndim and array == np.round(array):
            found[name, None] = float(array)
    return found


def _scalars(values: Values, probes: Sequence[Probe]) -> Iterator[tuple[str, Array]]:
    """The arguments that are one number, by name, with the number of each probe."""
    given = [dict(values.survey.questions.numbers_of(probe)) for probe in probes]
    for name in given[0]:
        if all(name in one and not one[name].ndim for one in given):
            yield name, np.array([float(one[name]) for one in given])


def of_terms(values: Values) -> Iterator[str]:
    """Whether values are off by one term or factor, entry by entry: an argument, or a step on the way."""
    if len(values.wrong) < LEAST or not values.all_have_the_right_shape():
        return
    pairs = [(at, got, values.want(at)) for at in values.wrong if (got := values.got(at)) is not None]
    arguments = {at: dict(_terms(values, values.probe(at))) for at, _, _ in pairs}
    for name in arguments[pairs[0][0]]:
        if _explains([(got, want, arguments[at].get(name)) for at, got, want in pairs]):
            yield f"off by: {name}"
            return
    relatives = values.survey.relatives
    noted = dict(zip(relatives.probes, relatives.steps, strict=False))
    known = [(got, want, noted[probe]) for at, got, want in pairs if (probe := values.layout.slots[at].probe) in noted]
    if len(known) >= LEAST:
        for number in known[0][2]:
            if _explains([(got, want, as_numbers(steps.get(number))) for got, want, steps in known]):
                yield "off by a step"
                return


def _terms(values: Values, probe: Probe) -> Iterator[tuple[str, Array]]:
    """The arguments of a call, and the sums of two that are counts, by name."""
    given = list(values.survey.questions.numbers_of(probe))
    yield from given
    counts = [(name, array) for name, array in given if (array == np.round(array)).all()]
    for (one, left), (other, right) in combinations(counts, 2):
        try:
            yield f"{one}, {other}", left + right
        except ValueError:
            continue


_MULTIPLES = (1.0, -1.0, 0.5, -0.5, 2.0, -2.0)


def _explains(rows: Sequence[tuple[Array, Array, Array | None]]) -> bool:
    """Whether one term, or one factor, leads from what is right to what was given, in the same way everywhere."""
    ways: set[float | str] = {*_MULTIPLES, "times", "over"}
    for got, want, term in rows:
        if term is None or not term.size or term.ndim > want.ndim:
            return False
        try:
            term = np.broadcast_to(term, want.shape)
        except ValueError:
            return False
        if (term == 0).all() or (term == 1).all():
            return False
        with np.errstate(all="ignore"):
            off = got - want
            scale = max(np.abs(want).max(), np.abs(got).max(), np.abs(term).max())
            sums = {way for way in ways if not isinstance(way, str) and _close(off, way * term, scale)}
            factors = {
                way
                for way in ways
                if isinstance(way, str) and near(got, want * term if way == "times" else want / term)
            }
        ways = sums | factors
        if not ways:
            return False
    return True


def _close(off: Array, term: Array, scale: float) -> bool:
    return bool(np.isfinite(off).all() and (np.abs(off - term) <= 1e-9 * scale).all())


def of_ways(values: Values) -> Iterator[str]:
    """What is off about the change of an argument, where the answer is that argument with a change to it."""
    if not values.all_have_the_right_shape():
        return
    for name in dict(values.survey.questions.numbers_of(values.probe(values.wrong[0]))):
        pairs, fine = _changes(values, name, values.wrong), _changes(values, name, values.fine)
        if pairs is None or fine is None:
            continue
        if all(near(got, -want) for got, want in pairs.values()):
            yield f"way: negative: {name}"
            return
        moved = [at for at, (_, want) in fine.items() if np.abs(want).max() > 1e-9 * np.abs(values.want(at)).max()]
        for relation in _factors(values, pairs, moved):
            yield f"way: {relation.partition(':')[0]}: {name}"
            return


def _changes(values: Values, name: str, slots: Sequence[int]) -> dict[int, tuple[Array, Array]] | None:
    """What came back and what is right, less an argument; None if it has not the shape of the answers."""
    found = {}
    for at in slots:
        start = dict(values.survey.questions.numbers_of(values.probe(at))).get(name)
        got, want = values.got(at), values.want(at)
        if start is None or got is None or not start.ndim or not start.shape == got.shape == want.shape:
            return None
        found[at] = got - start, want - start
    return found
