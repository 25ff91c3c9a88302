"""The words with which visible checks are written, and what it means that one of them fails.

    @exercise("posterior")
    def a_cough_and_the_flu(student):
        \"\"\"One cough raises the probability of flu from 1/20 to 4/23.\"\"\"
        expect(
            student.posterior([0.95, 0.05], [0.2, 0.8]),
            equals=[19 / 23, 4 / 23],
            mistakes={(0.2, 0.8): "Which of your two arguments does this answer never look at?"},
        )

A check is a plain function of `student`: it calls the student's functions, `student.posterior(...)`, reads
variables, `student["prior"]`, and compares values. The same check runs in the notebook and, over a pipe, when
the notebook is graded. So only numbers, text, arrays, lists, tuples and dictionaries go in and come out, and a
function is handed over as text: `Code("lambda w: w @ w")`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from checks.costs import PLAIN

RECOGNISED = {"rtol": 1e-5, "atol": 1e-6}  # a known wrong value is listed with about six digits


class Code(str):
    """A Python expression that is evaluated beside the student's code, with `np` at hand."""

    runs_beside_the_student = True


class Mismatch(AssertionError):
    """A value that is not the expected one. Its text says what was called, what came back, what was expected.

    `compared` has the values themselves that differ, part by part: (actual, expected).
    """

    def __init__(
        self,
        reason: str = "",
        *,
        parts: Iterable[tuple[str, str]] = (),
        question: str | None = None,
        compared: Iterable[tuple[Any, Any]] = (),
    ):
        super().__init__(reason)
        self.reason = reason
        self.parts = tuple(parts)
        self.question = question
        self.compared = tuple(compared)
        self.call: str | None = None

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What there is to show, in order: (label, value)."""
        called = [("called", self.call)] if self.call else []
        reason = [("difference", self.reason)] if self.reason else []
        return [*called, *self.parts, *reason]

    def __str__(self) -> str:
        lines = [f"{label}: {value}" for label, value in self.rows]
        return "\n".join([*lines, self.question] if self.question else lines)


@dataclass(frozen=True)
class Check:
    """One visible check: the exercise that it belongs to, its name, what it checks, and how to run it."""

    exercise: str
    name: str
    description: str
    function: Callable[[Any], None]
    kind: str = PLAIN
    stressed: bool = False

    def run(self, student: Any) -> None:
        """Raise `Mismatch` if an answer is wrong; whatever the student's own code raises passes through."""
        recorder = _Recorder(student)
        try:
            self.function(recorder)
        except Mismatch as mismatch:
            mismatch.call = recorder.latest
            raise
        except Exception as error:
            if recorder.latest:
                error.add_note(f"called: {recorder.latest}")
            raise


def exercise(name: str, kind: str = PLAIN, *, stressed: bool = False) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function of `student` a visible check of the exercise `name`; its docstring is the description.

    The kind says what it costs when it fails (`checks.costs`); what the task stresses in words costs most.
    """

    def decorate(function: Callable[[Any], None]) -> Check:
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"the check {function.__name__} needs a docstring that says what it checks")
        return Check(name, function.__name__, " ".join(description.split()), function, kind, stressed)

    return decorate


def load(stem: str) -> list[Check]:
    """The visible checks of a notebook, such as "01_bayes_rule", in the order of their file."""
    module = importlib.import_module(f"checks.exercises.{stem}")
    return [value for value in vars(module).values() if isinstance(value, Check)]


# ---------------------------------------------------------------------------------------- comparisons


def expect(
    actual: Any,
    *,
    equals: Any,
    of: str = "came back",
    mistakes: Mapping[Any, str] | Iterable[tuple[Any, str]] = (),
    rtol: float = 1e-6,
    atol: float = 1e-9,
) -> None:
    """Raise `Mismatch` unless `actual` has the shape and the values of `equals`; true counts as 1.

    A tuple or a dictionary is compared part by part, everything else as text or as an array. NaN and infinity
    match only where they are expected. `mistakes` lists known wrong values, each with the question that would
    reveal the mistake: {wrong_value: "question?"} with tuples for arrays, or pairs [(wrong_array, "question?")].
    `of` names the value in the message if it is not simply what the call gave back: of="the error".
    """
    reason = _difference(actual, equals, rtol, atol)
    if reason is None:
        return
    question = _question(actual, equals, mistakes)
    parts = [(of, describe(actual)), ("expected", describe(equals))]
    if parts[0][1] == parts[1][1] and not reason:  # they differ in digits that are not shown
        parts = [(of, describe(actual, digits=17)), ("expected", describe(equals, digits=17))]
        reason = "precision: the numbers agree only in their first digits"
    raise Mismatch(reason, parts=parts, question=question, compared=_differing(actual, equals, rtol, atol))


def expect_that(holds: Any, law: str, *, question: str | None = None) -> None:
    """Raise `Mismatch` unless `holds` is true; `law` says in words what should hold."""
    if not holds:
        raise Mismatch(f"this does not hold: {law}", question=question)


def expect_raises(
    error: type[Exception], function: Callable[..., Any], *args: Any, question: str | None = None, **kwargs: Any
) -> None:
    """Raise `Mismatch` unless the call raises `error` or a kind of it. A stub's NotImplementedError never counts."""
    try:
        result = function(*args, **kwargs)
    except NotImplementedError:
        raise
    except error:
        return
    raise Mismatch(
        f"nothing was raised; {error.__name__} was expected",
        parts=[("came back", describe(result)), ("expected", error.__name__)],
        question=question,
    )


def difference_in_form(actual: Any, expected: Any) -> str | None:
    """How the kind or the shape of a value differs from what is expected, in words; None if only numbers may differ."""
    return _difference(actual, expected, 0.0, None)


def _difference(actual: Any, expected: Any, rtol: float, atol: float | None) -> str | None:
    """Why `actual` is not `expected`, in words ("" if the two values say it all); None if it is.

    Without `atol`, numbers are not compared.
    """
    if isinstance(expected, (tuple, dict)):
        parts = _parts(actual, expected)
        if parts is not None:
            return _first_difference(parts, rtol, atol)
        if isinstance(expected, tuple):
            return f"{kind_of(actual)} instead of {len(expected)} values"
        return f"{kind_of(actual)} instead of a dictionary with the keys {', '.join(map(repr, expected))}"
    if expected is None or actual is None:
        return None if actual is expected else f"{kind_of(actual)} instead of {kind_of(expected)}"
    return _difference_of_arrays(actual, np.asarray(expected), rtol, atol)


def _first_difference(parts: list[tuple[str, Any, Any]], rtol: float, atol: float | None) -> str | None:
    for label, actual, expected in parts:
        reason = _difference(actual, expected, rtol, atol)
        if reason is not None:
            return f"{label}: {reason}" if reason else f"{label} differs"
    return None


def _parts(actual: Any, expected: tuple[Any, ...] | dict[Any, Any]) -> list[tuple[str, Any, Any]] | None:
    """The parts of two values with a label each; None if `actual` does not have the parts that are expected."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict) or set(actual) != set(expected):
            return None
        return [(repr(key), actual[key], want) for key, want in expected.items()]
    listed = isinstance(actual, (tuple, list)) or (isinstance(actual, np.ndarray) and actual.ndim > 0)
    if not listed or len(actual) != len(expected):
        return None
    return [(f"value {i + 1}", actual[i], want) for i, want in enumerate(expected)]


def _differing(actual: Any, expected: Any, rtol: float, atol: float) -> Iterator[tuple[Any, Any]]:
    """The values that differ and what they should be, those of a tuple or a dictionary part by part."""
    parts = _parts(actual, expected) if isinstance(expected, (tuple, dict)) else None
    if parts is not None:
        for _, one, other in parts:
            yield from _differing(one, other, rtol, atol)
    elif _difference(actual, expected, rtol, atol) is not None:
        yield actual, expected


def _difference_of_arrays(actual: Any, want: np.ndarray, rtol: float, atol: float | None) -> str | None:
    """`np.allclose([], [0.5])` is true, so the shape is asked for first."""
    try:
        got = np.asarray(actual)
    except ValueError:
        return "rows of different lengths instead of an array"
    if want.dtype.kind == "U":
        same = got.dtype.kind == "U" and got.shape == want.shape and bool(np.all(got == want))
        return None if same else "the text differs"
    if got.dtype.kind not in "biuf":
        return f"{kind_of(actual)} instead of {kind_of(want)}"
    if got.shape != want.shape:
        return f"{kind_of(got)} instead of {kind_of(want)}"
    if atol is None:
        return None
    got, want = got.astype(float), want.astype(float)
    stray = ~np.isfinite(got) & ~((got == want) | (np.isnan(got) & np.isnan(want)))
    if stray.any():
        return f"{got[stray][0]} where {want[stray][0]:.6g} is expected"
    close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return None
    return "" if not close.any() else f"{int((~close).sum())} of {close.size} numbers differ"


def _question(actual: Any, expected: Any, mistakes: Mapping[Any, str] | Iterable[tuple[Any, str]]) -> str | None:
    """The question that goes with a recognised wrong value, if it is one."""
    if actual is None:
        return "Does your function end in `return` with a value?"
    pairs = mistakes.items() if isinstance(mistakes, Mapping) else mistakes
    in_parts = isinstance(expected, (tuple, dict))
    for wrong, question in pairs:
        wrong = list(wrong) if isinstance(wrong, tuple) and not in_parts else wrong
        if _difference(actual, wrong, **RECOGNISED) is None:
            return question
    return None


# ------------------------------------------------------------------------------------------- in words


def describe(value: Any, digits: int = 6) -> str:
    """A value as a reader wants to see it: short, rounded, and without anything that changes from run to run."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, str):
        return repr(value) if len(value) <= 200 else repr(value[:200]) + " ..."
    if isinstance(value, (bool, np.bool_)) or value is None:
        return str(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.{digits}g}"
    if isinstance(value, np.ndarray):
        return _describe_array(value, digits)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{describe(k)}: {describe(v, digits)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        array = as_array(value) if isinstance(value, list) else None
        if array is not None:
            return _describe_array(array, digits)
        inside = ", ".join(describe(v, digits) for v in value[:12]) + (", ..." if len(value) > 12 else "")
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    return kind_of(value)


def called(function: str, args: Iterable[Any], kwargs: Mapping[str, Any]) -> str:
    """A call as it would be written, on one line: arrays in full only if they are small."""
    given = [_argument(value) for value in args] + [f"{key}={_argument(kwargs[key])}" for key in kwargs]
    return f"{function}({', '.join(given)})"


def _argument(value: Any) -> str:
    if is_large(value):
        return f"<array of shape {np.shape(value)}>"
    return " ".join(describe(value).split())


def is_large(value: Any) -> bool:
    """Whether a value is an array, or a list of numbers, that a call does not show in full."""
    array = as_array(value) if isinstance(value, list) else value
    return isinstance(array, np.ndarray) and array.size > (10 if array.ndim == 1 else 6)


def _describe_array(array: np.ndarray, digits: int) -> str:
    if array.ndim == 0:
        return describe(array.item(), digits)
    if array.dtype.kind not in "biufU":
        return kind_of(array)
    text = np.array2string(
        array,
        separator=", ",
        threshold=30,
        edgeitems=3,
        max_line_width=88,
        formatter={"float_kind": lambda x: f"{x:.{digits}g}"},
    )
    text = text.replace("\n\n", "\n")
    return text if array.size <= 30 else f"{text} of shape {array.shape}"


def kind_of(value: Any) -> str:
    """What sort of value it is: "a number", "an array of shape (3,)", "a dictionary"."""
    if value is None:
        return "None"
    if isinstance(value, (bool, np.bool_)):
        return "a truth value"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, dict):
        return "a dictionary" + (f" with the keys {', '.join(map(repr, value))}" if len(value) <= 8 else "")
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return kind_of(value.item())
        content = {"b": " of truth values", "U": " of text", "O": " of objects", "c": " of complex numbers"}
        return f"an array{content.get(value.dtype.kind, '')} of shape {value.shape}"
    return f"something of type {type(value).__name__}"


def as_array(values: list[Any]) -> np.ndarray | None:
    """A list of numbers, however deep, as an array; None for anything else."""
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        return None
    return array if array.dtype.kind in "biufc" else None


# ------------------------------------------------------------------------------------------ recording


class _Recorder:
    """A student whose latest call is remembered, so that a message can say what was called."""

    def __init__(self, student: Any):
        self._student = student
        self.latest: str | None = None

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._student, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.latest = called(name, args, kwargs)
            return function(*args, **kwargs)

        return call

    def __getitem__(self, name: str) -> Any:
        self.latest = None
        return self._student[name]
