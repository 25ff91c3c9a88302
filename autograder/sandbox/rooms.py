"""Who may run beside whom: a process that may ask the reference runs while no other submission of its notebook does.

Two processes on one machine always share something, the load of a processor if nothing else. Whoever may ask the
reference would have something to tell, so nobody who could use it may be there to listen. Grading processes arrange
that among themselves by locks on a file that they have in common. A lock goes with the process that holds it, however
that ends.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


class Rooms:
    """One room per notebook: many may be in it, or one alone. `waits` is told when that takes a while, and when not."""

    def __init__(self, file: int | None = None, waits: Callable[[bool], None] = lambda waiting: None) -> None:
        """`file` is a descriptor of its own, open for reading and writing; without one, nobody else is graded."""
        self._file, self._waits = file, waits

    @contextmanager
    def beside_others(self, stems: Iterable[str]) -> Iterator[None]:
        """Be in the rooms of some notebooks, with others who ask no reference."""
        with ExitStack() as stack:
            for stem in sorted(set(stems)):  # all in the same order: nobody waits for who waits for them
                with self._locked(_door(stem), fcntl.F_RDLCK):  # who wants to be alone keeps the door shut
                    stack.enter_context(self._locked(_room(stem), fcntl.F_RDLCK))
            yield

    @contextmanager
    def alone(self, stem: str) -> Iterator[None]:
        """Be in the room of a notebook while nobody else is."""
        with self._locked(_door(stem), fcntl.F_WRLCK), self._locked(_room(stem), fcntl.F_WRLCK):
            yield

    @contextmanager
    def _locked(self, place: int, kind: int) -> Iterator[None]:
        if self._file is None:
            yield
            return
        try:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _lock(kind, place))
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            self._waits(True)
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLKW, _lock(kind, place))
            self._waits(False)
        try:
            yield
        finally:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _lock(fcntl.F_UNLCK, place))


def _room(stem: str) -> int:
    """The byte of the file that stands for a notebook's room; the next one stands for its door."""
    return 2 * int.from_bytes(hashlib.sha256(stem.encode()).digest()[:6])


def _door(stem: str) -> int:
    return _room(stem) + 1


def _lock(kind: int, place: int) -> bytes:
    return struct.pack("hhqqi0q", kind, os.SEEK_SET, place, 1, 0)


class RoomFile:
    """The file that the grading processes of a run have in common: one without a name, or a named one."""

    def __init__(self, path: Path | None = None) -> None:
        """With a `path`, processes that do not know each other have it in common; the last one removes it."""
        self._path, self._file = path, None if path is None else _joined(path)
        if path is None and sys.platform == "linux":
            self._file = os.memfd_create("rooms", os.MFD_CLOEXEC)

    def another(self) -> int | None:
        """A descriptor that shares no lock with any other, for one grading process; None where there are no rooms."""
        return None if self._file is None else os.open(f"/proc/self/fd/{self._file}", os.O_RDWR | os.O_CLOEXEC)

    def close(self) -> None:
        """Leave; whoever is the last one removes the file's name."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if self._path is not None:
            with contextlib.suppress(OSError):  # somebody else is still there, or has just removed it
                fcntl.fcntl(file, fcntl.F_OFD_SETLK, _lock(fcntl.F_WRLCK, _PRESENCE))
                self._path.unlink()
        os.close(file)


_PRESENCE = 1 << 62  # the byte that whoever uses a named file holds


def _joined(path: Path) -> int | None:
    """The file of this name, made if it is not there, with a lock that says that it is in use."""
    if sys.platform != "linux":
        return None
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        fcntl.fcntl(file, fcntl.F_OFD_SETLKW, _lock(fcntl.F_RDLCK, _PRESENCE))
        if os.fstat(file).st_nlink:
            return file
        os.close(file)  # removed by the last one before us, in the moment between
