"""What remains to be graded: the submissions whose results are not known from an earlier run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.course import files
from autograder.course.errors import SubmissionError
from autograder.course.model import Result
from autograder.engine.jobs import Job, Outcome
from autograder.grading import store
from autograder.grading.keys import Keys
from autograder.grading.places import Skipped
from autograder.grading.run import Change, Options
from autograder.grading.seeds.appeals import Appeals
from autograder.grading.seeds.seeding import Seeds
from autograder.grading.submissions import HandedIn

_PENDING = ".pending"  # results that `--changes` has found out, until a run without it takes them over


class Remaining:
    """Finds the submissions to grade; results that are known already are collected on the way, new ones are stored.

    With `again`, all of them are asked what they were asked before, and nothing is stored.
    """

    def __init__(self, handed_in: HandedIn, keys: Keys, seeds: Seeds, options: Options, *, again: bool = False) -> None:
        self._handed_in, self._keys, self._seeds, self._options = handed_in, keys, seeds, options
        self._appeals = Appeals(options.out, seeds, options.tell) if again else None
        self._out, self._pending = options.out, options.out / _PENDING
        self._scores_before: dict[tuple[str, str], float | None] = {}
        self.shared = store.Shared()
        self.known: list[Result] = []
        self.skipped: list[Skipped] = []
        self.changes: list[Change] = []

    def jobs(self) -> Iterator[Job]:
        """What has to be graded, one at a time, so that a class of any size fits in memory."""
        for submission in self._handed_in.submissions:
            try:
                content = submission.read()
            except SubmissionError as error:
                self.skipped.append(Skipped(submission.where, str(error)))
                continue
            student, assignment, repairs = submission.student, submission.assignment, submission.repairs
            if self._appeals is None:
                seed = self._seeds.seed(student, assignment, content)
            else:
                student, seed = self._appeals.asked(student, assignment, content)
            key = self._keys.key(assignment, content, repairs, seed=seed.text)
            known = self._known_result(student, assignment, key)
            if known is None:
                job = Job(student, assignment, content, key, repairs)
                yield replace(job, seed=seed.text, attempt=seed.attempt, secret=seed.secret)
            else:
                self.known.append(self.shared.share(known))

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome where it belongs."""
        self._note_change(outcome.result)
        if self._appeals is not None:
            return
        target = self._pending if self._options.changes else self._out
        if outcome.notebook is not None:
            files.replace(notebook_of(target, outcome.result), outcome.notebook)
        store.write(target, outcome.result)

    def finish(self) -> None:
        """Forget what was pending: it has been taken over, or is out of date."""
        shutil.rmtree(self._pending, ignore_errors=True)

    def _known_result(self, student: str, assignment: str, key: str) -> Result | None:
        """The result of an earlier run, if nothing that it depends on has changed."""
        owner = student, assignment
        previous = store.read(store.path_of(self._out, *owner))
        if previous is not None:
            self._scores_before[owner] = _score(previous)
        if self._is_current(previous, key, self._out):
            return previous
        pending = store.read(store.path_of(self._pending, *owner))
        if pending is None or not self._is_current(pending, key, self._pending):
            return None
        self._note_change(pending)
        if not self._options.changes:
            self._take_over(pending)
        return pending

    def _is_current(self, result: Result | None, key: str, folder: Path) -> bool:
        if self._options.force or self._options.explain:
            return False
        if result is None or result.key != key or result.ungraded is not None:
            return False
        return not self._options.full or notebook_of(folder, result).exists()

    def _take_over(self, result: Result) -> None:
        pending = notebook_of(self._pending, result)
        if pending.exists():
            files.replace(notebook_of(self._out, result), pending.read_bytes())
        store.write(self._out, result)

    def _note_change(self, result: Result) -> None:
        before, after = self._scores_before.get((result.student, result.assignment)), _score(result)
        if before != after:
            self.changes.append(Change(result.student, result.assignment, before, after))


def notebook_of(folder: Path, result: Result) -> Path:
    """Where the notebook with all its outputs is, if it was asked for."""
    return folder / "autograded" / result.student / result.assignment / f"{result.assignment}.ipynb"


def _score(result: Result) -> float | None:
    return None if result.ungraded is not None else result.score
