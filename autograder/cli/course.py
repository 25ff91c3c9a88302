"""The verb `course`: make an nbgrader course, or bring it up to date."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Make a complete nbgrader course, or bring it up to date."
    verb = add_verb(verbs, "course", run, purpose, example="autograder course ~/autumn")
    verb.add_argument(
        "folder", type=Path, metavar="DIR", help="the course's folder; submissions and grades in it are kept"
    )
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to include (default: all)")
    verb.add_argument(
        "--gradebook",
        metavar="URL",
        help="where a new course keeps its grades, such as postgresql://user@host/name (default: in DIR)",
    )
    verb.add_argument(
        "--new-gradebook",
        action="store_true",
        help="make an empty gradebook where the one that was there is lost, without the grades that were in it",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Say what was written, and where the course is; on standard error, where the gradebook is as it was before."""
    from autograder.classroom import nbgrader_course

    told = nbgrader_course.build(
        course,
        options.folder,
        options.stems,
        address=options.gradebook,
        new_gradebook=options.new_gradebook,
        tell=partial(print, file=sys.stderr),
    )
    print("\n".join(told))
    print(f"The course is in {options.folder}. Run nbgrader's commands there.")
    return 0
