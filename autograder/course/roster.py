"""The students of a class, as the CSV file that course.toml names lists them."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields

from autograder.course.errors import AuthorError
from autograder.course.policy import FILE, Policy


@dataclass(frozen=True)
class Person:
    """A student as a roster or a gradebook knows them."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""


COLUMNS = tuple(field.name for field in fields(Person))


def read(rules: Policy) -> list[Person]:
    """The students in the file that the policy names; nobody when it names none."""
    path = rules.students
    if path is None:
        return []
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except UnicodeDecodeError:
        raise AuthorError(f"The roster {path} is not UTF-8 text. Save it as CSV in UTF-8.") from None
    except (OSError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise AuthorError(f"The roster {path} cannot be read: {why}. It is named by students in {FILE}.") from None
    if not rows:
        raise AuthorError(
            f"The roster {path} lists no student. Fill it in, or remove students from {FILE}: "
            "then everyone who hands in is a student."
        )
    people = []
    for number, row in enumerate(rows, start=2):
        if not (row.get("id") or "").strip():
            raise AuthorError(f"{path}, line {number}: a student without an id. The columns are: {', '.join(COLUMNS)}.")
        people.append(Person(*((row.get(column) or "").strip() for column in COLUMNS)))
    twice = sorted({person.id for person in people if sum(person.id == other.id for other in people) > 1})
    if twice:
        raise AuthorError(f"{path}: the student {twice[0]!r} is listed more than once.")
    return people
