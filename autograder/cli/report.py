"""The verb `report`: one page about a class."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Write one page about a class: marks, exercises, misconceptions, faults, similar pairs."
    verb = add_verb(verbs, "report", run, purpose, example="autograder report graded --submissions submitted")
    verb.add_argument(
        "place", type=Path, metavar="RESULTS", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument(
        "--out", type=Path, default=Path("report.html"), metavar="FILE", help="the page to write (default: report.html)"
    )
    verb.add_argument(
        "--submissions",
        type=Path,
        metavar="PLACE",
        help="what was graded, to look for similar pairs (not needed for a course)",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Say what the page is about, and where it is; the exit code is 1 if it is not about all results."""
    from autograder.cli.console import say_unreadable
    from autograder.pages import report

    written = report.write(options.place, course, options.out, options.submissions)
    status = say_unreadable(written.unreadable, options.place)
    print(written.words)
    return status
