"""What a path says about whose a file is: the names that Moodle, Canvas and nbgrader give, and their layouts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from autograder.course.errors import SubmissionError
from autograder.course.text import short_line

_STEPS = ("archive", "extracted", "downloaded", "inbound", "submitted")  # nbgrader's own folders are nobody's
_MOODLE = re.compile(
    r"(?P<name>[^_]+(?:_[^_\d][^_]*)*)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)"
)
_CANVAS = re.compile(
    r"(?P<name>[^\W\d_][^\W_]*(?:-[^\W_]+)*)_(?P<late>LATE_)?(?P<number>\d+)_(?P<submission>\d+)_(?P<file>.+)"
)
_EXCHANGE = re.compile(
    r"(?P<student>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(?:\+[^+]*)?"
)
_ATTEMPT = re.compile(r"(?P<before>.*?)_(?P<student>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.*))?")
# The ends of copies' names (" - Copy 2", "_final", "(1)", "-2"), read backwards: forwards, a name can be split in too
# many ways to try.
_COPY = re.compile(r"(?:(?:\d*\s*ypoc|lanif|\)\d+\(|\d+-)[ _-]*)+", re.IGNORECASE)
_SEPARATORS = " _-.()"


@dataclass
class Clues:
    """What the folders and the name of a file say about it.

    number      the platform's own for the student; only Canvas shows it elsewhere, too: there it is the `user_id`
    assignment  by the folder `<student>/<assignment>` or by the file's name
    around      the assignment that another folder is named after
    file        the name that the student gave the file
    """

    student: str = ""
    full_name: str = ""
    number: str = ""
    user_id: str = ""
    assignment: str | None = None
    around: str | None = None
    file: str = ""
    handed_in: datetime | None = None
    in_own_folder: bool = False
    notes: list[str] = field(default_factory=list)

    def identity(self, path: PurePosixPath) -> str:
        """What is the same for all files of one student."""
        return self.number or self.full_name or self.student or str(path)


def read_path(path: PurePosixPath, stems: Sequence[str], *, asks: bool) -> Clues:
    """What a path says. SubmissionError when nobody is asked and it lies deeper than `<student>/<assignment>/`."""
    folders, name = path.parts[:-1], path.name
    own = own_folder(folders, stems)
    by_name = next((stem for stem in stems if stem in name), None)
    around = next((folder for folder in reversed(folders) if folder in stems), None)
    clues = Clues(assignment=by_name if own is None else folders[own], around=around, file=name)
    clues.in_own_folder = own is not None
    for place, part in enumerate(path.parts):
        inside = own is not None and place > own
        if inside and not asks:
            break
        # Canvas names files. A student's id may look like one, where nobody is asked or in nbgrader's layout.
        is_id = part != name and (not asks or (place + 1 == own and not part.lower().endswith(".zip")))
        if _read_platform(clues, part, name, stems, canvas=not is_id):
            if inside or not asks:
                clues.notes += _read_inside(part, folders[:place] if own is None else folders[: own + 1], stems)
            return clues
    if own is not None and not asks and own < len(folders) - 1:
        raise SubmissionError(
            "It lies deeper than <student>/<assignment>/. Move it there, or name the folder around the students' own."
        )
    if (match := _ATTEMPT.fullmatch(PurePosixPath(name).stem)) and (asks or own is None):
        if own is not None or not asks:
            clues.notes += _read_inside(name, folders if own is None else folders[: own + 1], stems)
        clues.student, clues.handed_in = match["student"], _moment(match["time"])
        clues.file = f"{match['file'] or by_name or ''}.ipynb"
        return clues
    _read_plain(clues, folders, own, stems, asks=asks)
    return clues


def is_a_platforms(path: PurePosixPath) -> bool:
    """Whether a platform gave a part of a path its name."""
    return any(pattern.fullmatch(part) for pattern in (_MOODLE, _EXCHANGE, _CANVAS) for part in path.parts)


def is_canvas(name: str) -> bool:
    """Whether Canvas gave a file its name."""
    return _CANVAS.fullmatch(name) is not None


def may_be_somebodys(folders: Sequence[str], stems: Sequence[str]) -> list[str]:
    """The folders that are neither nbgrader's nor an assignment's."""
    return [folder for folder in folders if folder not in _STEPS and folder not in stems]


def own_folder(folders: Sequence[str], stems: Sequence[str]) -> int | None:
    """Where `<student>/<assignment>` ends in a path: all that is further in, a student has put there."""
    return next(
        (
            place
            for place, folder in enumerate(folders)
            if place and folder in stems and folders[place - 1] not in _STEPS
        ),
        None,
    )


def _read_platform(clues: Clues, part: str, name: str, stems: Sequence[str], *, canvas: bool) -> bool:
    """Whether a platform, `canvas` among them, has named a part of the path; then the clues say whose it is."""
    if match := _MOODLE.fullmatch(part):
        clues.full_name, clues.number = match["name"].replace("_", " ").strip(), match["number"]
        clues.file = match["file"] if part == name else name
        return True
    if match := _EXCHANGE.fullmatch(part):
        clues.student, clues.handed_in = match["student"], _moment(match["time"])
        clues.assignment = match["assignment"] if match["assignment"] in stems else clues.assignment
        return True
    if canvas and (match := _CANVAS.fullmatch(part)):
        clues.full_name, clues.number, clues.user_id = match["name"], match["number"], match["number"]
        clues.file = re.sub(r"-\d+(?=\.ipynb$)", "", match["file"]) if part == name else name
        if match["late"]:
            clues.notes.append(
                "Canvas calls it late, but does not say when it was handed in: "
                "write the time into timestamp.txt beside it"
            )
        return True
    return False


def _read_inside(part: str, folders: Sequence[str], stems: Sequence[str]) -> list[str]:
    """What is to be said where a name lies in folders that may be somebody else's."""
    if not may_be_somebodys(folders, stems):
        return []
    return [f"the student is read from {short_line(part)!r}, inside the folder {short_line('/'.join(folders[-2:]))!r}"]


def _read_plain(clues: Clues, folders: Sequence[str], own: int | None, stems: Sequence[str], *, asks: bool) -> None:
    """nbgrader's layout, or a flat folder: the student is the folder around, or what else is in the file's name."""
    around = may_be_somebodys(folders[:own], stems)
    rest = PurePosixPath(clues.file).stem
    for stem in stems:
        rest = rest.replace(stem, "")
    rest = (_without_copy(rest) if asks else rest).strip(_SEPARATORS)
    if around and (asks or own is not None or not rest):
        clues.student = around[-1]
    elif rest:
        clues.student = rest
        if asks:
            clues.notes.append(f"the student is {rest!r} by the file's name")
            clues.file = f"{clues.assignment}.ipynb" if clues.assignment else clues.file


def _without_copy(name: str) -> str:
    """A file's name without what is appended to copies of it."""
    copy = _COPY.match(name[::-1])
    return name[: len(name) - copy.end()] if copy else name


def _moment(text: str) -> datetime | None:
    """The moment in nbgrader's way of writing it, `2026-10-12 18:30:00.000000 UTC`, or as `2026-10-12-18-30-00`."""
    text = text.removesuffix(" UTC").strip()
    for form in (
        "%Y-%m-%d %H:%M:%S.%f",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d %H:%M:%S %z",
        "%Y-%m-%d %H:%M:%S.%f %z",
        "%Y-%m-%d-%H-%M-%S",
    ):
        try:
            moment = datetime.strptime(text, form)
        except ValueError:
            continue
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return None
