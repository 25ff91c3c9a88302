"""A small gradebook of nbgrader, made without a course: two students, whose marks can be looked at and changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from autograder.nbgrader_bridge import gradebook

STUDENTS = ("ada", "bob")


def make(file: Path, scores: tuple[float, ...] = (3.0, 2.0)) -> Path:
    """A gradebook with one assignment, and a score for each student; without scores, only the students are there."""
    from nbgrader.api import Gradebook

    with gradebook.opened(f"sqlite:///{file}"), Gradebook(f"sqlite:///{file}") as book:
        book.add_assignment("ps1")
        book.add_notebook("one", "ps1")
        book.add_grade_cell("square", "one", "ps1", max_score=4, cell_type="code")
        for student in STUDENTS:
            book.add_student(student)
        for student, score in zip(STUDENTS, scores, strict=False):
            book.add_submission("ps1", student)
            book.find_grade("square", "one", "ps1", student).auto_score = score
        book.db.commit()
    return file


def scores(file: Path) -> list[float]:
    """The scores in a gradebook or a copy of one, which has to be in order."""
    with closing(sqlite3.connect(f"file:{file}?mode=rw", uri=True)) as book:
        assert book.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [score for (score,) in book.execute("SELECT auto_score FROM grade ORDER BY auto_score DESC")]


def give(file: Path, score: float) -> None:
    """Give everybody this score."""
    with closing(sqlite3.connect(file)) as book:
        book.execute("UPDATE grade SET auto_score = ?", (score,))
        book.commit()
