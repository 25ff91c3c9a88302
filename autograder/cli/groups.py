"""The verb `groups`: wrong answers that behave alike, and one reply to all who gave them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb, positive
from autograder.course import Course
from autograder.course.errors import UsageError


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Show wrong answers that behave alike, or reply to all who gave them."
    verb = add_verb(verbs, "groups", run, purpose, example="autograder groups graded --reply replies.toml")
    verb.add_argument(
        "place", type=Path, metavar="DIR", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument("stem", nargs="?", metavar="STEM", help="only the groups of this notebook")
    verb.add_argument(
        "--reply", type=Path, metavar="FILE", help="give the questions, comments and marks in a TOML file to groups"
    )
    verb.add_argument(
        "--forget", metavar="GROUP", help="take the reply to a group back; EXERCISE:GROUP where several have its name"
    )
    verb.add_argument(
        "--most", type=positive, default=10, metavar="N", help="groups to show of each exercise (default: 10)"
    )
    verb.add_argument("--json", action="store_true", help="print all groups, or what was replied, as JSON")


def run(options: argparse.Namespace, course: Course) -> int:
    """Show the groups, or say what was replied and to how many; the exit code is 1 if something could not be read."""
    from autograder.classroom import replying
    from autograder.cli import group_lines
    from autograder.cli.console import say_unreadable

    if options.reply is not None and options.forget is not None:
        raise UsageError("--reply and --forget are two commands: run one after the other.")
    if options.reply is not None and options.stem is not None:
        raise UsageError("A reply names its notebook in the file: omit the one that follows the folder.")
    if options.reply is None and options.forget is None:
        found = replying.look(options.place, options.stem)
        if options.json:
            print(json.dumps(group_lines.document(found), indent=2, ensure_ascii=False))
        else:
            print("\n".join(group_lines.lines(found, options.most)))
        return say_unreadable(found.unreadable, options.place)
    if options.reply is not None:
        done = replying.reply(options.place, course, options.reply)
    else:
        done = replying.take_back(options.place, course, options.forget, options.stem)
    if done.copy:
        print(done.copy, file=sys.stderr)
    if options.json:
        print(json.dumps(group_lines.document_of(done), indent=2, ensure_ascii=False))
    else:
        print("\n".join(group_lines.told(done, taken_back=options.forget is not None)))
    return say_unreadable(done.unreadable, options.place) or int(done.table_is_strange)
