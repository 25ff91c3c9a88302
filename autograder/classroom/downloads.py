"""The verb `collect`: from a learning platform's download, nbgrader's exchange or any folder into a course's `submitted/`.

Whose a notebook is, and which one, is read from names and from content. What was not plain is listed, and written only when told so.
"""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path, PurePosixPath

from autograder.course import Course, files, notebook, policy, roster, sources
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.roster import Person
from autograder.course.text import short_line
from autograder.grading import submissions
from autograder.grading.submissions import Found, Skipped
from autograder.nbgrader_bridge.folder import CourseFolder, read_timestamp

_STEPS = ("archive", "extracted", "downloaded", "inbound", "submitted")
_MOODLE = re.compile(
    r"(?P<name>[^_]+(?:_[^_\d][^_]*)*)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)"
)
_CANVAS = re.compile(
    r"(?P<name>[^\W\d_][^\W_]*(?:-[^\W_]+)*)_(?P<late>LATE_)?(?P<user>\d+)_(?P<submission>\d+)_(?P<file>.+)"
)
_EXCHANGE = re.compile(
    r"(?P<student>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(?:\+[^+]*)?"
)
_ATTEMPT = re.compile(r"(?P<before>.*?)_(?P<student>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.*))?")
# The ends of copies' names (" - Copy 2", "_final", "(1)", "-2"), read backwards: forwards, a name can be split in too many ways to try.
_COPY = re.compile(r"(?:(?:\d*\s*ypoc|lanif|\)\d+\(|\d+-)[ _-]*)+", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.@+-]+")
_ENOUGH = 3
_MOST_OF_ONE = 50  # notebooks in the zips of one student
_LARGEST_OF_ONE = 5  # times the size that one notebook may have


@dataclass(frozen=True)
class Piece:
    """A notebook that is to be collected: whose, which, from where, when handed in, and what had to be inferred."""

    student: str
    assignment: str
    where: str
    content: bytes
    handed_in: datetime | None = None
    inferred: tuple[str, ...] = ()


@dataclass(frozen=True)
class Collection:
    """What `collect` found, and what it did with it: a line for each piece that was written, or would be."""

    pieces: tuple[Piece, ...]
    skipped: tuple[Skipped, ...]
    written: tuple[str, ...] = ()
    waiting: bool = False


def collect(course: Course, place: Path, root: Path, *, stem: str | None = None, confirmed: bool = False) -> Collection:
    """Find the notebooks in a place and put them into `submitted/` of an nbgrader course.

    `stem` says which assignment they are where nothing else does. Nothing is written while something is inferred and not confirmed.
    A file that is there already is replaced by one that was handed in later, never by an older one.
    """
    target = CourseFolder.at(root)
    stems = course.stems()
    if stem is not None:
        course.source(stem)
    rules = policy.load(target.policy, stems)
    limits = rules.limits or policy.limits(course)
    seen: list[PurePosixPath] = []
    skipped: list[Skipped] = []
    with tempfile.TemporaryDirectory(prefix="autograder-collect-") as folder:
        found = _everything(place, limits.notebook_bytes, stems, Path(folder), seen, skipped)
        pieces, refused = recognised(
            found, stems, roster.read(rules), fingerprints(course), stem=stem, time=lambda file: _timestamp(place, file)
        )
    if not seen:
        why = "".join(short_line(f" {entry.where}: {entry.reason}") for entry in skipped[:1])
        raise UsageError(
            f"There is no notebook in {place}. Name the folder or the zip that the learning platform gave you.{why}"
        )
    listed = (*skipped, *refused)
    listed = (*listed, *_without_notebook(place, seen, stems, {entry.where for entry in listed}))
    collection = Collection(tuple(pieces), listed, waiting=any(piece.inferred for piece in pieces) and not confirmed)
    if collection.waiting:
        return collection
    return replace(collection, written=tuple(_put(target, piece) for piece in pieces))


def recognised(
    found: Iterable[Found],
    stems: Sequence[str],
    people: Sequence[Person],
    prints: Mapping[str, frozenset[str]],
    *,
    stem: str | None = None,
    time: Callable[[Found], datetime | None] = lambda file: None,
) -> tuple[list[Piece], list[Skipped]]:
    """The notebooks by student and assignment, each once, and those that belong to nobody or to no assignment."""
    best: dict[tuple[str, str], Piece] = {}
    skipped: list[Skipped] = []
    for file in found:
        try:
            piece = _piece(file, stems, _People(people), prints, stem, time(file))
        except SubmissionError as error:
            skipped.append(Skipped(file.where, str(error)))
            continue
        key = (piece.student, piece.assignment)
        rival = best.get(key)
        if rival is None:
            best[key] = piece
            continue
        kept, other = _better(rival, piece)
        if kept.content == other.content:
            skipped.append(Skipped(other.where, f"it is the same as {kept.where}"))
        else:
            why = f"of two files the {'later' if _later(kept, other) else 'plainer'} one was taken, not {other.where}"
            kept = replace(kept, inferred=(*kept.inferred, why))
            skipped.append(Skipped(other.where, f"{key[0]} has handed in {key[1]} twice; {kept.where} is taken"))
        best[key] = kept
    return [best[key] for key in sorted(best)], skipped


def fingerprints(course: Course) -> dict[str, frozenset[str]]:
    """What each notebook of the course can be told by: the functions that it asks for, and the ids of its cells."""
    prints = {}
    for stem in course.stems():
        source = sources.read(course.source(stem))
        functions = {name for exercise in sources.exercises(source) for name in exercise.functions}
        prints[stem] = frozenset({f"def {name}(" for name in functions} | {cell.id for cell in source.cells})
    return prints


# --- Which notebook ---------------------------------------------------------------------------------------------------


@dataclass
class _Clues:
    """What names and layout say about a file."""

    student: str = ""
    full_name: str = ""
    lms_id: str = ""
    assignment: str | None = None
    file: str = ""
    handed_in: datetime | None = None
    notes: list[str] = field(default_factory=list)


def _piece(
    file: Found,
    stems: Sequence[str],
    people: _People,
    prints: Mapping[str, frozenset[str]],
    stem: str | None,
    time: datetime | None,
) -> Piece:
    content = file.read()
    clues = _clues(file.path, stems)
    inferred = [*clues.notes, *filter(None, [file.doubt])]
    inside, by_what = _told_by_content(content, stems, prints)
    assignment = inside or clues.assignment or stem
    if assignment is None:
        raise SubmissionError(
            f"It belongs to no known assignment ({', '.join(stems)}). Name one with --assignment if it does."
        )
    if inside is not None and clues.assignment not in (None, inside):
        inferred.append(f"it lies where {clues.assignment} should be, but is {inside} by its content")
    elif inside is not None and by_what == "content":
        inferred.append(f"recognised as {inside} by its cells")
    elif inside is None and clues.assignment is None:
        inferred.append(f"taken for {assignment}, as --assignment says")
    elif PurePosixPath(clues.file).stem != assignment:
        inferred.append(f"{file.path.name} was taken for {assignment}.ipynb")
    if clues.full_name and clues.handed_in is None and time is not None:
        inferred.append(
            f"handed in on {time:%Y-%m-%d %H:%M} UTC as the timestamp.txt beside it says: did you write it, or the student?"
        )
    student, how = people.who(clues, assignment)
    return Piece(student, assignment, file.where, content, clues.handed_in or time, tuple(inferred + how))


def _clues(path: PurePosixPath, stems: Sequence[str]) -> _Clues:
    folders, name = path.parts[:-1], path.name
    stem_of_folder = next((folder for folder in reversed(folders) if folder in stems), None)
    by_name = next((stem for stem in stems if stem in name), None)
    clues = _Clues(assignment=stem_of_folder or by_name, file=name)
    own = _own_folder(folders, stems)
    for place, part in enumerate(
        path.parts
    ):  # the outermost is the platform's; further in, names are the student's choice
        if (
            own is not None
            and place > own
            and any(pattern.fullmatch(part) for pattern in (_MOODLE, _EXCHANGE, _CANVAS))
        ):
            clues.notes.append(_read_inside(part, folders, own))
        if match := _MOODLE.fullmatch(part):
            clues.full_name = match["name"].replace("_", " ").strip()
            clues.file = match["file"] if part == name else name
            return clues
        if match := _EXCHANGE.fullmatch(part):
            clues.student, clues.assignment = (
                match["student"],
                match["assignment"] if match["assignment"] in stems else by_name,
            )
            clues.handed_in = _moment(match["time"])
            return clues
        if match := _CANVAS.fullmatch(part):
            clues.full_name, clues.lms_id = match["name"], match["user"]
            clues.file = re.sub(r"-\d+(?=\.ipynb$)", "", match["file"]) if part == name else name
            if match["late"]:
                clues.notes.append(
                    "Canvas calls it late, but does not say when it was handed in: write the time into timestamp.txt beside it"
                )
            return clues
    if own is not None and _ATTEMPT.fullmatch(PurePosixPath(name).stem):
        clues.notes.append(_read_inside(name, folders, own))
    if match := _ATTEMPT.fullmatch(PurePosixPath(name).stem):
        clues.student, clues.handed_in = match["student"], _moment(match["time"])
        clues.file = f"{match['file'] or by_name or ''}.ipynb"
        return clues
    return _plain(clues, folders, PurePosixPath(name).stem, stems)


def _read_inside(part: str, folders: Sequence[str], own: int) -> str:
    return f"the student is read from {part!r}, inside the folder {'/'.join(folders[own - 1 : own + 1])!r}"


def _own_folder(folders: Sequence[str], stems: Sequence[str]) -> int | None:
    """Where `<student>/<assignment>` ends in a path: all that is further in, a student has put there."""
    return next(
        (
            place
            for place, folder in enumerate(folders)
            if place and folder in stems and folders[place - 1] not in _STEPS
        ),
        None,
    )


def _plain(clues: _Clues, folders: Sequence[str], name: str, stems: Sequence[str]) -> _Clues:
    """nbgrader's layout, or a flat folder: the student is the folder around, or what else is in the file's name."""
    own = _own_folder(folders, stems)
    around = [folder for folder in folders[:own] if folder not in stems and folder not in _STEPS]
    rest = name
    for stem in stems:
        rest = rest.replace(stem, "")
    rest = _original(rest).strip(" _-.()")
    if around:
        clues.student = around[-1]
    elif rest:
        clues.student = rest
        clues.notes.append(f"the student is {rest!r} by the file's name")
        clues.file = f"{clues.assignment}.ipynb" if clues.assignment else clues.file
    return clues


def _original(name: str) -> str:
    """A file's name without what is appended to copies of it."""
    copy = _COPY.match(name[::-1])
    return name[: len(name) - copy.end()] if copy else name


def _told_by_content(
    content: bytes, stems: Sequence[str], prints: Mapping[str, frozenset[str]]
) -> tuple[str | None, str]:
    """The assignment that a notebook is by its metadata or by its cells, and by which of them."""
    parsed = notebook.parse(content, "the file")
    told = notebook.stem_of(parsed)
    if told in stems:
        return told, "metadata"
    code = "\n".join(cell.source for cell in parsed.cells)
    ids = {cell.id for cell in parsed.cells}
    hits = {stem: sum(mark in ids or mark in code for mark in marks) for stem, marks in prints.items()}
    ranked = sorted(hits, key=lambda stem: -hits[stem])
    if ranked and hits[ranked[0]] >= _ENOUGH and (len(ranked) == 1 or hits[ranked[0]] >= 2 * hits[ranked[1]]):
        return ranked[0], "content"
    return None, ""


# --- Whose it is ------------------------------------------------------------------------------------------------------


class _People:
    """The roster, if there is one, and how names lead to it."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = people

    def who(self, clues: _Clues, assignment: str) -> tuple[str, list[str]]:
        """The student's id and what had to be inferred; SubmissionError when it is nobody on the roster."""
        if self._people:
            matches = self._matches(clues)
            if len(matches) == 1:
                return matches[0], []
            called = clues.student or clues.full_name or clues.file
            if matches:
                raise SubmissionError(
                    f"{called!r} may be any of {', '.join(matches)}. Rename it to <id>_{assignment}.ipynb."
                )
            raise SubmissionError(
                f"There is no student {called!r} on the roster. Add the student, or rename it to <id>_{assignment}.ipynb."
            )
        name = clues.student or _UNSAFE.sub("_", clues.full_name).strip("_.")
        if not name or name.startswith("."):
            raise SubmissionError(f"Nothing says whose it is. Rename it to <student>_{assignment}.ipynb.")
        safe = _UNSAFE.sub("_", name)
        submissions.check_length(safe)
        return safe, [] if safe == clues.student else [
            f"the student is {safe!r} by the platform's name; there is no roster"
        ]

    def _matches(self, clues: _Clues) -> list[str]:
        by_id = [person.id for person in self._people if person.id == clues.student]
        by_lms = [person.id for person in self._people if clues.lms_id and person.lms_user_id == clues.lms_id]
        named = _letters(clues.full_name or clues.student)
        orders = ("{first}{last}", "{last}{first}")
        by_name = [
            person.id
            for person in self._people
            if named
            and named in {_letters(order.format(first=person.first_name, last=person.last_name)) for order in orders}
        ]
        return by_id or by_lms or by_name


def _letters(name: str) -> str:
    """The letters and digits of a name. macOS writes an umlaut as two signs: one way of writing it counts."""
    return "".join(sign for sign in unicodedata.normalize("NFC", name).casefold() if sign.isalnum())


def _better(one: Piece, other: Piece) -> tuple[Piece, Piece]:
    if _later(one, other) or _later(other, one):
        return (one, other) if _later(one, other) else (other, one)
    return (other, one) if len(other.inferred) < len(one.inferred) else (one, other)


def _later(one: Piece, other: Piece) -> bool:
    return one.handed_in is not None and other.handed_in is not None and one.handed_in > other.handed_in


# --- Files ------------------------------------------------------------------------------------------------------------


def _everything(
    place: Path, limit: int, stems: Sequence[str], folder: Path, seen: list[PurePosixPath], skipped: list[Skipped]
) -> Iterator[Found]:
    """All notebooks in a place, also those in zips that lie there; their paths go to `seen`."""
    for file in chain(submissions.listing(place, skipped, limit=limit), _in_zips(place, limit, stems, folder, skipped)):
        seen.append(file.path)
        yield file


def _in_zips(place: Path, limit: int, stems: Sequence[str], folder: Path, skipped: list[Skipped]) -> Iterator[Found]:
    """The notebooks in zip files that lie in a place, as zip_collect's archive and students' own zips do; `folder` is for unpacking."""
    taken: dict[str, tuple[int, int]] = {}
    for number, path in enumerate(path for path in submissions.others(place) if path.suffix.lower() == ".zip"):
        where = submissions.name_of(place, path)
        packed = place / path
        inside: list[Skipped] = []
        try:
            if not place.is_dir():
                packed = folder / f"{number}.zip"
                packed.write_bytes(submissions.content(place, path, limit=limit))
            if not _is_zip(packed):
                raise SubmissionError("it is no zip file")
            if _around(path, stems) or _is_a_platforms(path):
                owner = _owner(path, stems)
                taken[owner] = _with_share(taken.get(owner, (0, 0)), packed, limit)
            for file in submissions.listing(packed, inside, limit=limit):
                yield _unpacked(replace(file, where=file.where.replace(str(packed), where)), path, stems)
        except (SubmissionError, UsageError) as error:  # one student's broken zip is no reason to stop
            skipped.append(Skipped(where, str(error)))
        skipped += [Skipped(entry.where.replace(str(packed), where), entry.reason) for entry in inside]


def _is_zip(path: Path) -> bool:
    if os.path.islink(path):  # it could point at anything
        return False
    try:
        with path.open("rb") as file:
            return zipfile.is_zipfile(file)
    except OSError as error:
        raise SubmissionError(f"it cannot be read: {error.strerror}") from None


def _with_share(taken: tuple[int, int], packed: Path, limit: int) -> tuple[int, int]:
    """How many notebooks and bytes a student's zips have, with one more; SubmissionError when it is too much for one student."""
    sizes = submissions.sizes(packed)
    count, size = taken[0] + len(sizes), taken[1] + sum(min(size, limit) for size in sizes)
    what_next = "Unpack it and keep those that count; if it is a whole class's, collect it by itself."
    if count > _MOST_OF_ONE:
        raise SubmissionError(
            f"with it, there are {count} notebooks in this student's zips, more than {_MOST_OF_ONE}. {what_next}"
        )
    if size > _LARGEST_OF_ONE * limit:
        most = f"{_LARGEST_OF_ONE * limit >> 20} MiB"
        raise SubmissionError(
            f"with it, the notebooks in this student's zips are larger than {most} together. {what_next}"
        )
    return count, size


def _around(packed: PurePosixPath, stems: Sequence[str]) -> list[str]:
    """The folders that a zip lies in and that may be somebody's."""
    return [folder for folder in packed.parent.parts if folder not in _STEPS and folder not in stems]


def _is_a_platforms(path: PurePosixPath) -> bool:
    return any(pattern.fullmatch(part) for pattern in (_MOODLE, _EXCHANGE, _CANVAS) for part in path.parts)


def _unpacked(file: Found, packed: PurePosixPath, stems: Sequence[str]) -> Found:
    """A notebook of a zip, with the path that tells whose it is: a zip in somebody's folder is theirs, whatever folders it holds."""
    around = _around(packed, stems)
    path = packed.with_suffix("") / file.path
    if not around or _is_a_platforms(path):
        return replace(file, path=path)
    own = _own_folder(file.path.parts[:-1], stems)
    if own is None:
        return replace(file, path=packed.parent / file.path.name)
    doubt = f"the student is read from folders inside {packed.name!r}, which lies in the folder {'/'.join(around)!r}"
    return replace(file, path=path, doubt=doubt if file.path.parts[own - 1] not in around else "")


def _without_notebook(
    place: Path, seen: Sequence[PurePosixPath], stems: Sequence[str], listed: set[str]
) -> list[Skipped]:
    """What those handed in of whom there is no notebook: nobody's work disappears without a word."""
    known = {_owner(path, stems) for path in seen}
    skipped = []
    for path in submissions.others(place):
        where, owner = submissions.name_of(place, path), _owner(path, stems)
        if owner not in known and not any(entry.startswith(where) for entry in listed):
            known.add(owner)
            held = "it holds no notebook" if path.suffix.lower() == ".zip" else "it is no notebook"
            skipped.append(Skipped(where, f"{held} (.ipynb), and there is none of this student"))
    return skipped


def _owner(path: PurePosixPath, stems: Sequence[str]) -> str:
    clues = _clues(path, stems)
    return clues.lms_id or clues.full_name or clues.student or str(path)


def _timestamp(place: Path, file: Found) -> datetime | None:
    """When a notebook was handed in, if a timestamp.txt beside it says so."""
    return read_timestamp(Path(file.where).with_name("timestamp.txt")) if place.is_dir() else None


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


def _put(target: CourseFolder, piece: Piece) -> str:
    folder = target.submission(piece.assignment, piece.student)
    path = folder / f"{piece.assignment}.ipynb"
    about = f"{piece.student}/{piece.assignment}"
    contents = {path: piece.content}
    if piece.handed_in is not None:
        contents[folder / "timestamp.txt"] = f"{piece.handed_in:%Y-%m-%d %H:%M:%S.%f} UTC\n".encode()
    there = path.read_bytes() if path.is_file() else None
    before = target.handed_in(piece.assignment, piece.student)
    if there is not None and before is not None and piece.handed_in is not None and piece.handed_in < before:
        return f"{about}: kept, for {piece.where} is older"
    if there == piece.content and (piece.handed_in is None or piece.handed_in == before):
        return f"{about}: unchanged"
    files.replace_all(contents)
    if there is None or piece.handed_in:
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
    lines += [f"inferred  {p.student}/{p.assignment}: {words}" for p in collection.pieces for words in p.inferred]
    lines += list(collection.written)
    count = f"{len(collection.pieces)} notebook{'' if len(collection.pieces) == 1 else 's'}"
    if collection.waiting:
        lines.append(f"{count} found in {place}. Nothing was written: look at what was inferred, then add --yes.")
    else:
        lines.append(f"{count} collected from {place}.")
    return "\n".join(short_line(line) for line in lines)
