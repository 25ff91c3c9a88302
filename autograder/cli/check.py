"""The verb `check`: grade one notebook with the numbers of a seed, and write nothing."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.arguments import Verbs, add_verb
from autograder.course import Course
from autograder.course.errors import SubmissionError, UsageError
from autograder.course.model import FIXED, Verdict

if TYPE_CHECKING:
    from autograder.course.model import Result

_MOST_SEEDS = 1000
_LONGEST = 2000  # characters of what is said about a check


def add_parser(verbs: Verbs) -> None:
    """Add the verb."""
    purpose = "Grade one notebook with the hidden numbers of a seed, and write nothing."
    verb = add_verb(
        verbs,
        "check",
        run,
        purpose,
        details="It shows what only instructors may see: each hidden check that did not pass, and why.",
        example="autograder check one.ipynb --seed 7",
    )
    verb.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="the notebook to grade")
    which = verb.add_mutually_exclusive_group()
    which.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help="a number, or the seed of a result (default: the fixed numbers)",
    )
    which.add_argument("--seeds", type=_range, metavar="A-B", help="several seeds: a table of the marks by seed")
    verb.add_argument("--json", action="store_true", help="print the results as JSON instead")


def run(options: argparse.Namespace, course: Course) -> int:
    """Show the marks of each exercise, and every check that did not pass."""
    results = _graded(course, options.notebook, options.seeds or [options.seed or FIXED])
    if options.json:
        _show_json(results)
    elif options.seeds:
        _show_table(results)
    else:
        _show_one(results[0])
    return 0


def _seed(text: str) -> str:
    if re.fullmatch(r"[0-9]{1,9}", text):
        return str(int(text))
    if re.fullmatch(r"[0-9a-f]{64}", text) or text == FIXED:
        return text
    raise argparse.ArgumentTypeError(
        f"{text!r} is no seed: give a number of at most 9 digits, or the whole seed of a result document"
    )


def _range(text: str) -> list[str]:
    found = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
    if found is None or not 0 <= int(found[2]) - int(found[1]) < _MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no range, upwards, of at most {_MOST_SEEDS} seeds, such as 1-20")
    return [str(number) for number in range(int(found[1]), int(found[2]) + 1)]


def _graded(course: Course, path: Path, seeds: Sequence[str]) -> list[Result]:
    """The results of a notebook, one for each seed, in order."""
    import os

    from autograder.course import policy
    from autograder.course.text import short_line
    from autograder.engine.jobs import Job, Settings
    from autograder.grading import submissions
    from autograder.grading.local import grade_locally
    from autograder.grading.seeds import secret
    from autograder.sandbox import isolation

    if not path.is_file():
        raise UsageError(f"{path} is not a file. Name one notebook; `autograder grade` grades a folder.")
    limits = policy.limits(course)
    handed_in = submissions.find(path, course.stems(), limit=limits.notebook_bytes)
    if not handed_in.submissions:
        raise UsageError("; ".join(f"{entry.where}: {entry.reason}" for entry in handed_in.skipped))
    if len(handed_in.submissions) > 1:
        names = ", ".join(submission.where for submission in handed_in.submissions)
        raise UsageError(f"{path} holds several notebooks: {short_line(names)}. Unpack it, and name one of them.")
    one = handed_in.submissions[0]
    content = one.read()
    mode = isolation.choose(
        isolation.AUTO,
        checks=course.checks,
        data=course.data,
        suites=course.suites,
        hidden=(course.solutions, course.catalogue, secret.folder(course)),
    )
    jobs = [Job(one.student, one.assignment, content, repairs=one.repairs, seed=seed) for seed in seeds]
    settings = Settings(course.root, mode, limits, allowed=policy.allowed(course))
    workers = min(os.cpu_count() or 1, len(jobs))
    outcomes = grade_locally(jobs, settings, workers=workers, stems=[one.assignment])
    by_seed = {outcome.result.seed: outcome.result for outcome in outcomes}
    results = [by_seed[seed] for seed in seeds]
    for result in results:
        if result.ungraded is not None:
            raise SubmissionError(f"{path} was not graded: {result.ungraded}")
    return results


def _show_json(results: Sequence[Result]) -> None:
    import json

    from autograder.grading import store

    print(json.dumps([store.to_json(result) for result in results], indent=2, ensure_ascii=False))


def _show_one(result: Result) -> None:
    print(f"{result.assignment}, numbers of seed {result.seed}: {result.score:g} of {result.max_score}")
    for fault in result.faults:
        _print_indented("  ", fault.text)
    for exercise in result.exercises:
        print(f"{exercise.name}: {exercise.score:g} of {exercise.points} ({exercise.verdict})")
        not_asked = 0
        for check in exercise.checks:
            if check.verdict in (Verdict.BLOCKED, Verdict.NOT_ATTEMPTED):
                not_asked += 1
            elif check.verdict is not Verdict.PASSED:
                print(f"  {check.name}: {check.verdict}")
                _print_indented("    ", check.detail or check.remark_text or check.asks)
        if not_asked and exercise.verdict is not Verdict.NOT_ATTEMPTED:
            print(f"  {not_asked} more not asked")


def _print_indented(margin: str, words: str) -> None:
    """Print words of a student's, with what steers a terminal made visible, line by line."""
    from autograder.course.text import bounded, printable

    for line in bounded(printable(words), _LONGEST).splitlines():
        print(f"{margin}{line}")


def _show_table(results: Sequence[Result]) -> None:
    """The marks by seed, and below them how often which check did not pass."""
    from collections import Counter

    from rich.table import Table

    from autograder.cli.console import standard_output

    names = [exercise.name for exercise in results[0].exercises]
    count = f"{len(results)} seed{'' if len(results) == 1 else 's'}"
    table = Table(title=f"{results[0].assignment}, {count}", title_justify="left")
    table.add_column("seed", justify="right")
    table.add_column("score", justify="right", no_wrap=True)
    for name in names:
        table.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
    for result in results:
        marks = {exercise.name: f"{exercise.score:g}" for exercise in result.exercises}
        table.add_row(result.seed, f"{result.score:g}", *(marks.get(name, "") for name in names))
    standard_output().print(table)
    asked_in_vain = Counter(
        (exercise.name, check.name, check.verdict)
        for result in results
        for exercise in result.exercises
        for check in exercise.checks
        if check.verdict not in (Verdict.PASSED, Verdict.BLOCKED, Verdict.NOT_ATTEMPTED)
    )
    for (exercise, check, verdict), times in asked_in_vain.items():
        print(f"{exercise} · {check}: {verdict} with {times} of {count}")
