"""Sample submissions, made from a source notebook: the reference, the untouched stub, and any mixture of answers."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from nbformat import NotebookNode

from autograder.course import sources
from autograder.course.catalogue import Answer


def reference(source: NotebookNode) -> NotebookNode:
    """A submission in which every exercise is answered as in the source."""
    return answered(source, {})


def untouched(source: NotebookNode, answers: Mapping[str, str] | None = None) -> NotebookNode:
    """A submission in which only the functions in `answers` (name to code) are filled in."""
    return answered(source, {**sources.stubs(source), **(answers or {})})


def answered(source: NotebookNode, answers: Mapping[str, str]) -> NotebookNode:
    """A submission with the source's answers, except for the functions in `answers` (name to code)."""
    submission = copy.deepcopy(source)
    for cell in submission.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        function = sources.function_of(cell)
        if function is not None and function in answers:
            cell.source = answers[function]
    return submission


def reference_code(source: NotebookNode, function: str) -> str:
    """The code of the cell in which the source answers a function."""
    return next(str(cell.source) for cell in source.cells if sources.function_of(cell) == function)


def with_answer(source: NotebookNode, answer: Answer) -> NotebookNode:
    """A submission with the source's answers, except for this one from the catalogue."""
    return answered(source, {answer.function: answer.source()})
