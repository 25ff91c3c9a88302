"""Whether the diagnosis names beliefs: it is asked again about numbers that it has not seen, and about strangers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.course.catalogue import Answer
from autograder.engine.diagnosis import Diagnosis, RecordedCall, is_code, own, same

_ROUNDS = 2
_LARGEST = 2000  # numbers in a call: a larger one tells no more, and takes long to repeat for every pair of answers


@dataclass(frozen=True)
class FreshCall:
    """A call that nobody has made before, with what a known answer makes of it."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any
    error: str | None


def named(diagnosis: Diagnosis, answer: Answer, calls: Sequence[RecordedCall]) -> str | None:
    """The belief that is found behind a wrong answer when the calls that it failed in are made with other numbers."""
    found = diagnosis.find(answer.exercise, _fresh(answer, calls))
    return None if found is None else found.name


def mistaken_for(
    diagnosis: Diagnosis, answer: Answer, calls: Sequence[RecordedCall], more: Sequence[RecordedCall]
) -> str | None:
    """The belief that a wrong answer is taken for when nobody has put it into the catalogue, if it is another.

    `calls` are those that the answer was asked; `more` are all calls that the exercise knows. Two answers that give the
    same everywhere are not mistaken for each other.
    """
    others = Diagnosis(tuple(other for other in diagnosis.answers if other is not answer))
    found = others.find(answer.exercise, calls)
    if found is None:
        return None
    alike = all(
        same(_outcome(found, call.args, call.kwargs), (call.value, call.error)) for call in _fresh(answer, more)
    )
    return None if alike and found.function == answer.function else found.name


def _fresh(answer: Answer, calls: Iterable[RecordedCall]) -> list[FreshCall]:
    own_calls = [call for call in calls if call.function == answer.function and _extent(call) <= _LARGEST]
    rng = np.random.default_rng(20)
    return [fresh for _ in range(_ROUNDS) for call in own_calls for fresh in _again(answer, call, rng)]


def _again(answer: Answer, call: RecordedCall, rng: np.random.Generator) -> Iterator[FreshCall]:
    args = tuple(_other(value, rng) for value in call.args)
    kwargs = {name: _other(value, rng) for name, value in call.kwargs.items()}
    value, error = _outcome(answer, args, kwargs)
    yield FreshCall(call.function, args, kwargs, value, error)


def _extent(call: RecordedCall) -> int:
    return sum(np.size(value) for value in (*call.args, *call.kwargs.values()))


def _outcome(answer: Answer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, str | None]:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return answer.implementation(*map(own, args), **{name: own(value) for name, value in kwargs.items()}), None
    except Exception as error:  # noqa: BLE001 - a misconception may fail in any way; its kind is the outcome
        return None, type(error).__name__


def _other(value: Any, rng: np.random.Generator) -> Any:
    """A value of the same kind with other numbers: probabilities stay probabilities, labels stay labels."""
    if isinstance(value, bool | str) or value is None or is_code(value):
        return value
    if isinstance(value, int):
        return value + 1 if value > 1 else value
    if isinstance(value, float):
        return value if value == round(value, 0) or not np.isfinite(value) else value * rng.uniform(0.7, 1)
    if isinstance(value, tuple | list):
        return type(value)(_other(item, rng) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        telling = np.isfinite(value) & (value != np.rint(value))
        moved = np.where(telling, value * rng.uniform(0.7, 1, size=value.shape), value)
        whole = bool(value.ndim) and value.size > 0 and np.allclose(value.sum(axis=-1), 1)
        return moved / moved.sum(axis=-1, keepdims=True) if whole else moved
    return value
