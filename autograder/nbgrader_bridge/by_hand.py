"""What an instructor replied to a group, in the gradebook: a manual score, and a comment below the answer.

What somebody typed in formgrader is never overwritten. The comment goes where nbgrader's own remarks are (such as "No
response."): formgrader shows it, feedback contains it, and one that is typed comes in its place. Manual scores have no
such second place, so a table of our own in the gradebook notes which of them we gave; it is written in the transaction
that writes the score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograder.course.model import Exercise, Reply, Result

OPENING = "To everybody who answered like this: "
_TABLE = "autograder_given"


@dataclass(frozen=True)
class Given:
    """What an exercise was given by hand, by the names of its cells: nothing, where there is no reply."""

    check: str
    """The cell that has the score."""
    answer: str
    """The cell that has the comment."""
    comment: str | None = None
    points: float | None = None


def given(result: Result, exercises: Sequence[Exercise]) -> tuple[Given, ...]:
    """What every exercise of a notebook was given, and the cells where that belongs."""
    replies = {exercise.name: exercise.reply for exercise in result.exercises}
    return tuple(
        Given(
            f"{exercise.name}-check",
            exercise.functions[-1],  # the one right above the checks
            comment(replies.get(exercise.name)),
            getattr(replies.get(exercise.name), "points", None),
        )
        for exercise in exercises
    )


def comment(reply: Reply | None) -> str | None:
    """A reply as a comment; None where there is none, or nothing to say in it."""
    texts = [] if reply is None else [text.strip() for text in (reply.comment, reply.question) if text.strip()]
    return OPENING + "\n\n".join(texts) if texts else None


def has_something(db: Any, notebook: Any) -> Any:
    """The condition, for a query, that the notebook of a submission has a score or a comment of ours."""
    from nbgrader.api import Comment, Grade
    from sqlalchemy import inspect, or_, select

    has_comment = notebook.in_(select(Comment.notebook_id).where(Comment.auto_comment.startswith(OPENING)))
    if not inspect(db.connection()).has_table(_TABLE):
        return has_comment
    graded = select(Grade.notebook_id).join(_table(), _table().c.grade_id == Grade.id)
    return or_(has_comment, notebook.in_(graded))


def put(db: Any, grades: Mapping[str, Any], comments: Mapping[str, Any], all_given: Sequence[Given]) -> None:
    """Bring the grades and comments of one submission up to date; nothing is committed."""
    if not all_given:
        return
    ledger = _Ledger(db, [grades[one.check].id for one in all_given if one.check in grades])
    for one in all_given:
        if one.check in grades:
            _mark(grades[one.check], one.points, ledger)
        if one.answer in comments:
            _comment(comments[one.answer], one.comment)


def _mark(grade: Any, points: float | None, ledger: _Ledger) -> None:
    ours = ledger.points(grade.id)  # that we gave the last time
    is_ours = ours is not None and grade.manual_score == ours
    taken_out = ours is not None and grade.manual_score is None  # by a person
    if points is None:
        if is_ours:
            grade.manual_score = None
            grade.needs_manual_grade = grade.auto_score is None
        ledger.forget(grade.id)
    elif is_ours or (grade.manual_score is None and not (taken_out and points == ours)):
        grade.manual_score = points
        grade.needs_manual_grade = False
        ledger.note(grade.id, points)
    elif not taken_out:
        ledger.forget(grade.id)


def _comment(comment: Any, text: str | None) -> None:
    if text is not None:
        comment.auto_comment = text
    elif (comment.auto_comment or "").startswith(OPENING):
        comment.auto_comment = None


@cache
def _table() -> Any:
    from sqlalchemy import Column, Float, MetaData, String, Table

    return Table(_TABLE, MetaData(), Column("grade_id", String(32), primary_key=True), Column("points", Float(53)))


class _Ledger:
    """Which of some manual scores are ours, in a table of the gradebook that is made when the first one is."""

    def __init__(self, db: Any, grades: Sequence[str]) -> None:
        from sqlalchemy import inspect, select

        self._db, self._table = db, _table()
        self._exists = inspect(db.connection()).has_table(_TABLE)
        columns = self._table.c
        wanted = select(columns.grade_id, columns.points).where(columns.grade_id.in_(grades))
        self._known: dict[str, float] = dict(db.execute(wanted).fetchall()) if self._exists else {}

    def points(self, grade: str) -> float | None:
        """What we gave; None where we gave nothing."""
        return self._known.get(grade)

    def note(self, grade: str, points: float) -> None:
        """Note that we gave something."""
        if self._known.get(grade) == points:
            return
        self.forget(grade)
        if not self._exists:
            self._table.create(self._db.connection())
            self._exists = True
        self._db.execute(self._table.insert().values(grade_id=grade, points=points))
        self._known[grade] = points

    def forget(self, grade: str) -> None:
        """Note that we gave nothing."""
        if self._known.pop(grade, None) is not None:
            self._db.execute(self._table.delete().where(self._table.c.grade_id == grade))
