"""The verb `collect`: from a platform's download, nbgrader's exchange or any folder into a course's `submitted/`.

Whose a notebook is, and which one, says `autograder.grading.ownership`. What had to be inferred is listed, and written
only when a person has confirmed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from autograder.classroom import zips
from autograder.course import Course, files, policy, roster
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.text import short_line
from autograder.grading.ownership import Owner, Rule, check_length, fingerprints, folder_name, why_not
from autograder.grading.places import NotebookFile, Skipped
from autograder.grading.submissions import unusable
from autograder.nbgrader_bridge.folder import CourseFolder, read_timestamp
from autograder.sandbox import temporary


@dataclass(frozen=True)
class Piece:
    """A notebook that is to be collected: whose and which, from where, and its bytes."""

    owner: Owner
    where: str
    content: bytes


@dataclass(frozen=True)
class Collection:
    """What `collect` found, and what it did with it: a line for each piece that was written, or would be."""

    pieces: tuple[Piece, ...]
    skipped: tuple[Skipped, ...]
    written: tuple[str, ...] = ()
    waiting: bool = False


def collect(course: Course, place: Path, root: Path, *, stem: str | None = None, confirmed: bool = False) -> Collection:
    """Find the notebooks in a place and put them into `submitted/` of an nbgrader course.

    `stem` says which assignment they are where nothing else does. Nothing is written while something is inferred and
    not confirmed. A file that is there already is replaced by one that was handed in later, never by an older one.
    """
    target = CourseFolder.at(root)
    stems = course.stems()
    if stem is not None:
        course.source(stem)
    rules = policy.load(target.policy, stems)
    limits = rules.limits or policy.limits(course)
    rule = Rule(stems, roster.read(rules), fingerprints(course), stem, asks=True)
    seen: list[PurePosixPath] = []
    skipped: list[Skipped] = []
    with temporary.folder("collect") as folder:
        found = zips.notebooks(place, limits.notebook_bytes, stems, folder, seen, skipped)
        pieces, refused = recognised(found, rule, time=lambda file: _timestamp(place, file))
    if not seen:
        why = "".join(short_line(f" {entry.where}: {entry.reason}") for entry in skipped[:1])
        raise UsageError(
            f"There is no notebook in {place}. Name the folder or the zip that the learning platform gave you.{why}"
        )
    listed = (*skipped, *refused)
    listed = (*listed, *zips.without_notebook(place, seen, stems, {entry.where for entry in listed}))
    waiting = any(piece.owner.inferred for piece in pieces) and not confirmed
    written = () if waiting else tuple(_put(target, piece) for piece in pieces)
    return Collection(tuple(pieces), listed, written, waiting)


def recognised(
    found: Iterable[NotebookFile], rule: Rule, *, time: Callable[[NotebookFile], datetime | None] = lambda file: None
) -> tuple[list[Piece], list[Skipped]]:
    """The notebooks by student and assignment, each once, and those that belong to nobody or to no assignment.

    `time` says when a notebook was handed in that does not say so by its name.
    """
    best: dict[tuple[str, str], Piece] = {}
    skipped: list[Skipped] = []
    for file in found:
        try:
            piece = _piece(file, rule, time(file))
        except SubmissionError as error:
            skipped.append(unusable(file.where, error))
            continue
        key = (piece.owner.student, piece.owner.assignment)
        if (rival := best.get(key)) is not None:
            piece, left_out = _one_of(rival, piece)
            skipped.append(left_out)
        best[key] = piece
    return [best[key] for key in sorted(best)], skipped


def _one_of(rival: Piece, piece: Piece) -> tuple[Piece, Skipped]:
    """The one of two that is taken, and why the other one is not."""
    kept, other = (piece, rival) if piece.owner.replaces(rival.owner) else (rival, piece)
    if kept.content == other.content:
        return kept, Skipped(other.where, f"it is the same as {kept.where}")
    which = "later" if kept.owner.is_later(other.owner) else "plainer"
    left_out = Skipped(other.where, why_not(kept.owner, kept.where, other.owner, "taken"))
    return _with(kept, f"of two files the {which} one was taken, not {other.where}"), left_out


def _with(piece: Piece, words: str) -> Piece:
    return replace(piece, owner=replace(piece.owner, inferred=(*piece.owner.inferred, words)))


def _piece(file: NotebookFile, rule: Rule, time: datetime | None) -> Piece:
    content = file.read()
    owner = rule.owner(file.path, lambda: content)
    inferred = [file.doubt] if file.doubt else []
    if owner.full_name and owner.handed_in is None and time is not None:
        inferred.append(
            f"handed in on {time:%Y-%m-%d %H:%M} UTC as the timestamp.txt beside it says: "
            "did you write it, or the student?"
        )
    student = owner.student
    if not rule.people:
        if not student or student.startswith("."):
            raise SubmissionError(f"Nothing says whose it is. Rename it to <student>_{owner.assignment}.ipynb.")
        student = folder_name(student)
        check_length(student)
        if student != owner.student:
            inferred.append(f"the student {owner.student!r} is called {student!r}, because it is a folder's name")
    inferred = [*owner.inferred, *inferred]
    owner = replace(owner, student=student, handed_in=owner.handed_in or time, inferred=tuple(inferred))
    return Piece(owner, file.where, content)


def _timestamp(place: Path, file: NotebookFile) -> datetime | None:
    """When a notebook was handed in, if a timestamp.txt beside it says so."""
    return read_timestamp(Path(file.where).with_name("timestamp.txt"), place) if place.is_dir() else None


def _put(target: CourseFolder, piece: Piece) -> str:
    """Write a piece to its place in the course, unless what is there is as good or newer; in words, what was done."""
    student, assignment, handed_in = piece.owner.student, piece.owner.assignment, piece.owner.handed_in
    folder = target.submission(assignment, student)
    path = folder / f"{assignment}.ipynb"
    about = f"{student}/{assignment}"
    contents = {path: piece.content}
    if handed_in is not None:
        contents[folder / "timestamp.txt"] = f"{handed_in:%Y-%m-%d %H:%M:%S.%f} UTC\n".encode()
    there = path.read_bytes() if path.is_file() else None
    before = target.handed_in(assignment, student)
    if there is not None and before is not None and handed_in is not None and handed_in < before:
        return f"{about}: kept, because {piece.where} is older"
    if there == piece.content and (handed_in is None or handed_in == before):
        return f"{about}: unchanged"
    files.replace_all(contents)
    if there is None or handed_in:
        return f"{about}: {'collected' if there is None else 'replaced by what was handed in later'}"
    kept = (
        f"; its timestamp.txt still says {before:%Y-%m-%d %H:%M} UTC: correct it if this one came later"
        if before
        else ""
    )
    return f"{about}: replaced{kept}"


def told(collection: Collection, place: Path) -> str:
    """What was found, for a person."""
    lines = [f"skipped   {entry.where}: {entry.reason}" for entry in collection.skipped]
    for owner in (piece.owner for piece in collection.pieces):
        lines += [f"inferred  {owner.student}/{owner.assignment}: {words}" for words in owner.inferred]
    lines += list(collection.written)
    count = f"{len(collection.pieces)} notebook{'' if len(collection.pieces) == 1 else 's'}"
    if collection.waiting:
        lines.append(f"{count} found in {place}. Nothing was written: look at what was inferred, then add --yes.")
    else:
        lines.append(f"{count} collected from {place}.")
    return "\n".join(short_line(line) for line in lines)
