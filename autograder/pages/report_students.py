"""The tables of a class report that have a row for each student."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from autograder.classroom.marks import Gap, Marks
from autograder.course.model import Result


@dataclass(frozen=True)
class StudentRow:
    """What one student has in an assignment; a score of None is none, as for whoever handed in nothing."""

    student: str
    score: float | None = None
    mark: Decimal | None = None
    scores: Mapping[str, float] | None = None
    """By exercise; None when nothing was handed in, and when the result cannot be read."""
    ungraded: bool = False
    unreadable: bool = False
    late_by: timedelta = timedelta(0)
    followed_through: Sequence[str] = ()
    misconceptions: Sequence[tuple[str, str]] = ()
    """Exercise and name."""
    by_hand: Sequence[tuple[str, float]] = ()
    """Exercise and the points that an instructor gave a group for it."""

    @property
    def is_noteworthy(self) -> bool:
        """Whether there is something to note about the student."""
        return bool(
            self.scores is None
            or self.ungraded
            or self.late_by
            or self.followed_through
            or self.misconceptions
            or self.by_hand
        )


@dataclass(frozen=True)
class StudentTable:
    """The marks of an assignment by student."""

    exercises: Sequence[str]
    rows: Sequence[StudentRow]
    with_marks: bool
    """Whether final marks are known, beside the scores."""
    with_notes: bool


@dataclass(frozen=True)
class FinalMark:
    """A mark, None if there is none, whether it is dropped, and why it is not known though there is work."""

    mark: Decimal | None
    dropped: bool
    gap: Gap | None


@dataclass(frozen=True)
class FinalMarks:
    """The final marks of all students in all assignments, with the total of each."""

    assignments: Sequence[str]
    possible: Decimal
    drops: bool
    rows: Sequence[tuple[str, Sequence[FinalMark], Decimal | None]]
    """Without a total where a mark is not known."""

    @property
    def has_gaps(self) -> bool:
        """Whether there is somebody without a total."""
        return any(total is None for _, _, total in self.rows)


def names_of(marks: Marks | None) -> dict[str, str]:
    """The names of the students whose names are known."""
    people = marks.people.values() if marks is not None else ()
    names = {person.id: f"{person.first_name} {person.last_name}".strip() for person in people}
    return {student: name for student, name in names.items() if name}


def student_table(
    assignment: str, found: Sequence[Result], marks: Marks | None, unreadable: Sequence[str] = ()
) -> StudentTable:
    """The students who handed in an assignment, and those of the class who did not."""
    rows = {student: StudentRow(student) for student in (marks.people if marks is not None else ())}
    rows |= {result.student: _row(result, assignment, marks) for result in found}
    for student in unreadable:
        mark = marks.of(student, assignment) if marks is not None else None  # a gradebook may know it
        rows[student] = StudentRow(student, mark=mark, unreadable=True)
    listed = [rows[student] for student in sorted(rows)]
    return StudentTable(
        exercises=list(dict.fromkeys(exercise.name for result in found for exercise in result.exercises)),
        rows=listed,
        with_marks=marks is not None,
        with_notes=any(row.is_noteworthy for row in listed),
    )


def final_marks(marks: Marks) -> FinalMarks:
    """The final marks of everybody."""
    rows = []
    for student in marks.people:
        dropped = marks.dropped(student) if marks.rules.drop_lowest else set()
        gaps = marks.gaps_of(student)
        cells = [FinalMark(marks.of(student, name), name in dropped, gaps.get(name)) for name in marks.points]
        rows.append((student, cells, marks.total(student)))
    return FinalMarks(list(marks.points), marks.possible(), bool(marks.rules.drop_lowest), rows)


def _row(result: Result, assignment: str, marks: Marks | None) -> StudentRow:
    mark = marks.marks.get((result.student, assignment)) if marks is not None else None
    return StudentRow(
        student=result.student,
        score=None if result.ungraded else result.score,
        mark=marks.of(result.student, assignment) if marks is not None else None,
        scores={exercise.name: exercise.score for exercise in result.exercises},
        ungraded=bool(result.ungraded),
        late_by=mark.late_by if mark else timedelta(0),
        followed_through=[exercise.name for exercise in result.exercises if exercise.followed_through],
        misconceptions=[
            (exercise.name, exercise.misconception) for exercise in result.exercises if exercise.misconception
        ],
        by_hand=[
            (exercise.name, exercise.reply.points)
            for exercise in result.exercises
            if exercise.reply is not None and exercise.reply.points is not None
        ],
    )
