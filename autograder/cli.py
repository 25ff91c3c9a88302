"""The command `autograder`: one verb per job, results on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder import __version__, refresh, release, site
from autograder.course import Course
from autograder.errors import AutograderError, UsageError
from autograder.grade import Options, Run, grade
from autograder.grade import Progress as Progressing


def main(arguments: list[str] | None = None) -> int:
    """Run a verb. 0: it did its work; 1: it could not; 2: it was called wrongly."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except UsageError as error:
        print(f"autograder: {error}", file=sys.stderr)
        return 2
    except AutograderError as error:
        print(f"autograder: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"autograder: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("autograder: interrupted; what was finished is kept, and the same command goes on from there.", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description="Release, grade and validate the course's notebooks.")
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)

    refresh.add_parser(verbs)
    release.add_parser(verbs)
    site.add_parser(verbs)
    verb = _verb(verbs, "course", _course, "Make a complete nbgrader course, or bring it up to date.", "autograder course ~/autumn")
    verb.add_argument("folder", type=Path, metavar="DIR", help="the course's folder; submissions and grades in it stay")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to take along (default: all)")
    verb = _verb(
        verbs, "collect", _collect, "Put what students handed in into a course.", "autograder collect download.zip --course ~/autumn"
    )
    verb.add_argument("place", type=Path, metavar="PLACE", help="a Moodle or Canvas download, nbgrader's exchange, a folder or a zip")
    verb.add_argument("--course", type=Path, required=True, metavar="DIR", help="the nbgrader course")
    verb.add_argument("--assignment", metavar="STEM", help="which assignment it is, where nothing else tells")
    verb.add_argument("--yes", action="store_true", help="write also what had to be inferred")
    verb = _verb(verbs, "grade", _grade, "Grade notebooks that students handed in.", "autograder grade submitted --out graded")
    verb.add_argument(
        "submissions", metavar="SUBMISSIONS", help="folder (nbgrader's layout or flat), notebook, or zip; with --course, an assignment"
    )
    verb.add_argument("--out", type=Path, metavar="DIR", help="where results/ and grades.csv go")
    verb.add_argument("--course", type=Path, metavar="DIR", help="grade an assignment of an nbgrader course, its gradebook included")
    _add_grading_options(verb)
    verb.add_argument("--force", action="store_true", help="grade again what has not changed")
    verb.add_argument("--changes", action="store_true", help="show which scores would change since the last run, and replace none")
    verb.add_argument("--explain", action="store_true", help="show every call of every check (for instructors only)")

    verb = _verb(verbs, "marks", _marks, "Write final marks for people or for a learning platform.", "autograder marks ~/autumn --format canvas")
    verb.add_argument("place", type=Path, metavar="PLACE", help="an nbgrader course, or a folder that `grade` has written")
    verb.add_argument("--format", choices=("csv", "canvas", "moodle", "gradescope"), default="csv", help="for whom (default: csv)")
    verb.add_argument("--out", type=Path, metavar="FILE", help="the file to write, for gradescope a folder (default: print)")
    verb.add_argument("--policy", type=Path, metavar="FILE", help="the rules (default: the course's course.toml)")
    purpose = "Write one page about a class: marks, exercises, misconceptions, faults."
    verb = _verb(verbs, "report", _report, purpose, "autograder report graded")
    verb.add_argument("place", type=Path, metavar="RESULTS", help="a folder that `grade` has written, or an nbgrader course")
    verb.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE", help="the page to write (default: report.html)")

    verb = _verb(verbs, "demo", _demo, "Build a sample class, grade it, and show the result.", "autograder demo")
    verb.add_argument("--out", type=Path, default=Path("out/demo"), metavar="DIR", help="where the class and its results go (default: out/demo)")
    _add_grading_options(verb)
    verb.add_argument("--stem", metavar="STEM", help="the notebook that the class hands in (default: the first)")
    verb = _verb(verbs, "validate", _validate, "Grade every known answer and tell which gets what it should not.", "autograder validate 01_bayes_rule")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to validate (default: all)")
    verb.add_argument("--workers", type=_positive, default=0, metavar="N", help="grading processes (default: one per core)")
    _verb(verbs, "doctor", _doctor, "Tell what this machine offers to contain student code.", "autograder doctor")
    return parser


def _add_grading_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--workers", type=_positive, default=0, metavar="N", help="grading processes (default: one per core)")
    verb.add_argument("--isolation", choices=("auto", "strong", "portable", "none"), default="auto", help="how student code is contained")
    verb.add_argument("--full", action="store_true", help="run every cell and write the notebooks with their outputs")
    verb.add_argument("--json", action="store_true", help="print the results as JSON instead of a table")


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Callable[[argparse.Namespace], int],
    purpose: str,
    example: str,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=purpose, description=purpose, epilog=f"example: {example}")
    parser.set_defaults(command=command)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def _course(options: argparse.Namespace) -> int:
    from autograder import classroom

    print("\n".join(classroom.build(Course.default(), options.folder, options.stems)))
    print(f"The course is in {options.folder}. Run nbgrader's commands there.")
    return 0


def _collect(options: argparse.Namespace) -> int:
    from autograder import collecting

    found = collecting.collect(Course.default(), options.place, options.course, stem=options.assignment, confirmed=options.yes)
    print(collecting.told(found, options.place))
    return 0


def _grade(options: argparse.Namespace) -> int:
    how = (options.workers, options.isolation, options.full, options.force, options.explain, options.changes)
    if options.course is None:
        if options.out is None:
            raise UsageError("Name the folder for the results with --out, or an nbgrader course with --course.")
        return _grade_and_tell(Path(options.submissions), Options(options.out, *how), as_json=options.json)
    if options.out is not None:
        raise UsageError("With --course, results go to the course's own folders: leave --out away.")
    from autograder import classroom

    asked = Options(options.course / "graded", *how)
    course = Course.default()
    return _tell(asked, lambda progress: classroom.grade_class(course, options.course, options.submissions, asked, progress), options.json)


def _marks(options: argparse.Namespace) -> int:
    from autograder import marks

    found = marks.read(options.place, Course.default(), options.policy)
    print(marks.write(found, options.format, options.out), end="")
    for words in found.ungraded:
        print(words, file=sys.stderr)
    return 0


def _report(options: argparse.Namespace) -> int:
    from autograder import report

    print(report.write(options.place, Course.default(), options.out))
    return 0


def _demo(options: argparse.Namespace) -> int:
    from autograder import demo

    submitted = demo.build(Course.default(), options.out, options.stem)
    asked = Options(options.out / "graded", options.workers, options.isolation, options.full)
    return _grade_and_tell(submitted, asked, as_json=options.json)


def _validate(options: argparse.Namespace) -> int:
    from autograder import validate
    from autograder.engine import isolation

    course = Course.default()
    mode = isolation.choose(isolation.AUTO, checks=course.checks, data=course.data, suites=course.suites)
    red = False
    for stem in course.select(options.stems):
        cases = validate.validate(course, stem, isolation=mode, workers=options.workers or os.cpu_count() or 1)
        print(f"{stem}\n{validate.table(cases)}\n")
        problems = validate.problems(cases)
        print("\n".join(f"  OFF  {problem}" for problem in problems), end="\n\n" if problems else "")
        red = red or bool(problems)
    return int(red)


def _doctor(options: argparse.Namespace) -> int:
    from autograder import doctor

    findings = doctor.examine(Course.default())
    for finding in findings:
        print(f"{'ok ' if finding.good else 'NO '} {finding.layer}: {finding.words}")
        if finding.remedy:
            print(f"    {finding.remedy}")
    print(doctor.verdict(findings))
    return 0


def _grade_and_tell(place: Path, asked: Options, *, as_json: bool) -> int:
    return _tell(asked, lambda progress: grade(Course.default(), place, asked, progress), as_json)


def _tell(asked: Options, work: Callable[[Progressing], Run], as_json: bool) -> int:
    from autograder import results, summary

    bar = Progress(
        TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    )
    with bar:
        task = bar.add_task("grading", total=None)
        run = work(lambda done, total: bar.update(task, completed=done, total=total))
    if as_json:
        document = {
            "results": [results.to_json(result) for result in run.results],
            "skipped": [{"where": entry.where, "reason": entry.reason} for entry in run.skipped],
            "missing": [{"student": student, "assignment": assignment} for student, assignment in run.missing],
            "changes": [dataclasses.asdict(change) for change in run.changes],
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return 0
    if asked.explain:
        print("\n".join(run.explanation), end="\n\n")
    # Nobody watches a pipe or a file: there the table takes the width that it needs.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(summary.render(run, str(asked.out), only_changes=asked.changes))
    return 0
