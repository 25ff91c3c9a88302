"""The verb `grade`: collect what was handed in, grade what has changed, and write results and marks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder import files, results, submissions
from autograder.course import Course
from autograder.engine import isolation
from autograder.engine.grading import Job, Outcome, Settings
from autograder.engine.local import grade_locally
from autograder.errors import SubmissionError, UsageError
from autograder.keys import Keys
from autograder.model import Result
from autograder.submissions import Collected, Skipped


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    out: Path
    workers: int = 0
    isolation: str = isolation.AUTO
    full: bool = False
    force: bool = False
    explain: bool = False


@dataclass(frozen=True)
class Run:
    """What a run of `grade` did."""

    results: tuple[Result, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[tuple[str, str], ...]
    unchanged: int
    isolation: str
    explanation: tuple[str, ...] = ()


Progress = Callable[[int, int], None]


def grade(course: Course, place: Path, options: Options, progress: Progress = lambda done, total: None) -> Run:
    """Grade everything in `place` and write `results/` and `grades.csv` to the output folder.

    A result is written as soon as it is known, so a run that is killed resumes where it stopped. Results of
    submissions that are no longer there are left alone.
    """
    stems = course.stems()
    settings = Settings(course.root, "", full=options.full, explain=options.explain)
    collected = submissions.collect(place, stems, limit=settings.limits.notebook_bytes)
    _make_folder(options.out)
    mode = isolation.choose(options.isolation, checks=course.checks, data=course.data, suites=course.suites)
    settings = Settings(course.root, mode, full=options.full, explain=options.explain)
    todo = _Todo(course, collected, settings, options)
    total = len(collected.submissions)
    graded: list[Result] = []
    explanation: list[str] = []
    workers = min(options.workers or os.cpu_count() or 1, max(total, 1))
    needed = sorted({submission.assignment for submission in collected.submissions})
    for outcome in grade_locally(todo.jobs(), settings, workers=workers, stems=needed):
        _write(options.out, outcome)
        graded.append(outcome.result)
        explanation += outcome.explanation
        progress(len(graded) + len(todo.unchanged), total)
    progress(len(graded) + len(todo.unchanged), total)
    everything = tuple(sorted([*graded, *todo.unchanged], key=lambda result: (result.assignment, result.student)))
    files.replace(options.out / "grades.csv", results.table(everything, collected.missing).encode())
    return Run(
        everything,
        (*collected.skipped, *todo.skipped),
        collected.missing,
        len(todo.unchanged),
        mode,
        tuple(explanation),
    )


class _Todo:
    """The submissions that have to be graded; the others are found to be unchanged on the way."""

    def __init__(self, course: Course, collected: Collected, settings: Settings, options: Options) -> None:
        self._collected, self._options = collected, options
        self._keys = Keys(course, settings)
        self.unchanged: list[Result] = []
        self.skipped: list[Skipped] = []

    def jobs(self) -> Iterator[Job]:
        for submission in self._collected.submissions:
            try:
                content = submission.read()
            except SubmissionError as error:
                self.skipped.append(Skipped(submission.where, str(error)))
                continue
            key = self._keys.key(submission.assignment, content, submission.repairs)
            previous = results.read(results.path_of(self._options.out, submission.student, submission.assignment))
            if previous is not None and previous.key == key and previous.ungraded is None and not self._again:
                self.unchanged.append(previous)
            else:
                yield Job(submission.student, submission.assignment, content, key, submission.repairs)

    @property
    def _again(self) -> bool:
        return self._options.force or self._options.explain


def _write(out: Path, outcome: Outcome) -> None:
    if outcome.notebook is not None:
        student, assignment = outcome.result.student, outcome.result.assignment
        files.replace(out / "autograded" / student / assignment / f"{assignment}.ipynb", outcome.notebook)
    results.write(out, outcome.result)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        files.replace(out / ".writable", b"")
        (out / ".writable").unlink()
    except OSError as error:
        raise UsageError(f"Results cannot be written to {out}: {error.strerror}. Name another folder with --out.") from None
