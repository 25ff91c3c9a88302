"""Notebooks in a folder or a zip: found within bounds, and read without following links out of the place."""

from __future__ import annotations

import errno
import lzma
import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.course import files
from autograder.course.errors import SubmissionError, UnreadError, UsageError
from autograder.course.files import Entry
from autograder.course.text import short_line

_MAX_FILES, _MAX_FILES_OF_ONE, _DEEPEST = 200_000, 20_000, 50
_LONGEST_PATH = 4000  # characters
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, RuntimeError, ValueError, EOFError, KeyError),
)
_OF_THE_MACHINE = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EIO, errno.ESTALE}  # a zip does not do that


@dataclass(frozen=True)
class NotebookFile:
    """A notebook in a place: its path there, how to name it to people, its bytes when needed, what to ask about it."""

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]
    doubt: str = ""


@dataclass(frozen=True)
class Skipped:
    """Something that was not graded, and why.

    With `ours`, it was handed in, and that it was not graded is no fault of the student's: another run may do it.
    """

    where: str
    reason: str
    ours: bool = False


def notebooks(
    place: Path, skipped: list[Skipped], *, limit: int, folders: dict[str, set[str]] | None = None
) -> Iterator[NotebookFile]:
    """All notebooks in a folder or a zip, or the one that `place` is; the rest goes to `skipped`, with a reason.

    `limit` bounds the bytes of one notebook. `folders` gets the outermost ones, each with the folders in it. Notebooks
    are best read one by one as they come: a zip is open meanwhile.
    """
    if not os.path.lexists(place):
        raise UsageError(f"There is nothing at {place}. Name a folder, a notebook or a zip file.")
    if place.is_dir():
        yield from _in_folder(place, limit, skipped, {} if folders is None else folders)
    elif zipfile.is_zipfile(place):
        yield from in_zip(place, _shown(place), skipped, limit=limit)
    elif place.suffix == ".ipynb":
        parts = place.resolve().parts[-3:]
        yield NotebookFile(PurePosixPath(*parts), str(place), partial(_read, place, limit))
    else:
        raise UsageError(f"{place} is neither a folder, nor a notebook (.ipynb), nor a zip file.")


def others(place: Path) -> list[PurePosixPath]:
    """The files in a folder or a zip that are not notebooks, by their paths there; hidden ones apart."""
    paths: list[PurePosixPath] = []
    if place.is_dir():
        for here, found in _walked(place, []):
            paths += [here / entry.name for entry in found if _may_be_a_file(place / here, entry)]
            if len(here.parts) >= _DEEPEST:
                found.clear()
    elif zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as archive:
            paths = [PurePosixPath(entry.filename) for entry in archive.infolist() if not entry.is_dir()]
    hidden = (".", "__", "/")  # and what leads out of the zip
    return sorted(
        path for path in paths if path.suffix != ".ipynb" and not any(part.startswith(hidden) for part in path.parts)
    )


def name_of(place: Path, path: PurePosixPath) -> str:
    """How to name to people a file that is in a folder or a zip."""
    return _shown(place / path) if place.is_dir() else f"{_shown(place)}:{short_line(str(path))}"


def opened(place: Path, path: PurePosixPath) -> BinaryIO:
    """A file in a folder, open for reading; SubmissionError says why it cannot be."""
    try:
        return files.open_regular(place / path, below=place)
    except OSError as error:
        handed_in = isinstance(error, files.NotAFileError) or error.filename == str(place / path)
        raise (SubmissionError if handed_in else UnreadError)(f"it cannot be read: {error.strerror}") from None


def content(place: Path, path: PurePosixPath, *, limit: int) -> bytes:
    """The bytes of a file in a folder or a zip."""
    if place.is_dir():
        return _read(place / path, limit, below=place)
    return _read_entry(place, str(path), limit)


def sizes(zipped: BinaryIO, where: str) -> list[int]:
    """How many bytes each notebook in a zip has, as the zip claims: no more are ever read of it."""
    with _opened(zipped, where) as archive:
        return [entry.file_size for entry in _entries(archive)]


# --- Folders ----------------------------------------------------------------------------------------------------------


def _in_folder(
    place: Path, limit: int, skipped: list[Skipped], outermost: dict[str, set[str]]
) -> Iterator[NotebookFile]:
    total, several = 0, False
    count: Counter[str] = Counter()
    for relative, found in _walked(place, skipped):
        folder = place / relative
        names = [entry for entry in found if not entry.is_folder and _is_text(entry.name)]
        inside = _folders_in(found)
        owner = relative.parts[0] if relative.parts else ""
        several = several or (not owner and len(inside) > 1)
        here, before = len(names) + len(inside), count[owner]
        count[owner] += here
        # One student must not use up what the class may have.
        if owner and several and count[owner] > _MAX_FILES_OF_ONE:
            if before <= _MAX_FILES_OF_ONE:
                why = f"{owner} has more than {_MAX_FILES_OF_ONE} files; these are left out"
                skipped.append(Skipped(_shown(folder), why))
                total -= before
            found.clear()
            continue
        if inside and len(relative.parts) >= _DEEPEST:
            skipped.append(Skipped(_shown(folder), "it is nested too deeply; what is further in is left out"))
            found.clear()
        total += here
        if total > _MAX_FILES:
            raise UsageError(f"{place} holds more than {_MAX_FILES} files; name the folder of one class.")
        if len(relative.parts) == 1:
            outermost.setdefault(owner, set()).update(entry.name for entry in inside)
        for entry in sorted(names, key=lambda entry: entry.name):
            path = folder / entry.name
            if entry.name.startswith("."):
                continue
            if path.suffix == ".ipynb":
                read = partial(_read, path, limit, below=place, was_a_file=entry.is_file)
                yield NotebookFile(relative / entry.name, _shown(path), read)
            elif not relative.parts:
                skipped.append(Skipped(_shown(path), "it is not a notebook (.ipynb)"))


def _walked(place: Path, skipped: list[Skipped]) -> Iterator[tuple[PurePosixPath, list[Entry]]]:
    """The folders of a place, outermost first, with what each holds; whoever clears that list keeps from going further.

    Links are not followed, whatever is swapped for one meanwhile; `os.walk` looks first, and then opens what is there.
    """
    waiting = [PurePosixPath()]
    while waiting:
        relative = waiting.pop()
        folder = place / relative
        try:
            found = files.entries(folder, below=place)
        except OSError as error:
            skipped.append(Skipped(_shown(folder), f"it cannot be read: {error.strerror}", ours=True))
            continue
        skipped += _links_and_nameless(folder, found)
        yield relative, found
        waiting += [relative / entry.name for entry in reversed(_folders_in(found)) if not entry.is_link]


def _folders_in(found: Sequence[Entry]) -> list[Entry]:
    """The folders, and links to some, that notebooks may be expected in, in order."""
    folders = (entry for entry in found if entry.is_folder and _is_text(entry.name))
    return sorted(
        (entry for entry in folders if not entry.name.startswith(".") and entry.name != "__pycache__"),
        key=lambda entry: entry.name,
    )


def _links_and_nameless(folder: Path, found: Sequence[Entry]) -> list[Skipped]:
    """Folders that are links, and whatever has a name that is not text."""
    links = [folder / entry.name for entry in found if entry.is_folder and entry.is_link]
    nameless = [folder / entry.name for entry in found if not _is_text(entry.name)]
    return [
        *(Skipped(_shown(path), "it is a symbolic link; put the folder itself there") for path in links),
        *(Skipped(_shown(path), "its name is not text (UTF-8); rename it") for path in nameless),
    ]


def _is_text(name: str) -> bool:
    """Whether a file's name can be written down."""
    return name.isascii() or os.fsencode(name).decode("utf-8", "ignore") == name


def _may_be_a_file(folder: Path, entry: Entry) -> bool:
    """Whether something in a folder is a file, or cannot be looked at: whoever reads it learns why."""
    if entry.is_folder or not _is_text(entry.name):
        return False
    path = folder / entry.name
    return entry.is_file or os.path.isfile(path) or not os.path.lexists(path)


def _shown(path: Path) -> str:
    """A path as it may be printed: without what is not text, and without what steers a terminal."""
    return short_line(os.fsencode(path).decode("utf-8", "replace"))


def _read(path: Path, limit: int, *, below: Path | None = None, was_a_file: bool = False) -> bytes:
    """The bytes of a regular file; links are not followed, because they could point at anything.

    Whether it `was_a_file` when the place was looked through tells what a student handed in from what became of it.
    """
    try:
        with files.open_regular(path, below=below) as file:
            return _bounded(file.read(limit + 1), limit)
    except OSError as error:
        raise _unusable(path, error, was_a_file) from None


def _unusable(path: Path, error: OSError, was_a_file: bool) -> SubmissionError:
    """What to say of a file that cannot be read, and whether it is the student's fault."""
    again = "and run the same command again."
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return UnreadError(f"It was there when this run began, and is gone now. Put it back, {again}")
    if isinstance(error, files.LinkError) and error.filename != str(path):
        return UnreadError(
            f"Its folder {Path(error.filename).name!r:.80} has become a symbolic link since this run began. "
            f"Put the folder itself there, {again}"
        )
    what = "a symbolic link" if isinstance(error, files.LinkError) else "something else"
    if was_a_file and isinstance(error, files.LinkError | files.NotAFileError):
        return UnreadError(
            f"It was a file when this run began, and is {what} now. Put the notebook itself there, {again}"
        )
    if isinstance(error, files.NotAFileError):
        return SubmissionError("It is not a regular file. Put the notebook itself there.")
    if isinstance(error, files.LinkError):
        return SubmissionError("It cannot be read: it is a symbolic link. Put the file itself there.")
    return UnreadError(f"It cannot be read: {error.strerror}. Put the file itself there.")


def _bounded(content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise SubmissionError(f"It is larger than {limit >> 20} MiB. Clear the outputs and hand it in again.")
    return content


# --- Zips -------------------------------------------------------------------------------------------------------------


def in_zip(zipped: Path | BinaryIO, where: str, skipped: list[Skipped], *, limit: int) -> Iterator[NotebookFile]:
    """All notebooks in a zip, which is called `where`. They are best read as they come: it is open meanwhile."""
    with _opened(zipped, where) as archive:
        for entry in sorted(_entries(archive), key=lambda entry: entry.filename):
            path = PurePosixPath(entry.filename)
            inside = f"{where}:{short_line(entry.filename)}"
            if len(entry.filename) > _LONGEST_PATH:
                skipped.append(Skipped(inside, "its path is too long"))
                continue
            if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(entry.external_attr >> 16):
                skipped.append(Skipped(inside, "its path leads out of the zip"))
                continue
            read = partial(_read_entry, zipped, entry.filename, limit, archive, _state(archive))
            yield NotebookFile(path, inside, read)


def _opened(zipped: Path | BinaryIO, where: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(zipped)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise UsageError(f"{where} cannot be unpacked: {error}. Zip the files again.") from None
    if len(archive.infolist()) > _MAX_FILES:
        archive.close()
        raise UsageError(f"{where} holds more than {_MAX_FILES} files; name the zip of one class.")
    return archive


def _state(archive: zipfile.ZipFile) -> tuple[int, ...]:
    """What differs when another zip has taken the place of this one."""
    assert archive.fp is not None
    found = os.fstat(archive.fp.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _entries(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The notebooks in a zip; hidden ones apart."""
    for entry in archive.infolist():
        path = PurePosixPath(entry.filename)
        hidden = any(part.startswith((".", "__")) for part in path.parts if part != "..")
        if not entry.is_dir() and path.suffix == ".ipynb" and not hidden:
            yield entry


def _read_entry(
    zipped: Path | BinaryIO,
    name: str,
    limit: int,
    archive: zipfile.ZipFile | None = None,
    state: tuple[int, ...] = (),
) -> bytes:
    """The bytes of an entry; from `archive` while it is open, because opening one with many entries takes long.

    UnreadError when the zip is no longer in the `state` in which its entries were listed.
    """
    try:
        reused: AbstractContextManager[zipfile.ZipFile] | None = (
            nullcontext(archive) if archive is not None and archive.fp else None
        )
        with reused or zipfile.ZipFile(zipped) as opened:
            if state and _state(opened) != state:
                raise UnreadError("The zip has changed since this run began. Run the same command again.")
            with opened.open(name) as file:
                return _bounded(file.read(limit + 1), limit)  # whatever size the entry claims to have
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
            raise UnreadError(f"The zip cannot be read: {error.strerror}. Put it back, and run this again.") from None
        raise SubmissionError(f"It cannot be unpacked: {error}. Zip the file again.") from None
