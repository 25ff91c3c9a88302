"""Result documents: to and from JSON, where they lie, and the table of marks."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from autograder.course import codec, files
from autograder.course.codec import CodecError
from autograder.course.model import ExerciseResult, Result
from autograder.course.text import short_line
from autograder.grading import first_version

VERSION = 2  # of the documents; `first_version` reads the one before

# A spreadsheet takes a cell that starts like this for a formula; a name must not run. Where people write a comma in
# numbers, a semicolon starts a cell, whatever quotes are around it.
_FORMULA = re.compile(r"(?:^|(?<=;))(?= *[=+@-])")


def to_json(result: Result) -> dict[str, Any]:
    """A result as plain data, in the order in which a person reads it; checks leave out what they do not have."""
    plain = codec.to_plain(result)
    exercises = [
        {**exercise, "checks": [_without_empty(check) for check in exercise["checks"]]}
        for exercise in plain["exercises"]
    ]
    return {
        "version": VERSION,
        "student": result.student,
        "assignment": result.assignment,
        "status": status(result),
        "score": result.score,
        "max_score": result.max_score,
        "isolation": result.isolation,
        "isolation_reason": result.isolation_reason,
        "ungraded": result.ungraded,
        "ungraded_by": plain["ungraded_by"],
        "pressure": result.pressure,
        "faults": [fault.text for fault in result.faults],
        "fault_kinds": [fault["kind"] for fault in plain["faults"]],
        "repairs": plain["repairs"],
        "exercises": exercises,
        "seed": result.seed,
        "attempt": result.attempt,
        "secret": result.secret,
        "key": result.key,
    }


_ALWAYS = ("name", "verdict", "message", "detail", "traceback")  # in every check, for whoever reads these documents


def _without_empty(check: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in check.items() if name in _ALWAYS or value not in _EMPTY}


_EMPTY: tuple[Any, ...] = (None, "", [], ())


def from_json(document: dict[str, Any]) -> Result:
    """The result in plain data of this version or the one before; CodecError for anything else."""
    version = document.get("version", 1)
    require_version(version)
    if version == 1:
        document = first_version.upgraded(document)
    texts, kinds = document.get("faults"), document.get("fault_kinds")
    if not isinstance(texts, list) or not isinstance(kinds, list) or len(texts) != len(kinds):
        raise CodecError("its faults and their kinds do not belong together")
    faults = [{"text": text, "kind": kind} for text, kind in zip(texts, kinds, strict=True)]
    try:
        result = codec.from_plain({**document, "faults": faults}, Result)
    except CodecError as error:
        raise CodecError(in_words(str(error))) from None
    named = [check.fault for exercise in result.exercises for check in exercise.checks if check.fault is not None]
    if not all(0 <= fault < len(faults) for fault in named):
        raise CodecError("a check names a fault that is not there")
    require_sums(result, version, *(document.get(name) for name in ("score", "max_score", "status")))
    return result


def in_words(said: str) -> str:
    """What the codec says of a value that does not fit, as a clause about a document."""
    return f"it is not as `grade` writes it ({said})"


def require_version(version: object) -> None:
    """Raise a CodecError unless documents of this version can be read."""
    if version not in (1, VERSION):
        raise CodecError(f"it is of version {version!r:.20}, and this program knows 1 and {VERSION}")


def require_sums(result: Result, version: object, score: Any, max_score: Any, written: object) -> None:
    """Raise a CodecError where marks cannot be what `grade` wrote: out of range, or others than their sums.

    Documents of the first version need not have sums, but those that are there must be right.
    """
    if result.ungraded is not None and not result.ungraded.strip():
        raise CodecError("it is ungraded, and does not say why")
    names = [exercise.name for exercise in result.exercises]
    if len(set(names)) < len(names):
        raise CodecError("it has an exercise twice")
    for exercise in result.exercises:
        _require_range(exercise)
    expected = (("score", score, result.score), ("max_score", max_score, result.max_score))
    for name, value, right in expected:
        if value is None and version == 1:
            continue
        if type(value) not in (int, float) or not right - _ROUNDING <= value <= right + _ROUNDING:
            raise CodecError(f"its {name} is {value!r:.40}, and its exercises make {right:g}")
    if written != status(result) and not (written is None and version == 1):
        raise CodecError(f"its status is {written!r:.40}, and what is in it says {status(result)}")


_MOST_POINTS = 100_000
_ROUNDING = 0.011  # a sum is rounded to two digits
_NOISE = 1e-6  # of adding and subtracting prices


def _require_range(exercise: ExerciseResult) -> None:
    if not 0 < exercise.points <= _MOST_POINTS:
        raise CodecError(f"{exercise.name!r:.60} is worth {exercise.points!r:.40} points")
    reply = exercise.reply
    given = [] if reply is None else [reply.earned, *([] if reply.points is None else [reply.points])]
    for score in (exercise.score, *given):
        if not -_NOISE <= score <= exercise.points + _NOISE:
            raise CodecError(f"{exercise.name!r:.60} has {score!r:.40} of {exercise.points} points")


class Shared:
    """Results of one class, of which most parts are equal: each of these is kept in memory once.

    What students wrote is left out. No two have it in common, and the documents have it for whoever wants to read it.
    """

    def __init__(self) -> None:
        self._parts: dict[Any, Any] = {}

    def share(self, result: Result) -> Result:
        """The same result, made of parts that are known already where there are such."""
        exercises = tuple(
            self._known(dataclasses.replace(exercise, checks=tuple(map(self._known, exercise.checks)), code=""))
            for exercise in result.exercises
        )
        texts = {name: self._known(getattr(result, name)) for name in ("assignment", "isolation", "faults", "repairs")}
        return dataclasses.replace(result, exercises=self._known(exercises), **texts)

    def _known(self, part: Any) -> Any:
        return self._parts.setdefault(part, part)


def status(result: Result) -> str:
    """One word for the table of marks."""
    return "graded" if result.ungraded is None else "ungraded"


def path_of(folder: Path, student: str, assignment: str) -> Path:
    """Where the document of a student's assignment lies."""
    return folder / "results" / student / f"{assignment}.json"


def write(folder: Path, result: Result) -> None:
    """Put the document in its place, whole or not at all."""
    document = _readable(to_json(result)) + "\n"
    files.replace(path_of(folder, result.student, result.assignment), document.encode())


_plain = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for every value


def _readable(value: Any, levels: int = 4, margin: str = "") -> str:
    """Plain data as JSON with a line for every check: json's own indentation takes ten times as long."""
    if not levels or not value or not isinstance(value, dict | list):
        return _plain(value)
    inner = margin + "  "
    if isinstance(value, dict):
        items = [f"{_plain(key)}: {_readable(item, levels - 1, inner)}" for key, item in value.items()]
    else:
        items = [_readable(item, levels - 1, inner) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{margin}{closing}"


def table(
    results: Iterable[Result],
    missing: Sequence[tuple[str, str]] = (),
    *,
    unread: Sequence[tuple[str, str]] = (),
    earlier: Sequence[Result] = (),
) -> str:
    """The marks as CSV: a row per student and assignment, a column per exercise.

    Who is `missing` has not handed in; what is `unread` was handed in, and could not be read. The last column says
    whether a row is of the run that has just ended; results that only an `earlier` run has seen keep their rows.
    """
    rows = sorted([*results, *earlier], key=lambda result: (result.assignment, result.student))
    known = {(result.student, result.assignment) for result in earlier}
    columns = list(dict.fromkeys(exercise.name for result in rows for exercise in result.exercises))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, *columns, _THIS_RUN])
    for result in rows:
        seen = (result.student, result.assignment) not in known
        writer.writerow([*_row(result, columns), "yes" if seen else "no"])
    for status, pairs in (("ungraded", unread), ("missing", missing)):
        for student, assignment in pairs:
            writer.writerow([spreadsheet_text(student), assignment, "", "", status, *[""] * len(columns), "yes"])
    return text.getvalue()


_COLUMNS = ("student", "assignment", "score", "max_score", "status")
_THIS_RUN = "in this run"  # no exercise is called that: their names are those of functions


def with_new_marks(written: str, results: Iterable[Result]) -> str | None:
    """A table of marks with the rows of these results made anew, and all others as they are; None if it is none.

    It is none as well if a row is shorter or longer than the others: it may break off there.
    """
    try:
        header, *rows = list(csv.reader(io.StringIO(written))) or [[]]
    except csv.Error:
        return None
    if tuple(header[: len(_COLUMNS)]) != _COLUMNS or any(len(row) not in (0, len(header)) for row in rows):
        return None
    end = len(header) - (header[-1] == _THIS_RUN)  # whether a run has seen it stays as it is
    new = {(row[0], row[1]): row for row in (_row(result, header[len(_COLUMNS) : end]) for result in results)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(
        [*new[row[0], row[1]], *row[end:]] if tuple(row[:2]) in new else row for row in rows
    )  # who is missing has no result
    return text.getvalue()


def _row(result: Result, columns: Sequence[str]) -> list[str]:
    marks = {exercise.name: _number(exercise.score) for exercise in result.exercises}
    graded = result.ungraded is None
    total = [_number(result.score), str(result.max_score)] if graded else ["", ""]
    cells = [marks.get(column, "") if graded else "" for column in columns]
    return [spreadsheet_text(result.student), result.assignment, *total, status(result), *cells]


def _number(value: float) -> str:
    return f"{value:g}"


def spreadsheet_text(value: str) -> str:
    """A text as it may stand in a cell of a table that a spreadsheet opens."""
    return _FORMULA.sub("'", short_line(value))
