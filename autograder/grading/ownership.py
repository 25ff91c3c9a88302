"""Whose a notebook is, and which one: the one rule, for `grade` and for `collect`.

From the outermost folder inwards, the first name that a platform gave tells the student; otherwise nbgrader's
`<student>/<assignment>` does, otherwise a folder or the file's name. A student chose the names further in: they are not
believed unless a person confirms them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from autograder.course import Course, notebook, sources
from autograder.course.errors import SubmissionError
from autograder.course.roster import Person
from autograder.course.text import short_line
from autograder.grading.path_clues import Clues, read_path

_UNSAFE = re.compile(r"[^\w.@+-]+")
_LONGEST_NAME = 255  # bytes: what a file system takes for a folder
_ENOUGH = 3  # functions and cells that make a notebook recognised


@dataclass(frozen=True)
class Owner:
    """Whose a notebook is: the student ("" when nothing says), the assignment, and what had to be inferred for that.

    `full_name` is the student's as a platform writes it, `number` the platform's own for the student; "" without one.
    """

    student: str
    assignment: str
    handed_in: datetime | None = None
    inferred: tuple[str, ...] = ()
    full_name: str = ""
    number: str = ""

    def is_later(self, other: Owner) -> bool:
        """Whether it is known to have been handed in after another."""
        return self.handed_in is not None and other.handed_in is not None and self.handed_in > other.handed_in

    def replaces(self, other: Owner) -> bool:
        """Whether it counts instead of one of the same student and assignment found before: it is later, or plainer."""
        if self.is_later(other) or other.is_later(self):
            return self.is_later(other)
        return len(self.inferred) < len(other.inferred)


@dataclass(frozen=True)
class Rule:
    """How a notebook is told to be somebody's.

    stems         the assignments that there are
    people        the roster; where there is one, nobody else hands in
    fingerprints  what each notebook of the course can be told by, from `fingerprints`
    assignment    what it is where nothing else says
    asks          a person confirms what was inferred. Then content outweighs names, a folder outweighs a file's name,
                  and endings of copies do not belong to a name. Without, names are taken as they are, only notebooks
                  whose names say too little are read, and a contradiction is refused.
    """

    stems: Sequence[str]
    people: Sequence[Person] = ()
    fingerprints: Mapping[str, frozenset[str]] = field(default_factory=dict)
    assignment: str | None = None
    asks: bool = False

    def owner(self, path: PurePosixPath, read: Callable[[], bytes]) -> Owner:
        """Whose the notebook at a path is; SubmissionError when it is nobody's, or of no assignment."""
        clues = read_path(path, self.stems, asks=self.asks)
        assignment, noted = self._assignment(path, clues, read)
        student, how = self._student(clues, assignment)
        inferred = (*clues.notes, *noted, *how)
        return Owner(student, assignment, clues.handed_in, inferred, clues.full_name, clues.number)

    def _assignment(self, path: PurePosixPath, clues: Clues, read: Callable[[], bytes]) -> tuple[str, list[str]]:
        named = clues.assignment or (clues.around if self.asks else None)
        name = short_line(path.name)
        renamed = PurePosixPath(clues.file).stem != named
        if not self.asks and named is not None and not (clues.in_own_folder and renamed):
            return named, []  # reading all notebooks takes time
        inside, by_what = self._inside(read())
        if named is not None and inside not in (None, named):
            if not self.asks:
                raise SubmissionError(f"It is the notebook {inside!r:.60}, but lies in the folder of {named}.")
            return str(inside), [f"it lies where {named} should be, but is {inside} by its content"]
        if by_what == "cells" or (named is None and inside in self.stems):
            return str(inside), [f"{name} was recognised as {inside} by its {by_what}"]
        if named is not None:
            return named, [f"{name} was taken for {named}.ipynb"] if renamed else []
        if self.assignment is not None:
            return self.assignment, [f"{name} was taken for {self.assignment}.ipynb, as --assignment says"]
        what_next = "Name one with --assignment" if self.asks else "Rename it to <assignment>.ipynb"
        raise SubmissionError(f"It belongs to no known assignment ({', '.join(self.stems)}). {what_next} if it does.")

    def _inside(self, content: bytes) -> tuple[str | None, str]:
        """The assignment that a notebook is by its metadata ("content") or by its cells, and by which of them."""
        parsed = notebook.parse(content, "the file")
        told = notebook.stem_of(parsed)
        if told in self.stems or not self.asks:
            return told, "content"
        code = "\n".join(cell.source for cell in parsed.cells)
        ids = {cell.id for cell in parsed.cells}
        hits = {stem: sum(mark in ids or mark in code for mark in marks) for stem, marks in self.fingerprints.items()}
        ranked = sorted(hits, key=lambda stem: -hits[stem])
        if ranked and hits[ranked[0]] >= _ENOUGH and (len(ranked) == 1 or hits[ranked[0]] >= 2 * hits[ranked[1]]):
            return ranked[0], "cells"
        return None, ""

    def _student(self, clues: Clues, assignment: str) -> tuple[str, list[str]]:
        """The student's id and what had to be inferred; SubmissionError when it is nobody on the roster."""
        if self.people:
            matches = _on_roster(clues, self.people)
            if len(matches) == 1:
                return matches[0], []
            called = clues.student or clues.full_name or clues.file
            if matches:
                raise SubmissionError(
                    f"{called!r} may be any of {', '.join(matches)}. Rename it to <id>_{assignment}.ipynb."
                )
            raise SubmissionError(
                f"There is no student {called!r} on the roster. Add the student, "
                f"or rename it to <id>_{assignment}.ipynb."
            )
        if clues.student or not clues.full_name:
            return clues.student, []
        student = folder_name(clues.full_name).strip("_.")
        return student, [f"the student is {student!r} by the platform's name; there is no roster"] if student else []


def fingerprints(course: Course) -> dict[str, frozenset[str]]:
    """What each notebook of the course can be told by: the functions that it asks for, and the ids of its cells."""
    marks = {}
    for stem in course.stems():
        source = sources.read(course.source(stem))
        functions = {name for exercise in sources.exercises(source) for name in exercise.functions}
        marks[stem] = frozenset({f"def {name}(" for name in functions} | {cell.id for cell in source.cells})
    return marks


def why_not(kept: Owner, where: str, other: Owner, done: str) -> str:
    """Why the other of two notebooks of one student and assignment is left out; the one at `where` is `done`."""
    if kept.number and other.number and kept.number != other.number:
        return (
            f"the platform has two people called {kept.full_name!r} (numbers {kept.number} and {other.number}); "
            f"{where} is {done}. Give each of them a folder of their own, <id>/{kept.assignment}/"
        )
    return f"{kept.student} has handed in {kept.assignment} twice; {where} is {done}"


def folder_name(student: str) -> str:
    """A student's name with nothing in it that a folder should not have."""
    return _UNSAFE.sub("_", student)


def check_length(student: str) -> None:
    """SubmissionError when a file system takes no folder with this name: it would stop the rest of the class."""
    if len(student.encode()) > _LONGEST_NAME:
        raise SubmissionError(f"{student[:20]!r}... is too long for a student's name. Rename the file or its folder.")


# --- Who is on the roster ---------------------------------------------------------------------------------------------


def _on_roster(clues: Clues, people: Sequence[Person]) -> list[str]:
    """The ids of those on the roster whom the clues may mean: by id, else by the platform's number, else by name."""
    by_id = [person.id for person in people if person.id == clues.student]
    by_number = [person.id for person in people if clues.user_id and person.lms_user_id == clues.user_id]
    named = _letters(clues.full_name or clues.student)
    by_name = [person.id for person in people if named and named in _ways_to_write(person)]
    return by_id or by_number or by_name


def _ways_to_write(person: Person) -> set[str]:
    first, last = person.first_name, person.last_name
    return {_letters(f"{first}{last}"), _letters(f"{last}{first}")}


def _letters(name: str) -> str:
    """The letters and digits of a name. macOS writes an umlaut as two characters: one way of writing it counts."""
    return "".join(letter for letter in unicodedata.normalize("NFC", name).casefold() if letter.isalnum())
