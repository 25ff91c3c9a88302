"""Final marks: what is read in a gradebook or in results, and what late work, drops and rounding make of it, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from autograder.course import Course, policy, roster, sources
from autograder.course.errors import AutograderError, UsageError
from autograder.course.model import Result
from autograder.course.roster import Person
from autograder.grading import reading
from autograder.grading.reading import Found, Unreadable
from autograder.nbgrader_bridge import lost
from autograder.nbgrader_bridge.folder import CONFIG, CourseFolder, read_timestamp
from autograder.nbgrader_bridge.gradebook import Entry


@dataclass(frozen=True)
class Mark:
    """What one submission is worth in the end: the score, less what being late costs. Not rounded yet."""

    entry: Entry
    late_by: timedelta
    penalty: Decimal

    @property
    def final(self) -> Decimal:
        """The mark before rounding."""
        return self.entry.score - self.penalty


class Gap(StrEnum):
    """Why a mark is not known, though something was handed in."""

    UNREADABLE = "cannot be read"
    UNGRADED = "not graded"


@dataclass(frozen=True)
class Marks:
    """The marks of a class: by student and assignment, with the rules that turn them into what is written down."""

    rules: policy.Policy
    points: Mapping[str, Decimal]
    people: Mapping[str, Person]
    marks: Mapping[tuple[str, str], Mark]
    remarks: tuple[str, ...] = ()
    results: Mapping[tuple[str, str], Result] = field(default_factory=dict)
    gaps: Mapping[tuple[str, str], Gap] = field(default_factory=dict)
    """By student and assignment; whoever has one has no total."""
    unreadable: tuple[Unreadable, ...] = ()

    def of(self, student: str, assignment: str) -> Decimal | None:
        """The rounded mark; None when nothing was handed in, and when the mark is not known: see `gaps`."""
        mark = self.marks.get((student, assignment))
        return None if mark is None else self.rules.rounded(mark.final)

    def gaps_of(self, student: str) -> dict[str, Gap]:
        """The assignments of which a student's mark is not known."""
        return {assignment: gap for (who, assignment), gap in self.gaps.items() if who == student}

    def dropped(self, student: str) -> set[str]:
        """The assignments that do not count for a student: none as long as some marks are not known."""
        if self.gaps_of(student):
            return set()
        shares = {
            name: self._final(student, name) / points if points else Decimal(0) for name, points in self.points.items()
        }
        return set(self.points) - self.rules.counted(shares)

    def total(self, student: str) -> Decimal | None:
        """The sum of what counts, rounded once; what was not handed in counts nothing. None if a mark is not known."""
        if self.gaps_of(student):
            return None
        counted = set(self.points) - self.dropped(student)
        return self.rules.rounded(sum((self._final(student, name) for name in counted), Decimal(0)))

    def possible(self) -> Decimal:
        """The most that a student can reach when as many assignments are dropped as may be, the least valuable ones."""
        worth = sorted(self.points.values())
        return sum(worth[min(self.rules.drop_lowest, max(len(worth) - 1, 0)) :], Decimal(0))

    def _final(self, student: str, assignment: str) -> Decimal:
        mark = self.marks.get((student, assignment))
        return Decimal(0) if mark is None else mark.final


def read(
    place: Path,
    course: Course,
    rules_file: Path | None = None,
    submitted: Path | None = None,
    results: Found | None = None,
) -> Marks:
    """The marks in an nbgrader course, manual scores included, or in a folder that `grade` has written.

    Such a folder does not tell when something was handed in: that is read in `submitted`, from the timestamp.txt
    beside each submission. `results` are those of the place, where they have been read already.
    """
    if rules_file is not None and not rules_file.is_file():
        raise UsageError(
            f"There is no file {rules_file}. Correct --policy, or omit it to use the course's own {policy.FILE}."
        )
    if (place / CONFIG).exists():
        return _from_course(place, course, rules_file, results)
    if (place / "results").is_dir():
        return _from_results(place, course, rules_file, submitted, results)
    raise UsageError(
        f"There are no marks in {place}: it is neither an nbgrader course "
        "nor a folder that `autograder grade` has written."
    )


def compute(
    entries: Iterable[Entry],
    rules: policy.Policy,
    points: Mapping[str, Decimal],
    people: Mapping[str, Person],
    remarks: Sequence[str] = (),
    documents: Mapping[tuple[str, str], Result] | None = None,
    gaps: Mapping[tuple[str, str], Gap] | None = None,
    unreadable: tuple[Unreadable, ...] = (),
) -> Marks:
    """The marks of some entries under some rules; nothing is graded for it. A gap where there is a mark is none."""
    found = {}
    for entry in entries:
        late_by = rules.lateness(entry.student, entry.assignment, entry.handed_in)
        found[entry.student, entry.assignment] = Mark(entry, late_by, rules.penalty(late_by, entry.score, entry.points))
    left = {key: gap for key, gap in (gaps or {}).items() if key not in found}
    keys = {*found, *left}
    everybody = {student: Person(student) for student, _ in keys} | dict(people)
    worth = {assignment: Decimal(0) for _, assignment in keys if assignment} | dict(points)
    used = {name: value for name, value in sorted(worth.items()) if any(name == assignment for _, assignment in keys)}
    in_order = dict(sorted(everybody.items()))
    return Marks(rules, used, in_order, found, tuple(remarks), documents or {}, left, unreadable)


def _from_course(place: Path, course: Course, rules_file: Path | None, results: Found | None) -> Marks:
    folder = CourseFolder.at(place)
    with lost.opened_existing(folder) as book:
        rules = policy.load(rules_file or folder.policy, sorted({*book.assignments(), *course.stems()}))
        people = {**book.people(), **{person.id: person for person in roster.read(rules)}}
        rules.check_students(people)
        entries, points = book.entries(), book.points()
    found, unreadable = (reading.in_folder(folder.graded) if results is None else results).apart()
    documents = {(result.student, result.assignment): result for result in found}
    graded = {(entry.student, entry.assignment) for entry in entries}
    remarks = [_why(result, keeps_a_mark=key in graded) for key, result in documents.items() if result.ungraded]
    gaps = _gaps(found, unreadable, points)
    remarks += [
        f"{student}/{assignment} has the mark of the gradebook; whether it is of what was handed in last is not known"
        for (student, assignment), gap in gaps.items()
        if gap is Gap.UNREADABLE and (student, assignment) in graded
    ]
    return compute(entries, rules, points, people, remarks, documents, gaps, unreadable)


def _from_results(
    place: Path, course: Course, rules_file: Path | None, submitted: Path | None, results: Found | None
) -> Marks:
    if submitted is not None and not submitted.is_dir():
        raise UsageError(
            f"There is no folder {submitted} of submissions. Correct --submissions; a zip must be unpacked for it."
        )
    documents, unreadable = (reading.in_folder(place) if results is None else results).apart()
    rules = policy.load(rules_file or course.root / policy.FILE, course.stems())
    people = {person.id: person for person in roster.read(rules)}
    graded = [result for result in documents if result.ungraded is None]
    entries = [
        Entry(
            result.student,
            result.assignment,
            Decimal(str(result.score)),
            Decimal(result.max_score),
            _handed_in(submitted, result),
            False,
        )
        for result in graded
    ]
    points = {result.assignment: Decimal(result.max_score) for result in graded}
    gaps = _gaps(documents, unreadable, points)
    points |= {name: _worth(course, name) for name in {name for _, name in gaps if name} - set(points)}
    by_key = {(result.student, result.assignment): result for result in graded}
    handed_in = {*(one.student for one in documents), *(one.student for one in unreadable)}
    rules.check_students(people or handed_in | {student for student, _ in rules.extensions})
    remarks = [_why(result) for result in documents if result.ungraded is not None]
    remarks += _undated(entries, rules, submitted)
    return compute(entries, rules, points, people, remarks, by_key, gaps, unreadable)


def _undated(entries: Iterable[Entry], rules: policy.Policy, submitted: Path | None) -> list[str]:
    """How many submissions count as in time only because nobody knows."""
    undated = [entry for entry in entries if entry.handed_in is None and rules.due_for(entry.student, entry.assignment)]
    if not undated:
        return []
    what = "1 submission counts" if len(undated) == 1 else f"{len(undated)} submissions count"
    where = (
        f"{submitted} has no timestamp.txt beside it"
        if submitted
        else "name the folder that was graded with --submissions"
    )
    return [f"{what} as handed in on time, because it is not known when that was: {where}"]


def _gaps(
    results: Sequence[Result], unreadable: Sequence[Unreadable], assignments: Iterable[str]
) -> dict[tuple[str, str], Gap]:
    """What has no mark of its own, by student and assignment; "" where not even the assignment is known."""
    known = [*(one.assignment for one in results), *(one.assignment for one in unreadable)]
    names = {*assignments, *(name for name in known if name is not None)}
    gaps = {(one.student, one.assignment): Gap.UNGRADED for one in results if one.ungraded is not None}
    for one in unreadable:
        about = sorted(names) or [""] if one.assignment is None else [one.assignment]
        gaps |= {(one.student, name): Gap.UNREADABLE for name in about}
    return gaps


def _worth(course: Course, assignment: str) -> Decimal:
    """The points of a notebook of which no result says it; 0 where the course does not know it."""
    try:
        exercises = sources.exercises(sources.read(course.source(assignment)))
    except AutograderError:
        return Decimal(0)
    return Decimal(sum(exercise.points for exercise in exercises))


def _handed_in(submitted: Path | None, result: Result) -> datetime | None:
    return (
        None
        if submitted is None
        else read_timestamp(submitted / result.student / result.assignment / "timestamp.txt", submitted)
    )


def _why(result: Result, *, keeps_a_mark: bool = False) -> str:
    what = "keeps an earlier mark, because what was handed in last is not graded" if keeps_a_mark else "has no mark"
    return f"{result.student}/{result.assignment} {what}: {result.ungraded}"


def number(value: Decimal | None) -> str:
    """A mark as people write it: no more digits than it has; nothing for no mark."""
    if value is None:
        return ""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
