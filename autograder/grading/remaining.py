"""What remains to be graded: the submissions whose results are not known from an earlier run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.course import files
from autograder.course.errors import SubmissionError
from autograder.course.model import Result, Whose
from autograder.engine.jobs import Job, Outcome
from autograder.grading import reading, store
from autograder.grading.folder import Folder
from autograder.grading.groups.replies import FILE, Replies
from autograder.grading.keys import Keys
from autograder.grading.places import Skipped
from autograder.grading.reading import Unreadable
from autograder.grading.run import Change, Options
from autograder.grading.seeds.appeals import Appeals
from autograder.grading.seeds.seeding import Seed, Seeds
from autograder.grading.submissions import HandedIn, Submission, unusable

_NAMED = 10  # of students whose reply is gone
_PENDING = ".pending"  # results that `--changes` has found out, until a run without it takes them over


class Remaining:
    """Finds the submissions to grade; results that are known already are collected on the way, new ones are stored.

    Every result gets the replies that an instructor gave to those who answered like that. With `again`, all
    submissions are asked what they were asked before, and nothing is stored: what counts is what the checks give.
    """

    def __init__(
        self,
        handed_in: HandedIn,
        keys: Keys,
        seeds: Seeds,
        options: Options,
        folder: Folder,
        *,
        replies: Replies,
        again: bool = False,
    ) -> None:
        self._handed_in, self._keys, self._seeds, self._options = handed_in, keys, seeds, options
        self._appeals = Appeals(options.out, seeds) if again else None
        self._folder, self._replies = folder, replies
        self._other_secrets: set[str] = set()
        self._lost_replies: list[str] = []
        self._out, self._pending = options.out, options.out / _PENDING
        self._scores_before: dict[tuple[str, str], float | None] = {}
        self.shared = store.Shared()
        self.known: list[Result] = []
        self.skipped: list[Skipped] = []
        self.unread: list[tuple[str, str]] = []
        """The students and assignments of those that were skipped, and have no result of an earlier run."""
        self.changes: list[Change] = []

    def jobs(self) -> Iterator[Job]:
        """What has to be graded, one at a time, so that a class of any size fits in memory."""
        for submission in self._handed_in.submissions:
            student, assignment, repairs = submission.student, submission.assignment, submission.repairs
            if obstacle := reading.in_the_way(store.path_of(self._out, student, assignment)):
                # Found out now: the others would be lost if writing it failed later.
                reason = f"its result cannot be written: {obstacle}. Move that away, and grade again"
                self._skip(submission, Skipped(submission.where, reason, ours=True))
                continue
            try:  # once: key, seed and marks are of these bytes, whatever becomes of the file
                content = submission.read()
            except SubmissionError as error:
                self._skip(submission, unusable(submission.where, error))
                continue
            if self._appeals is None:
                seed = self._seeds.seed(student, assignment, content)
            else:
                student, seed = self._appeals.asked(student, assignment, content)
            key = self._keys.key(assignment, content, repairs, seed=seed.text)
            known = self._known_result(student, assignment, key, seed)
            if known is None:
                job = Job(student, assignment, content, key, repairs)
                yield replace(job, seed=seed.text, attempt=seed.attempt, secret=seed.secret)
            else:
                self.known.append(self.shared.share(known))

    def _skip(self, submission: Submission, skipped: Skipped) -> None:
        """Note that a submission was handed in and cannot be graded, in words and, if there is no result, as one.

        Without a result, whoever reads them would take it for one that was not handed in, and count nothing for it.
        """
        self.skipped.append(skipped)
        student, assignment = submission.student, submission.assignment
        path = store.path_of(self._out, student, assignment)
        before = reading.read(path)
        if isinstance(before, Result) and before.ungraded is None:
            return  # it stands, with a word that this run has not seen it
        self.unread.append((student, assignment))
        if self._options.changes or self._appeals is not None or reading.in_the_way(path):
            return
        whose = Whose.MACHINE if skipped.ours else Whose.STUDENT
        self._folder.require_same()
        store.write(self._out, Result(student, assignment, "", (), ungraded=skipped.reason, ungraded_by=whose))

    def keep(self, outcome: Outcome) -> Result:
        """The result of an outcome, with what was replied to answers like these, and written where it belongs."""
        if self._appeals is not None:
            if (outcome.result.student, outcome.result.assignment) in self._scores_before:
                self._note_change(outcome.result)
            return outcome.result
        result = self._replies.settle(outcome.result)
        self._note_change(result)
        target = self._pending if self._options.changes else self._out
        self._folder.require_same()
        if outcome.notebook is not None:
            files.replace(notebook_of(target, result), outcome.notebook)
        store.write(target, result)
        return result

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know about the numbers that were asked again, and about replies that are gone."""
        if self._appeals is not None:
            return tuple(self._appeals.cautions)
        if not self._lost_replies:
            return ()
        who = ", ".join(self._lost_replies[:_NAMED]) + (", ..." if len(self._lost_replies) > _NAMED else "")
        return (
            f"{self._out / FILE} has no reply any more to answers of {who}: what the checks gave counts again. If that "
            "is not meant, put the file back from your copy, and grade again.",
        )

    def finish(self) -> None:
        """Forget what was pending: it has been taken over, or is out of date."""
        shutil.rmtree(self._pending, ignore_errors=True)

    def _known_result(self, student: str, assignment: str, key: str, seed: Seed) -> Result | None:
        """The result of an earlier run, if nothing that it depends on has changed."""
        owner = student, assignment
        previous = self._stored(self._out, *owner)
        if previous is not None and (self._appeals is None or previous.attempt == seed.attempt):
            self._scores_before[owner] = _score(previous) if self._appeals is None else _earned(previous)
            self._note_secret(previous.secret, seed.secret)
            if self._appeals is None:
                self._note_replies(previous)
        if previous is not None and self._is_current(previous, key, self._out):
            return self._brought_up_to_date(previous)
        pending = self._stored(self._pending, *owner)
        if pending is None or not self._is_current(pending, key, self._pending):
            return None
        pending = self._replies.settle(pending)
        self._note_change(pending)
        if not self._options.changes:
            self._take_over(pending)
        return pending

    def _stored(self, folder: Path, student: str, assignment: str) -> Result | None:
        """The result of an earlier run; what cannot be read is made anew, and named."""
        found = reading.read(store.path_of(folder, student, assignment))
        if isinstance(found, Unreadable):
            if self._appeals is None:  # they say so themselves
                self._options.tell(f"{found.words} It is graded again, and made anew.")
            return None
        return found

    def _brought_up_to_date(self, result: Result) -> Result:
        """A result of an earlier run with the replies of today; they are in it already unless that run was killed."""
        settled = self._replies.settle(result)
        if settled is not result:
            self._note_change(settled)
            if not self._options.changes:
                self._folder.require_same()
                store.write(self._out, settled)
        return settled

    def _is_current(self, result: Result | None, key: str, folder: Path) -> bool:
        if self._options.force or self._options.explain:
            return False
        if result is None or result.key != key or result.ungraded is not None or result.pressure:
            return False
        return not self._options.full or notebook_of(folder, result).exists()

    def _take_over(self, result: Result) -> None:
        self._folder.require_same()
        pending = notebook_of(self._pending, result)
        if pending.exists():
            files.replace(notebook_of(self._out, result), pending.read_bytes())
        store.write(self._out, result)

    def _note_secret(self, before: str, now: str) -> None:
        """Say, once, that results are of another secret: before the first of them is replaced."""
        if before and now and before != now and before not in self._other_secrets:
            self._other_secrets.add(before)
            self._options.tell(
                f"results in {self._out} were drawn with another secret (fingerprint {before}, now {now}): they are "
                "graded again with other numbers."
            )

    def _note_replies(self, previous: Result) -> None:
        """Remember who had a reply that is not kept any more: `--forget` takes it out of results as well."""
        now = self._replies.settle(previous)
        if any(old.reply and not new.reply for old, new in zip(previous.exercises, now.exercises, strict=True)):
            self._lost_replies.append(f"{previous.student} ({previous.assignment})")

    def _note_change(self, result: Result) -> None:
        before, after = self._scores_before.get((result.student, result.assignment)), _score(result)
        if before != after:
            self.changes.append(Change(result.student, result.assignment, before, after))


def notebook_of(folder: Path, result: Result) -> Path:
    """Where the notebook with all its outputs is, if it was asked for."""
    return folder / "autograded" / result.student / result.assignment / f"{result.assignment}.ipynb"


def _score(result: Result) -> float | None:
    return None if result.ungraded is not None else result.score


def _earned(result: Result) -> float | None:
    return None if result.ungraded is not None else result.earned
