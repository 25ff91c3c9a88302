"""Marks in the forms that people and learning platforms read: a table as CSV, Canvas, Moodle, Gradescope."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from autograder.classroom.marks import Marks, number
from autograder.course import files
from autograder.course.errors import UsageError
from autograder.course.model import Verdict
from autograder.course.roster import Person
from autograder.grading import store
from autograder.nbgrader_bridge.autograded import as_text

_COLUMNS = {
    "csv": ("student", "first_name", "last_name", "email"),
    "canvas": ("Student", "ID", "SIS User ID", "SIS Login ID", "Section"),
    "moodle": ("Username", "First name", "Last name", "ID number", "Email address"),
}
GRADESCOPE = "gradescope"


def table(marks: Marks, form: str) -> str:
    """The marks as CSV, in the columns that a person, Canvas or Moodle expects.

    Who has a mark that is not known has no total, and `status` says which: nobody takes a part for the whole.
    """
    names = list(marks.points)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS[form], *names, *(["total", "status"] if form == "csv" else [])])
    if form == "canvas":
        possible = [number(marks.points[name] or None) for name in names]  # empty where nobody knows it
        writer.writerow(["    Points Possible", "", "", "", "", *possible])
    for person in marks.people.values():
        row = [*_about(person, form), *(number(marks.of(person.id, name)) for name in names)]
        if form == "csv":
            row += [number(marks.total(person.id)), status(marks, person.id)]
        writer.writerow([store.spreadsheet_text(cell) for cell in row])
    return text.getvalue()


def status(marks: Marks, student: str) -> str:
    """Whether the total of a student is of all marks, and what is not among them."""
    gaps = marks.gaps_of(student)
    absent = [name for name in marks.points if name not in gaps and (student, name) not in marks.marks]
    notes = [f"{name} {gap}".strip() for name, gap in gaps.items()] + [f"{name} not handed in" for name in absent]
    word = "incomplete" if gaps else "complete"
    return f"{word} ({', '.join(notes)})" if notes else word


def _about(person: Person, form: str) -> list[str]:
    """What the columns before the marks say about a student."""
    if form == "csv":
        return [person.id, person.first_name, person.last_name, person.email]
    if form == "canvas":
        called = ", ".join(filter(None, (person.last_name, person.first_name))) or person.id
        return [called, person.lms_user_id, "", person.id, ""]
    return [person.id, person.first_name, person.last_name, person.lms_user_id, person.email]


def gradescope(marks: Marks, student: str, assignment: str) -> dict[str, object]:
    """Gradescope's results.json for one submission: what each exercise got and why, in words that students may read."""
    result = marks.results[student, assignment]
    final = marks.of(student, assignment)
    notes = []
    mark = marks.marks[student, assignment]
    if mark.penalty:
        notes.append(f"{number(mark.penalty)} of {number(mark.entry.score)} points were taken off for being late.")
    if result.ungraded:
        notes.insert(0, "What you handed in last is not graded yet; the mark is an earlier one.")
    elif float(mark.entry.score) != result.score:
        notes.insert(0, f"The checks gave {result.score:g} points; your instructor made it {number(mark.entry.score)}.")
    return {
        "score": float(final if final is not None else 0),
        "output": "\n".join(notes),
        "visibility": "visible",
        "tests": [
            {
                "name": exercise.name,
                "score": exercise.score,
                "max_score": exercise.points,
                "status": "passed" if exercise.verdict is Verdict.PASSED else "failed",
                "output": as_text(exercise),
            }
            for exercise in result.exercises
        ],
    }


def write(marks: Marks, form: str, out: Path | None) -> str:
    """Write the marks to a file, or for Gradescope to a folder; what to print instead when there is no file."""
    if not marks.marks and not marks.unreadable:
        raise UsageError("There are no marks yet: nothing has been graded. Run `autograder grade` first.")
    if form != GRADESCOPE:
        text = table(marks, form)
        if out is None:
            return text
        files.replace(out, text.encode())
        return f"wrote the marks of {len(marks.people)} students to {out}\n"
    if out is None:
        raise UsageError("Gradescope takes one results.json per submission: name a folder for them with --out.")
    known = [key for key in marks.marks if key in marks.results]
    if not known:
        raise UsageError("There is no result document to tell Gradescope about: grade with `autograder grade` first.")
    for student, assignment in known:
        document = json.dumps(gradescope(marks, student, assignment), indent=2, ensure_ascii=False) + "\n"
        files.replace(out / student / assignment / "results.json", document.encode())
    return f"wrote {len(known)} files results.json to {out}\n"
