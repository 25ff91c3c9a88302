"""Probes: questions that carry no marks and are the same for a whole class, so that answers can be compared."""

from __future__ import annotations

import builtins
import struct
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from autograder.course.errors import WireError
from autograder.course.kinds import Kind
from autograder.engine.probing.values import is_code, own
from autograder.engine.running import NotebookRun, StudentStopped
from autograder.engine.student import tidy
from autograder.sandbox import wire

SECONDS = 5.0
"""For all probes of a function together: who needs longer is not asked about the reason."""
REFUSED = "ValueError"
MOST_BYTES = 256 * 1024
"""Of one value; what is larger tells no more."""


@dataclass(frozen=True)
class Probe:
    """One call to make, and the hidden check that makes calls like it."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    check: str
    kind: Kind
    base: int | None = None
    """The probe that this one is a changed version of."""
    change: str = ""
    """What was changed."""


@dataclass(frozen=True)
class Reply:
    """What came back from one probe: a value, or the builtin kind of an error."""

    value: Any = None
    error: str | None = None
    changed: tuple[int, ...] = ()
    """Which arguments the call has modified, by their places."""

    @property
    def refused(self) -> bool:
        """Whether the function said that it does not take these arguments."""
        return self.error == REFUSED

    @property
    def unreadable(self) -> bool:
        """Whether something came back that is no plain data, or too much of it."""
        return self.error == UNREADABLE.error


UNREADABLE = Reply(error="unreadable")


@dataclass(frozen=True)
class Questions:
    """The probes of one function, ready to be sent."""

    function: str
    probes: tuple[Probe, ...]
    parameters: tuple[str, ...] = field(default=())

    @cached_property
    def frame(self) -> bytes:
        """All calls as one message: it is the same for everybody, so it is made once."""
        return wire.encode(
            [
                [[_sent(value) for value in probe.args], {name: _sent(value) for name, value in probe.kwargs.items()}]
                for probe in self.probes
            ]
        )

    def numbers_of(self, probe: Probe) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """The arguments of a call that are made of real numbers, by name, as floats."""
        for place, value in enumerate((*probe.args, *probe.kwargs.values())):
            if not is_code(value) and isinstance(value, np.ndarray | list | tuple | int | float):
                array = np.asarray(value) if isinstance(value, np.ndarray) else _array(value)
                if array is not None and array.dtype.kind in "biuf":
                    yield self.name_of(probe, place), array.astype(float)

    def name_of(self, probe: Probe, place: int) -> str:
        """The name of the argument in this place of a call."""
        if place >= len(probe.args):
            return list(probe.kwargs)[place - len(probe.args)]
        return self.parameters[place] if place < len(self.parameters) else f"argument {place + 1}"


def _array(value: Any) -> np.ndarray[Any, Any] | None:
    try:
        return np.asarray(value)
    except (ValueError, OverflowError):
        return None


def ask(run: NotebookRun, questions: Questions) -> list[Reply] | None:
    """What a notebook's function replies to all probes, in one round trip; None if its process did not live to tell.

    Nothing of it is trusted: replies are plain data, bounded like all others.
    """
    found = ask_several(run, questions, [questions.function])
    return found[0] if found else None


def ask_several(
    run: NotebookRun, questions: Questions, names: Sequence[str], seconds: float | None = None
) -> list[list[Reply]]:
    """The same of several functions; none if their process did not live to tell."""
    request = {"do": "probes", "names": list(names), "frame": questions.frame, "most": MOST_BYTES}
    try:
        told = run.ask(request, seconds or min(SECONDS, run.zygote.limits.call_seconds)).get("value")
    except StudentStopped:
        return []
    if type(told) is not list or len(told) != len(names):
        return []
    if any(type(one) is not list or len(one) != len(questions.probes) for one in told):
        return []
    return [[_reply(one) for one in of_name] for of_name in told]


def ask_ours(function: Callable[..., Any], questions: Questions) -> list[Reply]:
    """The same of a function of ours, in this process."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [_ours(function, probe) for probe in questions.probes]


def _ours(function: Callable[..., Any], probe: Probe) -> Reply:
    args, kwargs = [own(value) for value in probe.args], {name: own(value) for name, value in probe.kwargs.items()}
    try:
        value = function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - a known wrong answer may fail in any way; its kind is the outcome
        return Reply(error=_kind(error))
    try:
        plain = tidy(wire.parse(wire.encode(value)))
    except WireError:
        return UNREADABLE
    pairs = zip((*probe.args, *probe.kwargs.values()), (*args, *kwargs.values()), strict=True)
    return Reply(plain, None, tuple(at for at, (before, now) in enumerate(pairs) if not _unchanged(before, now)))


def _kind(error: Exception) -> str:
    """The nearest builtin kind of an error, as a student's process would tell it."""
    names = (kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
    return next(names, "Exception")


def _unchanged(before: Any, now: Any) -> bool:
    if is_code(before):
        return True
    if isinstance(before, np.ndarray):
        return np.array_equal(before, now, equal_nan=before.dtype.kind == "f")
    return bool(before == now)


def _reply(told: Any) -> Reply:
    """A reply as a student's process told it."""
    if type(told) is not list or len(told) != 3:
        return UNREADABLE
    frame, error, changed = told
    if type(error) is str:
        return Reply(error=error[:40])
    if type(frame) is not bytes or len(frame) > MOST_BYTES or type(changed) is not list:
        return UNREADABLE
    try:
        value = tidy(wire.parse(frame))
    except (WireError, ValueError, struct.error):
        return UNREADABLE
    return Reply(value, None, tuple(place for place in changed[:20] if type(place) is int))


def _sent(value: Any) -> Any:
    return wire.Expression(str(value)) if is_code(value) else value


def with_argument(probe: Probe, place: int, value: Any) -> Probe:
    """The probe with another value for the argument in this place."""
    args, names = list(probe.args), list(probe.kwargs)
    if place < len(args):
        args[place] = value
        return replace(probe, args=tuple(args))
    return replace(probe, kwargs={**probe.kwargs, names[place - len(args)]: value})


def packed(args: Sequence[Any], kwargs: dict[str, Any]) -> bytes | None:
    """The arguments of a call that can be a probe, as bytes; None if they are not plain, not small, or take long."""
    values = (*args, *kwargs.values())
    if any(is_code(value) and not str(value).startswith("lambda") for value in values):
        return None
    if sum(np.size(value) for value in values if not is_code(value)) > MOST_NUMBERS:
        return None
    if any(type(value) is int and value > MOST_STEPS for value in values):
        return None
    try:
        return wire.encode([[_sent(value) for value in values], list(kwargs)])
    except WireError:
        return None


MOST_NUMBERS, MOST_STEPS = 600, 400
"""Numbers in the arguments of a probe, and the largest whole number among them: it may be a number of steps."""
