"""The verb `refresh`: run source notebooks and store their outputs."""

from __future__ import annotations

import argparse
import sys

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Run source notebooks from a fresh kernel and store their outputs."
    verb = add_verb(verbs, "refresh", run, purpose, example="autograder refresh 01_bayes_rule")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to run (default: all)")


def run(options: argparse.Namespace, course: Course) -> int:
    """Name each notebook as it is run, then the files that changed."""
    from autograder.authoring.refresh import refresh

    changed = []
    for stem in course.select(options.stems, tours=True):
        print(f"Running {stem} ...", file=sys.stderr)
        changed += refresh(course, [stem])
    print("\n".join(f"wrote solutions/{name}" for name in changed) or "All outputs are up to date.")
    return 0
