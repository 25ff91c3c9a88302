"""The verb `demo`: a sample class, graded, with its feedback."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.cli.arguments import Verbs, add_grading_options, add_verb
from autograder.cli.feedback import write_feedback
from autograder.cli.grade import grade_submissions
from autograder.course import Course


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Build a sample class, grade it, and show the result."
    verb = add_verb(verbs, "demo", run, purpose, example="autograder demo")
    verb.add_argument(
        "--out",
        type=Path,
        default=Path("out/demo"),
        metavar="DIR",
        help="where the class and its results go (default: out/demo)",
    )
    add_grading_options(verb)
    verb.add_argument("--stem", metavar="STEM", help="the notebook that the class hands in (default: the first)")


def run(options: argparse.Namespace, course: Course) -> int:
    """Show what `grade` shows, and say where the feedback is."""
    from autograder.classroom import demo
    from autograder.grading.grade import Options

    submitted = demo.build(course, options.out, options.stem)
    asked = Options(options.out / "graded", options.workers, options.isolation, full=options.full, fixed=True)
    status = grade_submissions(course, submitted, asked, as_json=options.json)
    return status if options.json else write_feedback(course, asked.out) or status
