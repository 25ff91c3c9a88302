"""What a notebook asks, loaded once: its exercises, visible checks, known answers, and the cells of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.course import Course, catalogue, notebook, sources
from autograder.course.catalogue import Catalogue
from autograder.course.errors import SuiteError
from autograder.course.kinds import Kind
from autograder.course.model import Exercise
from autograder.engine.running import Cell


class VisibleCheck(Protocol):
    """A check that students have, too (`checks.checking.Check`)."""

    @property
    def exercise(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def stressed(self) -> bool: ...

    def run(self, student: Any) -> None:
        """Raise an AssertionError when an answer is wrong."""


@dataclass(frozen=True)
class Assignment:
    """What a notebook asks, and everything that its answers are measured with."""

    stem: str
    exercises: tuple[Exercise, ...]
    optional_cells: frozenset[str]
    known_ids: frozenset[str]
    visible: tuple[VisibleCheck, ...]
    catalogue: Catalogue
    reference: tuple[Cell, ...]
    answers: Mapping[str, str]
    """The code of the cell in which the reference answers each function."""
    stubs: Mapping[str, str]
    """The code of each function's cell as students get it."""

    def without_optional(self, cells: list[Cell]) -> list[Cell]:
        """The cells that marks can depend on: all but the demonstrations and check cells that nobody changed."""
        return [cell for cell in cells if cell.source.strip() not in self.optional_cells]


def load_assignment(course: Course, stem: str) -> Assignment:
    """The assignment of a stem; an author's mistake in its source is an error here, before anything is graded."""
    from checks import checking  # the course's own package: whoever calls this has put notebooks/ on the path

    source = sources.read(course.source(stem))
    return Assignment(
        stem,
        sources.exercises(source),
        frozenset(sources.demo_cells(source) | sources.check_cells(source)),
        frozenset(cell.id for cell in source.cells),
        _known_kinds(stem, tuple(checking.load(stem))),
        catalogue.read(course.misconceptions(stem)),
        tuple(Cell(id, text) for id, text in notebook.code_cells(source)),
        {name: str(cell.source) for cell in source.cells if (name := sources.function_of(cell)) is not None},
        sources.stubs(source),
    )


def _known_kinds(stem: str, visible: tuple[VisibleCheck, ...]) -> tuple[VisibleCheck, ...]:
    """The visible checks, each of a kind that has a price."""
    for check in visible:
        if check.kind not in tuple(Kind):
            raise SuiteError(
                f"The visible check {check.name!r} of {stem} is of the kind {check.kind!r}. "
                f"Kinds are: {', '.join(Kind)}."
            )
    return visible
