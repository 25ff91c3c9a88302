"""The verb `learn`: mistakes of a class that the catalogue does not know, on their way into it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.arguments import Verbs, add_verb, add_workers
from autograder.course import Course
from autograder.course.errors import UsageError

if TYPE_CHECKING:
    from autograder.grading.groups.grouping import Group

_SHOWN = 20


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "List mistakes of a class that the catalogue does not know, propose one as an entry, or add it."
    verb = add_verb(
        verbs,
        "learn",
        run,
        purpose,
        details="A proposal lies in the folder of the class until a person has completed it and adds it.",
        example="autograder learn graded 3f9c02d1",
    )
    verb.add_argument(
        "place", type=Path, metavar="DIR", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument("group", nargs="?", metavar="GROUP", help="write a proposal for the mistake of this group")
    verb.add_argument("--out", type=Path, metavar="FILE", help="where the proposal goes (default: in learned/ of DIR)")
    verb.add_argument("--add", type=Path, metavar="FILE", help="add the completed proposal to the course's catalogue")
    add_workers(verb)


def run(options: argparse.Namespace, course: Course) -> int:
    """List the groups, or say what was proposed or added."""
    if options.add is not None:
        if options.group is not None or options.out is not None:
            raise UsageError("--add takes a file that was written before: omit GROUP and --out.")
        _add(course, options.place, options.add, options.workers)
    elif options.group is not None:
        return _propose(course, options)
    elif options.out is not None:
        raise UsageError("--out says where a proposal goes: name the GROUP that it is for.")
    else:
        return _list(options.place)
    return 0


def _list(place: Path) -> int:
    from autograder.authoring.learning import learn
    from autograder.cli.console import say_unreadable
    from autograder.grading.reading import counted

    unknown = learn.unknown(place)
    if unknown.unreadable:
        print(f"This is not complete: {counted(unknown.unreadable)}.\n")
    if found := unknown.groups:
        print("\n".join(_lines(found)))
        print(f"\nTo propose one as an entry of the catalogue: autograder learn {place} {found[0].name[:8]}")
    else:
        print("Every wrong answer that was looked at is in the catalogue: there is nothing to learn.")
    return say_unreadable(unknown.unreadable, place)


def _lines(found: Sequence[Group]) -> list[str]:
    from autograder.course.text import short_line

    width = max(len(group.name) for group in found[:_SHOWN])
    lines = [f"{'group':<{width}}  students  exercise"]
    for group in found[:_SHOWN]:
        known = f" ({group.known_as}: students are asked about that)" if group.known_as and group.question else ""
        lines.append(short_line(f"{group.name:<{width}}  {group.size:>8}  {group.assignment}, {group.exercise}{known}"))
    if len(found) > _SHOWN:
        lines.append(f"and {len(found) - _SHOWN} smaller ones")
    return lines


def _propose(course: Course, options: argparse.Namespace) -> int:
    from autograder.authoring.learning import learn
    from autograder.authoring.learning.proposal import GAP
    from autograder.cli.console import say_unreadable

    print("Its code is tried in the sandbox.", file=sys.stderr)
    done = learn.propose(course, options.place, options.group, options.out, workers=options.workers)
    print(f"{done.path}")
    for remark in done.trial.remarks:
        print(f"- {remark}")
    print(
        f"Read the code, write what {GAP} stands for (a name, the belief, a question), and then: "
        f"autograder learn {options.place} --add {done.path}"
    )
    return say_unreadable(done.unreadable, options.place)


def _add(course: Course, place: Path, file: Path, workers: int) -> None:
    from autograder.authoring.learning import learn

    print("It is tried in the sandbox once more.", file=sys.stderr)
    done = learn.add(course, place, file, workers=workers)
    print(f"{done.proposal.name} was added to {done.path}.")
    for remark in done.remarks:
        print(f"- {remark}")
    print(f"Next: autograder validate {done.proposal.stem}")
