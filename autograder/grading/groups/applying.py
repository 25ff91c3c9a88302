"""Replies put into all results of a folder at once, and into its table of marks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.course import files
from autograder.course.errors import UsageError
from autograder.course.model import Result
from autograder.grading import store
from autograder.grading.groups.replies import Replies


@dataclass(frozen=True)
class Applied:
    """What came of it."""

    results: tuple[Result, ...]
    """All results of the folder, as `store.outlines` reads them."""
    changed: int
    """How many of them had to be written anew."""
    table_is_strange: bool
    """Whether there is a table of marks that is not as `grade` writes it, and so does not have the new marks."""


def results_in(folder: Path) -> list[Result]:
    """The results in a folder without their checks; a UsageError when there are none."""
    found = list(store.outlines(folder))
    if not found:
        raise UsageError(f"There are no results in {folder}: name a folder that `autograder grade` has written.")
    return found


def apply(folder: Path, replies: Replies) -> Applied:
    """Put replies into the results of a folder, and take out those that are not among them.

    What is right already is not written again, so that a run that was killed is put right by the next one.
    """
    settled: list[Result] = []
    changed = 0
    for outline in results_in(folder):
        new = replies.settle(outline)
        if new is not outline:
            whole = store.read(store.path_of(folder, outline.student, outline.assignment))
            if whole is None:
                continue  # somebody has damaged it meanwhile
            store.write(folder, replies.settle(whole))
            changed += 1
        settled.append(new)
    return Applied(tuple(settled), changed, _write_table(folder / "grades.csv", settled))


def _write_table(path: Path, results: list[Result]) -> bool:
    """Bring the table of marks up to date; whether it is one that we do not know."""
    if not path.is_file():
        return False
    written = path.read_text(encoding="utf-8")
    text = store.with_new_marks(written, results)
    if text is not None and text != written:
        files.replace(path, text.encode())
    return text is None
