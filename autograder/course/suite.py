"""What a hidden suite is written with: the mark of an exercise, and comparisons that cannot be fooled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


class Code(str):
    """A Python expression that is evaluated beside the student's code, with `np` at hand; it is not secret.

    Functions cannot cross to the student's process; the text of one can: `Code("lambda w: w @ w")`.
    """

    runs_beside_the_student = True


def exercise(name: str, *, gate: bool = False, weight: int = 1) -> Callable[[Callable[..., Any]], Any]:
    """Mark a check as belonging to an exercise; a failing `gate` blocks the exercise's other checks."""
    return pytest.mark.exercise(name, gate=gate, weight=weight)


def assert_matches(
    actual: Any, expected: Any, *, rtol: float = 1e-9, atol: float = 1e-12, nan_ok: bool = False
) -> None:
    """Fail unless `actual` has the shape, the kind and the values of `expected`.

    `np.allclose([], [0.5])` is true; this is not. Infinite and NaN values match only where they are
    expected, and NaN only with `nan_ok=True`.
    """
    got, want = _array(actual), _array(expected)  # a law may put a student's own result on either side
    assert got.shape == want.shape, f"shape {got.shape} instead of {want.shape}"
    assert (got.dtype.kind == "b") == (want.dtype.kind == "b"), f"{got.dtype} instead of {want.dtype}"
    got, want = got.astype(float), want.astype(float)
    assert nan_ok or not np.isnan(want).any(), "nan, where the check does not allow it"
    assert (np.isnan(got) == np.isnan(want)).all(), "nan where a number is expected, or the other way round"
    close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    assert close.all(), (
        f"{int((~close).sum())} of {close.size} values differ: got {got[~close][:3]}, want {want[~close][:3]}"
    )


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


def unchanged(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The call's result, after making sure that the arguments are as they were before it."""
    result, after = function.with_arguments(*args, **kwargs)
    for before, now in zip((*args, *kwargs.values()), after, strict=True):
        assert _same(before, now), "an argument was modified"
    return result


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
    assert array.dtype.kind in "biuf", f"{type(value).__name__} ({array.dtype}) instead of real numbers"
    return array
