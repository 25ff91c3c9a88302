"""The verb `validate`: put on record what the hidden checks do with every known answer."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograder.cli.arguments import Verbs, add_verb, add_workers, positive
from autograder.course import Course

if TYPE_CHECKING:
    from autograder.validity.record import Record


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Grade every known answer, tell which gets what it should not, and put that on record in docs/."
    verb = add_verb(verbs, "validate", run, purpose, example="autograder validate 01_bayes_rule")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to validate (default: all)")
    add_workers(verb)
    verb.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help="ask with the numbers of N seeds, and put nothing on record (default: 20, as the record says)",
    )
    verb.add_argument(
        "--exercise", metavar="NAME", help="only answers to this exercise; nothing is put on record (for authors)"
    )
    verb.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 also if docs/validity.md would change"
    )
    verb.add_argument("--json", action="store_true", help="print the records as JSON instead of tables")


def run(options: argparse.Namespace, course: Course) -> int:
    """Show a table per notebook; the exit code is 1 if anything is off, or with --check out of date."""
    from autograder.cli.console import bar
    from autograder.sandbox import isolation
    from autograder.validity import luck, validate

    mode = isolation.choose(isolation.AUTO, checks=course.checks, data=course.data, suites=course.suites)
    stems, workers = course.select(options.stems), options.workers or os.cpu_count() or 1
    with bar("answers") as moving:
        records = validate.validate(
            course,
            stems,
            isolation=mode,
            workers=workers,
            seeds=options.seeds or luck.RECORDED,
            only=options.exercise,
            progress=moving.show,
        )
    _show(records, as_json=options.json)
    if options.exercise or options.seeds not in (None, luck.RECORDED):
        print(f"Nothing is put on record: that takes all exercises and {luck.RECORDED} seeds.", file=sys.stderr)
        return int(any(record.problems for record in records))
    changed = _put_on_record(course, records, only_check=options.check)
    return int(any(record.problems for record in records) or (options.check and changed))


def _show(records: Sequence[Record], *, as_json: bool) -> None:
    from autograder.cli.console import standard_output
    from autograder.course import codec
    from autograder.validity import page

    if as_json:
        print(json.dumps([codec.to_plain(record) for record in records], indent=1, ensure_ascii=False))
        return
    for record in records:
        standard_output().print(page.table(record))
    for record in records:
        print("".join(f"OFF  {record.stem}, {problem}\n" for problem in record.problems), end="")


def _put_on_record(course: Course, records: Sequence[Record], *, only_check: bool) -> bool:
    """Whether the record in docs/ changed, or with `only_check` would change."""
    from autograder.validity import proof

    contents = proof.contents(course, records)
    changed = any(not path.exists() or path.read_bytes() != data for path, data in contents.items())
    if changed and not only_check:
        proof.write(course, records)
    stands = "up to date" if not changed else "out of date: run `autograder validate`" if only_check else "written"
    print(f"docs/validity.md and docs/validity.json: {stands}.", file=sys.stderr)
    return changed
