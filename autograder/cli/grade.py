"""The verb `grade`: grade a folder of submissions, or an assignment of an nbgrader course."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.arguments import Verbs, add_grading_options, add_verb
from autograder.course import Course
from autograder.course.errors import MachineError, UsageError

if TYPE_CHECKING:
    from autograder.grading.grade import Options, Progress, Run


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Grade notebooks that students handed in."
    verb = add_verb(verbs, "grade", run, purpose, example="autograder grade submitted --out graded")
    verb.add_argument(
        "submissions",
        metavar="SUBMISSIONS",
        help="folder (nbgrader's layout or flat), notebook, or zip; with --course, an assignment",
    )
    verb.add_argument("--out", type=Path, metavar="DIR", help="where results/ and grades.csv go")
    verb.add_argument(
        "--course", type=Path, metavar="DIR", help="grade an assignment of an nbgrader course, including its gradebook"
    )
    add_grading_options(verb)
    verb.add_argument("--force", action="store_true", help="grade again what has not changed")
    verb.add_argument(
        "--changes", action="store_true", help="show which scores would change since the last run, and replace none"
    )
    verb.add_argument("--explain", action="store_true", help="show every call of every check (for instructors only)")
    verb.add_argument(
        "--executor",
        choices=("local", "dask"),
        default="local",
        help="where to grade: on this machine, or on a Dask cluster",
    )
    verb.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the cluster's scheduler, such as tcp://host:8786 (default: start a cluster on this machine)",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Show the class in a table, or as JSON."""
    _refuse_contradictions(options)
    _require_working_folder(Path(options.submissions), options.out, options.course)
    from autograder.grading.grade import Options

    asked = Options(
        options.out or options.course / "graded",
        options.workers,
        options.isolation,
        full=options.full,
        force=options.force,
        explain=options.explain,
        changes=options.changes,
        executor=options.executor,
        scheduler=options.scheduler,
    )
    if options.course is None:
        return grade_submissions(course, Path(options.submissions), asked, as_json=options.json)
    from autograder.classroom import nbgrader_course

    def work(asked: Options, progress: Progress) -> Run:
        return nbgrader_course.grade_class(course, options.course, options.submissions, asked, progress)

    return _grade_and_show(work, asked, as_json=options.json)


def grade_submissions(course: Course, place: Path, asked: Options, *, as_json: bool) -> int:
    """Grade everything in a place and show the run; the exit code."""
    from autograder.grading import grade

    return _grade_and_show(lambda asked, progress: grade.grade(course, place, asked, progress), asked, as_json=as_json)


def _refuse_contradictions(options: argparse.Namespace) -> None:
    if options.scheduler and options.executor != "dask":
        raise UsageError("A scheduler grades with --executor dask: add it, or omit --scheduler.")
    if options.scheduler and options.workers:
        raise UsageError("With --scheduler, the cluster has its own workers: omit --workers.")
    if options.explain and options.changes:
        raise UsageError("--explain replaces no results either, and tells where a score would change: omit --changes.")
    if options.course is None and options.out is None:
        raise UsageError("Name the folder for the results with --out, or an nbgrader course with --course.")
    if options.course is not None and options.out is not None:
        raise UsageError("With --course, results go to the course's own folders: omit --out.")


def _require_working_folder(*paths: Path | None) -> None:
    """Nothing if these can be found, as far as that depends on the folder that the command was called in."""
    if all(path is None or path.is_absolute() for path in paths):
        return
    try:
        os.getcwd()
    except FileNotFoundError:
        raise MachineError(
            "The folder that this was called in is gone: somebody has deleted it. Change to one that is there, and run "
            "the same command again."
        ) from None


def _grade_and_show(work: Callable[[Options, Progress], Run], asked: Options, *, as_json: bool) -> int:
    from autograder.cli import summary
    from autograder.cli.console import bar
    from autograder.grading.cluster.status import caution
    from autograder.sandbox import matplotlib_version

    if asked.full and (remark := matplotlib_version.remark()):
        print(f"figures are {remark}", file=sys.stderr)
    if asked.scheduler and (remark := caution(asked.scheduler)):
        print(remark, file=sys.stderr)
    with bar("grading") as moving:
        finished = work(replace(asked, watch=moving.show_cluster, tell=moving.tell), moving.show)
    summary.show(finished, asked, as_json=as_json)
    return 0 if finished.is_complete else 1
