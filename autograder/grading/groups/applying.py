"""Replies put into all results of a folder at once, and into its table of marks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from autograder.course import files
from autograder.course.errors import UsageError
from autograder.course.limits import MIB
from autograder.course.model import Result
from autograder.grading import reading, store
from autograder.grading.groups.replies import Replies
from autograder.grading.reading import Found, Unreadable

_LARGEST = 64 * MIB  # of a table of marks


@dataclass(frozen=True)
class Applied:
    """What came of it."""

    results: tuple[Result, ...]
    """All results of the folder that could be read, as `reading.outlines` does."""
    unreadable: tuple[Unreadable, ...]
    """What has no reply in it, because it cannot be read."""
    changed: int
    """How many of them had to be written anew."""
    table_is_strange: bool
    """Whether there is a table of marks that is not as `grade` writes it, and so does not have the new marks."""


def results_in(folder: Path) -> Found:
    """What lies in a folder of results, without checks; a UsageError when there is nothing."""
    found = reading.outlines(folder)
    if not found:
        raise UsageError(f"There are no results in {folder}: name a folder that `autograder grade` has written.")
    return found


def apply(folder: Path, replies: Replies) -> Applied:
    """Put replies into the results of a folder, and take out those that are not among them.

    What is right already is not written again, so that a run that was killed is put right by the next one.
    """
    settled: list[Result] = []
    changed = 0
    outlines, unreadable = results_in(folder).apart()
    damaged = list(unreadable)
    for outline in outlines:
        new = replies.settle(outline)
        if new is not outline:
            whole = reading.read(store.path_of(folder, outline.student, outline.assignment))
            if isinstance(whole, Unreadable):
                damaged.append(whole)  # in its checks, which an outline does not have
            if not isinstance(whole, Result):
                continue
            store.write(folder, replies.settle(whole))
            changed += 1
        settled.append(new)
    return Applied(tuple(settled), tuple(damaged), changed, _write_table(folder / "grades.csv", settled))


def _write_table(path: Path, results: list[Result]) -> bool:
    """Bring the table of marks up to date; whether it is one that we do not know."""
    if not os.path.lexists(path):
        return False
    try:
        with files.open_regular(path, links=True) as file:
            content = file.read(_LARGEST + 1)
        text = store.with_new_marks(content.decode(), results) if len(content) <= _LARGEST else None
    except (OSError, UnicodeDecodeError):
        return True
    if text is not None and text.encode() != content:
        files.replace(path, text.encode())
    return text is None
