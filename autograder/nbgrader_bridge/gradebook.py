"""nbgrader's gradebook: what it knows, and writing one submission to it, all of it or nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from nbformat import NotebookNode

from autograder.course import sources
from autograder.course.errors import GradebookError, UsageError
from autograder.course.policy import Policy
from autograder.course.roster import COLUMNS, Person
from autograder.nbgrader_bridge import by_hand, connecting
from autograder.nbgrader_bridge.autograded import Original
from autograder.nbgrader_bridge.by_hand import Given

_PATIENCE = "5s"  # what SQLite waits for a lock


@dataclass(frozen=True)
class Entry:
    """The marks of one submission: score with manual marks and extra credit, and when it was handed in."""

    student: str
    assignment: str
    score: Decimal
    points: Decimal
    handed_in: datetime | None
    needs_manual_grade: bool


class Book:
    """An open gradebook."""

    def __init__(self, gradebook: Any, url: str) -> None:
        self._gradebook, self._url = gradebook, url
        self._db = gradebook.db

    def require_writable(self) -> None:
        """An error, which `opened` puts into words, when nothing can be written at the moment."""
        from sqlalchemy import text

        self._db.execute(text("UPDATE alembic_version SET version_num = version_num"))
        self._db.rollback()

    def assignments(self) -> list[str]:
        """The names of all assignments, in order."""
        return sorted(str(assignment.name) for assignment in self._gradebook.assignments)

    def people(self) -> dict[str, Person]:
        """All students by id."""
        return {
            student.id: Person(*(getattr(student, name) or "" for name in COLUMNS))
            for student in self._gradebook.students
        }

    def require(self, stem: str) -> None:
        """UsageError when there is no such assignment."""
        known = self.assignments()
        if stem not in known:
            near = difflib.get_close_matches(stem, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else "."
            names = f" Known are: {', '.join(known)}." if known else " It knows none: run `autograder course` first."
            raise UsageError(f"The gradebook has no assignment {stem!r}{hint}{names}")

    def originals(self, source: NotebookNode, stem: str) -> tuple[Original, ...]:
        """The cells that nbgrader keeps for an assignment, in the order of the source notebook.

        GradebookError when the gradebook was made from another version of the notebook, with other graded cells.
        """
        self.require(stem)
        kept = {cell.name: cell for cell in self._gradebook.find_notebook(stem, stem).source_cells}
        found = []
        for cell in source.cells:
            told = cell.metadata.get("nbgrader")
            if not isinstance(told, dict) or told.get("grade_id") not in kept:
                continue
            known = kept.pop(told["grade_id"])
            own = {**told, "checksum": known.checksum, "cell_type": known.cell_type, "locked": known.locked}
            labels = {"deletable": False, **({"editable": False} if known.locked else {}), "nbgrader": own}
            found.append(Original(known.name, cell.id, known.cell_type, known.source or "", labels))
        asked = {f"{exercise.name}-check" for exercise in sources.exercises(source)}
        if kept or asked - {original.grade_id for original in found}:
            raise GradebookError(
                f"The gradebook was made from another version of {stem}: its graded cells differ. "
                "`autograder course` brings it up to date while nothing has been graded."
            )
        return tuple(found)

    def has_submissions(self, stem: str) -> bool:
        """Whether anything of an assignment is in the gradebook."""
        return stem in self.assignments() and bool(self._gradebook.find_assignment(stem).submissions)

    def cells(self, stem: str) -> set[str]:
        """The grade ids of an assignment's cells; empty when it is not there."""
        if stem not in self.assignments():
            return set()
        return {cell.name for known in self._gradebook.find_assignment(stem).notebooks for cell in known.source_cells}

    def bring_up_to_date(self, people: Sequence[Person], policy: Policy) -> int:
        """Put in students, due dates, extensions and late penalties; how many submissions these concern."""
        with self.transaction():
            self._add_people(people)
            return self._apply(policy)

    def is_up_to_date(self, people: Sequence[Person], policy: Policy) -> bool:
        """Whether `bring_up_to_date` would change nothing."""
        with self._db.no_autoflush:
            try:
                self._add_people(people)
                self._apply(policy)
                return not (self._db.new or any(map(self._db.is_modified, self._db.dirty)))
            finally:
                self._db.rollback()

    def _add_people(self, people: Sequence[Person]) -> None:
        from nbgrader.api import Student

        for person in people:
            student = self._db.get(Student, person.id) or Student(id=person.id)
            for name in COLUMNS[1:]:
                if getattr(person, name):
                    setattr(student, name, getattr(person, name))
            self._db.add(student)

    def record(
        self,
        stem: str,
        student: str,
        graded: NotebookNode,
        handed_in: datetime | None,
        policy: Policy,
        given: Sequence[Given] = (),
    ) -> None:
        """Put in the marks of an autograded notebook as nbgrader's autograde would; call it within a `transaction`.

        What people gave, manual scores, comments and extra credit, stays. Where there is a manual score, nbgrader asks
        for another look, and so do we, unless it was `given` to all who answered like that.
        """
        from nbgrader import utils

        submission = self._submission(stem, student)
        if handed_in is not None:
            submission.timestamp = handed_in.astimezone(UTC).replace(tzinfo=None)
        submission.extension = _extension(policy, student, stem)
        ours = next(one for one in submission.notebooks if one.notebook.name == stem)
        grades, comments = _by_cell(ours)
        for cell in graded.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if utils.is_grade(cell):
                grade = grades[name]
                grade.auto_score = utils.determine_grade(cell)[0]
                grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
                _settle(grade)
            if utils.is_solution(cell):
                untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
                comments[name].auto_comment = "No response." if untouched else None
        by_hand.put(self._db, grades, comments, given)
        points = sum((Decimal(str(cell.max_score)) for cell in ours.notebook.grade_cells), Decimal(0))
        ours.late_submission_penalty = _penalty(policy, student, stem, submission, _total(ours.grades), points)
        self._db.flush()  # what keeps it from being written shows now, before anything else is

    def settle(self, stem: str, student: str, given: Sequence[Given] = ()) -> None:
        """Let no answer without points wait for a person; nbgrader, after its own grading, lets each of them wait.

        It also puts in what was `given` to all who answered like that.
        """
        ours = self._gradebook.find_submission_notebook(stem, stem, student)
        for grade in ours.grades:
            _settle(grade)
        by_hand.put(self._db, *_by_cell(ours), given)
        self._db.commit()

    def given_something(self, stem: str) -> set[str]:
        """The students who have something in the gradebook that was given to a group."""
        from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook

        query = (
            self._db.query(SubmittedAssignment.student_id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .filter(Assignment.name == stem, by_hand.has_something(self._db, SubmittedNotebook.id))
        )
        return {student for (student,) in query.distinct()}

    def give(self, stem: str, student: str, given: Sequence[Given]) -> bool:
        """Put in what was given by hand, and take out what is no longer; whether the student is in the gradebook.

        Call it within a `transaction`. What was typed in formgrader stays.
        """
        from nbgrader.api import Assignment, SubmittedAssignment

        query = self._db.query(SubmittedAssignment).join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        submission = query.filter(Assignment.name == stem, SubmittedAssignment.student_id == student).one_or_none()
        ours = [one for one in submission.notebooks if one.notebook.name == stem] if submission is not None else []
        for one in ours:
            by_hand.put(self._db, *_by_cell(one), given)
        self._db.flush()
        return bool(ours)

    def apply(self, policy: Policy) -> int:
        """Bring due dates, extensions and late penalties up to date; how many submissions that concerns."""
        with self.transaction():
            return self._apply(policy)

    def _apply(self, policy: Policy) -> int:
        count = 0
        for assignment in self._gradebook.assignments:
            due = policy.due.get(assignment.name)
            assignment.duedate = None if due is None else due.replace(tzinfo=None)
            for submission in assignment.submissions:
                submission.extension = _extension(policy, submission.student_id, assignment.name)
                for one in submission.notebooks:
                    points = sum((Decimal(str(cell.max_score)) for cell in one.notebook.grade_cells), Decimal(0))
                    penalty = _penalty(
                        policy, submission.student_id, assignment.name, submission, _total(one.grades), points
                    )
                    one.late_submission_penalty = penalty
                count += 1
        return count

    def entries(self) -> list[Entry]:
        """The marks of all submissions, by assignment and student."""
        from nbgrader.api import Assignment, SubmittedAssignment

        rows = (
            self._db.query(
                SubmittedAssignment.student_id,
                Assignment.name,
                SubmittedAssignment.score,
                SubmittedAssignment.max_score,
                SubmittedAssignment.timestamp,
                SubmittedAssignment.needs_manual_grade,
            )
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .all()
        )
        found = [
            Entry(student, name, _exact(score), _exact(points), time and time.replace(tzinfo=UTC), bool(manual))
            for student, name, score, points, time, manual in rows
        ]
        return sorted(found, key=lambda entry: (entry.assignment, entry.student))

    def points(self) -> dict[str, Decimal]:
        """What each assignment is worth."""
        return {str(assignment.name): _exact(assignment.max_score) for assignment in self._gradebook.assignments}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything that is written meanwhile is kept, or nothing of it."""
        try:
            yield
            self._db.commit()
        except BaseException:
            self._db.rollback()
            raise

    def _submission(self, stem: str, student: str) -> Any:
        """A student's submission, made if there is none; nothing is committed."""
        from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook

        person = self._db.get(Student, student)
        if person is None:
            person = Student(id=student)
            self._db.add(person)
        assignment = self._gradebook.find_assignment(stem)
        with self._db.no_autoflush:
            query = self._db.query(SubmittedAssignment)
            found = query.filter_by(assignment_id=assignment.id, student_id=student).one_or_none()
            if found is not None:
                return found
            submission = SubmittedAssignment(assignment=assignment, student=person)
            for known in assignment.notebooks:
                handed_in = SubmittedNotebook(notebook=known, assignment=submission)
                for cell in known.grade_cells:
                    Grade(cell_id=cell.id, notebook=handed_in)
                for cell in known.solution_cells:
                    Comment(cell_id=cell.id, notebook=handed_in)
                for cell in known.task_cells:
                    Comment(cell_id=cell.id, notebook=handed_in)
                    Grade(cell_id=cell.id, notebook=handed_in)
            self._db.add(submission)
        self._db.flush()
        return submission


def address(given: str) -> str:
    """The address of a gradebook as nbgrader's settings need it; a UsageError when it is none, or holds a secret."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(given)
    except ArgumentError:
        raise UsageError("This is not the address of a gradebook. Write it like postgresql://user@host/name.") from None
    if url.password is not None or "password" in url.query:
        raise UsageError(
            "The address of the gradebook must not contain a password: everybody who sees the command or the settings "
            "would read it. Omit it, and put it into PostgreSQL's own ~/.pgpass or the variable PGPASSWORD."
        )
    if url.get_backend_name() == "postgresql":
        return str(url.set(drivername="postgresql+psycopg"))
    if url.get_backend_name() == "sqlite":
        return str(url)
    raise UsageError(f"A gradebook is kept by SQLite or PostgreSQL, not by {url.get_backend_name()}.")


@contextmanager
def opened(url: str, course_id: str = "") -> Iterator[Book]:
    """The gradebook at an address, made if there is none; a GradebookError says what keeps it from being used."""
    from nbgrader.api import Gradebook
    from sqlalchemy import text

    with connecting.in_words(url):
        connecting.prepare(url)
        with Gradebook(url, course_id) as gradebook:
            if gradebook.engine.dialect.name == "postgresql":  # it would wait for ever
                gradebook.db.execute(text(f"SET lock_timeout = '{_PATIENCE}'"))
                gradebook.db.commit()
            yield Book(gradebook, url)


def _by_cell(handed_in: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The grades and the comments of a notebook that was handed in, by the names of their cells."""
    known = handed_in.notebook
    names = {cell.id: cell.name for cell in [*known.grade_cells, *known.solution_cells, *known.task_cells]}
    grades = {names[grade.cell_id]: grade for grade in handed_in.grades}
    return grades, {names[comment.cell_id]: comment for comment in handed_in.comments}


def _settle(grade: Any) -> None:
    """Let an answer without points wait for nobody: who wants to read it gives it points in the source."""
    if grade.auto_score is None and grade.manual_score is None and not grade.cell.max_score:
        grade.auto_score, grade.needs_manual_grade = 0.0, False


def _total(grades: Sequence[Any]) -> Decimal:
    """The score of a notebook as nbgrader adds it up: manual before automatic, and extra credit on top."""
    total = Decimal(0)
    for grade in grades:
        given = grade.manual_score if grade.manual_score is not None else grade.auto_score
        if given is not None:
            total += _exact(given) + _exact(grade.extra_credit or 0)
    return total


def _extension(policy: Policy, student: str, stem: str) -> timedelta | None:
    due, extended = policy.due.get(stem), policy.extensions.get((student, stem))
    return None if due is None or extended is None else extended - due


def _penalty(policy: Policy, student: str, stem: str, submission: Any, score: Decimal, points: Decimal) -> float | None:
    time = submission.timestamp and submission.timestamp.replace(tzinfo=UTC)
    late_by = policy.lateness(student, stem, time)
    return float(policy.penalty(late_by, score, points)) if late_by else None


def _exact(value: float | None) -> Decimal:
    """A mark as it was written: scores have two decimals, and sums of floats a few more."""
    return Decimal(str(round(value or 0, 6))).normalize() + Decimal(0)
