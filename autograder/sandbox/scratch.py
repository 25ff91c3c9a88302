"""Folders that student code has written to: measured and removed whatever their shape, deep, crowded or locked."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
from collections.abc import Iterator

MAX_ENTRIES = 4096
_DEEPEST = 64


def is_full(folder: str, limit: int) -> bool:
    """Whether the files in a folder take more than `limit` bytes, are too many, or cannot be counted."""
    entries = size = 0
    waiting = [(folder, 0)]
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as found:
                for entry in found:
                    entries += 1
                    size += 512 * entry.stat(follow_symlinks=False).st_blocks
                    if entries > MAX_ENTRIES or size > limit:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except FileNotFoundError:
            continue  # deleted meanwhile
        except OSError:
            return True
        if depth > _DEEPEST:
            return True
    return False


def lack_of_room(folder: str, wanted: int) -> str:
    """What is wrong, and what to do, if a folder for temporary files has no room for so many bytes; otherwise nothing.

    Also nothing where the folder cannot be asked: whoever writes there finds out.
    """
    try:
        disk = os.statvfs(folder)
    except OSError:
        return ""
    free, full = disk.f_bavail * disk.f_frsize, bool(disk.f_files) and not disk.f_favail
    if free >= wanted and not full:
        return ""
    there = "no more files can be made there" if full else f"{free >> 20} MiB are free, {wanted >> 20} MiB are needed"
    return (
        f"there is no room for temporary files in {folder}: {there}. "
        "Free some, or set TMPDIR to a folder on a disk that has it"
    )


def remove(folder: str) -> None:
    """Delete a folder and all that it holds, if it exists; links in it are deleted, never followed.

    Folders inside are first moved up to the top, so neither the length of a path nor the depth of a tree matters.
    """
    names = (f"{secrets.token_hex(8)}-{number}" for number in itertools.count())
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        while inside := os.listdir(top):
            for name in inside:
                if not _unlink(name, top):
                    _dissolve(name, top, names)
        os.rmdir(folder)
    except OSError:
        return  # in use, or not ours: whoever looks finds it, and no grading stops for it
    finally:
        os.close(top)


def _unlink(name: str, parent: int) -> bool:
    """Delete a file; False when it is a folder."""
    try:
        os.unlink(name, dir_fd=parent)
    except IsADirectoryError:
        return False
    return True


def _dissolve(name: str, top: int, names: Iterator[str]) -> None:
    """Delete a folder's files, move its folders to the top, and delete it."""
    os.chmod(name, 0o700, dir_fd=top)
    folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
    try:
        for entry in os.listdir(folder):
            if not _unlink(entry, folder):
                os.chmod(entry, 0o700, dir_fd=folder)
                os.rename(entry, next(names), src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
