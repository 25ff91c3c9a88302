"""Files: written so that nobody ever sees half of one, and opened so that nothing but a file is ever read."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO


class NotAFileError(OSError):
    """What is there is a folder, a pipe or a device, not a file."""


def open_regular(path: Path, *, links: bool = False) -> BinaryIO:
    """A regular file, open for reading; NotAFileError for anything else, OSError for a link unless `links` is set.

    Nothing that a student puts in the place of a file makes this wait, or read something else than was named.
    """
    follow = 0 if links else getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, os.O_RDONLY | follow | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise NotAFileError(errno.EINVAL, "it is not a file", str(path))


def require_writable(folder: Path) -> None:
    """Nothing if files can be written to a folder, otherwise an OSError; any number of processes may ask at once."""
    with tempfile.TemporaryFile(dir=folder) as file:  # where the system can do it, one without a name
        file.write(b"!")


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
