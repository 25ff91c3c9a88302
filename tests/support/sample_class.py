"""A class to grade: a copy of the course with its first notebook, submissions made from it, and short limits."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course import Course, notebook, sources
from autograder.course.limits import MIB, Limits
from autograder.sandbox import isolation
from autograder.validity import samples

STEM = "01_bayes_rule"
REPOSITORY = Course.default()

# Honest notebooks need a small part of this, even beside other tests; what is hostile should not keep us waiting.
SHORT = Limits(
    cell_seconds=5.0,
    call_seconds=3.0,
    submission_seconds=60.0,
    cpu_seconds=20,
    memory_bytes=256 * MIB,
    threads=32,
    file_bytes=4 * MIB,
    disk_bytes=16 * MIB,
    open_files=64,
    output_bytes=64 * 1024,
    figure_bytes=1 * MIB,
    outputs_bytes=4 * MIB,
    reply_bytes=16 * MIB,
    stand_in_calls=500,
    stand_in_bytes=32 * MIB,
)


def copy_course(root: Path, stems: Sequence[str] = (STEM,)) -> Course:
    """The course of this repository in another place, with the given notebooks only: tests may change it at will."""
    course = Course(root)
    shutil.copytree(
        REPOSITORY.checks, course.checks, ignore=shutil.ignore_patterns("__pycache__", "exercises", "practice")
    )
    shutil.copytree(REPOSITORY.data, course.data, ignore=shutil.ignore_patterns("build.py", "__pycache__"))
    shutil.copy(REPOSITORY.notebooks / "matplotlibrc", course.notebooks)
    exercises = REPOSITORY.checks / "exercises"
    own = [(exercises / "__init__.py", course.checks / "exercises" / "__init__.py")]
    for stem in stems:
        own += [
            (REPOSITORY.source(stem), course.solutions / f"{stem}.ipynb"),
            (exercises / f"{stem}.py", course.checks / "exercises" / f"{stem}.py"),
            (REPOSITORY.suite(stem), course.suite(stem)),
            (REPOSITORY.misconceptions(stem), course.misconceptions(stem)),
        ]
    for origin, target in own:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(origin, target)
    return course


@cache
def source_of(course: Course, stem: str = STEM) -> NotebookNode:
    """The source notebook of a course."""
    return sources.read(course.source(stem))


@dataclass(frozen=True)
class Work:
    """What a student wrote: answers by function (None: the reference's), and cells put in after another one."""

    answers: Mapping[str, str | None]
    inserted: Mapping[str, Sequence[str]]

    def notebook(self, source: NotebookNode) -> NotebookNode:
        """The submission: stubs, apart from what was written."""
        right = {sources.function_of(cell): cell.source for cell in source.cells if sources.function_of(cell)}
        filled = {name: right[name] if answer is None else answer for name, answer in self.answers.items()}
        submission = copy.deepcopy(samples.untouched(source, filled))
        for after, texts in self.inserted.items():
            at = next(number for number, cell in enumerate(submission.cells, start=1) if cell.id == after)
            new = [new_code_cell(text, id=f"added-{after}-{number}") for number, text in enumerate(texts, start=1)]
            submission.cells[at:at] = new
        return submission


def work(inserted: Mapping[str, Sequence[str]] | None = None, **answers: str | None) -> Work:
    """Some work: `work(posterior=None)` has the reference's answer for one exercise, and stubs for the others."""
    return Work(answers, inserted or {})


def hand_in(folder: Path, student: str, submission: NotebookNode | bytes, stem: str = STEM) -> Path:
    """Put a submission where nbgrader would."""
    path = folder / student / stem / f"{stem}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(submission if isinstance(submission, bytes) else notebook.dumps(submission))
    return path


def documents(folder: Path) -> dict[str, bytes]:
    """Everything that a run has written, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def assert_same(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """Fail unless the documents are the same byte by byte, and name the first line that differs."""
    assert found.keys() == expected.keys(), f"only one side has {sorted(found.keys() ^ expected.keys())}"
    for name in expected:
        for ours, theirs in zip_longest(found[name].splitlines(), expected[name].splitlines()):
            assert ours == theirs, f"{name} has {ours!r}, not {theirs!r}"


@cache
def problem_with(mode: str) -> str:
    """Why this machine cannot offer a kind of isolation; empty when it can."""
    return isolation.attempt(mode, checks=REPOSITORY.checks, data=REPOSITORY.data, suites=REPOSITORY.suites).problem


def need(mode: str) -> str:
    """The kind of isolation, or a skipped test where the machine lacks it."""
    if problem := problem_with(mode):
        pytest.skip(f"{mode} isolation is not available here: {problem}")
    return mode
