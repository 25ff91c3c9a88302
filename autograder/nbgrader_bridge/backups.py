"""A copy of the gradebook, made before its structure or many marks change; the last ten are kept.

SQLite itself makes it, so that it is whole even while others write. It is checked, and only then gets its name and
takes the place of an older one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.course import files
from autograder.course.errors import GradebookError
from autograder.nbgrader_bridge import connecting, copies

KEPT = 10
MARKS = ("submitted_assignment",)  # tables: where something is in them, there are marks to lose
PEOPLE = ("student", *MARKS)
_HEAD = 100  # bytes in which a database says what it is
_COUNTERS = ((24, 28), (40, 44), (92, 100))  # of them: they differ in each copy of the same content
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_ON_A_SERVER = (
    "No copy of the gradebook is made before it changes, because it is on a server: `pg_dump` makes one, "
    "see `A gradebook on PostgreSQL` in docs/instructors.md."
)


def keep(url: str, *, of: Sequence[str] = MARKS, every: timedelta | None = None) -> str:
    """Make a copy of a gradebook before it changes; in words, where it is, or why there is none.

    Nothing is copied, and nothing said, if none of the tables `of` has anything in it, or if a copy has been made
    within the time `every`. If the newest copy has the same content, it is the one. A GradebookError if no copy can be
    made: then nothing must be changed.
    """
    if not connecting.holds(url, of):
        return ""
    file = connecting.file_of(url)
    if file is None:
        return _ON_A_SERVER
    if every is not None and copies.one_since(file, datetime.now(UTC) - every):
        return ""
    with connecting.in_words(url):
        return f"The gradebook as it was before is in {_made(file)}."


def _made(file: Path) -> Path:
    """A copy, new or the newest one if that is the same; when it has its place, older ones than the last ten go."""
    made = _new_or_newest(file)
    for old in [copy for copy in copies.existing(file) if copy != made][KEPT - 1 :]:
        old.unlink(missing_ok=True)
    return made


def _new_or_newest(file: Path) -> Path:
    with _refused(file):
        folder = _own_folder(file)
        files.clear(folder / file.name)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.{os.getpid()}.", suffix=".part", dir=folder)
        os.close(handle)
        part = Path(name)
        try:
            _copy(file, part)
            if problem := copies.problem(part):
                raise sqlite3.DatabaseError(problem)
            newest = next(iter(copies.existing(file)), None)
            if newest is not None and _digest(newest) == _digest(part):
                return newest
            _to_disk(part)
            made = _placed(part, file)
        finally:
            part.unlink(missing_ok=True)
        _to_disk(folder)
        return made


@contextmanager
def _refused(file: Path) -> Iterator[None]:
    """What keeps a copy from being made, in words."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in _BUSY:
            raise
        if code in _NO_ROOM:
            raise _no_copy(file, str(error)) from None
        raise GradebookError(
            f"The gradebook {file} is damaged: {error}. Nothing was changed in it, and its copies stay as they are. "
            f"{copies.how_to_put_back(file)}"
        ) from None
    except OSError as error:
        raise _no_copy(file, error.strerror or str(error)) from None


def _no_copy(file: Path, why: str) -> GradebookError:
    return GradebookError(
        f"No copy of the gradebook {file} could be made in {copies.folder(file)}: {why}. The gradebook was not "
        "changed, because nobody could go back. Make room there, or see to it that you can write there, "
        "then run the same command again."
    )


def _own_folder(file: Path) -> Path:
    folder = copies.folder(file)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if folder.is_symlink() or not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it must be a folder, and not a link to one") from None
    return folder


def _copy(file: Path, part: Path) -> None:
    """Put all of the gradebook, as it is at one moment, into a file that is there."""
    with closing(copies.opened(file, "mode=rw")) as source, closing(copies.opened(part, "mode=rw")) as copy:
        copy.execute("PRAGMA journal_mode = OFF")  # no further file beside it; what is not finished is thrown away
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on, nothing changes meanwhile
        source.backup(copy)


def _digest(copy: Path) -> bytes:
    """What is in a copy, without what differs each time that one is made."""
    with files.open_regular(copy) as file:
        head = bytearray(file.read(_HEAD))
        for begin, end in _COUNTERS:
            head[begin:end] = bytes(end - begin)
        digest = hashlib.sha256(head)
        while block := file.read(1 << 20):
            digest.update(block)
        return digest.digest()


def _placed(part: Path, file: Path) -> Path:
    """Give a copy its name, which nobody else has; it is there from one moment to the next."""
    moment = datetime.now(UTC)
    while True:
        made = copies.path(file, moment)
        try:
            os.link(part, made)
            return made
        except FileExistsError:
            pass
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if not os.path.lexists(made):
                os.replace(part, made)
                return made
        moment += timedelta(milliseconds=1)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
