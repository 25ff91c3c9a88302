"""What the verbs' arguments have in common. A verb imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

from autograder.course import Course

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Command = Callable[[argparse.Namespace, Course], int]


def add_verb(
    verbs: Verbs, name: str, command: Command, purpose: str, *, example: str, details: str = ""
) -> argparse.ArgumentParser:
    """The parser of a new verb, whose help is one sentence, details if there are any, and an example."""
    description = f"{purpose} {details}".strip()
    parser = verbs.add_parser(name, help=purpose, description=description, epilog=f"example: {example}")
    parser.set_defaults(command=command)
    return parser


def add_workers(verb: argparse.ArgumentParser) -> None:
    """Add the number of grading processes."""
    verb.add_argument(
        "--workers", type=positive, default=0, metavar="N", help="grading processes (default: one per core)"
    )


def add_grading_options(verb: argparse.ArgumentParser) -> None:
    """Add what every verb that grades a class can be told."""
    add_workers(verb)
    verb.add_argument(
        "--isolation",
        choices=("auto", "strong", "portable", "none"),
        default="auto",
        help="how student code is contained",
    )
    verb.add_argument("--full", action="store_true", help="run every cell and write the notebooks with their outputs")
    verb.add_argument("--json", action="store_true", help="print the results as JSON instead of a table")


def positive(text: str) -> int:
    """A whole number above zero, from an argument."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
