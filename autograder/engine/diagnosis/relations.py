"""How a function's values relate to the right ones: what holds for every ordinary probe, and tells something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.engine.diagnosis.behaviour import Array, Behaviour, Fit, Layout, as_numbers
from autograder.engine.diagnosis.drawing import ORDINARY
from autograder.engine.diagnosis.probes import Probe
from autograder.engine.diagnosis.survey import FunctionSurvey, Relative

LEAST = 6
"""Probes that a relation must tell something about: fewer could agree by chance."""


class Values:
    """One part of a student's ordinary replies beside the reference's: only where a value came back."""

    def __init__(self, survey: FunctionSurvey, behaviour: Behaviour, right: Array, slots: Sequence[int]) -> None:
        self.survey, self.layout, self.behaviour, self.right = survey, survey.layout, behaviour, right
        self.slots = [at for at in slots if behaviour.fits[at] <= Fit.OTHER]
        self.wrong = [at for at in self.slots if not right[at] or behaviour.fits[at] == Fit.RESHAPED]
        self.fine = [at for at in self.slots if right[at] and behaviour.fits[at] == Fit.EXACT]

    def got(self, at: int) -> Array | None:
        """What came back in a slot, as numbers."""
        return as_numbers(self.behaviour.value(at, self.layout))

    def want(self, at: int) -> Array:
        """What is right there."""
        return self.layout.slots[at].want

    def probe(self, at: int) -> Probe:
        """What was asked there."""
        return self.layout.probes[self.layout.slots[at].probe]

    def pairs(self) -> Iterator[tuple[Array, Array]]:
        """What came back and what is right, where the two have the same shape."""
        for at in self.wrong:
            got = self.got(at)
            if got is not None and got.shape == self.want(at).shape:
                yield got, self.want(at)

    def all_have_the_right_shape(self) -> bool:
        """Whether every wrong value can be compared with the right one number by number."""
        return all(self.behaviour.fits[at] == Fit.EXACT for at in self.wrong)


def of_values(values: Values, *, slips: bool = True) -> Iterator[str]:
    """The relations that hold for all values, the most telling first."""
    if len(values.wrong) < LEAST:
        return
    for look in _LOOKS:
        if slips or look is not _of_slips:
            yield from look(values)


def _of_pairs(values: Values) -> Iterator[str]:
    """What each value alone shows beside the right one."""
    from checks import relations  # the course's own package: whoever grades has put notebooks/ on the path

    shared: frozenset[str] | None = None
    for at in values.wrong:
        got = values.got(at)
        ways = None if got is None else relations.between(got, values.want(at))
        if not ways:
            return
        shared = ways if shared is None else shared & ways
        if not shared:
            return
    holding = {
        relations.name_of(way)
        for way in shared or ()
        if all(relations.is_trivial(way, values.want(at)) for at in values.fine)
    }
    pairs = [(values.got(at), values.want(at)) for at in values.wrong]
    yield from (name for name in relations.QUESTIONS if name in holding and relations.fits(name, pairs))


def _of_sizes(values: Values) -> Iterator[str]:
    """Whether the values are off by a size of an argument: a mean was asked for, and a sum came back."""
    if values.fine or not values.all_have_the_right_shape():
        return
    factors = [_factor(got, want) for got, want in values.pairs()]
    if any(factor is None for factor in factors):
        return
    sizes = [_sizes(values.probe(at)) for at in values.wrong]
    for place in set.intersection(*(set(one) for one in sizes)):
        counts = np.array([one[place] for one in sizes], dtype=float)
        if len(set(counts)) < 2 or (counts < 2).any():
            continue
        found = np.array(factors, dtype=float)
        for name, expected in (
            ("mean for sum", 1 / counts),
            ("sum for mean", counts),
            ("one example more or less", counts / (counts - 1)),
            ("one example more or less", (counts - 1) / counts),
        ):
            if np.allclose(found, expected, rtol=1e-6, atol=0):
                yield name
                return


def _factor(got: Array, want: Array) -> float | None:
    """The one factor between two arrays; None where there is none."""
    telling = np.abs(want) > 1e-9 * np.abs(want).max(initial=0.0)
    if not telling.any():
        return None
    with np.errstate(all="ignore"):
        factors = got[telling] / want[telling]
    same = np.allclose(factors, factors[0], rtol=1e-6, atol=0) and np.isfinite(factors).all()
    return float(factors[0]) if same else None


def _sizes(probe: Probe) -> dict[tuple[int, int], int]:
    """The sizes of the arguments, by place and axis."""
    found: dict[tuple[int, int], int] = {}
    for place, value in enumerate((*probe.args, *probe.kwargs.values())):
        if isinstance(value, np.ndarray | list):
            found |= {(place, axis): size for axis, size in enumerate(np.shape(value))}
    return found


def _of_steps(values: Values) -> Iterator[str]:
    """Whether what came back is what the reference calculates on its way."""
    relatives = values.survey.relatives
    noted = dict(zip(relatives.probes, relatives.steps, strict=False))
    pairs = [(at, noted[probe]) for at in values.wrong if (probe := values.layout.slots[at].probe) in noted]
    if len(pairs) < LEAST:
        return
    for number in pairs[0][1]:
        if all(_is_step(values, at, told.get(number)) for at, told in pairs):
            yield "step"
            return


def _is_step(values: Values, at: int, step: Any) -> bool:
    """Whether a value is a step of the reference, or one that was repeated to fill the answer's shape."""
    got, want = values.got(at), as_numbers(step)
    if got is None or want is None or not want.size or want.ndim > got.ndim:
        return False
    try:
        return _near(got, np.broadcast_to(want, got.shape))
    except ValueError:
        return False


def _near(got: Array, want: Array) -> bool:
    with np.errstate(all="ignore"):
        scale = np.abs(want[np.isfinite(want)]).max(initial=0.0)
        return bool(np.isclose(got, want, rtol=1e-7, atol=1e-12 * scale, equal_nan=True).all())


def _of_other_arguments(values: Values) -> Iterator[str]:
    yield from _agreeing(values, values.survey.relatives.other_arguments)


def _of_other_exercises(values: Values) -> Iterator[str]:
    yield from _agreeing(values, values.survey.relatives.other_exercises)


def _of_slips(values: Values) -> Iterator[str]:
    """The sort of the one small change that explains all values; only that there is one, if several sorts do."""
    sorts = set(_agreeing(values, values.survey.relatives.slips))
    if sorts:
        yield sorts.pop() if len(sorts) == 1 else "slip"


def _agreeing(values: Values, known: Sequence[Relative]) -> Iterator[str]:
    """The relations of the relatives that reply as the student does wherever a value came back, in this part."""
    relatives = values.survey.relatives
    layout = relatives.layout
    part = values.layout.slots[values.slots[0]].part
    own = layout.align([values.behaviour.replies[at] for at in relatives.probes])
    at = np.array([n for n, slot in enumerate(layout.slots) if slot.part == part and own.fits[n] <= Fit.OTHER], int)
    wrong = ~layout.same(own, layout.ours)[at]
    if wrong.sum() < LEAST:
        return
    found = dict.fromkeys(one.relation for one in known if layout.same(own, one.behaviour)[at].all())
    yield from found


def _of_arguments(values: Values) -> Iterator[str]:
    """The arguments that make no difference to the student's answer, though they do to the right one."""
    tried: dict[str, list[bool]] = {}
    slots = {(slot.probe, slot.part): at for at, slot in enumerate(values.layout.slots)}
    for at in values.slots:
        probe, slot = values.probe(at), values.layout.slots[at]
        if probe.base is None:
            continue
        base = slots.get((probe.base, slot.part))
        if base is None or _alike(values, at, base, values.want):
            continue
        tried.setdefault(probe.varied, []).append(_alike(values, at, base, values.got))
    names = [name for name, moved in tried.items() if len(moved) >= 3 and all(moved)]
    if len(names) < len(tried):  # who ignores everything has not begun
        yield from (f"argument ignored: {name}" for name in names)


def _alike(values: Values, one: int, other: int, of: Callable[[int], Array | None]) -> bool:
    left, right = of(one), of(other)
    return left is not None and right is not None and left.shape == right.shape and _near(left, right)


def _of_structure(values: Values) -> Iterator[str]:
    """Where the values are wrong, and by what: the same amount, the same factor, one entry only."""
    if not values.all_have_the_right_shape():
        return
    pairs = list(values.pairs())
    if len(pairs) < LEAST:
        return
    arrays = [pair for pair in pairs if pair[0].size > 1]
    if all(_not_finite_where_wrong(*pair) for pair in pairs):
        yield "not a number"
        return
    if len(arrays) < LEAST or len(arrays) < len(pairs):
        return
    for name, holds in _STRUCTURES.items():
        if all(holds(got, want) for got, want in arrays):
            yield name


def _not_finite_where_wrong(got: Array, want: Array) -> bool:
    stray = ~np.isfinite(got) & np.isfinite(want)
    return bool(stray.any()) and _near(got[~stray], want[~stray])


def _wrong_places(got: Array, want: Array) -> Array:
    with np.errstate(all="ignore"):
        scale = np.abs(want[np.isfinite(want)]).max(initial=0.0)
        return ~np.isclose(got, want, rtol=1e-7, atol=1e-12 * scale, equal_nan=True)


def _only_in(mask: Callable[[Array], Array | None]) -> Callable[[Array, Array], bool]:
    def holds(got: Array, want: Array) -> bool:
        places = mask(want)
        return places is not None and bool((_wrong_places(got, want) == places).all())

    return holds


def _first_entry(want: Array) -> Array | None:
    return None if want.ndim < 1 or len(want) < 2 else np.arange(len(want)).reshape(-1, *[1] * (want.ndim - 1)) == 0


def _last_entry(want: Array) -> Array | None:
    return None if want.ndim < 1 or len(want) < 2 else _first_entry(want)[::-1]  # type: ignore[index]


def _diagonal(want: Array) -> Array | None:
    return np.eye(len(want), dtype=bool) if want.ndim == 2 and want.shape[0] == want.shape[1] > 1 else None


def _off_the_diagonal(want: Array) -> Array | None:
    places = _diagonal(want)
    return None if places is None else ~places


def _constant(combine: Callable[[Array, Array], Array], axis: int | None) -> Callable[[Array, Array], bool]:
    """Whether the difference, or the ratio, of the two is the same along an axis, or everywhere."""

    def holds(got: Array, want: Array) -> bool:
        if (axis is not None and (want.ndim != 2 or want.shape[axis] < 2)) or not np.isfinite(got).all():
            return False
        with np.errstate(all="ignore"):
            found = combine(got, want)
        if not np.isfinite(found).all():
            return False
        first = found.ravel()[:1] if axis is None else found.take([0], axis=axis)
        scale = max(np.abs(want).max(), np.abs(got).max()) if combine is np.subtract else 0.0
        return bool(np.isclose(found, first, rtol=1e-7, atol=1e-10 * scale).all())

    return holds


_STRUCTURES: dict[str, Callable[[Array, Array], bool]] = {
    "first entry": _only_in(_first_entry),
    "last entry": _only_in(_last_entry),
    "diagonal": _only_in(_diagonal),
    "off the diagonal": _only_in(_off_the_diagonal),
    "constant added": _constant(np.subtract, None),
    "common factor": _constant(np.divide, None),
    "constant added to rows": _constant(np.subtract, 1),
    "constant added to columns": _constant(np.subtract, 0),
    "factor per row": _constant(np.divide, 1),
    "factor per column": _constant(np.divide, 0),
}


def ordinary(layout: Layout) -> list[int]:
    """The slots of probes with ordinary numbers."""
    return [at for at, kind in enumerate(layout.kinds) if kind in ORDINARY]


_LOOKS = (
    _of_pairs,
    _of_sizes,
    _of_arguments,
    _of_steps,
    _of_other_arguments,
    _of_other_exercises,
    _of_slips,
    _of_structure,
)
