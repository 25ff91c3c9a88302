"""Files that belong together, put into a folder together or not at all; what was there before stays until then."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

PART = ".part"  # how everything ends that is not there to stay
LOCK = f".lock{PART}"
PATIENCE = 60.0  # seconds until somebody else at work in the folder is told of
_BEFORE, _NONE = ".before", ".none"  # what was in the place of a file; that nothing was


class BusyError(Exception):
    """Somebody else is at work in the folder."""


@contextlib.contextmanager
def alone_in(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """The folder, with nobody else at work in it, and without what others have left who were ended; or an OSError.

    A folder that is empty in the end is removed.
    """
    folder.mkdir(exist_ok=True)
    try:
        with _locked(folder / LOCK, patience) as is_certain:
            if is_certain:
                _sweep(folder)
            try:
                yield
            finally:
                if is_certain:  # an interrupt may come while something is being removed
                    _sweep(folder)
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()


def put_together(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Put files into a folder, in order; after an OSError or an interrupt, the folder is as it was.

    Whoever is killed half-way leaves enough for the next one to take back what was put there.
    """
    with stage(folder) as waiting:
        *others, _ = contents
        for name in others:
            if (folder / name).exists():
                _write(waiting / f"{name}{_BEFORE}", (folder / name).read_bytes())
            else:
                _write(waiting / f"{name}{_NONE}", b"")
        write(waiting, contents)
        for name in contents:
            os.replace(waiting / name, folder / name)


@contextlib.contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """A folder in the folder, for what is not there to stay."""
    made = Path(tempfile.mkdtemp(prefix=".", suffix=PART, dir=folder))
    try:
        yield made
    finally:
        _clear(folder, made)


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder; all of them are on disk when it returns."""
    for name, data in contents.items():
        _write(folder / name, data)


def holds(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Whether all files are in the folder, with just this in them."""
    try:
        return all((folder / name).read_bytes() == data for name, data in contents.items())
    except OSError:
        return False


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sweep(folder: Path) -> None:
    """Remove what those have left who were ended: whoever is at work in the folder holds its lock."""
    for path in folder.glob(f".*{PART}"):
        if path.name == LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            _clear(folder, path)
        else:
            path.unlink(missing_ok=True)


def _clear(folder: Path, made: Path) -> None:
    """Remove a stage; if the last of the files never left it, take back those that did."""
    waiting = {path.name for path in made.iterdir()}
    records = {name for name in waiting if name.endswith((_BEFORE, _NONE))}
    for record in records if waiting - records else ():
        name = record.removesuffix(_BEFORE).removesuffix(_NONE)
        if name in waiting:
            continue
        if record.endswith(_BEFORE):
            os.replace(made / record, folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(made, ignore_errors=True)  # what is left of it, the next one removes


# --- The lock ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _locked(path: Path, patience: float) -> Iterator[bool]:
    """The lock of a folder, which ends with whoever holds it; False where the file system knows no locks."""
    handle, is_certain = _take(path, patience)
    try:
        yield is_certain
    finally:
        if sys.platform == "win32":  # there, a file that is open cannot be removed, and nobody can take it meanwhile
            os.close(handle)
        with contextlib.suppress(OSError):
            path.unlink()
        if sys.platform != "win32":
            os.close(handle)


def _take(path: Path, patience: float) -> tuple[int, bool]:
    until = time.monotonic() + patience
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(handle)
        except (BlockingIOError, PermissionError):
            os.close(handle)
            if time.monotonic() > until:
                raise BusyError from None
            time.sleep(0.1)
            continue
        except OSError:
            return handle, False
        if _is_still(path, handle):
            return handle, True
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still(path: Path, handle: int) -> bool:
    """Whether the file that was locked is the one of that name: who had it before has removed it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
