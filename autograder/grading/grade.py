"""The verb `grade`: collect what was handed in, grade what has changed, and write results and marks."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder.course import Course, files, policy
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.limits import Limits
from autograder.course.model import Result
from autograder.engine.jobs import Headway, Job, Outcome, Settings
from autograder.grading import store, submissions
from autograder.grading.keys import Keys
from autograder.grading.local import Crew
from autograder.grading.submissions import Collected, Skipped
from autograder.sandbox import isolation


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    out: Path
    workers: int = 0
    isolation: str = isolation.AUTO
    full: bool = False
    force: bool = False
    explain: bool = False
    changes: bool = False
    limits: Limits | None = None
    executor: str = "local"
    scheduler: str | None = None
    watch: Callable[[Headway], None] = lambda headway: None  # is told how a cluster does


@dataclass(frozen=True)
class Change:
    """A score that differs from that of the run before."""

    student: str
    assignment: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Run:
    """What a run of `grade` did."""

    results: tuple[Result, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[tuple[str, str], ...]
    unchanged: int
    isolation: str
    explanation: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


Progress = Callable[[int, int], None]

_PENDING = ".pending"  # results that `--changes` has found out, until a run without it takes them over


def grade(course: Course, place: Path, options: Options, progress: Progress = lambda done, total: None) -> Run:
    """Grade everything in `place` and write `results/` and `grades.csv` to the output folder.

    A result is written as soon as it is known, so a run that is killed resumes where it stopped. With `changes`,
    the results of the run before stay in place, the run tells which scores would change, and the next run without it
    takes over what was found out. Results of submissions that are no longer there are left alone.
    """
    limits = options.limits or policy.limits(course)
    collected = submissions.collect(place, course.stems(), limit=limits.notebook_bytes)
    return grade_collected(course, collected, options, progress, hidden=(place,))


def grade_collected(
    course: Course, collected: Collected, options: Options, progress: Progress, *, hidden: Sequence[Path] = ()
) -> Run:
    """Grade submissions that have been collected, and write what was found out as `grade` does.

    `hidden` are further places that student code must not see, such as the one where the submissions are.
    """
    limits = options.limits or policy.limits(course)
    _make_folder(options.out)
    graded: list[Result] = []
    explanation: list[str] = []
    seconds: Counter[str] = Counter()
    total = len(collected.submissions)
    needed = sorted({submission.assignment for submission in collected.submissions})
    settings = Settings(course.root, options.isolation, limits, full=options.full, explain=options.explain)
    hidden = (course.solutions, course.catalogue, options.out, *hidden)
    with _executor(course, needed, settings, options, hidden, total) as (mode, execute):
        todo = _Todo(collected, Keys(course, replace(settings, isolation=mode)), options)
        for outcome in execute(todo.jobs()):
            todo.keep(outcome)
            graded.append(todo.shared.share(outcome.result))
            explanation += outcome.explanation
            seconds.update(outcome.seconds)
            progress(len(graded) + len(todo.known), total)
    progress(len(graded) + len(todo.known), total)
    everything = tuple(sorted([*graded, *todo.known], key=lambda result: (result.assignment, result.student)))
    if not options.changes:
        files.replace(options.out / "grades.csv", store.table(everything, collected.missing).encode())
        shutil.rmtree(options.out / _PENDING, ignore_errors=True)
    return Run(
        everything,
        (*collected.skipped, *todo.skipped),
        collected.missing,
        len(todo.known),
        mode,
        tuple(explanation),
        dict(seconds),
        tuple(sorted(todo.changes, key=lambda change: (change.assignment, change.student))),
    )


Execute = Callable[[Iterator[Job]], Iterator[Outcome]]


@contextmanager
def _executor(
    course: Course, stems: Sequence[str], settings: Settings, options: Options, hidden: Sequence[Path], total: int
) -> Iterator[tuple[str, Execute]]:
    """The isolation that holds where the work is done, and what does the work."""
    workers = min(options.workers or os.cpu_count() or 1, total)
    if options.executor == "local":
        places = {"checks": course.checks, "data": course.data, "suites": course.suites}
        with Crew(settings, workers=workers, stems=stems) as crew:  # it gets ready while the isolation is tried
            zygote = isolation.start(
                options.isolation, **places, hidden=hidden, limits=settings.limits, figures=options.full
            )
            crew.isolate(zygote)
            yield zygote.mode, partial(crew.grade, ahead=True)
        return
    try:
        from autograder.grading import cluster
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Grading on a cluster needs Dask ({error}). In the course's repository, run: pip install '.[dask]'"
        ) from None
    with cluster.joined(
        settings, stems, scheduler=options.scheduler, workers=max(workers, 1), watch=options.watch
    ) as team:
        yield team.isolation, team.grade


class _Todo:
    """The submissions that have to be graded; what is known already is found, and kept, on the way."""

    def __init__(self, collected: Collected, keys: Keys, options: Options) -> None:
        self._collected, self._keys, self._options = collected, keys, options
        self._target = options.out / _PENDING if options.changes else options.out
        self._before: dict[tuple[str, str], float | None] = {}
        self.shared = store.Shared()
        self.known: list[Result] = []
        self.skipped: list[Skipped] = []
        self.changes: list[Change] = []

    def jobs(self) -> Iterator[Job]:
        """What has to be graded, one at a time, so that a class of any size fits in memory."""
        for submission in self._collected.submissions:
            try:
                content = submission.read()
            except SubmissionError as error:
                self.skipped.append(Skipped(submission.where, str(error)))
                continue
            owner = submission.student, submission.assignment
            key = self._keys.key(submission.assignment, content, submission.repairs)
            previous = store.read(store.path_of(self._options.out, *owner))
            if previous is not None:
                self._before[owner] = None if previous.ungraded else previous.score
            if self._is_current(previous, key, self._options.out):
                assert previous is not None
                self.known.append(self.shared.share(previous))
                continue
            pending = store.read(store.path_of(self._options.out / _PENDING, *owner))
            if self._is_current(pending, key, self._options.out / _PENDING):
                assert pending is not None
                self.known.append(self.shared.share(pending))
                self._note_change(pending)
                if not self._options.changes:
                    self._take_over(pending)
            else:
                yield Job(*owner, content, key, submission.repairs)

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome where it belongs."""
        if outcome.notebook is not None:
            files.replace(notebook_of(self._target, outcome.result), outcome.notebook)
        self._note_change(outcome.result)
        store.write(self._target, outcome.result)

    def _is_current(self, result: Result | None, key: str, folder: Path) -> bool:
        if (
            result is None
            or result.key != key
            or result.ungraded is not None
            or self._options.force
            or self._options.explain
        ):
            return False
        return not self._options.full or notebook_of(folder, result).exists()

    def _take_over(self, result: Result) -> None:
        pending = notebook_of(self._options.out / _PENDING, result)
        if pending.exists():
            files.replace(notebook_of(self._options.out, result), pending.read_bytes())
        store.write(self._options.out, result)

    def _note_change(self, result: Result) -> None:
        before = self._before.get((result.student, result.assignment))
        after = None if result.ungraded else result.score
        if before != after:
            self.changes.append(Change(result.student, result.assignment, before, after))


def notebook_of(folder: Path, result: Result) -> Path:
    """Where the notebook with all its outputs lies, if it was asked for."""
    return folder / "autograded" / result.student / result.assignment / f"{result.assignment}.ipynb"


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        files.replace(out / ".writable", b"")
        (out / ".writable").unlink()
    except OSError as error:
        raise UsageError(
            f"Results cannot be written to {out}: {error.strerror}. Name another folder with --out."
        ) from None
