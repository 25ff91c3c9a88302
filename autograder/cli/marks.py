"""The verb `marks`: final marks for people, or for a learning platform."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Write final marks for people or for a learning platform."
    verb = add_verb(verbs, "marks", run, purpose, example="autograder marks ~/autumn --format canvas")
    verb.add_argument(
        "place", type=Path, metavar="PLACE", help="an nbgrader course, or a folder that `grade` has written"
    )
    verb.add_argument(
        "--format",
        choices=("csv", "canvas", "moodle", "gradescope"),
        default="csv",
        help="who reads them (default: csv)",
    )
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write, for gradescope a folder (default: print)"
    )
    verb.add_argument("--policy", type=Path, metavar="FILE", help="the rules (default: the course's course.toml)")
    verb.add_argument(
        "--submissions",
        type=Path,
        metavar="DIR",
        help="what was graded, to know what came late (not needed for a course)",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Print the marks, or say where they are; remarks go to standard error. The exit code is 1 if some are missing."""
    from autograder.classroom import marks, platforms
    from autograder.cli.console import say_unreadable

    found = marks.read(options.place, course, options.policy, options.submissions)
    for words in found.remarks:
        print(words, file=sys.stderr)
    status = say_unreadable(found.unreadable, options.place)
    print(platforms.write(found, options.format, options.out), end="")
    return status
