"""The way from submissions to results on disk: collect what was handed in, grade what has changed, write the marks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.course import Course, policy
from autograder.course.errors import UsageError
from autograder.course.model import FIXED, Result
from autograder.engine.jobs import Outcome, Portfolio, Settings, portfolios
from autograder.grading import submissions
from autograder.grading.folder import Folder
from autograder.grading.groups.replies import Replies, load
from autograder.grading.keys import Keys
from autograder.grading.local import Workers
from autograder.grading.remaining import Remaining, notebook_of
from autograder.grading.run import Change, Options, Progress, Run
from autograder.grading.seeds import secret
from autograder.grading.seeds.appeals import refuse_lost_secret
from autograder.grading.seeds.seeding import Seeds
from autograder.grading.submissions import HandedIn
from autograder.sandbox import isolation

__all__ = ["Change", "Options", "Progress", "Run", "grade", "grade_submissions", "notebook_of"]

Execute = Callable[[Iterator[Portfolio]], Iterator[Outcome]]


def grade(course: Course, place: Path, options: Options, progress: Progress = lambda done, total: None) -> Run:
    """Grade everything in `place` and write `results/` and `grades.csv` to the output folder.

    A result is written as soon as it is known, so a run that is killed resumes where it stopped. With `changes`,
    the results of the previous run stay in place, the run says which scores would change, and the next run without it
    takes over what was found out. With `explain`, a folder that has results stays as it is: submissions are asked what
    they were asked then. Results of submissions that are no longer there are left alone, and keep their rows.
    """
    limits = options.limits or policy.limits(course)
    handed_in = submissions.find(place, course.stems(), limit=limits.notebook_bytes)
    return grade_submissions(course, handed_in, replace(options, limits=limits), progress, hidden=(place,))


def grade_submissions(
    course: Course, handed_in: HandedIn, options: Options, progress: Progress, *, hidden: Sequence[Path] = ()
) -> Run:
    """Grade submissions that have been found, and write what was found out as `grade` does.

    `hidden` are further places that student code must not see, such as the one where the submissions are.
    """
    limits = options.limits or policy.limits(course)
    again = options.explain and (options.out / "results").is_dir()
    if not (again or options.fixed or options.force):
        refuse_lost_secret(course, options.out)
    folder = Folder(options.out, only_looked_at=again)
    replies = Replies() if again else load(options.out)
    graded: list[Result] = []
    explanation: list[str] = []
    seconds: Counter[str] = Counter()
    total = len(handed_in.submissions)
    stems = sorted({submission.assignment for submission in handed_in.submissions})
    seeds = Seeds(course, limit=limits.notebook_bytes, fixed=options.fixed, make=not again, tell=options.tell)
    settings = Settings(
        course.root,
        options.isolation,
        limits,
        full=options.full,
        explain=options.explain,
        allowed=policy.allowed(course, options.allowed),
        probes=FIXED if again else seeds.probes,  # what was asked before needs no secret any more
    )
    if options.explain and not again:
        options.tell(f"{options.out} has no results: what is explained is graded now, for the first time.")
    hidden = (course.solutions, course.catalogue, secret.folder(course), options.out, *hidden)
    with _executor(course, stems, settings, options, hidden, total) as (mode, reason, execute):
        keys = Keys(course, replace(settings, isolation=mode))
        remaining = Remaining(handed_in, keys, seeds, options, folder, replies=replies, again=again)
        for one in execute(portfolios(remaining.jobs())):
            outcome = replace(one, result=replace(one.result, isolation_reason=reason)) if reason else one
            graded.append(remaining.shared.share(remaining.keep(outcome)))
            explanation += outcome.explanation
            seconds.update(outcome.seconds)
            progress(len(graded) + len(remaining.known), total)
    progress(len(graded) + len(remaining.known), total)
    results = tuple(sorted([*graded, *remaining.known], key=lambda result: (result.assignment, result.student)))
    written = not (options.changes or again)
    problems: tuple[str, ...] = ()
    if written:
        damaged = folder.write_table(results, handed_in.missing, remaining.unread, remaining.shared)
        problems = (*damaged, *folder.lost(results))
        remaining.finish()
    kept = folder.earlier({*((result.student, result.assignment) for result in results), *remaining.unread})
    return Run(
        results,
        (*handed_in.skipped, *remaining.skipped),
        handed_in.missing,
        len(remaining.known),
        mode,
        tuple(explanation),
        dict(seconds),
        tuple(sorted(remaining.changes, key=lambda change: (change.assignment, change.student))),
        written,
        remaining.cautions,
        tuple(pair for pair in kept if pair[1] in stems or not stems),
        problems,
    )


@contextmanager
def _executor(
    course: Course, stems: Sequence[str], settings: Settings, options: Options, hidden: Sequence[Path], total: int
) -> Iterator[tuple[str, str, Execute]]:
    """The isolation that holds where the work is done, why it is not a stronger one, and what does the work."""
    count = min(options.workers or os.cpu_count() or 1, total)
    if options.executor == "local":
        with Workers(settings, workers=count, stems=stems, tell=options.tell) as workers:  # ready when isolation is
            zygote = isolation.start(
                options.isolation,
                checks=course.checks,
                data=course.data,
                suites=course.suites,
                hidden=hidden,
                limits=settings.limits,
                allowed=settings.allowed,
                figures=options.full,
                tell=options.tell,
            )
            workers.isolate(zygote)
            yield zygote.mode, zygote.reason, partial(workers.grade, ahead=True)
        return
    try:
        from autograder.grading.cluster.instructor import joined
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Grading on a cluster needs Dask ({error}). In the course's repository, run: pip install '.[dask]'"
        ) from None
    with joined(settings, stems, scheduler=options.scheduler, workers=max(count, 1), watch=options.watch) as cluster:
        if cluster.isolation_reason:
            options.tell(isolation.remark(cluster.isolation, cluster.isolation_reason))
        yield cluster.isolation, cluster.isolation_reason, cluster.grade
