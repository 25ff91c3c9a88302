"""The folder that results go to, while a run writes to it: that it stays the same one, and its table of marks."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from autograder.course import files
from autograder.course.errors import MachineError, UsageError
from autograder.course.model import Result, Whose
from autograder.grading import reading, store
from autograder.grading.reading import Unreadable
from autograder.grading.store import Shared

Pairs = Collection[tuple[str, str]]  # of a student and an assignment


class Folder:
    """A folder for results. Unless it is only looked at, it is made if there is none, and stays the same folder."""

    def __init__(self, path: Path, *, only_looked_at: bool = False) -> None:
        self.path = path
        if not only_looked_at:
            _make(path)
        self._identity = _identity(path)

    def require_same(self) -> None:
        """A MachineError when it has been deleted, moved or replaced meanwhile: nothing is to be lost unnoticed.

        A new one in its place would have only a part of the results, and look like a whole one.
        """
        if _identity(self.path) != self._identity:
            raise MachineError(
                f"The folder {self.path} was deleted, moved or replaced while results were written to it. What was "
                "written is where the folder is now, if there still is one. Put it back, and run the same command "
                "again: it grades what is not there."
            )

    def lost(self, results: Sequence[Result]) -> tuple[str, ...]:
        """In words, that results which were written are not there any more."""
        gone = [one for one in results if not store.path_of(self.path, one.student, one.assignment).exists()]
        if not gone:
            return ()
        whose = named([(result.student, result.assignment) for result in gone])
        return (
            f"during this run, the results of {whose} were deleted from {self.path}. Run the same command again: "
            "it grades what is not there.",
        )

    def earlier(self, seen: Pairs) -> list[tuple[str, str]]:
        """The students and assignments that have results here, and are not among those that were `seen`."""
        paths = (path for path in (self.path / "results").glob("*/*.json") if not path.name.startswith("."))
        found = ((path.parent.name, path.stem) for path in paths)
        return sorted(set(found) - set(seen), key=lambda pair: (pair[1], pair[0]))

    def write_table(
        self,
        results: Sequence[Result],
        missing: Sequence[tuple[str, str]],
        unread: Sequence[tuple[str, str]],
        shared: Shared,
    ) -> tuple[str, ...]:
        """Write the table of marks, with a row for everybody whose results are here, seen in this run or not.

        Of several runs that end at the same time, the last one to write sees the results of all. In words, which
        results of earlier runs cannot be read.
        """
        self.require_same()
        with _alone_in(self.path):
            kept = self.earlier({*((result.student, result.assignment) for result in results), *unread})
            known = set(kept)
            rows, damaged = self._rows_of(kept)
            table = store.table(
                results,
                [pair for pair in missing if pair not in known],
                unread=unread,
                earlier=[shared.share(row) for row in rows],
            )
            files.replace(self.path / "grades.csv", table.encode())
        return tuple(
            f"{one.words} Its row has no marks. Grade the submission again, or move away what lies there."
            for one in damaged
        )

    def _rows_of(self, kept: Sequence[tuple[str, str]]) -> tuple[list[Result], list[Unreadable]]:
        """What results say in the table, and those that cannot be read: of them, at least the row stays."""
        outlines = reading.outlines(self.path).apart()[0] if kept else ()  # ten times as quick as whole documents
        known = {(outline.student, outline.assignment): outline for outline in outlines}
        rows, damaged = list[Result](), list[Unreadable]()
        for pair in kept:
            found = known.get(pair) or reading.read(store.path_of(self.path, *pair))
            if isinstance(found, Unreadable):
                damaged.append(found)
            rows.append(found if isinstance(found, Result) else _unreadable(pair))
        return rows, damaged


def named(pairs: Sequence[tuple[str, str]], most: int = 5) -> str:
    """Whose submissions these are: the first few, and how many more."""
    stems = {assignment for _, assignment in pairs}
    names = [student if len(stems) == 1 else f"{student} ({assignment})" for student, assignment in pairs]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _unreadable(pair: tuple[str, str]) -> Result:
    """What stands for a result that cannot be read: its row, at least, stays."""
    return Result(*pair, isolation="", exercises=(), ungraded="its document cannot be read", ungraded_by=Whose.MACHINE)


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        files.require_writable(path)
    except OSError as error:
        raise UsageError(
            f"Results cannot be written to {path}: {error.strerror}. Name another folder with --out."
        ) from None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def _alone_in(path: Path) -> Iterator[None]:
    """Let nobody else write a table here meanwhile, where the file system knows locks."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # and with it the lock
