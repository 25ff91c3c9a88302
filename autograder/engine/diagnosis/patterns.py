"""Where values are wrong, which laws of the right ones they break, and what can be seen of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from autograder.engine.diagnosis.comparison import LEAST, Values, ordinary
from autograder.engine.probing.behaviour import Array, Fit, differing, near


def of_places(values: Values) -> Iterator[str]:
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
    return bool(stray.any()) and near(got[~stray], want[~stray])


def _only_in(mask: Callable[[Array], Array | None]) -> Callable[[Array, Array], bool]:
    def holds(got: Array, want: Array) -> bool:
        places = mask(want)
        return places is not None and bool((differing(got, want) == places).all())

    return holds


def _first_entry(want: Array) -> Array | None:
    return None if want.ndim < 1 or len(want) < 2 else np.arange(len(want)).reshape(-1, *[1] * (want.ndim - 1)) == 0


def _last_entry(want: Array) -> Array | None:
    return None if want.ndim < 1 or len(want) < 2 else _first_entry(want)[::-1]  # type: ignore[index]


def _all_but_the_first(want: Array) -> Array | None:
    places = _first_entry(want)
    return None if places is None or len(want) < 3 else ~places


def _first_column(want: Array) -> Array | None:
    places = _first_entry(want.T) if want.ndim == 2 else None
    return None if places is None else places.T


def _last_column(want: Array) -> Array | None:
    places = _last_entry(want.T) if want.ndim == 2 else None
    return None if places is None else places.T


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


def _later(got: Array, want: Array) -> bool:
    """Whether the first rows are right, and from some row on none is."""
    if want.ndim < 1 or len(want) < 3:
        return False
    rows: Array = np.any(differing(got, want).reshape(len(want), -1), axis=1)
    first = int(rows.argmax())
    return first > 0 and bool(rows[first:].all())


_STRUCTURES: dict[str, Callable[[Array, Array], bool]] = {
    "first entry": _only_in(_first_entry),
    "last entry": _only_in(_last_entry),
    "all but the first": _only_in(_all_but_the_first),
    "first column": _only_in(_first_column),
    "last column": _only_in(_last_column),
    "diagonal": _only_in(_diagonal),
    "off the diagonal": _only_in(_off_the_diagonal),
    "constant added": _constant(np.subtract, None),
    "common factor": _constant(np.divide, None),
    "constant added to rows": _constant(np.subtract, 1),
    "constant added to columns": _constant(np.subtract, 0),
    "factor per row": _constant(np.divide, 1),
    "factor per column": _constant(np.divide, 0),
    "later entries": _later,
}


# --- Laws -------------------------------------------------------------------------------------------------------------


def of_laws(values: Values) -> Iterator[str]:
    """The laws that all right values obey, and most of the wrong ones break."""
    pairs = list(values.pairs())
    if len(pairs) >= LEAST:
        yield from _broken(values, more_than=len(pairs) / 2)


def of_laws_at_times(values: Values) -> Iterator[str]:
    """The laws that some of the wrong values break: it is something to ask about, where nothing else is known."""
    yield from _broken(values, more_than=1)


def _broken(values: Values, *, more_than: float) -> Iterator[str]:
    pairs = list(values.pairs())
    for name, holds in _LAWS.items():
        if sum(not holds(got) for got, _ in pairs) > more_than and all(map(holds, _right(values))):
            yield f"law: {name}"


def _right(values: Values) -> Iterator[Array]:
    """Right answers of this part: to ordinary probes, and to changed ones, so that no law holds by chance."""
    own = [values.layout.slots[at] for at in ordinary(values.layout)]
    changed = [slot for changes in (values.survey.varied, values.survey.simplified) for slot in changes.layout.slots]
    return (slot.want for slot in (*own, *changed) if slot.part == values.part and not np.isnan(slot.want).any())


def _sums_to(total: float, axis: int | None) -> Callable[[Array], bool]:
    def holds(array: Array) -> bool:
        if array.ndim < (2 if axis == 0 else 1) or array.size < 2:
            return False
        sums = array.sum(axis)
        return bool((np.abs(sums - total) <= 1e-9 * max(1.0, np.abs(array).max())).all())

    return holds


def _adds_up(array: Array, axis: int) -> bool:
    return bool((np.abs(array.sum(axis) - 1) <= 1e-9).all())


def _is_rising(array: Array) -> bool:
    return array.ndim == 1 and len(array) > 1 and bool((np.diff(array) >= -1e-12 * np.abs(array).max()).all())


def _is_symmetric(array: Array) -> bool:
    return array.ndim == 2 and array.shape[0] == array.shape[1] > 1 and near(array, array.T)


_LAWS: dict[str, Callable[[Array], bool]] = {
    "sums to one": _sums_to(1.0, None),
    "rows sum to one": _sums_to(1.0, -1),
    "columns sum to one": _sums_to(1.0, 0),
    "rows sum to zero": _sums_to(0.0, -1),
    "columns sum to zero": _sums_to(0.0, 0),
    "an axis sums to one": lambda array: array.ndim > 0 and any(_adds_up(array, axis) for axis in range(array.ndim)),
    "symmetric": _is_symmetric,
    "zero or one": lambda array: bool(np.isin(array, (0, 1)).all()),
    "not negative": lambda array: bool((array >= -1e-12).all()),
    "at most one": lambda array: bool((array <= 1 + 1e-9).all()),
    "not positive": lambda array: bool((array <= 1e-12).all()),
    "whole numbers": lambda array: bool((array == np.round(array)).all()),
    "rising": _is_rising,
}


# --- What can be seen at once -----------------------------------------------------------------------------------------


def of_decisions(values: Values) -> Iterator[str]:
    """Whether the student decides, where the right answer says how sure one can be."""
    pairs = list(values.pairs())
    if len(pairs) < max(LEAST, len(values.wrong)):
        return
    if all(np.isin(got, (0, 1)).all() and (want != np.round(want)).any() for got, want in pairs):
        yield "decided"


def of_looks(values: Values) -> Iterator[str]:
    """What can be seen of the wrong values at once: a shape of their own, digits that were lost."""
    pairs = list(values.pairs())
    others = [at for at in values.wrong if values.behaviour.fits[at] == Fit.OTHER and values.got(at) is not None]
    if 2 * len(others) > len(values.wrong):
        yield "other shape"
    if len(pairs) < LEAST or len(pairs) < len(values.wrong):
        return
    if all(_is_nearly(got, want) for got, want in pairs):
        yield "nearly right"


def _is_nearly(got: Array, want: Array) -> bool:
    with np.errstate(all="ignore"):
        return bool((np.abs(got - want) <= 1e-3 * np.abs(want)).all())
