"""The verb `feedback`: a page for each student."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Write a page for each student: marks, what was right, what was not."
    verb = add_verb(verbs, "feedback", run, purpose, example="autograder feedback graded")
    verb.add_argument(
        "place", type=Path, metavar="DIR", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument("--out", type=Path, metavar="DIR", help="where the pages go (default: feedback/ in that folder)")
    verb.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="NAME",
        help="only the pages of this student (may be repeated)",
    )
    verb.add_argument(
        "--assignment",
        action="append",
        default=[],
        metavar="STEM",
        help="only the pages for this notebook (may be repeated)",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Say how many pages were written, and where."""
    return write_feedback(course, options.place, options.out, options.student, options.assignment)


def write_feedback(
    course: Course,
    place: Path,
    out: Path | None = None,
    students: Sequence[str] = (),
    assignments: Sequence[str] = (),
) -> int:
    """Write the pages and say so; the exit code is 1 if a result could not be used."""
    from autograder.cli.console import say_unreadable
    from autograder.pages import feedback

    written = feedback.write(place, course, out, students=students, assignments=assignments)
    for problem in written.problems:
        print(problem, file=sys.stderr)
    status = say_unreadable(written.unreadable, place)
    print(feedback.told(written))
    return status or int(bool(written.problems))
