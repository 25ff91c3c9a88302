"""Which known belief is behind a wrong answer: the one misconception that gives the same outputs on every call."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from autograder.course import catalogue
from autograder.course.catalogue import Answer


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


@dataclass(frozen=True)
class Diagnosis:
    """The misconceptions of one notebook, ready to be compared with what a student's functions returned."""

    answers: tuple[Answer, ...]

    @classmethod
    def load(cls, path: Path) -> Diagnosis:
        """The diagnosis for a module of the catalogue; without that file, nothing is ever diagnosed."""
        return cls(tuple(load_catalogue(path)))

    def find(self, exercise: str, calls: Sequence[RecordedCall]) -> Answer | None:
        """The misconception that fits all calls of its function, if exactly one does.

        A function that a right answer fits as well is not the one that is wrong, so nothing is said about it.
        """
        small = [call for call in calls if is_small(call)]
        fitting = [answer for answer in self.answers if answer.exercise == exercise and _fits(answer, small)]
        right = {answer.function for answer in fitting if answer.is_right}
        wrong = [answer for answer in fitting if not answer.is_right and answer.function not in right]
        return wrong[0] if len(wrong) == 1 else None


def load_catalogue(path: Path) -> list[Answer]:
    """The answers in a module of the catalogue; none without that file."""
    return catalogue.answers(catalogue.load(path)) if path.exists() else []


def is_small(call: RecordedCall) -> bool:
    """Whether a call can be repeated here at no cost; those at which loops are meant to fail cannot."""
    values = [*call.args, *call.kwargs.values()]
    texts = [str(value) for value in values if is_code(value)]
    return sum(np.size(value) for value in values) <= 200_000 and all(text.startswith("lambda") for text in texts)


def is_code(value: Any) -> bool:
    """Whether a value is the text of a function, to be evaluated where the call is made."""
    return bool(getattr(type(value), "runs_beside_the_student", False))


def _fits(answer: Answer, calls: Sequence[RecordedCall]) -> bool:
    relevant = [call for call in calls if call.function == answer.function]
    return bool(relevant) and all(_same_outcome(answer, call) for call in relevant)


def _same_outcome(answer: Answer, call: RecordedCall) -> bool:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = answer.implementation(*map(own, call.args), **{k: own(v) for k, v in call.kwargs.items()})
    except Exception as error:  # noqa: BLE001 - a misconception may fail in any way; its kind is the outcome
        return call.error is not None and any(c.__name__ == call.error for c in type(error).__mro__)
    return call.error is None and same(value, call.value)


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
