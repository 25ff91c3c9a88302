"""`autograder marks`: the columns that people and platforms expect, from a gradebook or from results."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from sample_course import REPOSITORY

from autograder.classroom import marks, platforms
from autograder.classroom.marks import Marks
from autograder.cli import main
from autograder.course import policy
from autograder.course.errors import UsageError
from autograder.course.model import CheckResult, ExerciseResult, Result, Verdict
from autograder.course.roster import Person
from autograder.grading import store
from autograder.nbgrader_bridge.gradebook import Entry

ONE, TWO = "01_bayes_rule", "02_maximum_likelihood"
DUE = datetime(2026, 10, 12, 22, tzinfo=UTC)
PEOPLE = {
    "al815": Person("al815", "Ada", "Lovelace", "ada@example.org", "4711"),
    "gh906": Person("gh906", "Grace", "Hopper", "grace@example.org", "4712"),
    "eve": Person("eve", "=cmd()", "", "", ""),
}


@pytest.fixture
def some() -> Marks:
    rules = policy.Policy(
        due={ONE: DUE}, late=policy.Late(percent=Decimal(10)), drop_lowest=1, round_to=Decimal("0.5"), round_half="up"
    )
    entries = [
        Entry("al815", ONE, Decimal("19.25"), Decimal(20), DUE, False),
        Entry("al815", TWO, Decimal("4"), Decimal(20), None, False),
        Entry("gh906", ONE, Decimal("15.25"), Decimal(20), DUE.replace(day=13, hour=1), False),
    ]
    check = CheckResult("test_hidden_law", Verdict.FAILED, "A law that every student may read.", "expected 0.123")
    exercise = ExerciseResult(
        "posterior", 1.5, 3, Verdict.FAILED, (check,), "forgets_the_prior", "Does your answer move?"
    )
    documents = {("gh906", ONE): Result("gh906", ONE, "strong", (exercise,))}
    return marks.compute(entries, rules, {ONE: Decimal(20), TWO: Decimal(20)}, PEOPLE, (), documents)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_people_get_a_row_each_and_a_total_of_what_counts(some: Marks) -> None:
    assert rows(platforms.table(some, "csv")) == [
        ["student", "first_name", "last_name", "email", ONE, TWO, "total", "status"],
        ["al815", "Ada", "Lovelace", "ada@example.org", "19.5", "4", "19.5", "complete"],
        ["eve", "'=cmd()", "", "", "", "", "0", f"complete ({ONE} not handed in, {TWO} not handed in)"],
        ["gh906", "Grace", "Hopper", "grace@example.org", "13.5", "", "13.5", f"complete ({TWO} not handed in)"],
    ]


def test_the_worst_assignment_is_dropped_also_where_nothing_was_handed_in(some: Marks) -> None:
    assert some.dropped("al815") == {TWO} and some.dropped("gh906") == {TWO}
    assert some.possible() == 20


def test_canvas_gets_its_columns_and_the_points_possible(some: Marks) -> None:
    table = rows(platforms.table(some, "canvas"))
    assert table[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", ONE, TWO]
    assert table[1] == ["    Points Possible", "", "", "", "", "20", "20"]
    assert table[2] == ["Lovelace, Ada", "4711", "", "al815", "", "19.5", "4"]


def test_moodle_gets_a_column_to_find_people_by(some: Marks) -> None:
    table = rows(platforms.table(some, "moodle"))
    assert table[0] == ["Username", "First name", "Last name", "ID number", "Email address", ONE, TWO]
    assert table[3] == ["gh906", "Grace", "Hopper", "4712", "grace@example.org", "13.5", ""]


def test_gradescope_gets_the_final_mark_and_what_students_may_read(some: Marks, tmp_path: Path) -> None:
    platforms.write(some, "gradescope", tmp_path)
    text = (tmp_path / "gh906" / ONE / "results.json").read_text()
    document = json.loads(text)
    by_hand, late = document["output"].splitlines()
    assert document["score"] == 13.5 and late == "2 of 15.25 points were taken off for being late."
    assert by_hand == "The checks gave 1.5 points; your instructor made it 15.25."
    (test,) = document["tests"]
    assert (test["name"], test["score"], test["max_score"], test["status"]) == ("posterior", 1.5, 3, "failed")
    assert "A question: Does your answer move?" in test["output"]
    assert "0.123" not in text and "test_hidden_law" not in text


def test_marks_of_results_need_no_gradebook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercise = ExerciseResult("posterior", 1.25, 3, Verdict.FAILED, ())
    store.write(tmp_path, Result("ada", ONE, "strong", (exercise,)))
    store.write(tmp_path, Result("bob", ONE, "strong", (), ungraded="the notebook has no code"))
    (tmp_path / "rules.toml").write_text("[marks]\nround_to = 0.5\n")
    assert main(["marks", str(tmp_path), "--policy", str(tmp_path / "rules.toml")]) == 0
    told = capsys.readouterr()
    assert rows(told.out)[1:] == [
        ["ada", "", "", "", "1.5", "1.5", "complete"],
        ["bob", "", "", "", "", "", f"incomplete ({ONE} not graded)"],  # not a zero, and not left out
    ]
    assert told.err == f"bob/{ONE} has no mark: the notebook has no code\n"
    assert main(["marks", str(tmp_path), "--format", "moodle", "--out", str(tmp_path / "moodle.csv")]) == 0
    assert (tmp_path / "moodle.csv").read_text().startswith("Username,First name")


def test_a_mark_that_is_not_of_what_was_handed_in_last_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        book.add_assignment(ONE)
        for student in ("ada", "eve"):
            book.add_student(student)
            book.add_submission(ONE, student)
    store.write(
        tmp_path / "graded", Result("ada", ONE, "strong", (ExerciseResult("posterior", 0, 3, Verdict.FAILED, ()),))
    )
    store.write(tmp_path / "graded", Result("eve", ONE, "strong", (), ungraded="it is not JSON"))
    store.write(tmp_path / "graded", Result("kim", ONE, "strong", (), ungraded="it is not JSON"))
    assert main(["marks", str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"eve/{ONE} keeps an earlier mark, because what was handed in last is not graded: it is not JSON",
        f"kim/{ONE} has no mark: it is not JSON",
    ]
    assert main(["marks", str(tmp_path), "--format", "gradescope", "--out", str(tmp_path / "out")]) == 0
    told = {
        name: json.loads((tmp_path / "out" / name / ONE / "results.json").read_text())["output"]
        for name in ("ada", "eve")
    }
    assert told == {"ada": "", "eve": "What you handed in last is not graded yet; the mark is an earlier one."}


def test_marks_of_results_know_what_came_late_from_the_submissions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exercise = ExerciseResult("posterior", 3, 3, Verdict.PASSED, ())
    for student in ("ada", "bob"):
        store.write(tmp_path / "graded", Result(student, ONE, "strong", (exercise,)))
    (tmp_path / "in" / "bob" / ONE).mkdir(parents=True)
    (tmp_path / "in" / "bob" / ONE / "timestamp.txt").write_text("2026-10-14 09:00:00 UTC\n")
    rules = tmp_path / "rules.toml"
    rules.write_text(f"[due]\n{ONE} = 2026-10-12T23:59:00Z\n[late]\npercent_per_day = 10\n")
    call = ["marks", str(tmp_path / "graded"), "--policy", str(rules)]

    assert main([*call, "--submissions", str(tmp_path / "in")]) == 0
    told = capsys.readouterr()
    assert [row[4] for row in rows(told.out)[1:]] == ["3", "2.4"]
    assert (
        told.err == "1 submission counts as handed in on time, because it is not known when that was: "
        f"{tmp_path / 'in'} has no timestamp.txt beside it\n"
    )

    assert main(call) == 0
    told = capsys.readouterr()
    assert [row[4] for row in rows(told.out)[1:]] == ["3", "3"]
    assert "2 submissions count as handed in on time" in told.err and "with --submissions" in told.err

    assert main([*call, "--submissions", str(tmp_path / "nowhere")]) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_a_place_without_marks_is_a_wrong_call(tmp_path: Path, some: Marks) -> None:
    with pytest.raises(UsageError, match="neither an nbgrader course nor a folder that `autograder grade` has written"):
        marks.read(tmp_path, REPOSITORY)
    with pytest.raises(UsageError, match="name a folder for them with --out"):
        platforms.write(some, "gradescope", None)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" @x", "' @x"),
        ("a;=1+1;b", "a;'=1+1;b"),
        ('"; -1;+2', "\";' -1;'+2"),
        ("\t=1", "\N{REPLACEMENT CHARACTER}=1"),
        ("\u202egro\n=1", "\N{REPLACEMENT CHARACTER}gro\N{REPLACEMENT CHARACTER}=1"),
        ("Jean-Luc; O'Neil", "Jean-Luc; O'Neil"),
    ],
)
def test_no_name_is_a_formula_or_steers_a_terminal_in_any_table(name: str, cell: str) -> None:
    entries = [Entry("al815", ONE, Decimal(1), Decimal(20), None, False)]
    some = marks.compute(entries, policy.Policy(), {ONE: Decimal(20)}, {"al815": Person("al815", name, name)})
    assert [rows(platforms.table(some, form))[-1][1:3] for form in ("csv", "moodle")] == [[cell, cell]] * 2
    graded = Result(name, ONE, "strong", (ExerciseResult("posterior", 1, 3, Verdict.FAILED, ()),))
    assert [row[0] for row in rows(store.table([graded], [(name, TWO)]))[1:]] == [cell, cell]


def test_a_class_of_which_nothing_is_graded_has_no_marks(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="There are no marks yet: nothing has been graded. Run `autograder grade` first"
    ):
        platforms.write(marks.compute([], policy.Policy(), {}, PEOPLE), "csv", tmp_path / "marks.csv")
    assert not list(tmp_path.iterdir())


def test_rules_that_are_not_there_are_not_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(tmp_path, Result("ada", ONE, "strong", (ExerciseResult("posterior", 1.25, 3, Verdict.FAILED, ()),)))
    assert main(["marks", str(tmp_path), "--policy", str(tmp_path / "rulez.toml")]) == 2
    told = capsys.readouterr()
    assert "rulez.toml. Correct --policy, or omit it" in told.err and told.out == ""


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (".", "Is a directory: {out}. Name a file: this is a folder."),
        ("file/marks.csv", "File exists: {out}. Choose another place: a part of this path is a file."),
    ],
)
def test_a_place_that_cannot_be_written_is_named_as_it_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str, words: str
) -> None:
    (tmp_path / "file").touch()
    store.write(
        tmp_path / "graded", Result("ada", ONE, "strong", (ExerciseResult("posterior", 1.25, 3, Verdict.FAILED, ()),))
    )
    assert main(["marks", str(tmp_path / "graded"), "--out", str(tmp_path / out)]) == 1
    assert capsys.readouterr().err == f"autograder: {words.format(out=tmp_path / out)}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "graded"]
