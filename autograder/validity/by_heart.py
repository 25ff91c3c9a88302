"""Answers of somebody who knows the visible checks by heart: right on the inputs that they use, and on no others."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograder.engine.probing.values import RecordedCall

# What the code below needs in the student's notebook. Inputs are known by their digest: some are tables of data.
_PREAMBLE = """
import base64, builtins, hashlib
import numpy as np

def _digest(args, kwargs):
    def text(value):
        if callable(value):
            return "function"
        if isinstance(value, dict):
            return repr([(name, text(value[name])) for name in sorted(value)])
        if value is None or isinstance(value, str):
            return repr(value)
        array = np.asarray(value, dtype=float)
        return repr((array.shape, hashlib.sha256(array.tobytes()).hexdigest()))
    return repr([text(value) for value in args]) + repr([(name, text(kwargs[name])) for name in sorted(kwargs)])

def _array(data, dtype, shape):
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()
"""


def answers(functions: Iterable[str], calls: Sequence[RecordedCall]) -> dict[str, str]:
    """The code of each function: it gives back what the reference gave in these calls, and refuses all other inputs.

    To refuse with a ValueError is the best that it can do: many contracts ask for one somewhere.
    """
    return {name: _code(name, [call for call in calls if call.function == name]) for name in functions}


def takes_input(calls: Iterable[RecordedCall]) -> bool:
    """Whether any call has an argument; a function without any has one answer, which may as well be known by heart."""
    return any(call.args or call.kwargs for call in calls)


def _code(name: str, calls: Sequence[RecordedCall]) -> str:
    cases = [f"    if asked == _digest({_arguments(call)}):\n        {_reply(call)}\n" for call in calls]
    refusal = '    raise ValueError("never seen before")\n'
    return f"{_PREAMBLE}\ndef {name}(*args, **kwargs):\n    asked = _digest(args, kwargs)\n{''.join(cases)}{refusal}"


def _arguments(call: RecordedCall) -> str:
    named = ", ".join(f"{name!r}: {_literal(value)}" for name, value in call.kwargs.items())
    return f"({''.join(f'{_literal(value)}, ' for value in call.args)}), {{{named}}}"


def _reply(call: RecordedCall) -> str:
    return (
        f"return {_literal(call.value)}"
        if call.error is None
        else f"raise getattr(builtins, {call.error!r}, Exception)()"
    )


def _literal(value: Any) -> str:
    """An expression that gives the value, in a notebook that has the preamble."""
    if getattr(type(value), "runs_beside_the_student", False):
        return f"({value})"
    if isinstance(value, np.ndarray):
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return f"_array({data!r}, {value.dtype.str!r}, {value.shape!r})"
    if isinstance(value, np.generic):
        return _literal(value.item())
    if isinstance(value, tuple):
        return f"({''.join(f'{_literal(item)}, ' for item in value)})"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in value.items())}}}"
    if isinstance(value, float):
        return f"float({str(value)!r})"
    return repr(value)
