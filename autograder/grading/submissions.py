"""What was handed in: the notebooks of a place by student and assignment, and why others are not among them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.course.errors import AutograderError, SubmissionError, UnreadError, UsageError
from autograder.course.text import STEERING
from autograder.grading import places
from autograder.grading.ownership import Owner, Rule, check_length, why_not
from autograder.grading.places import NotebookFile, Skipped

_NOT_A_NAME = re.compile(rf"^\.|[/\\\x00-\x1f{STEERING}]|^$")  # what steers a terminal is not a letter
_NOBODY = "student"  # whose a single notebook is that says nothing


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in. Its bytes are read only when they are needed."""

    student: str
    assignment: str
    where: str
    read: Callable[[], bytes]
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class HandedIn:
    """Everything found in one place; `missing` are the students and assignments with a folder but no notebook."""

    submissions: tuple[Submission, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[tuple[str, str], ...]


def find(place: Path, stems: Sequence[str], *, limit: int) -> HandedIn:
    """The submissions in a folder, a zip, or the single notebook that `place` is.

    Layouts are nbgrader's, a flat folder's, and those of downloads from Moodle, Canvas and nbgrader's exchange: see
    `ownership`. Nobody is asked: what had to be inferred is a repair. `limit` bounds the bytes of one notebook.
    """
    found: dict[tuple[str, str], tuple[Owner, NotebookFile]] = {}
    skipped: list[Skipped] = []
    folders: dict[str, set[str]] = {}
    paths: list[PurePosixPath] = []
    rule = Rule(stems)
    for file in places.notebooks(place, skipped, limit=limit, folders=folders):
        file = replace(file, read=_Steady(file.read))
        try:
            owner = _named(rule.owner(file.path, file.read), file.path, stems)
        except SubmissionError as error:
            skipped.append(unusable(file.where, error))
            continue
        paths.append(file.path)
        one, other = (owner, file), found.get((owner.student, owner.assignment))
        if other is not None:
            one, other = (one, other) if owner.replaces(other[0]) else (other, one)
            skipped.append(Skipped(other[1].where, why_not(one[0], one[1].where, other[0], "graded")))
        found[owner.student, owner.assignment] = one
    missing = _missing(folders, found, paths, stems)
    holding = {student for student, _ in (*found, *missing)} | {path.parts[0] for path in paths}
    empty = sorted(set(folders) - holding)
    skipped += [Skipped(folder, "this student's folder holds no notebook") for folder in empty]
    if not found and not skipped and not missing:
        raise UsageError(
            f"There is no notebook in {place}. Expected <student>/<assignment>/<assignment>.ipynb, or files *.ipynb."
        )
    submissions = [
        Submission(student, assignment, file.where, file.read, owner.inferred)
        for (student, assignment), (owner, file) in sorted(found.items(), key=lambda item: item[0])
    ]
    return HandedIn(tuple(submissions), tuple(skipped), tuple(missing))


def unusable(where: str, error: AutograderError) -> Skipped:
    """What to say of something that was handed in and cannot be used."""
    return Skipped(where, str(error), ours=isinstance(error, UnreadError))


@dataclass
class _Steady:
    """Reads a notebook. Whoever reads it again gets the same bytes, or an UnreadError.

    By what was read first, it was told whose it is and which assignment.
    """

    read: Callable[[], bytes]
    digest: bytes = field(default=b"", init=False)

    def __call__(self) -> bytes:
        content = self.read()
        before, self.digest = self.digest, hashlib.sha256(content).digest()
        if before not in (b"", self.digest):
            raise UnreadError("It has changed since this run began. Run the same command again.")
        return content


def _named(owner: Owner, path: PurePosixPath, stems: Sequence[str]) -> Owner:
    """The owner with a name that a folder of results can have; SubmissionError when theirs is none."""
    folders = path.parts[:-1]
    otherwise = next((folder for folder in reversed(folders) if folder not in stems), (_NOBODY, *folders)[-1])
    student = owner.student or otherwise
    if _NOT_A_NAME.search(student):
        raise SubmissionError(f"{student!r:.60} cannot be a student's name. Rename the file or its folder.")
    check_length(student)
    return replace(owner, student=student)


def _missing(
    folders: Mapping[str, set[str]],
    found: Collection[tuple[str, str]],
    paths: Sequence[PurePosixPath],
    stems: Sequence[str],
) -> list[tuple[str, str]]:
    """The folders `<student>/<assignment>` that no notebook was found in, and of which there is none elsewhere."""
    used = {*found, *(path.parts[:2] for path in paths)}
    expected = [(student, name) for student, inside in sorted(folders.items()) for name in sorted(inside & set(stems))]
    return [pair for pair in expected if pair not in used]
