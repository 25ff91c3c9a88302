"""Calls that were made of a student's functions, as plain data that can travel from one process to another."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.course.errors import WireError
from autograder.engine.probing.values import is_code, is_small
from autograder.engine.running import Call
from autograder.sandbox import wire


@dataclass(frozen=True)
class Recorded:
    """A call with the check that made it, its arguments, and what came back: a value, or the kind of an error."""

    check: str
    visible: bool
    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any
    error: str | None


def recorded(check: str, calls: Iterable[Call], *, visible: bool) -> Iterator[Recorded]:
    """The calls of a check that can be repeated elsewhere: not too large, and nothing but data."""
    for call in calls:
        found = Recorded(check, visible, call.function, call.args, dict(call.kwargs), call.value, call.error)
        try:
            if is_small(call):
                pack(found)
                yield found
        except WireError:  # an object that stayed in the student's process is in it
            continue


def pack(call: Recorded) -> str:
    """The call as text."""
    args, kwargs = [_sent(value) for value in call.args], {name: _sent(value) for name, value in call.kwargs.items()}
    frame = wire.encode([call.check, call.visible, call.function, args, kwargs, call.value, call.error])
    return base64.b64encode(frame).decode()


def unpack(text: str) -> Recorded:
    """The call in a text that `pack` made."""
    check, visible, function, args, kwargs, value, error = wire.parse(base64.b64decode(text), expressions=True)
    return Recorded(
        check,
        visible,
        function,
        tuple(map(_received, args)),
        {name: _received(v) for name, v in kwargs.items()},
        value,
        error,
    )


def _sent(value: Any) -> Any:
    return wire.Expression(str(value)) if is_code(value) else value


def _received(value: Any) -> Any:
    if not isinstance(value, wire.Expression):
        return value
    from autograder.course.suite import Code  # it brings pytest along, and those who only pass calls on need neither

    return Code(value.text)
