"""The catalogue of known answers: wrong ones with the belief behind them, and right ones written differently."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.errors import SuiteError

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


def misconception(
    exercise: str, *, caught_by: str, hint: str, function: str | None = None
) -> Callable[[Function], Function]:
    """Register a wrong answer: which hidden check must catch it, and the question that would reveal it."""
    return _register(exercise, function, caught_by, hint)


def right(exercise: str, *, function: str | None = None) -> Callable[[Function], Function]:
    """Register a right answer that is written differently from the reference."""
    return _register(exercise, function, None, None)


def _register(
    exercise: str, function: str | None, caught_by: str | None, hint: str | None
) -> Callable[[Function], Function]:
    def decorate(implementation: Function) -> Function:
        belief = inspect.getdoc(implementation) or ""
        if implementation.__name__ in implementation.__globals__:
            raise SuiteError(f"{implementation.__module__}: two answers are called {implementation.__name__!r}")
        answer = Answer(exercise, implementation.__name__, belief, function or exercise, implementation, caught_by, hint)
        implementation.answer = answer  # type: ignore[attr-defined]
        return implementation

    return decorate


def answers(module: Any) -> list[Answer]:
    """The answers that a module of the catalogue registers, in the order of the file."""
    return [value.answer for value in vars(module).values() if isinstance(getattr(value, "answer", None), Answer)]
