"""Answers that solve nothing: they pass on what an earlier exercise returns, or its slope by differences.

An exercise that failed is followed through where the author has declared that others may use it. These answers try how
much of such a declaration can be had for nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course import sources
from autograder.course.model import Exercise
from autograder.validity import samples

# Wrong for every exercise, and no constant: what comes out depends on what goes in.
_ATTEMPT = """
import numpy as np

def {name}(*args, **kwargs):
    return 0.1234 + sum(float(np.sum(np.asarray(value, dtype=float))) for value in (*args, *kwargs.values()))
"""

_WIRE = """
import numpy as np

def _slopes_of(f, at, h=1e-6):
    at = np.asarray(at, dtype=float)
    found = []
    for place in np.ndindex(at.shape):
        nudge = np.zeros(at.shape)
        nudge[place] = h
        found.append((np.asarray(f(at + nudge)) - np.asarray(f(at - nudge))) / (2 * h))
    return np.moveaxis(np.array(found).reshape(*at.shape, *np.shape(found[0])), range(at.ndim), range(-at.ndim, 0))

def {name}({parameters}):
    return {expression}
"""


@dataclass(frozen=True)
class Wire:
    """An answer to an exercise that only passes on another one: how, and the code of each function."""

    exercise: str
    through: str
    how: str
    answers: Mapping[str, str]


def wires(source: NotebookNode, exercise: Exercise) -> Iterator[Wire]:
    """The ways to answer an exercise with nothing but what it may use; in each, what it passes on was attempted."""
    functions = {one.name: one.functions for one in sources.exercises(source)}
    for through in exercise.may_use:
        for below in functions[through]:
            ways = {name: dict(_expressions(source, name, below)) for name in exercise.functions}
            for how in dict.fromkeys(way for found in ways.values() for way in found):
                answers = {
                    name: _WIRE.format(name=name, parameters=_signature(source, name)[0], expression=found[how])
                    for name, found in ways.items()
                    if how in found
                }
                yield Wire(exercise.name, through, f"{below}, {how}", answers)


def attempts(source: NotebookNode) -> dict[str, str]:
    """An answer to every function that is wrong, although somebody tried."""
    return {name: _ATTEMPT.format(name=name) for one in sources.exercises(source) for name in one.functions}


def _expressions(source: NotebookNode, name: str, below: str) -> Iterator[tuple[str, str]]:
    """What a function could return that only calls another one, by how it does so."""
    own, wanted = _names(source, name), _names(source, below)
    count = min(len(own), len(wanted))
    yield "in order", f"{below}({', '.join(own[:count])})"
    yield "from the end", f"{below}({', '.join(own[::-1][:count])})"
    if len(own) == count:
        yield "row by row", f"np.array([{below}(*each) for each in zip({', '.join(own)})])"
    same = [parameter for parameter in wanted if parameter in own]
    by_name = ", ".join(f"{parameter}={parameter}" for parameter in same)
    if same and same != own[:count]:
        yield "by name", f"{below}({by_name})"
    for parameter in own[:count]:
        moved = ", ".join("_at" if other == parameter else other for other in own[:count])
        yield f"slope in {parameter}", f"_slopes_of(lambda _at: {below}({moved}), {parameter})"
    for parameter in same if same != own[:count] else []:
        moved = ", ".join(f"{other}=_at" if other == parameter else f"{other}={other}" for other in same)
        yield f"slope in {parameter} by name", f"_slopes_of(lambda _at: {below}({moved}), {parameter})"


def _names(source: NotebookNode, function: str) -> list[str]:
    return _signature(source, function)[1]


def _signature(source: NotebookNode, function: str) -> tuple[str, list[str]]:
    """The parameters of a function with their defaults, as code, and their names."""
    tree = ast.parse(samples.reference_code(source, function))
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
    for argument in found.args.args:
        argument.annotation = None
    return ast.unparse(found.args), [argument.arg for argument in found.args.args]
