"""The verb `release`: write what students get, or say why not."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course
from autograder.course.errors import UsageError


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    verb = add_verb(
        verbs,
        "release",
        run,
        "Write notebooks/ from solutions/, with other numbers to practise with, and the bundle that students get.",
        details="Nothing is written if students would see what they must not see, "
        "or would be graded by hidden checks that are not known to be right.",
        example="autograder release --bundle course.zip",
    )
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to release (default: all)")
    verb.add_argument("--bundle", type=Path, metavar="FILE.zip", help="also write the zip file for students")
    verb.add_argument("--check", action="store_true", help="write nothing; exit 1 if notebooks/ would change")
    verb.add_argument(
        "--unvalidated",
        action="store_true",
        help="also release what `validate` has not found to be right; the bundle says so",
    )


def run(options: argparse.Namespace, course: Course) -> int:
    """Name the files that were written, or with --check those that would be."""
    from autograder.authoring import release

    if options.check and options.bundle:
        raise UsageError("--check writes nothing, so it cannot be combined with --bundle.")
    print(f"Building {', '.join(course.select(options.stems, tours=True))} ...", file=sys.stderr)
    if options.check:
        return _say_what_differs(release.drift(course, options.stems))
    done = release.release(course, options.stems, zip_file=options.bundle, unvalidated=options.unvalidated)
    lines = [f"wrote notebooks/{name}" for name in done.notebooks]
    lines += [f"wrote notebooks/checks/practice/{name}" for name in done.practice]
    lines += [f"removed notebooks/checks/practice/{name}" for name in done.removed]
    print("\n".join(lines) or "notebooks/ is up to date.")
    if options.bundle:
        print(f"wrote {options.bundle} ({len(done.bundled)} files)")
    return 0


def _say_what_differs(differences: list[str]) -> int:
    print("\n".join(differences) or "notebooks/ is up to date.")
    if differences:
        print("Run `autograder release` to bring notebooks/ up to date.", file=sys.stderr)
    return int(bool(differences))
