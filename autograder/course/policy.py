"""The rules of a class, from `course.toml`: due dates, late work, extensions, drops, rounding."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import ceil
from pathlib import Path
from typing import Any

from autograder.course import Course, course_file
from autograder.course.course_file import ExtensionTable
from autograder.course.errors import AuthorError
from autograder.course.limits import Limits

FILE = course_file.NAME
_DAY = timedelta(days=1)
_YEARS = (1900, 2900)  # in which anything is due
_HALVES = {"up": ROUND_HALF_UP, "even": ROUND_HALF_EVEN, "down": ROUND_HALF_DOWN}


@dataclass(frozen=True)
class Late:
    """What being late costs: `percent` of the points per day begun, nothing within `grace`, all after `cutoff`."""

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
    allowed: tuple[str, ...] | None = None
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
        """A mark as it is written down: rounded as the file says. It is applied to final marks, and once."""
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
                near = _nearest(student, names) or "."
                raise AuthorError(
                    f"{FILE}: there is an extension of {assignment} for {student!r}, who is not a student of this "
                    f"course{near} Correct the name, or add the student to the roster."
                )


def limits(course: Course) -> Limits:
    """The limits of the table `[limits]` in the course's own course.toml; without one, those that hold by default."""
    return course_file.read(course.root / FILE).limits or Limits()


def allowed(course: Course, named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The packages that answers may use although the course does without them, sorted; all of them are installed here.

    They are those that a class has `named`, or else those in the table `[packages]` of the course's own course.toml.
    """
    names = allowed_names(course, named)
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise AuthorError(
                f"{FILE}: [packages] allows {name}, which is not installed here: whoever used it would lose marks. "
                "Install it, or take it off the list."
            )
    return names


def allowed_names(course: Course, named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The same, whether they are installed here or not."""
    if named is None:
        table = course_file.read(course.root / FILE).packages
        named = () if table is None else table.allow
    missing = _missing(course) if named else ()
    for name in named:
        if name not in missing:
            raise AuthorError(
                f"{FILE}: [packages] allows {name!r}, which is not one of those that answers do without: "
                f"{', '.join(missing) or 'there are none'}. Any other package that is installed needs no permission."
            )
    return tuple(sorted(set(named)))


def _missing(course: Course) -> tuple[str, ...]:
    """The packages that answers to this course do without, as its visible checks say; read, not run."""
    path = course.checks / "packages.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WITHOUT":
            return tuple(ast.literal_eval(node.value))
    return ()


def load(path: Path, assignments: Sequence[str]) -> Policy:
    """The policy in a file; without that file, one that asks nothing of anybody. An AuthorError says what is wrong."""
    found = course_file.read(path)
    zone = _zone(path, found.timezone)
    due = {
        _assignment(path, name, assignments, "due date"): _moment(path, f"the due date of {name}", value, zone)
        for name, value in found.due.items()
    }
    late, marks = found.late, found.marks
    return Policy(
        due,
        Late(
            _decimal(late.percent_per_day),
            timedelta(minutes=late.grace_minutes),
            None if late.cutoff_days is None else timedelta(days=late.cutoff_days),
        ),
        _extensions(path, found.extension, due, assignments, zone),
        marks.drop_lowest,
        None if marks.round_to is None else _decimal(marks.round_to),
        marks.round_half,
        None if found.students is None else path.parent / found.students,
        found.limits,
        None if found.packages is None else tuple(found.packages.allow),
        zone or UTC,
    )


def _extensions(
    path: Path,
    entries: Sequence[ExtensionTable],
    due: Mapping[str, datetime],
    assignments: Sequence[str],
    zone: zoneinfo.ZoneInfo | None,
) -> dict[tuple[str, str], datetime]:
    found: dict[tuple[str, str], datetime] = {}
    for entry in entries:
        student, name = entry.student, entry.assignment
        what = f"the extension of {name} for {student}"
        _assignment(path, name, assignments, "extension")
        if name not in due:
            raise AuthorError(f"{path}: {what} extends nothing: {name} has no date in [due].")
        if (student, name) in found:
            raise AuthorError(f"{path}: {what} is there twice.")
        if (entry.days is None) == (entry.until is None):
            raise AuthorError(f"{path}: {what} needs either days or until.")
        if entry.days is None:
            found[student, name] = _moment(path, what, entry.until, zone)
        else:
            found[student, name] = due[name] + timedelta(days=entry.days)
    return found


def _zone(path: Path, name: str | None) -> zoneinfo.ZoneInfo | None:
    if name is None:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        example = '"Europe/Vienna" or "America/New_York"'
        raise AuthorError(f"{path}: there is no time zone {name!r}. Write it like {example}.") from None


def _moment(path: Path, what: str, value: Any, zone: zoneinfo.ZoneInfo | None) -> datetime:
    if not isinstance(value, datetime):
        shown = value.isoformat() if isinstance(value, date | time) else repr(value)
        example = "2026-10-12T23:59:00+02:00"
        raise AuthorError(f"{path}: {what} is {shown}; write date and time, such as {example}, without quotes.")
    if value.tzinfo is None and zone is None:
        raise AuthorError(
            f"{path}: {what}, {value.isoformat(' ')}, has no time zone. "
            f'Add the offset ({value.isoformat()}+02:00), or timezone = "Europe/Vienna" at the top of the file.'
        )
    if not _YEARS[0] <= value.year <= _YEARS[1]:
        raise AuthorError(f"{path}: {what} is in the year {value.year}. Correct the year.")
    return (value if value.tzinfo is not None else value.replace(tzinfo=zone)).astimezone(UTC)


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))


def _assignment(path: Path, name: str, assignments: Sequence[str], what: str) -> str:
    if name not in assignments:
        near = _nearest(name, assignments)
        raise AuthorError(f"{path}: there is a {what} for {name!r}, which is not an assignment{near or '.'}")
    return name


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
