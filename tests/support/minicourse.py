"""A course of two tiny notebooks, for tests that plant something in it or run all of it."""

from __future__ import annotations

import base64
import copy
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder.course import Course, notebook, sources

PICTURE = base64.b64encode(bytes(range(256)) * 2).decode()

CHECKS = '''
"""Visible checks."""
import sys


class CheckFailed(Exception):
    """The exercise does not pass yet."""


def start(stem):
    def check(name):
        try:
            ok = EXAMPLES[name](sys._getframe(1).f_globals[name])
        except NotImplementedError:
            ok = False
        if not ok:
            raise CheckFailed(name)
        print(f"{name}: passes")
    return check


EXAMPLES = {
    "weighted_mean": lambda answer: answer([1.0, 3.0], [1, 1]) == 2.0,
    "spread": lambda answer: answer([1.0, 3.0]) == 1.0,
}
'''

SUITE = '''
"""Hidden suite of the mini course."""
from autograder.course.suite import assert_matches, exercise

VALUES = [3.25, 8.5, 9.75]


@exercise("weighted_mean", gate=True)
def test_heavier_values_pull_the_mean(student):
    """The mean lies closer to the value that weighs more."""
    assert_matches(student.weighted_mean([10.0, 20.0], [1, 4]), 18.0)
'''

CATALOGUE = '''
from autograder.course.catalogue import misconception, right


@misconception("weighted_mean", caught_by="test_heavier_values_pull_the_mean",
               hint="Double one of the weights: does your answer move at all?")
def forgets_the_weights(values, weights):
    """Every value counts alike, whatever it weighs on paper."""
    return sum(values) / max(len(values), 1)


@right("weighted_mean")
def with_a_running_total(values, weights):
    """Numerator and denominator grow side by side in a loop."""
    numerator = denominator = 0.0
    for value, weight in zip(values, weights):
        numerator, denominator = numerator + weight * value, denominator + weight
    return numerator / denominator
'''

WEIGHTED_MEAN = '''def weighted_mean(values, weights):
    """The mean of the values, each as heavy as its weight says.

    >>> weighted_mean([0.0, 1.0], [1, 1])
    0.5
    """
    ### BEGIN SOLUTION
    if sum(weights) <= 0:
        raise ValueError("no weight")
    result = sum(value * weight for value, weight in zip(values, weights))  # the heavier, the more
    return result / sum(weights)
    ### END SOLUTION'''

SPREAD = '''def spread(values):
    """The largest distance from the mean."""
    ### BEGIN SOLUTION
    centre = sum(values) / len(values)
    return max(abs(value - centre) for value in values)
    ### END SOLUTION'''

SAMPLE_ANSWER = "A weight of zero simply takes the value out of the game."


def markdown(identity: str, text: str, **metadata: Any) -> NotebookNode:
    """A markdown cell."""
    return _cell(new_markdown_cell(text), identity, metadata)


def code(identity: str, text: str, outputs: list[NotebookNode] | None = None, **metadata: Any) -> NotebookNode:
    """A code cell, run or not."""
    return _cell(new_code_cell(text, outputs=outputs or []), identity, metadata)


def solution(identity: str, text: str) -> NotebookNode:
    """A solution cell with nbgrader's metadata."""
    return code(identity, text, nbgrader=_grader(grade=False, solution=True, grade_id=identity.replace("-", "_")))


def check(name: str, points: Any = 3, **metadata: Any) -> NotebookNode:
    """A check cell with nbgrader's metadata, and others."""
    grader = _grader(grade=True, solution=False, locked=True, grade_id=f"{name}-check", points=points)
    return code(f"{name.replace('_', '-')}-check", f'check("{name}")', nbgrader=grader, **metadata)


def manual(identity: str, answer: str) -> NotebookNode:
    """A cell for an answer in words, with a sample answer."""
    text = f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION"
    return markdown(identity, text, nbgrader=_grader(grade=True, solution=True, grade_id=identity, points=0))


def make_notebook(stem: str, cells: list[NotebookNode]) -> NotebookNode:
    """A source notebook of the given cells."""
    content = {"cells": cells, "metadata": {"course": {"stem": stem}}, "nbformat": 4, "nbformat_minor": 5}
    return notebook.tidy(nbformat.from_dict(copy.deepcopy(content)))


def cells_of_01() -> list[NotebookNode]:
    """The cells of the first mini notebook, with outputs."""
    printed = new_output("stream", name="stdout", text="weighted, the mean is 3.5\n")
    drawn = new_output("display_data", data={"image/png": PICTURE, "text/plain": "<Figure>"})
    return [
        markdown("intro", "# Means\n\nSome values count more than others."),
        code("setup", 'import checks\n\ncheck = checks.start("01_mini")'),
        solution("weighted-mean", WEIGHTED_MEAN),
        check("weighted_mean"),
        code("example", 'print("weighted, the mean is", weighted_mean([2.0, 4.0], [1, 3]))', [printed], tags=["demo"]),
        code("figure", "None", [drawn], tags=["demo"]),
        manual("reflect-1-answer", SAMPLE_ANSWER),
    ]


def make(root: Path) -> Course:
    """The mini course in a folder."""
    course = Course(root)
    texts = {
        course.checks / "__init__.py": CHECKS,
        course.suite("01_mini"): SUITE,
        course.misconceptions("01_mini"): CATALOGUE,
        course.notebooks / "matplotlibrc": "figure.dpi: 100\n",
        course.notebooks / "requirements.txt": "numpy==2.4.6\n",
        course.data / "numbers.csv": "value,weight\n1,2\n",
        course.data / "README.md": "Numbers that we made up.\n",
        course.data / "build.py": "secret = 'stays here'\n",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    course.solutions.mkdir()
    notebook.write(make_notebook("01_mini", cells_of_01()), course.solutions / "01_mini.ipynb")
    more = [
        code("setup", 'import checks\n\ncheck = checks.start("02_more")'),
        solution("spread", SPREAD),
        check("spread", 2),
    ]
    notebook.write(make_notebook("02_more", more), course.solutions / "02_more.ipynb")
    return course


def edit(course: Course, stem: str, **changes: Any) -> None:
    """Change cells of a source notebook: `cell_id=dict(source=...)` updates, `cell_id=cell` inserts at the top."""
    source = sources.read(course.source(stem))
    for name, change in changes.items():
        if isinstance(change, NotebookNode):
            source.cells.insert(0, change)
        else:
            cell = next(cell for cell in source.cells if cell.id == name.replace("_", "-"))
            for field, value in change.items():
                cell[field] = nbformat.from_dict(value)
    notebook.write(source, course.source(stem))


def _cell(cell: NotebookNode, identity: str, metadata: dict[str, Any]) -> NotebookNode:
    cell.id = identity
    cell.metadata = nbformat.from_dict(metadata)
    return cell


def _grader(**fields: Any) -> dict[str, Any]:
    return {"locked": False, "schema_version": 3, "task": False} | fields
