"""Search a page that a student gets for secrets: trusted code, words and names, hidden inputs, expected values."""

from __future__ import annotations

import copy
import html
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from nbformat import NotebookNode
from reference import functions

from autograder.authoring import secret_texts
from autograder.authoring.leaks import Finder
from autograder.authoring.secret_texts import HIDDEN, MISCONCEPTION
from autograder.course import Course, catalogue
from autograder.course.draw import Draw
from autograder.course.model import FIXED

_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_WINDOW = 3  # numbers in a row that are taken for a part of a hidden array, or for the arguments of a hidden call
_DIGITS = 5  # of a single number, from which on it is taken for a hidden value
_PRINTED = 6  # digits that pages print at least: a number with fewer of them ends in zeros that are left out
_SIMPLE = 100  # the largest denominator of a simple fraction
_LONGEST = 40  # numbers of an array that are looked for
Call = tuple[str, list[float]]


class Secrets:
    """Everything of one notebook that no page may show."""

    def __init__(self, course: Course, stem: str) -> None:
        told = {
            sentence
            for answer in catalogue.read(course.misconceptions(stem)).answers
            for sentence in _sentences(answer.hint or "")
        }
        self._finder = Finder(secret for secret in secret_texts.secrets(course) if not _for_students(secret, told))
        public = course.released(stem).read_text(encoding="utf-8") + (
            course.checks / "exercises" / f"{stem}.py"
        ).read_text(encoding="utf-8")
        known = [[value for value, _ in _numbers(public)], *(numbers for _, numbers in visible_calls(course, stem))]
        windows = {window for numbers in known for window in _windows(numbers)}
        values = {value for numbers in known for value in numbers}
        hidden = [numbers for _, numbers in hidden_calls(course, stem)]
        self.windows = {window for numbers in hidden for window in _windows(numbers) if _is_telling(window)} - windows
        self.values = {value for numbers in hidden for value in numbers if _is_rare(value)} - values
        self._written: dict[int, set[str]] = {}

    def found(self, page: str, own: str = "") -> list[str]:
        """What a page shows that it must not; what the student has written, `own`, is not secret to that student."""
        shown = text(page)
        theirs = {secret.text for secret in self._finder.find(own, read=True)}
        leaks = [f"{s.kind}: {s.text}" for s in self._finder.find(shown, read=True) if s.text not in theirs]
        own_windows = set(_windows([value for value, _ in _numbers(own)]))
        numbers = _numbers(shown)
        hidden = self.windows - own_windows
        leaks += [f"hidden numbers: {one}" for one in _windows([value for value, _ in numbers]) if one in hidden]
        for value, written in numbers:
            digits = _digits(written)
            precision = max(digits, _PRINTED)
            if digits >= _DIGITS and f"{value:.{precision}g}" in self._values_with(precision):
                leaks.append(f"hidden value: {written}")
        return leaks

    def _values_with(self, digits: int) -> set[str]:
        if digits not in self._written:
            self._written[digits] = {f"{value:.{digits}g}" for value in self.values}
        return self._written[digits]


def text(page: str) -> str:
    """What a reader, or somebody who looks into the file, finds in a page; the style apart."""
    bare = re.sub(r"<style>.*?</style>|<meta [^>]*>", " ", page, flags=re.DOTALL)
    formulas = re.sub(r"</?m[a-z]+[^>]*>", "", bare)
    return html.unescape(re.sub(r"<[^>]*>", " ", formulas))


def hidden_calls(course: Course, stem: str) -> list[Call]:
    """Every call of the hidden suite, and everything that the reference returns: the name, and the numbers in a row.

    The numbers are those that are fixed where there is no secret.
    """
    spec = importlib.util.spec_from_file_location(f"secret_{stem}", course.suite(stem))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    student = _Recorder(stem)
    for name, check in vars(module).items():
        if name.startswith("test_"):
            check(student, *([Draw(FIXED, name)] if "draw" in inspect.signature(check).parameters else []))
    arrays = [(name, _flat(value)) for name, value in vars(module).items() if isinstance(value, np.ndarray)]
    return [*arrays, *student.calls]


def visible_calls(course: Course, stem: str) -> list[Call]:
    """The same for the visible checks, which are not secret."""
    if str(course.notebooks) not in sys.path:
        sys.path.insert(0, str(course.notebooks))
    from checks import checking

    student = _Recorder(stem)
    for check in checking.load(stem):
        check.run(student)
    return student.calls


class _Recorder:
    """The reference as a student whose calls and results are noted."""

    def __init__(self, stem: str) -> None:
        self._reference = functions(stem)
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._reference, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            given = copy.deepcopy((args, kwargs))
            self.calls.append((name, _flat(given)))
            result = function(*args, **kwargs)
            self.calls.append((f"{name} gives", _flat(result)))
            return result

        def with_arguments(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
            return call(*args, **kwargs), [*args, *kwargs.values()]

        call.with_arguments = with_arguments  # type: ignore[attr-defined]
        return call


def _for_students(secret: secret_texts.Secret, hints: set[tuple[str, ...]]) -> bool:
    """Whether feedback may show it: docstrings of hidden checks, and questions of the catalogue, after the hand-in."""
    docstring = secret.kind == HIDDEN and ", test_" in secret.origin
    return secret.prose and (docstring or (secret.kind == MISCONCEPTION and secret.tokens in hints))


def _sentences(hint: str) -> Iterator[tuple[str, ...]]:
    yield from (tuple(secret_texts.words(part)) for part in re.split(r"(?<=[.?!])\s+|\n\s*\n", hint))


def _flat(value: Any) -> list[float]:
    """All numbers in plain data, in order."""
    if isinstance(value, np.ndarray):
        return [float(item) for item in value.ravel()[:_LONGEST]] if value.dtype.kind in "biuf" else []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [number for item in value[:_LONGEST] for number in _flat(item)]
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return [float(value)]
    return []


def _numbers(shown: str) -> list[tuple[float, str]]:
    """The numbers in a text, in order, each with the way in which it is written."""
    return [(float(found), found) for found in _NUMBER.findall(shown)]


def _windows(numbers: list[float]) -> Iterator[tuple[float, ...]]:
    return zip(*(numbers[start:] for start in range(_WINDOW)))


def _is_telling(window: tuple[float, ...]) -> bool:
    """Whether numbers in a row say something: none of them is a small whole number, which comes up everywhere."""
    return all(np.isfinite(value) and (value != int(value) or abs(value) >= 10) for value in window)


def _is_rare(value: float) -> bool:
    """Whether a number has many digits and is not a simple fraction: 1/3 comes up in many wrong probabilities."""
    if not np.isfinite(value) or _digits(repr(value)) < _DIGITS:
        return False
    return abs(float(Fraction(value).limit_denominator(_SIMPLE)) - value) > 1e-12


def _digits(written: str) -> int:
    return len(re.sub(r"[eE].*|\D", "", written).strip("0"))


def own_words(released: NotebookNode, submission: NotebookNode) -> str:
    """What a student has written: the cells that differ from the released ones."""
    given = {cell.source for cell in released.cells}
    return "\n".join(cell.source for cell in submission.cells if cell.source not in given)
