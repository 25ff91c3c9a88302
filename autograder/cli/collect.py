"""The verb `collect`: put what students handed in into an nbgrader course."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Put what students handed in into a course."
    verb = add_verb(verbs, "collect", run, purpose, example="autograder collect download.zip --course ~/autumn")
    verb.add_argument(
        "place", type=Path, metavar="PLACE", help="a Moodle or Canvas download, nbgrader's exchange, a folder or a zip"
    )
    verb.add_argument("--course", type=Path, required=True, metavar="DIR", help="the nbgrader course")
    verb.add_argument("--assignment", metavar="STEM", help="which assignment it is, if nothing else tells")
    verb.add_argument("--yes", action="store_true", help="also write what had to be inferred")


def run(options: argparse.Namespace, course: Course) -> int:
    """List what was collected, inferred and skipped; the exit code is 1 if anything was skipped by our own fault."""
    from autograder.classroom import downloads

    found = downloads.collect(course, options.place, options.course, stem=options.assignment, confirmed=options.yes)
    print(downloads.told(found, options.place))
    return int(any(entry.ours for entry in found.skipped))
