"""What an instructor may set for a whole course, in one file: `course.toml`. Nothing in it is needed to grade again."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import ceil, inf
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.course.errors import AuthorError
from autograder.course.limits import Limits

FILE = "course.toml"
_DAY = timedelta(days=1)
_YEARS = (1900, 2900)  # in which anything is due
_MOST = 100_000  # of anything that is counted here: days, minutes, percent
_FINEST = Decimal("0.001")  # to which marks are rounded
_HALVES = {"up": ROUND_HALF_UP, "even": ROUND_HALF_EVEN, "down": ROUND_HALF_DOWN}
_TABLES = ("timezone", "students", "due", "late", "extension", "marks", "limits")


@dataclass(frozen=True)
class Late:
    """What being late costs: `percent` of a notebook's points per day begun, nothing within `grace`, everything after `cutoff`."""

    percent: Decimal = Decimal(0)
    grace: timedelta = timedelta(0)
    cutoff: timedelta | None = None


@dataclass(frozen=True)
class Policy:
    """The rules of one class. All of them are applied to marks that are known; none makes anything be graded again."""

    due: Mapping[str, datetime] = field(default_factory=dict)
    late: Late = Late()
    extensions: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    drop_lowest: int = 0
    round_to: Decimal | None = None
    round_half: str = "up"
    students: Path | None = None
    limits: Limits | None = None
    zone: tzinfo = UTC
    """In which dates are shown; those in here are all in UTC."""

    def due_for(self, student: str, assignment: str) -> datetime | None:
        """When a student's work is due, extensions included; None when it never is."""
        return self.extensions.get((student, assignment), self.due.get(assignment))

    def lateness(self, student: str, assignment: str, handed_in: datetime | None) -> timedelta:
        """How much later than due something was handed in; zero when it was not, or when that cannot be known."""
        due = self.due_for(student, assignment)
        if due is None or handed_in is None:
            return timedelta(0)
        return max(handed_in - due, timedelta(0))

    def penalty(self, late_by: timedelta, score: Decimal, points: Decimal) -> Decimal:
        """What is taken off a score, never more than all of it: a share of the points for every day that has begun."""
        if late_by <= self.late.grace:
            return Decimal(0)
        if self.late.cutoff is not None and late_by > self.late.cutoff:
            return max(score, Decimal(0))
        days = ceil(late_by / _DAY)
        return min(max(score, Decimal(0)), days * self.late.percent * points / 100)

    def rounded(self, mark: Decimal) -> Decimal:
        """A mark as it leaves this house: rounded as the file says. It is applied to final marks, and once."""
        if self.round_to is None:
            return mark
        return (mark / self.round_to).quantize(Decimal(1), _HALVES[self.round_half]) * self.round_to

    def counted(self, shares: Mapping[str, Decimal]) -> set[str]:
        """The assignments that count, given the share of the points reached in each: all but the lowest few."""
        by_share = sorted(shares, key=lambda assignment: (shares[assignment], assignment))
        return set(by_share[min(self.drop_lowest, max(len(by_share) - 1, 0)) :])

    def check_students(self, known: Iterable[str]) -> None:
        """AuthorError when an extension is for somebody who is not among the known students."""
        names = sorted(known)
        for student, assignment in self.extensions:
            if student not in names:
                raise AuthorError(
                    f"{FILE}: there is an extension of {assignment} for {student!r}, who is no student of this course"
                    f"{_nearest(student, names) or '.'} Correct the name, or add the student to the roster."
                )


def limits(course: Course) -> Limits:
    """The limits of the table `[limits]` in course.toml; what it does not name stays as it is, as does all without it."""
    path = course.root / FILE
    return _limits(_dictionary(path, _table(path), "limits"), path)


def load(path: Path, assignments: Sequence[str]) -> Policy:
    """The policy in a file; without that file, one that asks nothing of anybody. An AuthorError names what is wrong in it."""
    table = _table(path)
    _known(path, table, _TABLES, "the table or setting")
    zone = _zone(path, table.get("timezone"))
    due = {
        _assignment(path, name, assignments, "due date"): _moment(path, f"the due date of {name}", value, zone)
        for name, value in _dictionary(path, table, "due").items()
    }
    marks = _dictionary(path, table, "marks")
    _known(path, marks, ("drop_lowest", "round_to", "round_half"), "in [marks]")
    half = marks.get("round_half", "up")
    if half not in _HALVES:
        raise AuthorError(f"{path}: round_half is {half!r}; choose one of {', '.join(_HALVES)}.")
    drop = marks.get("drop_lowest", 0)
    if isinstance(drop, bool) or not isinstance(drop, int) or drop < 0:
        raise AuthorError(f"{path}: drop_lowest is {drop!r}; it must be a whole number, 0 or more.")
    students = table.get("students")
    if students is not None and not isinstance(students, str):
        raise AuthorError(f"{path}: students is {students!r}; it must be the name of a CSV file in quotes.")
    return Policy(
        due,
        _late(path, _dictionary(path, table, "late")),
        _extensions(path, table.get("extension", []), due, assignments, zone),
        drop,
        _grid(path, marks["round_to"]) if "round_to" in marks else None,
        half,
        None if students is None else path.parent / students,
        _limits(_dictionary(path, table, "limits"), path) if "limits" in table else None,
        zone or UTC,
    )


def _table(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path} is no TOML file: {error}") from None


def _limits(table: Mapping[str, Any], path: Path) -> Limits:
    known = {field.name: field for field in dataclasses.fields(Limits)}
    for name, value in table.items():
        if name not in known:
            raise AuthorError(f"{path} sets the limit {name!r}, which there is not. Known are: {', '.join(known)}.")
        whole = isinstance(known[name].default, int)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not 0 < value < inf:
            kind = "a whole number" if whole else "a number"
            raise AuthorError(f"{path}: the limit {name} is {value!r}; it must be {kind} above zero.")
    return dataclasses.replace(Limits(), **table)


def _late(path: Path, table: Mapping[str, Any]) -> Late:
    _known(path, table, ("percent_per_day", "grace_minutes", "cutoff_days"), "in [late]")
    percent = _decimal(path, "percent_per_day", table.get("percent_per_day", 0))
    if percent > 100:
        raise AuthorError(f"{path}: percent_per_day is {percent}; more than 100 percent cannot be taken off.")
    cutoff = table.get("cutoff_days")
    return Late(
        percent,
        timedelta(minutes=float(_decimal(path, "grace_minutes", table.get("grace_minutes", 0)))),
        None if cutoff is None else timedelta(days=float(_decimal(path, "cutoff_days", cutoff))),
    )


def _extensions(
    path: Path, entries: Any, due: Mapping[str, datetime], assignments: Sequence[str], zone: zoneinfo.ZoneInfo | None
) -> dict[tuple[str, str], datetime]:
    if not isinstance(entries, list):
        raise AuthorError(f"{path}: write each extension as a table of its own that starts with [[extension]].")
    found: dict[tuple[str, str], datetime] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            raise AuthorError(
                f"{path}: an extension is {entry!r}; write it as a table of its own that starts with [[extension]]."
            )
        _known(path, entry, ("student", "assignment", "days", "until"), "in an [[extension]]")
        student, name = entry.get("student"), entry.get("assignment")
        if not isinstance(student, str) or not isinstance(name, str):
            raise AuthorError(f"{path}: an [[extension]] needs student and assignment, both in quotes.")
        what = f"the extension of {name} for {student}"
        _assignment(path, name, assignments, "extension")
        if name not in due:
            raise AuthorError(f"{path}: {what} extends nothing, for {name} has no date in [due].")
        if (student, name) in found:
            raise AuthorError(f"{path}: {what} is there twice.")
        if ("days" in entry) == ("until" in entry):
            raise AuthorError(f"{path}: {what} needs either days or until.")
        if "until" in entry:
            found[student, name] = _moment(path, what, entry["until"], zone)
        else:
            found[student, name] = due[name] + timedelta(days=float(_decimal(path, f"days in {what}", entry["days"])))
    return found


def _zone(path: Path, name: Any) -> zoneinfo.ZoneInfo | None:
    if name is None:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise AuthorError(
            f'{path}: there is no time zone {name!r}. Write it like "Europe/Vienna" or "America/New_York".'
        ) from None


def _moment(path: Path, what: str, value: Any, zone: zoneinfo.ZoneInfo | None) -> datetime:
    if not isinstance(value, datetime):
        shown = value.isoformat() if isinstance(value, date | time) else repr(value)
        raise AuthorError(
            f"{path}: {what} is {shown}; write date and time, such as 2026-10-12T23:59:00+02:00, without quotes."
        )
    if value.tzinfo is None:
        if zone is None:
            raise AuthorError(
                f"{path}: {what}, {value.isoformat(' ')}, has no time zone. "
                f'Add the offset ({value.isoformat()}+02:00), or timezone = "Europe/Vienna" at the top of the file.'
            )
        value = value.replace(tzinfo=zone)
    if not _YEARS[0] <= value.year <= _YEARS[1]:
        raise AuthorError(f"{path}: {what} is in the year {value.year}. Correct the year.")
    return value.astimezone(UTC)


def _decimal(path: Path, what: str, value: Any, *, above: int | None = None) -> Decimal:
    good = (
        not isinstance(value, bool)
        and isinstance(value, int | float)
        and value >= 0
        and (above is None or value > above)
    )
    if not good:
        raise AuthorError(
            f"{path}: {what} is {value!r}; it must be a number {'above zero' if above == 0 else 'of 0 or more'}."
        )
    if value > _MOST:
        raise AuthorError(f"{path}: {what} is {value!r}; it must be a number of at most {_MOST}.")
    return Decimal(str(value))


def _grid(path: Path, value: Any) -> Decimal:
    step = _decimal(path, "round_to", value, above=0)
    if step < _FINEST:
        raise AuthorError(f"{path}: round_to is {value!r}; marks are rounded to {_FINEST} or more.")
    return step


def _dictionary(path: Path, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise AuthorError(f"{path}: {name} must be a table, [{name}].")
    return value


def _known(path: Path, table: Mapping[str, Any], names: Sequence[str], what: str) -> None:
    for name in table:
        if name not in names:
            raise AuthorError(f"{path}: {what} {name!r} is not known. Known are: {', '.join(names)}.")


def _assignment(path: Path, name: str, assignments: Sequence[str], what: str) -> str:
    if name not in assignments:
        raise AuthorError(
            f"{path}: there is a {what} for {name!r}, which is no assignment{_nearest(name, assignments)}"
        )
    return name


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
