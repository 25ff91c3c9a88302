"""Files: written so that nobody ever sees half of one, and opened so that nothing but a file is ever read."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_PASS = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)  # O_PATH asks for no right but to pass through
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotAFileError(OSError):
    """What is there is a folder, a pipe or a device, not a file."""


class LinkError(OSError):
    """What is at `filename` is a symbolic link, which could point at anything."""


@dataclass(frozen=True)
class Entry:
    """What a folder holds under a name; what a link points at is asked only to tell people what it is."""

    name: str
    is_folder: bool
    is_link: bool
    is_file: bool
    """Whether it is a regular file, and no link to one."""


def open_regular(path: Path, *, links: bool = False, below: Path | None = None) -> BinaryIO:
    """A regular file, open for reading; NotAFileError for anything else, LinkError for a link unless `links` is set.

    Nothing that a student puts in the place of a file makes this wait, or read something else than was named. `below`
    is a folder that somebody chose, in whatever way it is reached. On the way from there to the file students may put
    anything at any moment: each folder is opened in the one before it, and none of them may be a link.
    """
    flags = _READ | (0 if links else _NO_LINK)
    try:
        if below is None:
            handle = os.open(path, flags)
        else:
            with _passed(path.parent, below) as parent:
                handle = os.open(path.name, flags, dir_fd=parent)
    except OSError as error:
        if error.errno == errno.ELOOP and not (links or isinstance(error, LinkError)):
            raise LinkError(errno.ELOOP, "it is a symbolic link", str(path)) from None
        raise
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise NotAFileError(errno.EINVAL, "it is not a file", str(path))


def require_writable(folder: Path) -> None:
    """Nothing if files can be written to a folder, otherwise an OSError; any number of processes may ask at once."""
    with tempfile.TemporaryFile(dir=folder) as file:  # where the system can do it, one without a name
        file.write(b"!")


def entries(folder: Path, *, below: Path) -> list[Entry]:
    """What a folder holds, which is `below` or lies in it and is opened like a file there; LinkError for a link."""
    with _passed(folder, below, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)) as handle, os.scandir(handle) as found:
        return [_entry(one) for one in found]


def _entry(found: os.DirEntry[str]) -> Entry:
    is_link = found.is_symlink()
    try:
        return Entry(found.name, found.is_dir(), is_link, found.is_file(follow_symlinks=False))
    except OSError:  # a link that leads round in circles, or to where nobody may look
        return Entry(found.name, is_folder=False, is_link=is_link, is_file=False)


@contextmanager
def _passed(folder: Path, below: Path, last: int = _PASS) -> Iterator[int]:
    """A descriptor of a folder in another one, to which no link leads; LinkError where a part of the way is one.

    `last` is how the folder itself is opened.
    """
    parts, way = folder.relative_to(below).parts, below
    here = os.open(below, _PASS if parts else last)
    try:
        for number, part in enumerate(parts, start=1):
            if part == os.pardir:
                raise OSError(errno.EXDEV, "it leads out of the folder", str(folder))
            before, way = here, way / part
            try:
                here = os.open(part, (last if number == len(parts) else _PASS) | _NO_LINK, dir_fd=before)
            except NotADirectoryError:
                if stat.S_ISLNK(os.stat(part, dir_fd=before, follow_symlinks=False).st_mode):
                    raise LinkError(errno.ELOOP, "it is a symbolic link", str(way)) from None
                raise
            os.close(before)
        yield here
    finally:
        os.close(here)


def replace(path: Path, data: bytes) -> None:
    """Put `data` where `path` is: the old content stays until the new one is complete."""
    replace_all({path: data})


def replace_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files: all of them are complete on disk before the first old one is replaced.

    An OSError names the file that was wanted, not the part that was being written.
    """
    staged: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, data in contents.items():
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            path.parent.mkdir(parents=True, exist_ok=True)
            clear(path)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.{os.getpid()}.", suffix=".part", dir=path.parent)
            staged.append((Path(name), path))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
        while staged:
            part, path = staged[0]
            os.replace(part, path)
            staged.pop(0)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        for part, _ in staged:
            part.unlink(missing_ok=True)


def clear(path: Path) -> None:
    """Remove what killed processes have left of `path`; somebody else may be writing the same file right now."""
    name = re.compile(rf"\.{re.escape(path.name)}\.(\d{{1,9}})\.\w+\.part")
    for part in path.parent.iterdir():
        found = name.fullmatch(part.name)
        if found and not _is_alive(int(found[1])):
            part.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is there, and another user's
    return True
