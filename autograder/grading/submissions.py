"""What was handed in: finding the notebooks in a folder or a zip, and telling whose each one is."""

from __future__ import annotations

import lzma
import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.course import files, notebook
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.text import STEERING, short_line

_MAX_FILES, _MAX_FILES_OF_ONE, _DEEPEST = 200_000, 20_000, 50
_SEPARATORS = " _-.()"
_NOT_A_NAME = re.compile(rf"^\.|[/\\\x00-\x1f{STEERING}]|^$")  # what steers a terminal is no letter
_LONGEST_PATH = 4000  # characters
_LONGEST_NAME = 255  # bytes: what a file system takes for a folder


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in. Its bytes are read only when they are needed."""

    student: str
    assignment: str
    where: str
    read: Callable[[], bytes]
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Skipped:
    """Something that was not graded, and why."""

    where: str
    reason: str


@dataclass(frozen=True)
class Collected:
    """Everything that was found in one place."""

    submissions: tuple[Submission, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _File:
    path: PurePosixPath
    where: str
    read: Callable[[], bytes]


def collect(place: Path, stems: Sequence[str], *, limit: int) -> Collected:
    """The submissions in a folder (nbgrader's layout or flat), a single notebook, or a zip of any of these.

    Each file is taken for the assignment whose stem its folder, its name or its metadata gives, in this order.
    `limit` bounds the bytes of one notebook.
    """
    found: dict[tuple[str, str], Submission] = {}
    skipped: list[Skipped] = []
    students: dict[str, set[str]] = {}
    for file in _files(place, limit, skipped, students):
        try:
            submission = _submission(file, stems)
        except SubmissionError as error:
            skipped.append(Skipped(file.where, str(error)))
            continue
        key = (submission.student, submission.assignment)
        rival = found.get(key)
        if rival is not None:
            submission, other = _better(rival, submission)
            skipped.append(Skipped(other.where, f"{key[0]} has handed in {key[1]} twice; {submission.where} is graded"))
        found[key] = submission
    missing = [
        (student, assignment)
        for student, assignments in sorted(students.items())
        for assignment in sorted(assignments & set(stems))
        if (student, assignment) not in found
    ]
    handed_in = {student for student, _ in found}
    for student in sorted(set(students) - handed_in - {student for student, _ in missing}):
        skipped.append(Skipped(student, "this student's folder holds no notebook"))
    if not found and not skipped and not missing:
        raise UsageError(
            f"There is no notebook in {place}. Expected <student>/<assignment>/<assignment>.ipynb, or files *.ipynb."
        )
    return Collected(tuple(found[key] for key in sorted(found)), tuple(skipped), tuple(missing))


def _submission(file: _File, stems: Sequence[str]) -> Submission:
    folders, name = file.path.parts[:-1], file.path.stem
    repairs = []
    if any(
        folder in stems for folder in folders[1:-1]
    ):  # what is in there came from a student, folders with others' names included
        raise SubmissionError(
            "It lies deeper than <student>/<assignment>/. Move it there, or name the folder around the students' own."
        )
    in_folder = len(folders) >= 2 and folders[-1] in stems
    assignment = folders[-1] if in_folder else next((stem for stem in stems if stem in name), None)
    if assignment is None:
        assignment = notebook.stem_of(notebook.parse(file.read(), file.where))
        if assignment is None or assignment not in stems:
            raise SubmissionError(
                f"It belongs to no known assignment ({', '.join(stems)}). Rename it to <assignment>.ipynb if it does."
            )
        repairs.append(f"{short_line(file.path.name)} was recognised as {assignment} by its content")
    elif in_folder and name != assignment:
        inside = notebook.stem_of(notebook.parse(file.read(), file.where))
        if inside not in (None, assignment):
            raise SubmissionError(f"It is the notebook {inside!r:.60}, but lies in the folder of {assignment}.")
        repairs.append(f"{short_line(file.path.name)} was taken for {assignment}.ipynb")
    student = folders[-2] if in_folder else _student_of(name, assignment, folders)
    if _NOT_A_NAME.search(student) or student in (".", ".."):
        raise SubmissionError(f"{student!r:.60} cannot be a student's name. Rename the file or its folder.")
    check_length(student)
    return Submission(student, assignment, file.where, file.read, tuple(repairs))


def check_length(student: str) -> None:
    """SubmissionError when a file system takes no folder with this name: it would stop the rest of the class."""
    if len(student.encode()) > _LONGEST_NAME:
        raise SubmissionError(f"{student[:20]!r}... is too long for a student's name. Rename the file or its folder.")


def _student_of(name: str, assignment: str, folders: Sequence[str]) -> str:
    """The student's name from a file such as `ada_01_bayes_rule.ipynb`, `ada.ipynb` or `ada/01_bayes_rule.ipynb`."""
    rest = name.replace(assignment, "", 1).strip(_SEPARATORS)
    return rest or (folders[-1] if folders else "student")


def _better(one: Submission, other: Submission) -> tuple[Submission, Submission]:
    return (other, one) if len(other.repairs) < len(one.repairs) else (one, other)


# --- Places -----------------------------------------------------------------------------------------------------------


def _files(place: Path, limit: int, skipped: list[Skipped], students: dict[str, set[str]]) -> Iterator[_File]:
    if not os.path.lexists(place):
        raise UsageError(f"There is nothing at {place}. Name a folder, a notebook or a zip file.")
    if place.is_dir():
        yield from _in_folder(place, limit, skipped, students)
    elif zipfile.is_zipfile(place):
        yield from _in_zip(place, limit, skipped)
    elif place.suffix == ".ipynb":
        parts = place.resolve().parts[-3:]
        yield _File(PurePosixPath(*parts), str(place), lambda: _read(place, limit))
    else:
        raise UsageError(f"{place} is neither a folder, nor a notebook (.ipynb), nor a zip file.")


def _in_folder(place: Path, limit: int, skipped: list[Skipped], students: dict[str, set[str]]) -> Iterator[_File]:
    total, several = 0, False
    entries: Counter[str] = Counter()

    def unreadable(error: OSError) -> None:
        skipped.append(Skipped(_shown(Path(error.filename)), f"it cannot be read: {error.strerror}"))

    for folder, folders, names in os.walk(place, onerror=unreadable):
        links = [path for name in folders if os.path.islink(path := Path(folder, name))]
        skipped += [Skipped(_shown(path), "it is a symbolic link; put the folder itself there") for path in links]
        nameless = [Path(folder, name) for name in folders + names if not _is_text(name)]
        skipped += [Skipped(_shown(path), "its name is no text (UTF-8); rename it") for path in nameless]
        folders[:] = sorted(
            name for name in folders if _is_text(name) and not name.startswith(".") and name != "__pycache__"
        )
        names = [name for name in names if _is_text(name)]
        relative = PurePosixPath(Path(folder).relative_to(place))
        owner = relative.parts[0] if relative.parts else ""
        several = several or (not owner and len(folders) > 1)
        here, before = len(names) + len(folders), entries[owner]
        entries[owner] += here
        if (
            owner and several and entries[owner] > _MAX_FILES_OF_ONE
        ):  # one student must not use up what the class may have
            if before <= _MAX_FILES_OF_ONE:
                skipped.append(
                    Skipped(
                        _shown(Path(folder)), f"{owner} has more than {_MAX_FILES_OF_ONE} files; these are left out"
                    )
                )
                total -= before
            folders[:] = []
            continue
        if folders and len(relative.parts) >= _DEEPEST:
            skipped.append(Skipped(_shown(Path(folder)), "it is nested too deeply; what is further in is left out"))
            folders[:] = []
        total += here
        if total > _MAX_FILES:
            raise UsageError(f"{place} holds more than {_MAX_FILES} files; name the folder of one class.")
        if len(relative.parts) == 1:
            students.setdefault(relative.parts[0], set()).update(folders)
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith("."):
                continue
            if path.suffix == ".ipynb":
                yield _File(relative / name, _shown(path), lambda path=path: _read(path, limit))  # type: ignore[misc]
            elif not relative.parts:
                skipped.append(Skipped(_shown(path), "it is no notebook (.ipynb)"))


def _is_text(name: str) -> bool:
    """Whether a file's name can be written down."""
    return name.isascii() or os.fsencode(name).decode("utf-8", "ignore") == name


def _shown(path: Path) -> str:
    """A path as it may be printed: without what is no text, and without what steers a terminal."""
    return short_line(os.fsencode(path).decode("utf-8", "replace"))


def _read(path: Path, limit: int) -> bytes:
    """The bytes of a regular file; links are not followed, for they could point at anything."""
    try:
        file = files.open_regular(path)
    except files.NotAFileError:
        raise SubmissionError("It is not a regular file. Put the notebook itself there.") from None
    except OSError as error:
        # os.path.islink, for a Path would raise where nothing may be looked up
        why = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise SubmissionError(f"It cannot be read: {why}. Put the file itself there.") from None
    with file:
        content = file.read(limit + 1)
    return _bounded(content, limit)


def _in_zip(place: Path, limit: int, skipped: list[Skipped]) -> Iterator[_File]:
    with _opened(place) as archive:
        for entry in sorted(_notebooks(archive), key=lambda entry: entry.filename):
            path = PurePosixPath(entry.filename)
            where = name_of(place, path)
            if len(entry.filename) > _LONGEST_PATH:
                skipped.append(Skipped(where, "its path is too long"))
                continue
            if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(entry.external_attr >> 16):
                skipped.append(Skipped(where, "its path leads out of the zip"))
                continue
            yield _File(path, where, lambda name=entry.filename: _read_entry(place, name, limit, archive))  # type: ignore[misc]


def _opened(place: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise UsageError(f"{_shown(place)} cannot be unpacked: {error}. Zip the files again.") from None
    if len(archive.infolist()) > _MAX_FILES:
        archive.close()
        raise UsageError(f"{place} holds more than {_MAX_FILES} files; name the zip of one class.")
    return archive


def _notebooks(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    for entry in archive.infolist():
        path = PurePosixPath(entry.filename)
        hidden = any(part.startswith((".", "__")) for part in path.parts if part != "..")
        if not entry.is_dir() and path.suffix == ".ipynb" and not hidden:
            yield entry


def _read_entry(place: Path, name: str, limit: int, archive: zipfile.ZipFile | None = None) -> bytes:
    """The bytes of an entry; from `archive` while it is open, for opening it takes the longer the more entries it has."""
    try:
        reused: AbstractContextManager[zipfile.ZipFile] | None = (
            nullcontext(archive) if archive is not None and archive.fp else None
        )
        with reused or zipfile.ZipFile(place) as opened, opened.open(name) as file:
            return _bounded(file.read(limit + 1), limit)  # whatever size the entry claims to have
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,
        RuntimeError,
        ValueError,
        EOFError,
        KeyError,
    ) as error:
        raise SubmissionError(f"It cannot be unpacked: {error}. Zip the file again.") from None


def _bounded(content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise SubmissionError(f"It is larger than {limit >> 20} MiB. Clear the outputs and hand it in again.")
    return content


@dataclass(frozen=True)
class Found:
    """A notebook in a place: its path there, how to name it to people, its bytes when they are needed, and what to ask about it."""

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]
    doubt: str = ""


def others(place: Path) -> list[PurePosixPath]:
    """The files in a folder or a zip that are no notebooks, by their paths there; hidden ones apart."""
    paths: list[PurePosixPath] = []
    if place.is_dir():
        for folder, folders, names in os.walk(place):
            here = PurePosixPath(Path(folder).relative_to(place))
            folders[:] = folders if len(here.parts) < _DEEPEST else []
            paths += [here / name for name in names if _is_text(name) and _may_be_a_file(Path(folder, name))]
    elif zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as archive:
            paths = [PurePosixPath(entry.filename) for entry in archive.infolist() if not entry.is_dir()]
    hidden = (".", "__", "/")  # and what leads out of the zip
    return sorted(
        path for path in paths if path.suffix != ".ipynb" and not any(part.startswith(hidden) for part in path.parts)
    )


def _may_be_a_file(path: Path) -> bool:
    """Whether something in a folder is a file, or cannot be looked at: whoever reads it learns why."""
    return os.path.isfile(path) or not os.path.lexists(path)


def name_of(place: Path, path: PurePosixPath) -> str:
    """How to name to people a file that is in a folder or a zip."""
    return _shown(place / path) if place.is_dir() else f"{_shown(place)}:{short_line(str(path))}"


def content(place: Path, path: PurePosixPath, *, limit: int) -> bytes:
    """The bytes of a file in a folder or a zip."""
    return _read(place / path, limit) if place.is_dir() else _read_entry(place, str(path), limit)


def sizes(place: Path) -> list[int]:
    """How many bytes each notebook in a zip has, as the zip claims: no more are ever read of it."""
    with _opened(place) as archive:
        return [entry.file_size for entry in _notebooks(archive)]


def listing(place: Path, skipped: list[Skipped], *, limit: int) -> Iterator[Found]:
    """All notebooks in a folder or a zip, or the one that `place` is. What is found besides goes to `skipped`, with the reason.

    They are best read one by one as they come: a zip is open meanwhile.
    """
    for file in _files(place, limit, skipped, {}):
        yield Found(file.path, file.where, file.read)
