"""Folders for temporary files that do not outlive the process that made them, however that ends.

Two things see to it. A keeper, a small process of its own, waits at the end of a pipe until its owner has ended, and
removes what the owner had not; it is this module, run as a program. And whoever makes such a folder first removes those
that neither an owner nor a keeper was left to remove, because somebody has ended both: each folder is locked while it
is in use, and the kernel gives the lock back with the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import stat
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from autograder.sandbox import scratch
from autograder.sandbox.rooms import RoomFile

_FOLDER = re.compile(r"autograder-[a-z]+-[0-9a-f]{16}")
_ROOMS = re.compile(r"autograder-[0-9a-f]{16}\.rooms")
_PLACES = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108 - as in Python's own tempfile
_ABOVE = str(Path(__file__).resolve().parents[2])


@cache
def place() -> str:
    """Where temporary files go: TMPDIR, or the system's folder; decided once, for Python's own tempfile as well.

    Unlike tempfile, this writes nothing to find out, which a killed process would leave behind; goes nowhere else for
    want of room, of which nobody would learn; and never takes the folder that one happens to be in.
    """
    if tempfile.tempdir is not None:
        return str(tempfile.tempdir)  # somebody has decided already
    named = [os.path.abspath(folder) for name in ("TMPDIR", "TEMP", "TMP") if (folder := os.environ.get(name))]
    for folder in (*named, *_PLACES):
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            tempfile.tempdir = folder
            break
    return tempfile.gettempdir()


def is_there(path: str) -> bool:
    """Whether it lies where temporary files go."""
    return bool(path) and Path(path).is_relative_to(tempfile.gettempdir())


def lack_of_room(wanted: int = 1 << 20) -> str:
    """What is wrong, and what to do, if there is no room for so many bytes of temporary files; otherwise nothing."""
    return scratch.lack_of_room(tempfile.gettempdir(), wanted)


def name(kind: str) -> str:
    """A path for a new folder; what has such a name is removed when it is not locked by `hold`."""
    return os.path.join(tempfile.gettempdir(), f"autograder-{kind}-{secrets.token_hex(8)}")


def hold(path: str) -> int:
    """Make a folder for this user alone, and lock it: it is in use until the descriptor is closed, or we end."""
    while True:
        os.mkdir(path, 0o700)
        try:
            os.chmod(path, 0o700)  # whatever the umask is
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # swept in this moment, before it was locked
        with contextlib.suppress(OSError):  # some network file systems lock no folders: nobody will take it for left
            fcntl.flock(handle, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(handle)):
                return handle
        os.close(handle)  # swept meanwhile


@contextmanager
def folder(kind: str) -> Iterator[Path]:
    """A new folder for this user alone, which is gone afterwards, and when this process has been killed meanwhile."""
    kept = Kept(kind)
    try:
        yield kept.path
    finally:
        kept.close()


class Kept:
    """A new folder for this user alone; it goes when it is closed, or when this process ends."""

    def __init__(self, kind: str, inside: str | None = None) -> None:
        """`kind` is a word in its name; it is `inside` a folder, or else where temporary files go."""
        sweep()
        self.path = Path(name(kind)) if inside is None else Path(inside, os.path.basename(name(kind)))
        keep(self.path)
        self._handle = hold(str(self.path))

    def close(self) -> None:
        """Remove it."""
        scratch.remove(str(self.path))
        os.close(self._handle)
        release(self.path)


# --- The second line --------------------------------------------------------------------------------------------------


@cache
def sweep() -> None:
    """Remove, once, what processes of this user have left where temporary files go: what nobody holds any more.

    Not what belongs to other users, not what a link leads to, not what has a name that we do not give.
    """
    around = place()
    for entry in os.listdir(around):
        path = os.path.join(around, entry)
        with contextlib.suppress(OSError):  # gone meanwhile, or not to be locked here
            if _FOLDER.fullmatch(entry) and _is_ours(path, stat.S_ISDIR):
                _sweep(path)
            elif _ROOMS.fullmatch(entry) and _is_ours(path, stat.S_ISREG):
                RoomFile(Path(path)).close()  # the last one to leave removes it


def _is_ours(path: str, is_kind: Callable[[int], bool]) -> bool:
    status = os.lstat(path)
    return is_kind(status.st_mode) and status.st_uid == os.geteuid()


def _sweep(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        scratch.remove(path)
    finally:
        os.close(handle)


# --- The keeper -------------------------------------------------------------------------------------------------------


_lock = threading.Lock()
_kept: Counter[str] = Counter()  # several may keep the same file of rooms
_keeper: list[subprocess.Popen[bytes]] = []


def keep(path: Path) -> None:
    """Have a folder, or the file of rooms, removed if we end before `release`; it need not be there yet."""
    with _lock:
        if not _kept:
            with contextlib.suppress(OSError):  # no process to be had: then the next run sweeps
                _keeper.append(_started())
        _kept[str(path)] += 1
        _say("+", path)


def release(path: Path) -> None:
    """Keep it no longer; the keeper of nothing ends."""
    with _lock:
        _kept[str(path)] -= 1
        if _kept[str(path)] > 0:
            return
        del _kept[str(path)]
        _say("-", path)
        if not _kept and _keeper:
            _keeper.pop().communicate()


def inherited() -> tuple[int, ...]:
    """Descriptors for a process that we start and that uses what is kept: the keeper waits until it has ended, too."""
    with _lock:
        return tuple(keeper.stdin.fileno() for keeper in _keeper if keeper.stdin is not None)


def _say(sign: str, path: Path) -> None:
    for keeper in _keeper:
        assert keeper.stdin is not None
        with contextlib.suppress(OSError):  # somebody has ended it
            keeper.stdin.write(f"{sign}{path}\0".encode(errors="surrogateescape"))
            keeper.stdin.flush()


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-s", "-S", "-P", "-B", "-m", "autograder.sandbox.temporary"],
        env={"PYTHONPATH": _ABOVE, "PATH": os.defpath},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what ends its owner and the group around must not end it, too
    )


def main() -> None:
    """Wait until the owner has ended, and remove what it had not released."""
    kept: set[str] = set()
    for said in sys.stdin.buffer.read().decode(errors="surrogateescape").split("\0"):
        (kept.add if said.startswith("+") else kept.discard)(said[1:])
    for path in kept - {""}:
        if path.endswith(".rooms"):
            with contextlib.suppress(OSError):
                RoomFile(Path(path)).close()
        else:
            scratch.remove(path)


if __name__ == "__main__":
    main()
