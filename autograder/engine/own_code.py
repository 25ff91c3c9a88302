"""What a student wrote for an exercise: the cells that define its functions, as far as they are kept in the result.

Text of anybody's is only split into lines here, and never parsed: that takes about as long as reading it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from autograder.course.model import NEXT_CELL, Exercise, ExerciseResult
from autograder.engine.assignment import Assignment
from autograder.engine.running import Cell, CellReport

LONGEST = 8000
"""Characters that are kept for one exercise: twenty times what people write."""
_LONGEST_CELL, _MOST = 40_000, 300_000  # characters that are looked at, of a cell and of all cells
_DEFINES = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_ASSIGNS = re.compile(r"(\w+)[ \t]*(?::[^=\n]{0,80})?=(?!=)(.{0,300})")
_NAMES = re.compile(r"[^\W\d]\w*")
_QUOTES = re.compile(r'"""|\'\'\'')
_DID_NOT_RUN = ("", "SyntaxError", "IndentationError", "TabError")  # kinds of errors after which nothing is defined


def with_code(
    results: Sequence[ExerciseResult], assignment: Assignment, cells: Sequence[Cell], reports: Sequence[CellReport]
) -> tuple[ExerciseResult, ...]:
    """The results, each with the student's own code of the exercise. `reports` say how cells of these ended."""
    broken = {report.id for report in reports if report.error is not None and report.error["kind"] in _DID_NOT_RUN}
    own = _Cells(assignment.without_optional([*cells]), broken)
    exercises = {exercise.name: exercise for exercise in assignment.exercises}
    return tuple(replace(one, code=own.of(exercises[one.name], assignment.stubs)) for one in results)


class _Cells:
    """A student's cells, and what each of them defines."""

    def __init__(self, cells: Sequence[Cell], broken: Collection[str]) -> None:
        self._cells, self._broken = cells, broken
        self._definitions: dict[str, list[tuple[int, str]]] = {}
        room = _MOST
        for at, cell in enumerate(cells):
            text = cell.source[: min(_LONGEST_CELL, room)]
            room -= len(text)
            for name, value in _definitions(text):
                self._definitions.setdefault(name, []).append((at, value))

    def of(self, exercise: Exercise, stubs: Mapping[str, str]) -> str:
        """The code of an exercise: the cells in order, without stubs that are as they were handed out."""
        places = sorted({at for function in exercise.functions for at in self._places(function)})
        given = {stubs[function].strip() for function in exercise.functions if function in stubs}
        sources = [self._cells[at].source.strip("\n").rstrip() for at in places]
        return _cut(NEXT_CELL.join(source for source in sources if source.strip() not in given))

    def _places(self, function: str) -> Iterator[int]:
        """The cell that defines a function when all is run, and what that definition is made of.

        The last definition counts. Where it gives another function its name, that one is shown, too. Where there is
        no definition, what stands in the place of the stub is.
        """
        found = self._last(function)
        if found is None:
            wanted = function.replace("_", "-")
            yield from [at for at, cell in enumerate(self._cells) if cell.id == wanted][-1:]
            return
        at, value = found
        yield at
        for name in list(dict.fromkeys(_NAMES.findall(value)))[:_MOST_NAMES]:
            made_of = self._last(name, before=at)
            if made_of is not None:
                yield made_of[0]

    def _last(self, name: str, before: int | None = None) -> tuple[int, str] | None:
        """The last definition of a name: if possible one in a cell that has run."""
        found = [one for one in self._definitions.get(name, ()) if before is None or one[0] < before]
        run = [one for one in found if self._cells[one[0]].id not in self._broken]
        return (run or found)[-1] if found else None


_MOST_NAMES = 10


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """The names that a cell defines outside functions and classes, and what each is set to, if it is assigned."""
    inside: list[int] = []  # how far the functions and classes are indented that a line is in
    quote = ""  # what ends the text over several lines that a line is in
    for line in text.splitlines():
        code = line.lstrip()
        if not quote and code and not code.startswith("#"):
            indent = len(line) - len(code)
            while inside and inside[-1] >= indent:
                inside.pop()
            if defined := _DEFINES.match(code):
                if not inside:
                    yield defined[1], ""
                inside.append(indent)
            elif not indent and (assigned := _ASSIGNS.match(code)):  # indented, it may be an argument of a long call
                yield assigned[1], assigned[2]
        for mark in _QUOTES.findall(line):
            quote = "" if quote == mark else quote or mark


def _cut(code: str) -> str:
    return code if len(code) <= LONGEST else f"{code[:LONGEST].rstrip()}\n# … cut"
