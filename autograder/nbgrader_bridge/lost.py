"""A gradebook that is gone: refused before anything makes an empty one in its place, with the way back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.course.errors import GradebookError
from autograder.nbgrader_bridge import connecting, copies, gradebook
from autograder.nbgrader_bridge.folder import CourseFolder
from autograder.nbgrader_bridge.gradebook import Book

_STRUCTURE = ("assignment",)


@contextmanager
def opened_existing(place: CourseFolder) -> Iterator[Book]:
    """The gradebook of a course that has one; a GradebookError where there is none, or it is lost."""
    refuse_lost(place)
    file = connecting.file_of(place.gradebook)
    if file is not None and not file.exists():
        raise GradebookError(
            f"There is no gradebook {file}. `autograder course {shlex.quote(str(place.root))}` makes one."
        )
    with gradebook.opened(place.gradebook, place.course_id) as book:
        yield book


def refuse_lost(place: CourseFolder) -> None:
    """A GradebookError when there was a gradebook, as the course's folders show, and it is gone or empty.

    Who deletes it and then looks at the course in formgrader has an empty one: nbgrader makes it without a word.
    """
    signs = _signs(place)
    if not signs or connecting.holds(place.gradebook, _STRUCTURE):
        return
    file = connecting.file_of(place.gradebook)
    what = connecting.named(place.gradebook)
    if file is not None and not file.exists():
        what = f"There is no gradebook {file}, but there"
    else:
        what = f"{what} is empty, and there"
    course = shlex.join(["autograder", "course", str(place.root), *_assignments(place), "--new-gradebook"])
    back = "Put back what you have kept of its database." if file is None else copies.how_to_put_back(file)
    raise GradebookError(
        f"{what} was one with grades: see {_listed(signs)}. The grades in it are missing, among them all that were "
        f"given by hand. `{course}` makes an empty one, without any of them. {back}"
    )


def _assignments(place: CourseFolder) -> list[str]:
    """The assignments that the course has sources of."""
    folder = place.source(".")
    return sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []


def _signs(place: CourseFolder) -> list[Path]:
    """What is there only if there has been a gradebook with grades."""
    file = connecting.file_of(place.gradebook)
    folders = [
        place.root / str(place.coursedir.autograded_directory),
        place.root / str(place.coursedir.feedback_directory),
    ]
    signs = [folder for folder in (*folders, place.graded / "results") if _has_something(folder)]
    if file is not None and copies.existing(file):
        signs.append(copies.folder(file))
    return signs


def _listed(signs: list[Path]) -> str:
    return " and ".join(filter(None, [", ".join(map(str, signs[:-1])), str(signs[-1])]))


def _has_something(folder: Path) -> bool:
    try:
        return any(not one.name.startswith(".") for one in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return False
