"""The roster: who is on it, and what is said about a file that cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import policy, roster
from autograder.course.errors import AuthorError
from autograder.course.roster import Person


def test_without_a_roster_nobody_is_on_it() -> None:
    assert roster.read(policy.Policy()) == []


def test_columns_are_found_by_name_and_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "students.csv"
    path.write_text("\ufefflast_name,id,group\n Lovelace ,al815,7\n,gh906,\n", encoding="utf-8")
    people = roster.read(policy.Policy(students=path))
    assert people == [Person("al815", last_name="Lovelace"), Person("gh906")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "students.csv cannot be read: No such file or directory. It is named by students in course.toml"),
        (b"", "The roster .*students.csv lists no student. Fill it in, or remove students from course.toml"),
        (b"id,first_name\n", "lists no student"),
        (b"id,first_name\nada,M\xfcller\n", "students.csv is not UTF-8 text. Save it as CSV in UTF-8"),
        (b"id;first_name\nada;Ada\n", "students.csv, line 2: a student without an id. The columns are: id, first_name"),
        (b"id,first_name\nada,Ada\nada,Eve\n", "the student 'ada' is listed more than once"),
    ],
)
def test_a_mistake_in_the_roster_is_named(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "students.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AuthorError, match=words):
        roster.read(policy.Policy(students=path))
