"""The verb `course`: make an nbgrader course, or bring it up to date."""

from __future__ import annotations

import argparse
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


def run(options: argparse.Namespace, course: Course) -> int:
    """Say what was written, and where the course is."""
    from autograder.classroom import nbgrader_course

    print("\n".join(nbgrader_course.build(course, options.folder, options.stems, address=options.gradebook)))
    print(f"The course is in {options.folder}. Run nbgrader's commands there.")
    return 0
