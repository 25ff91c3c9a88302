"""The same question with other numbers: `check("posterior", another=True)`. The answer is told after two attempts.

The questions of a notebook are in `practice/<stem>.json`, each with its right answer. They cost nothing and count
nowhere: no number in them is one that a notebook is graded with.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from checks import running
from checks.checking import Check, Code, Mismatch, called, describe, difference_in_form, expect, is_large
from checks.rendering import Report
from checks.running import Outcome, Verdict

READABLE = 30  # numbers; of more than these, only the corners would be shown
WITHHELD = "What was expected is shown when you have answered this question twice."
AGAIN = "Run this cell again for the next question."
SAME_AGAIN = "Change your code, run its cell, then this one: it asks the same question again."


@dataclass(frozen=True)
class Call:
    """One call of a question, and what should come back."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any


Question = tuple[Call, ...]


class Practice:
    """The questions with other numbers of one notebook, asked in turn; `ask` gives the report on one of them."""

    def __init__(self, file: Path):
        self._file = file  # read when it is first asked for
        self._asked: Counter[str] = Counter()  # how many questions of an exercise were dealt with
        self._wrong: Counter[str] = Counter()  # how many wrong answers its question has got so far

    def ask(self, exercise: str, namespace: dict[str, Any]) -> tuple[Report, bool]:
        """The report on the exercise's next question, and whether the answer is right.

        A question that was answered wrongly comes a second time. Only values count as answers: a stub or an error
        brings the same question back.
        """
        questions = self._questions.get(exercise, ())
        if not questions:
            return Report(f'{exercise}: there are no other numbers for this exercise; check("{exercise}") asks'), True
        number = self._asked[exercise] % len(questions)
        is_last_try = self._wrong[exercise] > 0
        outcome = _examined(exercise, questions[number], namespace, shown=is_last_try)
        self._wrong[exercise] += outcome.verdict is Verdict.DIFFERS
        done = outcome.verdict is Verdict.PASSES or self._wrong[exercise] > 1
        if done:
            self._asked[exercise] += 1
            self._wrong[exercise] = 0
        heading = f"{exercise} with other numbers, question {number + 1} of {len(questions)}: {_said(outcome.verdict)}"
        return Report(heading, (outcome,), lines=_lines(outcome, done=done)), outcome.verdict is Verdict.PASSES

    @cached_property
    def _questions(self) -> dict[str, list[Question]]:
        """The questions by exercise; a notebook without a file of them has none."""
        if not self._file.is_file():
            return {}
        content = json.loads(self._file.read_text(encoding="utf-8"))
        return {name: [tuple(map(_call, question)) for question in content[name]] for name in content}


def _said(verdict: Verdict) -> str:
    return "right" if verdict is Verdict.PASSES else verdict.value


def _lines(outcome: Outcome, *, done: bool) -> tuple[str, ...]:
    if done:
        return (AGAIN,)
    return (f"{WITHHELD} {SAME_AGAIN}",) if outcome.verdict is Verdict.DIFFERS else (SAME_AGAIN,)


def _examined(exercise: str, question: Question, namespace: dict[str, Any], *, shown: bool) -> Outcome:
    """What came of a question, with the numbers that were given; what was expected is in it only if `shown`."""
    made: list[tuple[Call, Any]] = []  # the calls so far, with what came back

    def ask(student: Any) -> None:
        for call in question:
            made.append((call, None))
            value = getattr(student, call.function)(*call.args, **call.kwargs)
            made[-1] = call, value
            try:
                expect(value, equals=call.value)
            except Mismatch as mismatch:
                raise mismatch if shown else _withholding(mismatch, value, call.value) from None

    description = "The same as in the text, with other numbers."
    outcome = running.examine(Check(exercise, "another", description, ask), namespace)
    if outcome.verdict is Verdict.PASSES:
        return replace(outcome, rows=tuple(row for call, value in made for row in _answered(call, value)))
    if outcome.verdict in (Verdict.NOT_ATTEMPTED, Verdict.MISSING):
        return outcome
    others = [row for row in outcome.rows if row[0] != "called"]
    return replace(outcome, rows=(*_asked(made[-1][0]), *others))


def _withholding(mismatch: Mismatch, value: Any, expected: Any) -> Mismatch:
    """The same complaint without what was expected; of its kind and shape it may speak."""
    parts = [part for part in mismatch.parts if part[0] != "expected"]
    return Mismatch(difference_in_form(value, expected) or "", parts=parts, question=mismatch.question)


def _asked(call: Call) -> list[tuple[str, str]]:
    """The call, and below it the arguments that it does not show in full, as far as a person could read them."""
    named = {f"argument {place}": value for place, value in enumerate(call.args, start=1)} | call.kwargs
    large = [(name, describe(value)) for name, value in named.items() if is_large(value) and np.size(value) <= READABLE]
    return [("called", called(call.function, call.args, call.kwargs)), *large]


def _answered(call: Call, value: Any) -> list[tuple[str, str]]:
    return [*_asked(call), ("came back", describe(value))]


# ------------------------------------------------------------------------------------- reading the file


def _call(plain: dict[str, Any]) -> Call:
    kwargs = {name: decoded(value) for name, value in plain["kwargs"].items()}
    return Call(plain["function"], tuple(map(decoded, plain["args"])), kwargs, decoded(plain["value"]))


def decoded(plain: Any) -> Any:
    """The value that a piece of JSON stands for: numbers, text, lists, and what is marked as something else."""
    if isinstance(plain, list):
        return [decoded(item) for item in plain]
    match plain:
        case {"dtype": str(dtype), "shape": list(shape), "values": list(values)}:
            return np.array(values).astype(dtype).reshape(shape)[()]  # "nan" and "inf" stand in it as text
        case {"tuple": list(items)}:
            return tuple(map(decoded, items))
        case {"dict": list(items)}:
            return {decoded(key): decoded(value) for key, value in items}
        case {"float": str(text)}:
            return float(text)
        case {"code": str(text)}:
            return Code(text)
    return plain
