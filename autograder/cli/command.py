"""The command `autograder`: one verb per job, results on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import dataclasses
import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from autograder import __version__
from autograder.authoring import refresh, release, site
from autograder.course import Course
from autograder.course.errors import AutograderError, UsageError
from autograder.engine.jobs import Headway
from autograder.grading.grade import Options, Run, grade
from autograder.grading.grade import Progress as Progressing


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
        print(f"autograder: {_in_words(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "autograder: interrupted; what was finished is kept, and the same command goes on from there.",
            file=sys.stderr,
        )
        return 1


_ADVICE = {
    errno.ENOSPC: "Make room there, then run the same command again: what was finished is kept.",
    errno.EDQUOT: "Make room there, then run the same command again: what was finished is kept.",
    errno.EACCES: "Name another place, or get the right to use this one.",
    errno.EPERM: "Name another place, or get the right to use this one.",
    errno.EROFS: "Name another place: nothing can be written to this one.",
    errno.ENOENT: "Name another place.",
    errno.ENOTDIR: "Name another place: a part of this path is a file.",
    errno.EEXIST: "Name another place: a part of this path is a file.",
    errno.EISDIR: "Name a file: this is a folder.",
}


def _in_words(error: OSError) -> str:
    """What the system said, where, and what to do next."""
    told = f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")
    advice = _ADVICE.get(error.errno or 0, "")
    return f"{told}. {advice}" if advice else told


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autograder", description="Release, grade and validate the course's notebooks."
    )
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)

    refresh.add_parser(verbs)
    release.add_parser(verbs)
    site.add_parser(verbs)
    verb = _verb(
        verbs,
        "course",
        _course,
        "Make a complete nbgrader course, or bring it up to date.",
        "autograder course ~/autumn",
    )
    verb.add_argument("folder", type=Path, metavar="DIR", help="the course's folder; submissions and grades in it stay")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to take along (default: all)")
    verb.add_argument(
        "--gradebook",
        metavar="URL",
        help="where a new course keeps its grades, such as postgresql://user@host/name (default: in DIR)",
    )
    verb = _verb(
        verbs,
        "collect",
        _collect,
        "Put what students handed in into a course.",
        "autograder collect download.zip --course ~/autumn",
    )
    verb.add_argument(
        "place", type=Path, metavar="PLACE", help="a Moodle or Canvas download, nbgrader's exchange, a folder or a zip"
    )
    verb.add_argument("--course", type=Path, required=True, metavar="DIR", help="the nbgrader course")
    verb.add_argument("--assignment", metavar="STEM", help="which assignment it is, where nothing else tells")
    verb.add_argument("--yes", action="store_true", help="write also what had to be inferred")
    verb = _verb(
        verbs, "grade", _grade, "Grade notebooks that students handed in.", "autograder grade submitted --out graded"
    )
    verb.add_argument(
        "submissions",
        metavar="SUBMISSIONS",
        help="folder (nbgrader's layout or flat), notebook, or zip; with --course, an assignment",
    )
    verb.add_argument("--out", type=Path, metavar="DIR", help="where results/ and grades.csv go")
    verb.add_argument(
        "--course", type=Path, metavar="DIR", help="grade an assignment of an nbgrader course, its gradebook included"
    )
    _add_grading_options(verb)
    verb.add_argument("--force", action="store_true", help="grade again what has not changed")
    verb.add_argument(
        "--changes", action="store_true", help="show which scores would change since the last run, and replace none"
    )
    verb.add_argument("--explain", action="store_true", help="show every call of every check (for instructors only)")
    verb.add_argument(
        "--executor",
        choices=("local", "dask"),
        default="local",
        help="where to grade: on this machine, or on a Dask cluster",
    )
    verb.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the cluster's scheduler, such as tcp://host:8786 (default: a cluster of its own)",
    )

    verb = _verb(
        verbs,
        "marks",
        _marks,
        "Write final marks for people or for a learning platform.",
        "autograder marks ~/autumn --format canvas",
    )
    verb.add_argument(
        "place", type=Path, metavar="PLACE", help="an nbgrader course, or a folder that `grade` has written"
    )
    verb.add_argument(
        "--format", choices=("csv", "canvas", "moodle", "gradescope"), default="csv", help="for whom (default: csv)"
    )
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write, for gradescope a folder (default: print)"
    )
    verb.add_argument("--policy", type=Path, metavar="FILE", help="the rules (default: the course's course.toml)")
    verb.add_argument(
        "--submissions", type=Path, metavar="DIR", help="what was graded, to know what came late (in a course: known)"
    )
    verb = _verb(
        verbs,
        "feedback",
        _feedback,
        "Write a page for each student: marks, what was right, what was not.",
        "autograder feedback graded",
    )
    verb.add_argument(
        "place", type=Path, metavar="DIR", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument("--out", type=Path, metavar="DIR", help="where the pages go (default: feedback/ in that folder)")
    verb.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="NAME",
        help="only the pages of this student (may be repeated)",
    )
    verb.add_argument(
        "--assignment",
        action="append",
        default=[],
        metavar="STEM",
        help="only the pages for this notebook (may be repeated)",
    )
    purpose = "Write one page about a class: marks, exercises, misconceptions, faults, similar pairs."
    verb = _verb(verbs, "report", _report, purpose, "autograder report graded --submissions submitted")
    verb.add_argument(
        "place", type=Path, metavar="RESULTS", help="a folder that `grade` has written, or an nbgrader course"
    )
    verb.add_argument(
        "--out", type=Path, default=Path("report.html"), metavar="FILE", help="the page to write (default: report.html)"
    )
    verb.add_argument(
        "--submissions",
        type=Path,
        metavar="PLACE",
        help="what was graded, to look for similar pairs (in a course: known)",
    )

    verb = _verb(verbs, "demo", _demo, "Build a sample class, grade it, and show the result.", "autograder demo")
    verb.add_argument(
        "--out",
        type=Path,
        default=Path("out/demo"),
        metavar="DIR",
        help="where the class and its results go (default: out/demo)",
    )
    _add_grading_options(verb)
    verb.add_argument("--stem", metavar="STEM", help="the notebook that the class hands in (default: the first)")
    purpose = "Grade every known answer, tell which gets what it should not, and put that on record in docs/."
    verb = _verb(verbs, "validate", _validate, purpose, "autograder validate 01_bayes_rule")
    verb.add_argument("stems", nargs="*", metavar="STEM", help="notebooks to validate (default: all)")
    verb.add_argument(
        "--workers", type=_positive, default=0, metavar="N", help="grading processes (default: one per core)"
    )
    verb.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 also if docs/validity.md would change"
    )
    verb.add_argument("--json", action="store_true", help="print the records as JSON instead of tables")
    _verb(verbs, "doctor", _doctor, "Tell what this machine offers to contain student code.", "autograder doctor")
    return parser


def _add_grading_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--workers", type=_positive, default=0, metavar="N", help="grading processes (default: one per core)"
    )
    verb.add_argument(
        "--isolation",
        choices=("auto", "strong", "portable", "none"),
        default="auto",
        help="how student code is contained",
    )
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
    from autograder.classroom import nbgrader_course

    print("\n".join(nbgrader_course.build(Course.default(), options.folder, options.stems, address=options.gradebook)))
    print(f"The course is in {options.folder}. Run nbgrader's commands there.")
    return 0


def _collect(options: argparse.Namespace) -> int:
    from autograder.classroom import downloads

    found = downloads.collect(
        Course.default(), options.place, options.course, stem=options.assignment, confirmed=options.yes
    )
    print(downloads.told(found, options.place))
    return 0


def _grade(options: argparse.Namespace) -> int:
    how = (options.workers, options.isolation, options.full, options.force, options.explain, options.changes)
    where = {"executor": options.executor, "scheduler": options.scheduler}
    if options.scheduler and options.executor != "dask":
        raise UsageError("A scheduler grades with --executor dask: add it, or leave --scheduler away.")
    if options.scheduler and options.workers:
        raise UsageError("With --scheduler, the cluster has its own workers: leave --workers away.")
    if options.course is None:
        if options.out is None:
            raise UsageError("Name the folder for the results with --out, or an nbgrader course with --course.")
        return _grade_and_tell(Path(options.submissions), Options(options.out, *how, **where), as_json=options.json)
    if options.out is not None:
        raise UsageError("With --course, results go to the course's own folders: leave --out away.")
    from autograder.classroom import nbgrader_course

    asked = Options(options.course / "graded", *how, **where)
    course = Course.default()
    return _tell(
        asked, lambda *how: nbgrader_course.grade_class(course, options.course, options.submissions, *how), options.json
    )


def _marks(options: argparse.Namespace) -> int:
    from autograder.classroom import marks

    found = marks.read(options.place, Course.default(), options.policy, options.submissions)
    print(marks.write(found, options.format, options.out), end="")
    for words in found.remarks:
        print(words, file=sys.stderr)
    return 0


def _feedback(options: argparse.Namespace) -> int:
    return _write_feedback(options.place, options.out, options.student, options.assignment)


def _write_feedback(
    place: Path, out: Path | None = None, students: Sequence[str] = (), assignments: Sequence[str] = ()
) -> int:
    from autograder.pages import feedback

    written = feedback.write(place, Course.default(), out, students=students, assignments=assignments)
    for problem in written.problems:
        print(problem, file=sys.stderr)
    print(feedback.told(written))
    return int(bool(written.problems))


def _report(options: argparse.Namespace) -> int:
    from autograder.pages import report

    print(report.write(options.place, Course.default(), options.out, options.submissions))
    return 0


def _demo(options: argparse.Namespace) -> int:
    from autograder.classroom import demo

    submitted = demo.build(Course.default(), options.out, options.stem)
    asked = Options(options.out / "graded", options.workers, options.isolation, options.full)
    status = _grade_and_tell(submitted, asked, as_json=options.json)
    return status if options.json else _write_feedback(asked.out) or status


def _validate(options: argparse.Namespace) -> int:
    from autograder.sandbox import isolation
    from autograder.validity import criteria, proof, validate

    course = Course.default()
    mode = isolation.choose(isolation.AUTO, checks=course.checks, data=course.data, suites=course.suites)
    stems, workers = course.select(options.stems), options.workers or os.cpu_count() or 1
    with _bar("answers") as (bar, task):
        records = validate.validate(
            course,
            stems,
            isolation=mode,
            workers=workers,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if options.json:
        print(json.dumps([criteria.to_json(record) for record in records], indent=1, ensure_ascii=False))
    else:
        for record in records:
            _console().print(criteria.table(record))
        for record in records:
            print("".join(f"OFF  {record.stem}, {problem}\n" for problem in record.problems), end="")
    changed = {
        path for path, data in proof.contents(course, records).items() if not path.exists() or path.read_bytes() != data
    }
    if changed and not options.check:
        proof.write(course, records)
    what = (
        "out of date: run `autograder validate`"
        if changed and options.check
        else "written"
        if changed
        else "up to date"
    )
    print(f"docs/validity.md and docs/validity.json: {what}.", file=sys.stderr)
    return int(any(record.problems for record in records) or bool(changed and options.check))


def _doctor(options: argparse.Namespace) -> int:
    from autograder.cli import doctor

    findings = doctor.examine(Course.default())
    for finding in findings:
        print(f"{'ok ' if finding.good else 'NO '} {finding.layer}: {finding.words}")
        if finding.remedy:
            print(f"    {finding.remedy}")
    print(doctor.verdict(findings))
    return 0


class _Watch:
    """Shows how a cluster does: its pace beside the bar, each fault on a line of its own, once."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task, self._told = bar, task, 0

    def __call__(self, headway: Headway) -> None:
        for words in headway.faults[self._told :]:
            self._bar.console.print(f"worker {words}", markup=False)
        self._told = len(headway.faults)
        waiting = f"; waiting for {', '.join(headway.stragglers[:2])}" if headway.stragglers else ""
        words = f"{headway.rate:.1f}/s on {headway.able} of {headway.workers} workers{waiting}"
        self._bar.update(self._task, headway=words)


def _grade_and_tell(place: Path, asked: Options, *, as_json: bool) -> int:
    return _tell(asked, lambda *how: grade(Course.default(), place, *how), as_json)


def _tell(asked: Options, work: Callable[[Options, Progressing], Run], as_json: bool) -> int:
    from autograder.cli import summary
    from autograder.grading import store

    with _bar("grading") as (bar, task):
        asked = dataclasses.replace(asked, watch=_Watch(bar, task))
        run = work(asked, lambda done, total: bar.update(task, completed=done, total=total))
    if as_json:
        document = {
            "results": [store.to_json(result) for result in run.results],
            "skipped": [{"where": entry.where, "reason": entry.reason} for entry in run.skipped],
            "missing": [{"student": student, "assignment": assignment} for student, assignment in run.missing],
            "changes": [dataclasses.asdict(change) for change in run.changes],
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return 0
    if asked.explain:
        print("\n".join(run.explanation), end="\n\n")
    _console().print(summary.render(run, str(asked.out), only_changes=asked.changes))
    return 0


def _console() -> Console:
    """Standard output. Nobody watches a pipe or a file: there a table takes the width that it needs."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


@contextmanager
def _bar(what: str) -> Iterator[tuple[Progress, TaskID]]:
    """A bar on standard error that shows how far the work has come."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[headway]}"),
    )
    with Progress(*columns, console=Console(stderr=True, highlight=False, soft_wrap=True), transient=True) as bar:
        yield bar, bar.add_task(what, total=None, headway="")
