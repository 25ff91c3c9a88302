"""What `grade` shows of a run: to a person the class in a table, then what needs a look; to a machine JSON."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autograder.cli.console import standard_output
from autograder.course.model import Result, Verdict
from autograder.course.text import short_line
from autograder.grading import store
from autograder.grading.folder import named
from autograder.grading.grade import Options, Run

_SHOWN = 60
_NOTES = 40
_ASK_AGAIN = (
    "The same command grades what is ungraded once more. If that does not help either, give this machine more memory "
    "and room, or grade with --workers 1.\n"
)
_PROBLEMS = 10


def show(run: Run, asked: Options, *, as_json: bool) -> None:
    """Print a run on standard output, as it was asked for."""
    if as_json:
        print(json.dumps(document(run), indent=2, ensure_ascii=False))
        return
    if asked.explain:
        print("\n".join(run.explanation), end="\n\n")
    standard_output().print(render(run, str(asked.out), only_changes=asked.changes))


def document(run: Run) -> dict[str, Any]:
    """A run as plain data."""
    return {
        "results": [store.to_json(result) for result in run.results],
        "skipped": [{"where": entry.where, "reason": entry.reason, "ours": entry.ours} for entry in run.skipped],
        "missing": [{"student": student, "assignment": assignment} for student, assignment in run.missing],
        "changes": [dataclasses.asdict(change) for change in run.changes],
        "cautions": list(run.cautions),
        "kept": [{"student": student, "assignment": assignment} for student, assignment in run.kept],
        "problems": list(run.problems),
        "explanation": list(run.explanation),
    }


def render(run: Run, where: str, *, only_changes: bool = False) -> RenderableType:
    """The summary of a run, for a terminal; with `only_changes`, the scores that would change, and no more."""
    if only_changes:
        return Group(*_changes(run), Text("Nothing was replaced. The same command without --changes does it."))
    parts: list[RenderableType] = []
    for assignment in dict.fromkeys(result.assignment for result in run.results):
        of_assignment = [result for result in run.results if result.assignment == assignment]
        parts += [_table(assignment, of_assignment), Text("")]
    if run.isolation == "none":
        parts.append(Text("Graded WITHOUT isolation: student code could read and change anything.", style="bold red"))
    parts += _notes(run)
    parts += [Text(short_line(words), style="bold") for words in _to_mind(run, where)]
    parts.append(Text(_closing(run, where)))
    return Group(*parts)


def _changes(run: Run) -> list[RenderableType]:
    if not run.changes:
        return [Text(f"No score changes ({len(run.results)} submissions).")]
    table = Table(title=f"{len(run.changes)} of {len(run.results)} scores change", title_justify="left")
    for column in ("student", "assignment"):
        table.add_column(column)
    for column in ("before", "after"):
        table.add_column(column, justify="right")
    for change in run.changes:
        scores = ("–" if score is None else f"{score:g}" for score in (change.before, change.after))
        table.add_row(Text(change.student), change.assignment, *scores)
    return [table]


def _table(assignment: str, results: list[Result]) -> Table:
    names = list(dict.fromkeys(exercise.name for result in results for exercise in result.exercises))
    table = Table(title=assignment, title_justify="left", caption=_caption(results), caption_justify="left")
    table.add_column("student", overflow="fold", min_width=12)
    table.add_column("score", justify="right", no_wrap=True)
    for name in names:
        table.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
    table.add_column("to note", overflow="fold", min_width=16)
    for result in results[:_SHOWN]:
        marks = {exercise.name: f"{exercise.score:g}" for exercise in result.exercises}
        score = f"{result.score:g} / {result.max_score}" if result.ungraded is None else "–"
        table.add_row(
            Text(result.student), score, *(marks.get(name, "") for name in names), Text(short_line(_note(result)))
        )
    return table


def _caption(results: list[Result]) -> str:
    graded = sorted(result.score for result in results if result.ungraded is None)
    hidden = f"; {len(results) - _SHOWN} more students in grades.csv" if len(results) > _SHOWN else ""
    count = _count(len(results), "submission")
    if not graded:
        return f"{count}, none graded{hidden}"
    middle = (graded[(len(graded) - 1) // 2] + graded[len(graded) // 2]) / 2
    return f"{count}; median {middle:g}, lowest {graded[0]:g}, highest {graded[-1]:g}{hidden}"


def _note(result: Result) -> str:
    if result.ungraded is not None:
        return f"ungraded: {result.ungraded}"
    telling = {Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY}
    notes = [f"{exercise.name} {exercise.verdict}" for exercise in result.exercises if exercise.verdict in telling]
    notes += [f"{e.name}: {e.misconception.replace('_', ' ')}" for e in result.exercises if e.misconception]
    notes += [f"{exercise.name} followed through" for exercise in result.exercises if exercise.followed_through]
    by_hand = [(exercise.name, exercise.reply.points) for exercise in result.exercises if exercise.reply is not None]
    notes += [f"{name}: {points:g} given by hand" for name, points in by_hand if points is not None]
    if result.exercises and all(exercise.verdict is Verdict.NOT_ATTEMPTED for exercise in result.exercises):
        notes.append("nothing attempted")
    return "; ".join(notes)


def _notes(run: Run) -> list[RenderableType]:
    lines = [f"ungraded  {r.student} {r.assignment}: {r.ungraded}" for r in run.results if r.ungraded is not None]
    lines += [f"skipped   {entry.where}: {entry.reason}" for entry in run.skipped]
    lines += [f"missing   {student} has not handed in {assignment}" for student, assignment in run.missing]
    lines += [f"caution   {words}" for words in run.cautions]
    lines += [
        f"pressure  {r.student} {r.assignment}: {r.pressure}; the next run grades it again"
        for r in run.results
        if r.pressure
    ]
    lines += [f"repaired  {r.student}: {repair}" for r in run.results for repair in r.repairs]
    if not run.written:  # what was asked before is asked with the suites of today
        lines += [
            f"differs   {change.student}: {change.before:g} on record for {change.assignment}, "
            f"{'ungraded' if change.after is None else f'{change.after:g}'} now"
            for change in run.changes
            if change.before is not None
        ]
    if not lines:
        return []
    # The name of a file, and what a notebook says of itself, come from students.
    shown = [short_line(line) for line in lines[:_NOTES]]
    more = [f"... and {len(lines) - _NOTES} more"] if len(lines) > _NOTES else []
    return [Text("\n".join([*shown, *more]) + "\n")]


def _to_mind(run: Run, where: str) -> list[str]:
    """What whoever grades must not miss, whatever else there is to note."""
    words = [f"problem   {problem}" for problem in run.problems[:_PROBLEMS]]
    if len(run.problems) > _PROBLEMS:
        words.append(f"problem   ... and {len(run.problems) - _PROBLEMS} more like this")
    ours = sum(entry.ours for entry in run.skipped)
    if ours:
        words.append(
            f"problem   {_count(ours, 'submission')} could not be graded, which is not the students' fault: see "
            "`skipped` above."
        )
    if run.kept and run.written:
        one = len(run.kept) == 1
        words.append(
            f"kept      {_count(len(run.kept), 'result')} of earlier runs: this run has read no submission of "
            f"{named(run.kept)}. {'It keeps its row' if one else 'They keep their rows'} in grades.csv, with `no` "
            f"under `in this run`. To remove {'it' if one else 'one'}, delete {where}/results/<student>, then grade "
            "again."
        )
    return words


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _closing(run: Run, where: str) -> str:
    counts = Counter("ungraded" if result.ungraded else "graded" for result in run.results)
    unchanged = f" ({run.unchanged} unchanged since the last run)" if run.unchanged else ""
    ungraded = f", {counts['ungraded']} ungraded" if counts["ungraded"] else ""
    skipped = f", {len(run.skipped)} skipped" if run.skipped else ""
    skipped += f", {len(run.kept)} kept from earlier runs" if run.kept and run.written else ""
    results = f"Results: {where}" if run.written else f"Nothing was written: the results in {where} are as they were."
    again = _ASK_AGAIN if any(result.our_fault for result in run.results) else ""
    return f"{counts['graded']} graded{unchanged}{ungraded}{skipped}; isolation: {run.isolation}.\n{again}{results}"
