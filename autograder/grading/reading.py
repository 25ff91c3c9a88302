"""Results, read from where they lie: those that can be used, and what cannot, with the reason.

Nobody gets the first without the second: a class of which a part cannot be read must not look whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import codec, files
from autograder.course.codec import CodecError
from autograder.course.errors import UsageError
from autograder.course.limits import MIB
from autograder.course.model import ExerciseResult, Reply, Result, Verdict
from autograder.course.text import short_line
from autograder.grading import store

_LARGEST = 16 * MIB  # of a document; those that `grade` writes are bounded far below


@dataclass(frozen=True)
class Unreadable:
    """Something that lies where a result should be, and cannot be used as one."""

    path: Path
    reason: str
    """As a clause that goes on after a colon."""
    student: str
    """Whose result should be there."""
    assignment: str | None
    """None where it is all that the student has."""

    @property
    def where(self) -> str:
        """The path as it can be shown, whatever bytes it has."""
        return shown(str(self.path))

    @property
    def words(self) -> str:
        """What is wrong, and where."""
        return f"{self.where} cannot be read as a result: {self.reason}."


@dataclass(frozen=True)
class Found:
    """What lies in a folder of results; it is no list, so that nobody goes through it and forgets a part."""

    _results: tuple[Result, ...]
    unreadable: tuple[Unreadable, ...] = ()

    def apart(self) -> tuple[tuple[Result, ...], tuple[Unreadable, ...]]:
        """The results by assignment and student, and what could not be read: whoever wants one is given both."""
        return self._results, self.unreadable

    @property
    def keys(self) -> list[tuple[str, str | None]]:
        """Student and assignment of all that is there, readable or not; None where it is all that a student has."""
        read = [(result.student, result.assignment) for result in self._results]
        return [*read, *((one.student, one.assignment) for one in self.unreadable)]

    def __bool__(self) -> bool:
        return bool(self._results or self.unreadable)


def read(path: Path) -> Result | Unreadable | None:
    """The result in a file, or why there is none; None where nothing is."""
    return _read(path, _whole)


def in_folder(folder: Path, assignment: str | None = None) -> Found:
    """All results that lie in a folder, or those of one assignment."""
    return _all(folder, _whole, assignment)


def outlines(folder: Path) -> Found:
    """All results that lie in a folder without their checks, faults and repairs: ten times as quick."""
    return _all(folder, _without_checks)


def in_the_way(path: Path) -> str:
    """What keeps a result from being written to this path, as a clause; empty where nothing does."""
    if path.is_dir() and not path.is_symlink():
        return f"there is a folder in its place, {shown(str(path))}"
    if os.path.lexists(path.parent) and not path.parent.is_dir():
        return f"{shown(str(path.parent))} is not a folder"
    return ""


def counted(unreadable: Sequence[Unreadable]) -> str:
    """How much could not be read, as the beginning of a sentence; empty where everything could be."""
    if not unreadable:
        return ""
    return "1 result cannot be read" if len(unreadable) == 1 else f"{len(unreadable)} results cannot be read"


def told(unreadable: Sequence[Unreadable], again: str) -> list[str]:
    """What could not be read, a line for each, and what to do next; `again` is the command that grades."""
    if not unreadable:
        return []
    one = len(unreadable) == 1
    return [
        *(entry.words for entry in unreadable),
        f"{counted(unreadable)}, and nothing here counts what is in {'it' if one else 'them'}. Grade again, and "
        f"{'it is' if one else 'they are'} made anew: {again}",
        "What has no submission any more, or is no result, move to another folder.",
    ]


def shown(text: str) -> str:
    """The name of a file as it can be shown, whatever bytes it has."""
    return short_line(os.fsencode(text).decode(errors="backslashreplace"))


# --- Where results are ------------------------------------------------------------------------------------------------


def _all(folder: Path, decoded: Callable[[bytes], Result], assignment: str | None = None) -> Found:
    results, unreadable = list[Result](), list[Unreadable]()
    for place in _places(folder / "results"):
        if isinstance(place, Path) and assignment not in (None, place.stem):
            continue
        one = place if isinstance(place, Unreadable) else _read(place, decoded)
        if isinstance(one, Unreadable):
            unreadable.append(one)
        elif one is not None:
            results.append(one)
    results.sort(key=lambda result: (result.assignment, result.student))
    return Found(tuple(results), tuple(unreadable))


def _places(folder: Path) -> Iterator[Path | Unreadable]:
    """The documents below a folder, by student and assignment, and the students whose folder cannot be looked into.

    Hidden files are not ours: systems and editors leave them.
    """
    try:
        students = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(
            f"{shown(str(folder))} cannot be looked into: {error.strerror}. Name a folder that `autograder grade` has "
            "written, and that you may read."
        ) from None
    for student in students:
        try:
            names = sorted(name for name in os.listdir(student) if name.endswith(".json") and not name.startswith("."))
        except OSError as error:
            if not student.name.startswith("."):
                yield Unreadable(student, _not_a_folder(student, error), shown(student.name), None)
            continue
        yield from (student / name for name in names)


def _not_a_folder(path: Path, error: OSError) -> str:
    if isinstance(error, NotADirectoryError):
        return "it is not the folder of a student"
    return "it is a link to nothing" if isinstance(error, FileNotFoundError) else _said(error)


# --- One document -----------------------------------------------------------------------------------------------------


def _read(path: Path, decoded: Callable[[bytes], Result]) -> Result | Unreadable | None:
    try:
        result = decoded(_content(path))
        if (result.student, result.assignment) == (path.parent.name, path.stem):
            return result
        reason = f"it is the result of another submission ({result.student!r:.100}, {result.assignment!r:.100})"
    except FileNotFoundError:
        if not os.path.lexists(path):
            return None
        reason = "it is a link to nothing"
    except OSError as error:
        reason = _said(error)
    except CodecError as error:
        reason = str(error)
    return Unreadable(path, reason, shown(path.parent.name), shown(path.stem))


def _content(path: Path) -> bytes:
    with files.open_regular(path, links=True) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise CodecError(f"it has more than {_LARGEST // MIB} MB, and no result is as large as that")
    if not content.strip():
        raise CodecError("it is empty")
    return content


def _said(error: OSError) -> str:
    if isinstance(error, files.NotAFileError):
        return "it is not a file"
    return f"the system says “{error.strerror or error}”"


def _whole(content: bytes) -> Result:
    return store.from_json(_plain(content, dict[str, Any]))


def _plain(content: bytes, kind: type[Any]) -> Any:
    """The content of a document as this type; CodecError, in a clause, for anything else."""
    try:
        return codec.decode(content, kind)
    except CodecError as error:
        said = str(error)
    if said == "Input data was truncated":
        raise CodecError("it breaks off in the middle") from None
    if said.startswith(("JSON is malformed", "'utf-8'")):
        raise CodecError(f"it is not JSON ({said.removeprefix('JSON is malformed: ')})") from None
    raise CodecError(store.in_words(said)) from None


@dataclass(frozen=True)
class _ExerciseOutline:
    """What is read of an exercise without its checks, which are most of a document."""

    name: str
    score: float
    points: int
    verdict: Verdict
    misconception: str | None = None
    question: str | None = None
    followed_through: bool = False
    relation: str | None = None
    more: bool = False
    behaviour: str = ""
    code: str = ""
    reply: Reply | None = None


@dataclass(frozen=True)
class _Outline:
    student: str
    assignment: str
    isolation: str
    exercises: tuple[_ExerciseOutline, ...]
    ungraded: str | None = None
    version: Any = 1
    score: Any = None
    max_score: Any = None
    status: Any = None


def _without_checks(content: bytes) -> Result:
    outline: _Outline = _plain(content, _Outline)
    exercises = tuple(ExerciseResult(checks=(), **vars(exercise)) for exercise in outline.exercises)
    result = Result(outline.student, outline.assignment, outline.isolation, exercises, ungraded=outline.ungraded)
    store.require_version(outline.version)
    store.require_sums(result, outline.version, outline.score, outline.max_score, outline.status)
    return result
