"""Running visible checks on the names of a notebook: what each of them found out."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from types import TracebackType
from typing import Any

import numpy as np

from checks import relations
from checks.checking import Check, Mismatch, as_array, kind_of


class Verdict(Enum):
    """What is known after running a check, in the words that the student reads."""

    PASSES = "passes"
    DIFFERS = "not right yet"
    FAILS = "stopped with an error"
    MISSING = "cannot run yet"
    NOT_ATTEMPTED = "not attempted yet"


@dataclass(frozen=True)
class Outcome:
    """What one check found out: rows of (label, value) to show, a question or an advice, and the values that differ."""

    check: Check
    verdict: Verdict
    rows: tuple[tuple[str, str], ...] = field(default=())
    advice: str | None = None
    compared: tuple[tuple[Any, Any], ...] = ()


class Missing(LookupError):
    """A name that a check needs is not there, or is not what it should be; the text says what to do."""


class Student:
    """The notebook's own names, as the checks see them: `student.name(...)` and `student["name"]`.

    As when the notebook is graded, arguments are copies, and a list of numbers comes back as an array.
    """

    def __init__(self, namespace: dict[str, Any]):
        self._namespace = namespace

    def __getitem__(self, name: str) -> Any:
        if name not in self._namespace:
            raise Missing(f"`{name}` is not defined: run the cell that defines it, then this one again.")
        return _plain(self._namespace[name])

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._namespace:
            raise Missing(f"`{name}` is not defined: run the cell that defines it, then this one again.")
        function = self._namespace[name]
        if not callable(function):
            raise Missing(
                f"`{name}` is now {kind_of(function)}, no longer a function: "
                "run the cell that defines it, then this one again."
            )

        def call(*args: Any, **kwargs: Any) -> Any:
            return _plain(function(*map(_argument, args), **{key: _argument(kwargs[key]) for key in kwargs}))

        return call


def _argument(value: Any) -> Any:
    """What the student's function receives: a copy, and for `Code` the value of the expression."""
    if getattr(value, "runs_beside_the_student", False):
        return eval(value, {"np": np})  # noqa: S307  the text comes from our own check
    return copy.deepcopy(value)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        array = as_array(value)
        return [_plain(item) for item in value] if array is None else array
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def examine_all(checks: Iterable[Check], namespace: dict[str, Any]) -> tuple[Outcome, ...]:
    """Run all checks of an exercise on the notebook's names.

    If no check knows the mistake, but one relation explains every value that differs, the first of them asks about it.
    """
    outcomes = [examine(check, namespace) for check in checks]
    differing = [place for place, outcome in enumerate(outcomes) if outcome.compared]
    if differing and not any(outcome.verdict is Verdict.DIFFERS and outcome.advice for outcome in outcomes):
        question = relations.question(pair for place in differing for pair in outcomes[place].compared)
        outcomes[differing[0]] = replace(outcomes[differing[0]], advice=question)
    return tuple(outcomes)


def examine(check: Check, namespace: dict[str, Any]) -> Outcome:
    """Run one check on the notebook's names and say what it found; only an interrupt gets through."""
    try:
        check.run(Student(namespace))
    except Mismatch as mismatch:
        return Outcome(check, Verdict.DIFFERS, tuple(mismatch.rows), mismatch.question, mismatch.compared)
    except NotImplementedError as stub:
        where = own_line(stub.__traceback__, namespace)
        rows = () if where is None else (("stub", f"{where[0]} raises NotImplementedError"),)
        return Outcome(
            check, Verdict.NOT_ATTEMPTED, rows, "Replace `raise NotImplementedError()` by your code and run both cells."
        )
    except Missing as missing:
        return Outcome(check, Verdict.MISSING, advice=str(missing))
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a student's function may raise anything)
        return Outcome(check, Verdict.FAILS, tuple(_error_rows(error, namespace)))
    return Outcome(check, Verdict.PASSES)


def _error_rows(error: BaseException, namespace: dict[str, Any]) -> list[tuple[str, str]]:
    """The error's type and message, and the line of the student's own code that led to it."""
    text = str(error) if len(str(error)) <= 300 else str(error)[:300] + " ..."
    calls = [note.removeprefix("called: ") for note in getattr(error, "__notes__", ()) if note.startswith("called: ")]
    rows = [("called", call) for call in calls[-1:]]
    rows.append(("error", f"{type(error).__name__}: {text}" if text else type(error).__name__))
    where = own_line(error.__traceback__, namespace)
    if where is None:
        return [*rows, ("where", "in the check: what came back is not of the kind that the exercise asks for")]
    function, number, line = where
    return [*rows, ("where", f"{function}, line {number} of its cell" + (f":  {line}" if line else ""))]


def own_line(traceback: TracebackType | None, namespace: dict[str, Any]) -> tuple[str, int, str] | None:
    """Function, line number and text of the innermost line that was written in the notebook itself."""
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals is namespace:
            text = linecache.getline(frame.f_code.co_filename, traceback.tb_lineno).strip()
            found = (frame.f_code.co_name, traceback.tb_lineno, text)
        traceback = traceback.tb_next
    return found
