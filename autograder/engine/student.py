"""The `student` of a check: attribute access and calls that run in the student's process and come back as data."""

from __future__ import annotations

import builtins
import time
from typing import Any

import numpy as np

from autograder.course.model import Verdict
from autograder.course.text import printable
from autograder.engine.running import Call, NotebookRun, StudentStopped, plain_error
from autograder.sandbox import wire


class StudentRaised(Exception):
    """The student's code raised an exception; instances are also of the nearest builtin type."""

    kind = "Exception"
    type_name = ""
    about = ""
    lines: tuple[str, ...] = ()

    def is_refusal_of(self, function: str) -> bool:
        """Whether there is no such function, or a `raise` of its own raised this, as far as its process says."""
        where, _, text = self.lines[-1].partition(": ") if self.lines else ("", "", "")
        return bool(self.about) or (where.startswith(f"{function}, ") and text.startswith("raise"))


class Student:
    """The names of a student's notebook: `student.posterior(...)` calls, `student["x"]` reads."""

    def __init__(self, run: NotebookRun) -> None:
        self._run = run

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return RemoteFunction(self._run, name)

    def __getitem__(self, name: str) -> Any:
        reply = self._run.ask({"do": "get", "name": name}, self._run.zygote.limits.call_seconds)
        return _outcome(self._run, reply, name)


class RemoteFunction:
    """A function, or a method of an object, in the student's process."""

    def __init__(self, run: NotebookRun, target: str | wire.Handle, attribute: str | None = None) -> None:
        self._run, self._target, self._attribute = run, target, attribute

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs, echo=False)[0]

    def with_arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """The result, and the arguments as they are after the call."""
        value, after = self._call(args, kwargs, echo=True)
        if type(after) is not list or len(after) != len(args) + len(kwargs):
            raise StudentStopped(Verdict.CRASHED, "the reply does not show the arguments")
        return value, after

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, echo: bool) -> tuple[Any, Any]:
        request = {
            "do": "call",
            "target": self._target,
            "attribute": self._attribute,
            "args": [_argument(value) for value in args],
            "kwargs": {name: _argument(value) for name, value in kwargs.items()},
            "echo": echo,
        }
        name = self._attribute or (self._target if isinstance(self._target, str) else "")
        started = time.monotonic()
        value, error, refused = None, None, False
        try:
            reply = self._run.ask(request, self._run.zygote.limits.call_seconds)
            value = _outcome(self._run, reply, name)
            return value, reply.get("after")
        except (StudentRaised, StudentStopped) as fault:
            error = fault.kind if isinstance(fault, StudentRaised) else fault.verdict.value
            refused = isinstance(fault, StudentRaised) and fault.is_refusal_of(name)
            raise
        finally:
            seconds = time.monotonic() - started
            self._run.calls.append(Call(name, args, kwargs, self._run.kept(value), error, seconds, refused))


class RemoteObject:
    """An object that stayed in the student's process; its methods can be called.

    What a check would ask an array (`shape`, `sum()`, `all()`) it never answers: the student's code would answer.
    """

    def __init__(self, run: NotebookRun, handle: wire.Handle) -> None:
        self._run, self._handle = run, handle

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("_") or hasattr(np.ndarray, name):
            raise AttributeError(f"{self!r} is not an array: it has no {name!r}")
        return RemoteFunction(self._run, self._handle, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return RemoteFunction(self._run, self._handle)(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._handle)


def _argument(value: Any) -> Any:
    if isinstance(value, RemoteObject):
        return value._handle
    if isinstance(value, RemoteFunction):
        raise TypeError("pass Code(...) or an object that the student's code returned, not a function")
    if getattr(type(value), "runs_beside_the_student", False):
        return wire.Expression(str(value))
    return value


def _outcome(run: NotebookRun, reply: dict[str, Any], asked: str) -> Any:
    if reply.get("error") is not None:
        raise _exception(plain_error(reply["error"]), asked)
    value = reply.get("value")
    items, longest = _extent(value)
    if items * longest > _MAX_TEXT_AREA:
        raise StudentStopped(Verdict.CRASHED, f"text of {longest} characters among {items} items is too much")
    return tidy(value, run)


# A table of texts has as many characters in every place as the longest one: a short reply could make a long array.
_MAX_TEXT_AREA = 1 << 24


def _extent(value: Any) -> tuple[int, int]:
    """How many items there are, at any depth, and how long the longest text among them is."""
    waiting, items, longest = [value], 0, 0
    while waiting:
        item = waiting.pop()
        items += 1
        if type(item) in (str, bytes):
            longest = max(longest, len(item))
        elif type(item) in (list, tuple):
            waiting += item
        elif type(item) is dict:
            waiting += [*item.keys(), *item.values()]
    return items, longest


def tidy(value: Any, run: NotebookRun | None = None) -> Any:
    """Plain data as checks like it: regular lists of numbers are arrays, at any place; tuples stay tuples.

    An object that stayed in the process of a run can be asked there; without one it is known by its type only.
    """
    if type(value) is wire.Handle:
        handle = wire.Handle(value.number, printable(value.type_name))
        return handle if run is None else RemoteObject(run, handle)
    if type(value) is tuple:
        return tuple(tidy(item, run) for item in value)
    if type(value) is dict:
        return {key: tidy(item, run) for key, item in value.items()}
    if type(value) is list:
        items = [tidy(item, run) for item in value]
        if any(type(item) not in _NUMERIC for item in items):
            return items
        try:
            array = np.asarray(items)
        except (ValueError, OverflowError):
            return items
        return array if array.dtype.kind in "biufc" else items
    return value


_NUMERIC = (bool, int, float, complex, np.ndarray)
_CLASSES: dict[str, type[StudentRaised]] = {}


def _exception(error: dict[str, Any], asked: str) -> BaseException:
    kind = error["kind"]
    if kind == "MemoryError":
        return StudentStopped(Verdict.OUT_OF_MEMORY, "the memory limit was reached")
    if error["unreadable"]:
        return StudentStopped(Verdict.CRASHED, f"what came back cannot be read: {error['text']}")
    # StopIteration would end a loop of the check without a word, and with it the check.
    base = Exception if kind in ("StopIteration", "StopAsyncIteration") else getattr(builtins, kind, Exception)
    if not (isinstance(base, type) and issubclass(base, Exception)):
        return StudentStopped(Verdict.CRASHED, f"{kind} was raised")
    if kind not in _CLASSES:
        bases = (StudentRaised,) if base is Exception else (StudentRaised, base)
        _CLASSES[kind] = type(f"Student{kind}", bases, {"kind": kind})
    try:
        exception = _CLASSES[kind](error["text"])
    except TypeError:  # a builtin whose constructor wants more, such as UnicodeDecodeError
        exception = StudentRaised(error["text"])
    exception.type_name = error["type"]
    exception.about = asked if error["name"] == asked else ""  # the student may read it: no other text gets through
    exception.lines = tuple(error["lines"])
    return exception
