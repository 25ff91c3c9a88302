"""Notebooks in a folder or a zip: found within bounds, and read without following links out of the place."""

from __future__ import annotations

import lzma
import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from autograder.course import files
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.text import short_line

_MAX_FILES, _MAX_FILES_OF_ONE, _DEEPEST = 200_000, 20_000, 50
_LONGEST_PATH = 4000  # characters
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, RuntimeError, ValueError, EOFError, KeyError),
)


@dataclass(frozen=True)
class NotebookFile:
    """A notebook in a place: its path there, how to name it to people, its bytes when needed, what to ask about it."""

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]
    doubt: str = ""


@dataclass(frozen=True)
class Skipped:
    """Something that was not graded, and why."""

    where: str
    reason: str


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
        yield from _in_zip(place, limit, skipped)
    elif place.suffix == ".ipynb":
        parts = place.resolve().parts[-3:]
        yield NotebookFile(PurePosixPath(*parts), str(place), partial(_read, place, limit))
    else:
        raise UsageError(f"{place} is neither a folder, nor a notebook (.ipynb), nor a zip file.")


def others(place: Path) -> list[PurePosixPath]:
    """The files in a folder or a zip that are not notebooks, by their paths there; hidden ones apart."""
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


def name_of(place: Path, path: PurePosixPath) -> str:
    """How to name to people a file that is in a folder or a zip."""
    return _shown(place / path) if place.is_dir() else f"{_shown(place)}:{short_line(str(path))}"


def content(place: Path, path: PurePosixPath, *, limit: int) -> bytes:
    """The bytes of a file in a folder or a zip."""
    return _read(place / path, limit) if place.is_dir() else _read_entry(place, str(path), limit)


def sizes(place: Path) -> list[int]:
    """How many bytes each notebook in a zip has, as the zip claims: no more are ever read of it."""
    with _opened(place) as archive:
        return [entry.file_size for entry in _entries(archive)]


# --- Folders ----------------------------------------------------------------------------------------------------------


def _in_folder(
    place: Path, limit: int, skipped: list[Skipped], outermost: dict[str, set[str]]
) -> Iterator[NotebookFile]:
    total, several = 0, False
    entries: Counter[str] = Counter()

    def unreadable(error: OSError) -> None:
        skipped.append(Skipped(_shown(Path(error.filename)), f"it cannot be read: {error.strerror}"))

    for folder, folders, names in os.walk(place, onerror=unreadable):
        skipped += _links_and_nameless(Path(folder), folders, names)
        folders[:] = sorted(
            name for name in folders if _is_text(name) and not name.startswith(".") and name != "__pycache__"
        )
        names = [name for name in names if _is_text(name)]
        relative = PurePosixPath(Path(folder).relative_to(place))
        owner = relative.parts[0] if relative.parts else ""
        several = several or (not owner and len(folders) > 1)
        here, before = len(names) + len(folders), entries[owner]
        entries[owner] += here
        # One student must not use up what the class may have.
        if owner and several and entries[owner] > _MAX_FILES_OF_ONE:
            if before <= _MAX_FILES_OF_ONE:
                why = f"{owner} has more than {_MAX_FILES_OF_ONE} files; these are left out"
                skipped.append(Skipped(_shown(Path(folder)), why))
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
            outermost.setdefault(relative.parts[0], set()).update(folders)
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith("."):
                continue
            if path.suffix == ".ipynb":
                yield NotebookFile(relative / name, _shown(path), partial(_read, path, limit))
            elif not relative.parts:
                skipped.append(Skipped(_shown(path), "it is not a notebook (.ipynb)"))


def _links_and_nameless(folder: Path, folders: list[str], names: list[str]) -> list[Skipped]:
    """Folders that are links, and whatever has a name that is not text."""
    links = [path for name in folders if os.path.islink(path := folder / name)]
    nameless = [folder / name for name in folders + names if not _is_text(name)]
    return [
        *(Skipped(_shown(path), "it is a symbolic link; put the folder itself there") for path in links),
        *(Skipped(_shown(path), "its name is not text (UTF-8); rename it") for path in nameless),
    ]


def _is_text(name: str) -> bool:
    """Whether a file's name can be written down."""
    return name.isascii() or os.fsencode(name).decode("utf-8", "ignore") == name


def _may_be_a_file(path: Path) -> bool:
    """Whether something in a folder is a file, or cannot be looked at: whoever reads it learns why."""
    return os.path.isfile(path) or not os.path.lexists(path)


def _shown(path: Path) -> str:
    """A path as it may be printed: without what is not text, and without what steers a terminal."""
    return short_line(os.fsencode(path).decode("utf-8", "replace"))


def _read(path: Path, limit: int) -> bytes:
    """The bytes of a regular file; links are not followed, because they could point at anything."""
    try:
        file = files.open_regular(path)
    except files.NotAFileError:
        raise SubmissionError("It is not a regular file. Put the notebook itself there.") from None
    except OSError as error:
        # os.path.islink, because a Path would raise where nothing may be looked up
        why = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise SubmissionError(f"It cannot be read: {why}. Put the file itself there.") from None
    with file:
        return _bounded(file.read(limit + 1), limit)


def _bounded(content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise SubmissionError(f"It is larger than {limit >> 20} MiB. Clear the outputs and hand it in again.")
    return content


# --- Zips -------------------------------------------------------------------------------------------------------------


def _in_zip(place: Path, limit: int, skipped: list[Skipped]) -> Iterator[NotebookFile]:
    with _opened(place) as archive:
        for entry in sorted(_entries(archive), key=lambda entry: entry.filename):
            path = PurePosixPath(entry.filename)
            where = name_of(place, path)
            if len(entry.filename) > _LONGEST_PATH:
                skipped.append(Skipped(where, "its path is too long"))
                continue
            if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(entry.external_attr >> 16):
                skipped.append(Skipped(where, "its path leads out of the zip"))
                continue
            yield NotebookFile(path, where, partial(_read_entry, place, entry.filename, limit, archive))


def _opened(place: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise UsageError(f"{_shown(place)} cannot be unpacked: {error}. Zip the files again.") from None
    if len(archive.infolist()) > _MAX_FILES:
        archive.close()
        raise UsageError(f"{place} holds more than {_MAX_FILES} files; name the zip of one class.")
    return archive


def _entries(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The notebooks in a zip; hidden ones apart."""
    for entry in archive.infolist():
        path = PurePosixPath(entry.filename)
        hidden = any(part.startswith((".", "__")) for part in path.parts if part != "..")
        if not entry.is_dir() and path.suffix == ".ipynb" and not hidden:
            yield entry


def _read_entry(place: Path, name: str, limit: int, archive: zipfile.ZipFile | None = None) -> bytes:
    """The bytes of an entry; from `archive` while it is open, because opening one with many entries takes long."""
    try:
        reused: AbstractContextManager[zipfile.ZipFile] | None = (
            nullcontext(archive) if archive is not None and archive.fp else None
        )
        with reused or zipfile.ZipFile(place) as opened, opened.open(name) as file:
            return _bounded(file.read(limit + 1), limit)  # whatever size the entry claims to have
    except _DAMAGED as error:
        raise SubmissionError(f"It cannot be unpacked: {error}. Zip the file again.") from None
