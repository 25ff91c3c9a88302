"""Values of calls on this side of the wire: whether two are the same, and copies for functions of ours."""

from __future__ import annotations

import copy
from typing import Any, Protocol

import numpy as np


class RecordedCall(Protocol):
    """A call of a student's function with its outcome."""

    @property
    def function(self) -> str: ...
    @property
    def args(self) -> tuple[Any, ...]: ...
    @property
    def kwargs(self) -> dict[str, Any]: ...
    @property
    def value(self) -> Any: ...
    @property
    def error(self) -> str | None: ...


def is_small(call: RecordedCall) -> bool:
    """Whether a call can be repeated here at no cost; those at which loops are meant to fail cannot."""
    values = [*call.args, *call.kwargs.values()]
    texts = [str(value) for value in values if is_code(value)]
    return sum(np.size(value) for value in values) <= 200_000 and all(text.startswith("lambda") for text in texts)


def is_code(value: Any) -> bool:
    """Whether a value is the text of a function, to be evaluated where the call is made."""
    return bool(getattr(type(value), "runs_beside_the_student", False))


def own(value: Any) -> Any:
    """An argument as a function of ours gets it: a copy, or the function that a text of the suite describes."""
    if is_code(value):
        return eval(str(value), {"np": np})  # noqa: S307 - the suite's own text
    return copy.deepcopy(value)


def same(one: Any, other: Any) -> bool:
    """Whether two results are the same numbers, in the same arrangement."""
    if isinstance(one, dict) or isinstance(other, dict):
        return (
            isinstance(one, dict)
            and isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same(one[k], other[k]) for k in one)
        )
    if isinstance(one, tuple) or isinstance(other, tuple):
        return (
            isinstance(one, tuple)
            and isinstance(other, tuple)
            and len(one) == len(other)
            and all(map(same, one, other))
        )
    try:
        left, right = np.asarray(one), np.asarray(other)
        if left.dtype.kind not in "biuf" or right.dtype.kind not in "biuf":
            return type(one) is type(other) and bool(np.array_equal(left, right))
        return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-7, atol=1e-10, equal_nan=True))
    except (ValueError, TypeError):
        return False
