"""The catalogue of known answers: wrong ones with the belief behind them, and right ones written differently."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course.errors import SuiteError

Function = Callable[..., Any]


@dataclass(frozen=True)
class Answer:
    """One way to answer an exercise: the name, the belief in words, and code to paste into the notebook."""

    exercise: str
    name: str
    belief: str
    function: str
    implementation: Function
    caught_by: str | None = None
    hint: str | None = None
    fair: str | None = None
    luck: str | None = None

    @property
    def is_right(self) -> bool:
        """Whether the answer deserves full marks."""
        return self.caught_by is None

    def source(self) -> str:
        """The answer's source under the name that the exercise asks for, without decorator and docstring."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.implementation)))
        node = tree.body[0]
        assert isinstance(node, ast.FunctionDef)
        node.decorator_list, node.name = [], self.function
        if len(node.body) > 1 and ast.get_docstring(node) is not None:
            del node.body[0]
        return ast.unparse(node)


@dataclass(frozen=True)
class Survivor:
    """A mutant of a reference function that no check rejects, of which kind it is, and why that is right."""

    function: str
    change: str
    because: str
    kind: str


EQUIVALENT, UNGRADED, TOLERATED = "equivalent", "ungraded", "tolerated"


def equivalent(function: str, change: str, *, because: str) -> Survivor:
    """A mutant that gives what the reference gives, whatever it is asked."""
    return Survivor(function, change, because, EQUIVALENT)


def ungraded(function: str, change: str, *, because: str) -> Survivor:
    """A mutant that gives something else only where the notebook says that nothing is graded."""
    return Survivor(function, change, because, UNGRADED)


def tolerated(function: str, change: str, *, because: str) -> Survivor:
    """A mutant that gives something else, where to reject it would ask more of students than the contract does."""
    return Survivor(function, change, because, TOLERATED)


def misconception(
    exercise: str,
    *,
    caught_by: str,
    hint: str,
    function: str | None = None,
    fair: str | None = None,
    luck: str | None = None,
) -> Callable[[Function], Function]:
    """Register a wrong answer: which hidden check must catch it, and the question that would reveal it.

    One that is wrong on plain numbers and keeps more than half of the points needs the reason why that is `fair`, and
    one whose marks depend on the numbers drawn the reason why that is a matter of `luck`.
    """
    return _register(exercise, function, caught_by, hint, fair, luck)


def right(exercise: str, *, function: str | None = None) -> Callable[[Function], Function]:
    """Register a right answer that is written differently from the reference."""
    return _register(exercise, function)


def _register(
    exercise: str,
    function: str | None,
    caught_by: str | None = None,
    hint: str | None = None,
    fair: str | None = None,
    luck: str | None = None,
) -> Callable[[Function], Function]:
    def decorate(implementation: Function) -> Function:
        belief = inspect.getdoc(implementation) or ""
        if implementation.__name__ in implementation.__globals__:
            raise SuiteError(f"{implementation.__module__}: two answers are called {implementation.__name__!r}")
        name = implementation.__name__
        answer = Answer(exercise, name, belief, function or exercise, implementation, caught_by, hint, fair, luck)
        implementation.answer = answer  # type: ignore[attr-defined]
        return implementation

    return decorate


def load(path: Path) -> Any:
    """A module of the catalogue, loaded by path: nothing imports it by name."""
    name = f"autograder_catalogue_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Catalogue:
    """What a module of the catalogue says: the known answers, and questions about relations in an exercise's own words.

    A question belongs to an exercise and the name of a relation.
    """

    answers: tuple[Answer, ...] = ()
    questions: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read(path: Path) -> Catalogue:
    """What the module in a file says; nothing without that file."""
    if not path.exists():
        return Catalogue()
    module = load(path)
    return Catalogue(tuple(answers(module)), questions(module))


def questions(module: Any) -> dict[tuple[str, str], str]:
    """The questions that a module of the catalogue lists in `QUESTIONS`, by exercise and relation."""
    return dict(getattr(module, "QUESTIONS", {}))


def answers(module: Any) -> list[Answer]:
    """The answers that a module of the catalogue registers, in the order of the file."""
    return [value.answer for value in vars(module).values() if isinstance(getattr(value, "answer", None), Answer)]


def survivors(module: Any) -> list[Survivor]:
    """The mutants that a module of the catalogue lists in `SURVIVORS`."""
    return list(getattr(module, "SURVIVORS", ()))
