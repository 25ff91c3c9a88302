"""What a hidden suite is written with: the mark of an exercise, and comparisons that cannot be fooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from autograder.course.errors import SuiteError
from autograder.course.kinds import Kind, Place


class Code(str):
    """A Python expression that is evaluated beside the student's code, with `np` at hand; it is not secret.

    Functions cannot cross to the student's process; the text of one can: `Code("lambda w: w @ w")`.
    """

    runs_beside_the_student = True


class Ungraded(str):
    """Why a promise of a notebook is not graded: what `PROMISES` of a suite says instead of naming a check."""


def exercise(
    name: str, kind: Kind = Kind.PLAIN, *, gate: bool = False, stressed: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Mark a check as belonging to an exercise; its `kind` says what it costs (`kinds.PRICES`).

    A failing `gate` costs the whole exercise: it asks for the plain numbers, and for nothing else. What the task
    stresses in words is `stressed`, and weighs most after the gate.
    """
    if gate and (kind is not Kind.PLAIN or stressed):
        raise SuiteError(f"A gate of {name!r} asks for {kind}: only plain numbers may cost the whole exercise.")
    return pytest.mark.exercise(name, place=Place(kind, gate, stressed))


RTOL, ATOL = 1e-6, 1e-9
"""What a teacher lets pass: float32, a standard deviation with 1e-8 added, a probability that is kept away from 0."""
DIGITS = {"rtol": 1e-12, "atol": 0.0}
"""For checks whose point is the digits: `assert_matches(..., **DIGITS)` compares relatively, however small a value."""


def assert_matches(actual: Any, expected: Any, *, rtol: float = RTOL, atol: float = ATOL, nan_ok: bool = False) -> None:
    """Fail unless `actual` has the shape and the values of `expected`; true counts as 1. `assert_type` asks for types.

    `np.allclose([], [0.5])` is true; this is not. Infinite and NaN values match only where they are
    expected, and NaN only with `nan_ok=True`.
    """
    got, want = _array(actual), _array(expected)  # a law may put a student's own result on either side
    assert got.shape == want.shape, f"shape {got.shape} instead of {want.shape}"
    got, want = got.astype(float), want.astype(float)
    assert nan_ok or not np.isnan(want).any(), "nan, where the check does not allow it"
    assert (np.isnan(got) == np.isnan(want)).all(), "nan where a number is expected, or the other way round"
    close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    assert close.all(), (
        f"{int((~close).sum())} of {close.size} values differ: got {got[~close][:3]}, want {want[~close][:3]}"
        f"{_how_far(got[~close], want[~close])}"
    )


def _how_far(got: np.ndarray, want: np.ndarray) -> str:
    """A remark where both look the same when they are printed: what differs is precision."""
    if not np.isfinite(got).all() or not np.allclose(got, want, rtol=1e-4, atol=0):
        return ""
    return f" (precision: they differ by a factor of up to {np.max(np.abs(got / want - 1)):.1e})"


def assert_type(value: Any, kinds: str) -> None:
    """Fail unless a result consists of one of these kinds of numbers: "b" truth values, "i" whole ones, "f" floats."""
    array = _array(value)
    found = "i" if array.dtype.kind == "u" else array.dtype.kind
    assert found in kinds, f"{array.dtype} instead of {' or '.join(_KINDS[kind] for kind in kinds)}"


_KINDS = {"b": "truth values", "i": "whole numbers", "f": "floating-point numbers"}


def assert_raises(error: type[Exception], function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Fail unless the call raises `error` or a kind of it. A stub's NotImplementedError never counts."""
    try:
        result = function(*args, **kwargs)
    except NotImplementedError:
        raise
    except error:
        return
    raise AssertionError(f"returned {result!r:.80} instead of raising {error.__name__}")


def numbers(value: Any, *, integer: bool = False) -> np.ndarray:
    """A student's result as an array of finite numbers, ready for arithmetic; `integer` demands whole-number types."""
    array = _array(value)
    assert array.dtype.kind in ("iu" if integer else "iuf"), (
        f"{array.dtype} instead of {'integers' if integer else 'numbers'}"
    )
    assert np.isfinite(array).all(), "not all numbers are finite"
    return array


def parts(value: Any, count: int) -> tuple[Any, ...]:
    """The parts of a result that should be a tuple of `count` things, ready to be unpacked."""
    listed = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)
    assert listed and len(value) == count, f"{type(value).__name__} instead of {count} values"
    return tuple(value)


def leaves_alone(function: Any, *args: Any, **kwargs: Any) -> None:
    """Fail unless a call leaves its arguments as they were: given as they are, as arrays of floats, and as lists.

    Arrays of other numbers are copied by whoever converts them, and lists by whoever makes arrays of them, so each way
    shows what the others hide. A function that refuses one of the other ways fails another check for that, not this.
    """
    _ask_unchanged(function, args, kwargs)
    for as_other in (_as_floats, _as_lists, _as_float_lists):
        try:
            _ask_unchanged(function, *_changed(args, kwargs, as_other))
        except AssertionError:
            raise
        except Exception:  # noqa: BLE001, S112 - it may refuse these: that is a question of types
            continue


def _ask_unchanged(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    _, after = function.with_arguments(*args, **kwargs)
    for before, now in zip((*args, *kwargs.values()), after, strict=True):
        if not isinstance(before, Code):  # a function has nothing to modify
            assert _same(before, now), f"an argument was modified (given as {type(before).__name__})"


def _changed(
    args: Sequence[Any], kwargs: Mapping[str, Any], change: Callable[[Any], Any]
) -> tuple[list[Any], dict[str, Any]]:
    return [change(value) for value in args], {name: change(value) for name, value in kwargs.items()}


def _as_floats(value: Any) -> Any:
    """An array of whole numbers as one of floats; labels and truth values stay what they are."""
    return value.astype(float) if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else value


def _as_lists(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _as_float_lists(value: Any) -> Any:
    return _as_lists(_as_floats(value))


def _same(before: Any, now: Any) -> bool:
    if isinstance(before, np.ndarray):
        same_kind = isinstance(now, np.ndarray) and before.dtype == now.dtype and before.shape == now.shape
        return same_kind and np.array_equal(before, now, equal_nan=before.dtype.kind in "fc")
    if isinstance(before, list | tuple):
        return type(before) is type(now) and len(before) == len(now) and all(map(_same, before, now))
    return type(before) is type(now) and before == now


def _array(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise AssertionError("rows of different lengths instead of an array") from None
    if array.dtype.kind == "c" and not array.imag.any():  # np.linalg.eigvals gives these for some tables only
        array = array.real
    assert array.dtype.kind in "biuf", f"{type(value).__name__} ({array.dtype}) instead of real numbers"
    return array
