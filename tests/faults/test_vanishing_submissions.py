"""Submissions and folders that are gone, or others, at any moment of a run: what was graded is what is recorded."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from faulty import Count, FaultyClass, marks
from sample_class import STEM, hand_in, source_of, work

from autograder.classroom import nbgrader_course
from autograder.cli import command, console
from autograder.course import notebook
from autograder.course.errors import UnreadError
from autograder.grading.grade import Options, Run, grade
from autograder.grading.submissions import find

STUDENTS = [f"right-{number:02}" for number in range(8)] + [f"wrong-{number:02}" for number in range(2)]
LATER = STUDENTS[3:]  # with one worker, those whose submissions are not read yet when the first result is there
WRONG = "def posterior(prior, likelihood):\n    return prior"


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> FaultyClass:
    """A class that has handed in; tests take copies."""
    made = FaultyClass(tmp_path_factory.mktemp("class"))
    made.hand_in(STUDENTS)
    return made


@pytest.fixture(scope="module")
def graded(handed_in: FaultyClass) -> Path:
    """What everybody gets where nothing goes wrong."""
    out = handed_in.root / "undisturbed"
    done = handed_in.run("grade", handed_in.root / "in", "--out", out, "--workers", "1", "--isolation", "portable")
    assert (done.code, done.left) == (0, ())
    assert {document["score"] for document in marks(out).values()} == {20, 17}
    return out


@pytest.fixture
def place(handed_in: FaultyClass, tmp_path: Path) -> Path:
    return Path(shutil.copytree(handed_in.root / "in", tmp_path / "in"))


def rows(out: Path) -> dict[str, tuple[str, str, str]]:
    """Score, status, and whether it was in the last run, by student."""
    with (out / "grades.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert len({row["student"] for row in found}) == len(found)
    return {row["student"]: (row["score"], row["status"], row["in this run"]) for row in found}


def row_of(document: dict[str, Any], seen: str) -> tuple[str, str, str]:
    return f"{document['score']:g}", "graded", seen


def when(number: int, code: str) -> str:
    """What the command executes before it starts: it does something as soon as so many results are there."""
    body = "\n        ".join(code.strip().splitlines())
    return f"""
import os, shutil
from pathlib import Path
from autograder.cli import console
_show = console.Bar.show
def show(self, done, total):
    if done == {number} and not hasattr(console, "done"):
        console.done = True
        {body}
    _show(self, done, total)
console.Bar.show = show
"""


def one_of(place: Path, student: str) -> Path:
    return place / student / STEM / f"{STEM}.ipynb"


def gone(path: Path) -> None:
    shutil.rmtree(path)


VANISHING: list[tuple[str, str]] = [
    ("the file", "(PLACE / who / STEM / (STEM + '.ipynb')).unlink()"),
    ("the file, moved", "(PLACE / who / STEM / (STEM + '.ipynb')).rename(PLACE / (who + '.elsewhere'))"),
    ("the assignment's folder", "shutil.rmtree(PLACE / who / STEM)"),
    ("the student's folder", "shutil.rmtree(PLACE / who)"),
    ("the student's folder, renamed", "(PLACE / who).rename(PLACE / ('.' + who))"),
    ("a file for the folder", "shutil.rmtree(PLACE / who); (PLACE / who).write_text('x')"),
    (
        "a folder for the file",
        "(PLACE / who / STEM / (STEM + '.ipynb')).unlink(); (PLACE / who / STEM / (STEM + '.ipynb')).mkdir()",
    ),
]


def vanishing(place: Path, students: list[str]) -> str:
    """Code that makes the submissions of these students vanish, each in another way, in turn."""
    lines = [f"PLACE, STEM = Path({str(place)!r}), {STEM!r}"]
    for number, student in enumerate(students):
        lines.append(f"who = {student!r}; {VANISHING[number % len(VANISHING)][1]}")
    return "\n".join(lines)


def test_what_vanishes_before_it_is_read_is_named_and_stops_nobody(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    victims, out = LATER[:-1], tmp_path / "out"
    first = when(1, vanishing(place, victims))
    command_line = ("grade", place, "--out", out, "--workers", "1", "--isolation", "portable")
    done = handed_in.run(*command_line, first=first)
    expected, found, table = marks(graded), marks(out), rows(out)
    spared = [student for student in STUDENTS if student not in victims]
    wrong = [student for student in spared if found.get(student) != expected[student]]
    wrong += [student for student in victims if found[student]["ungraded_by"] != "machine"]
    silent = [student for student in victims if table.get(student) != ("", "ungraded", "yes")]
    silent += [who for who in victims if f"skipped {place / who / STEM / STEM}.ipynb: It was " not in done.words]
    assert table.keys() == set(STUDENTS) and done.code == 1
    totals = handed_in.run("marks", out).out.splitlines()
    silent += [who for who in victims if f"{who},,,,,,incomplete ({STEM} not graded)" not in totals]
    assert f"problem {len(victims)} submissions could not be graded, which is not the students' fault" in done.words
    assert f"{len(spared)} graded, {len(victims)} skipped" in done.words
    count("vanishing submissions", len(victims), wrong=len(wrong), silent=len(silent), left=len(done.left))


def test_results_of_those_who_vanish_during_a_regrade_are_kept_and_marked(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    out = Path(shutil.copytree(graded, tmp_path / "out"))
    victims = LATER[2:]
    done = handed_in.run(
        *("grade", place, "--out", out, "--workers", "1", "--isolation", "portable", "--force"),
        first=when(1, vanishing(place, victims)),
    )
    expected = marks(graded)
    wrong = [student for student in STUDENTS if marks(out)[student] != expected[student]]
    table = rows(out)
    silent = [who for who in STUDENTS if table.get(who) != row_of(expected[who], "no" if who in victims else "yes")]
    assert done.code == 1 and f"kept {len(victims)} results of earlier runs" in done.words
    count("vanishing submissions", len(victims), wrong=len(wrong), silent=len(silent), left=len(done.left))


def test_a_class_that_shrinks_between_two_runs_keeps_its_rows(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    out = Path(shutil.copytree(graded, tmp_path / "out"))
    victims, expected = STUDENTS[3:], marks(graded)
    for student in victims:
        gone(place / student)
    more = ("--out", out, "--workers", "1", "--isolation", "portable")
    done = handed_in.run("grade", place, *more)
    wrong = [student for student in STUDENTS if marks(out)[student] != expected[student]]
    seen = {who: "no" if who in victims else "yes" for who in STUDENTS}
    silent = [who for who in STUDENTS if rows(out).get(who) != row_of(expected[who], seen[who])]
    assert done.code == 0 and "3 graded (3 unchanged since the last run), 7 kept from earlier runs" in done.words
    assert (
        "this run has read no submission of right-03, right-04, right-05, right-06, right-07 and 2 more" in done.words
    )
    assert f"To remove one, delete {out}/results/<student>, then grade again." in done.words
    count("vanishing submissions", len(victims), wrong=len(wrong), silent=len(silent), left=len(done.left))

    gone(out / "results" / "wrong-01")  # as it says
    (out / "results" / "right-07" / f"{STEM}.json").write_text("{")
    part = one_of(place, "right-01")
    only = handed_in.run("grade", part, *more, "--json")
    told = json.loads(only.out)
    (problem,) = told["problems"]  # a part of the class is nothing wrong, a damaged result of the others is
    assert f"{out}/results/right-07/{STEM}.json cannot be read as a result: it breaks off" in problem
    assert only.code == 1 and [result["student"] for result in told["results"]] == ["right-01"]
    assert {entry["student"] for entry in told["kept"]} == set(STUDENTS) - {"right-01", "wrong-01"}
    assert {who for who, row in rows(out).items() if row[2] == "yes"} == {"right-01"}
    assert rows(out).keys() == set(STUDENTS) - {"wrong-01"}
    assert rows(out)["right-07"] == ("", "ungraded", "no") and rows(out)["wrong-00"] == ("17", "graded", "no")

    gone(out / "results" / "right-07")
    assert handed_in.run("grade", part, *more).code == 0


def test_two_runs_into_one_folder_at_the_same_time_lose_no_rows(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    out, expected = tmp_path / "out", marks(graded)
    course, options = handed_in.course, Options(out, workers=1, isolation="portable")
    mine, theirs = place / "right-00", place / "right-01"
    for folder in (mine, theirs):
        (folder / STEM / f"{STEM}.ipynb").rename(folder / f"{folder.name}_{STEM}.ipynb")
    others: list[Run] = []

    def meanwhile(done: int, total: int) -> None:
        if done and not others:
            others.append(grade(course, theirs, options))

    run = grade(course, mine, options, meanwhile)
    assert run.is_complete and others[0].is_complete
    found = marks(out)
    wrong = [who for who in ("right-00", "right-01") if found[who]["score"] != expected[who]["score"]]
    table = {"right-00": row_of(expected["right-00"], "yes"), "right-01": row_of(expected["right-01"], "no")}
    count("parallel runs", 1, wrong=len(wrong), silent=int(rows(out) != table))


def test_what_is_the_students_fault_is_no_failure_unless_nothing_is_graded(
    handed_in: FaultyClass, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = tmp_path / "some"
    hand_in(some, "ada", b"not a notebook")
    shutil.copytree(place / "right-00", some / "right-00")
    link = some / "eve" / STEM / f"{STEM}.ipynb"
    link.parent.mkdir(parents=True)
    link.symlink_to(some / "right-00" / STEM / f"{STEM}.ipynb")  # that is what she has handed in

    def code(*arguments: str | Path) -> int:
        more = ("--out", tmp_path / "out", "--workers", "1", "--isolation", "portable")
        return command.main([*map(str, ("grade", *arguments, *more))], handed_in.course)

    assert code(some) == 0
    assert rows(tmp_path / "out")["eve"] == ("", "ungraded", "yes")
    assert "it is a symbolic link. Put the file itself there." in " ".join(capsys.readouterr().out.split())
    gone(some / "right-00")
    assert code(some) == 1


# --- What becomes of folders ------------------------------------------------------------------------------------------

FOLDERS: dict[str, tuple[str, str]] = {
    "results, deleted": ("shutil.rmtree(OUT)", "was deleted, moved or replaced while results were written to it"),
    "results, moved": (
        "OUT.rename(OUT.with_name('moved'))",
        "was deleted, moved or replaced while results were written to it",
    ),
    "results, replaced": (
        "OUT.rename(OUT.with_name('moved')); OUT.mkdir()",
        "was deleted, moved or replaced while results were written to it",
    ),
    "one result": (
        "shutil.rmtree(OUT / 'results' / 'right-00')",
        "problem during this run, the results of right-00 were deleted from",
    ),
    "submissions": (
        "shutil.rmtree(PLACE)",
        "problem 7 submissions could not be graded, which is not the students' fault",
    ),
}


@pytest.mark.parametrize("what", FOLDERS)
def test_a_folder_that_is_deleted_during_a_run_is_told_and_nothing_done_is_lost(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count, what: str
) -> None:
    code, words = FOLDERS[what]
    out = tmp_path / "out"
    done = handed_in.run(
        *("grade", place, "--out", out, "--workers", "1", "--isolation", "portable"),
        first=when(1, f"OUT, PLACE = Path({str(out)!r}), Path({str(place)!r})\n{code}"),
    )
    found = {**marks(tmp_path / "moved"), **marks(out)}
    expected = marks(graded)
    wrong = [who for who in found if found[who] != expected[who] and found[who]["ungraded_by"] != "machine"]
    assert done.code == 1
    count("deleted folders", 1, wrong=len(wrong), silent=int(words not in done.words), left=len(done.left))
    if what in ("results, moved", "results, replaced"):
        assert found.keys() == {"right-00"} and not (out / "results").exists()
    if what == "one result":
        assert found.keys() == set(STUDENTS) - {"right-00"} and rows(out).keys() == set(STUDENTS)
    if what == "submissions":
        assert found.keys() == rows(out).keys() == set(STUDENTS)


def test_a_working_folder_that_is_gone_before_a_run_is_named(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    here = tmp_path / "here"
    first = f"import os\nos.makedirs({str(here)!r})\nos.chdir({str(here)!r})\nos.rmdir({str(here)!r})\n"
    relative = handed_in.run("grade", "in", "--out", "out", first=first)
    told = relative.code == 1 and "The folder that this was called in is gone" in relative.words
    out = tmp_path / "out"
    absolute = handed_in.run("grade", one_of(place, "right-01"), "--out", out, "--isolation", "portable", first=first)
    assert (absolute.code, marks(out)["right-01"]) == (0, marks(graded)["right-01"])
    count("deleted folders", 2, silent=int(not told), left=len(absolute.left))


def test_a_working_folder_that_is_deleted_during_a_run_leaves_nobody_out(
    handed_in: FaultyClass, graded: Path, place: Path, tmp_path: Path, count: Count
) -> None:
    code = f"shutil.rmtree({str(place.parent / 'here')!r})"
    shutil.copytree(place, tmp_path / "here" / "in")
    first = f"import os\nos.chdir({str(tmp_path / 'here')!r})\n" + when(1, code)
    out = tmp_path / "out"
    done = handed_in.run("grade", "in", "--out", out, "--workers", "1", "--isolation", "portable", first=first)
    found, expected = marks(out), marks(graded)
    wrong = [who for who in found if found[who] != expected[who] and found[who]["ungraded_by"] != "machine"]
    silent = [who for who in LATER if rows(out).get(who) != ("", "ungraded", "yes")]
    assert (
        done.code == 1 and "problem 7 submissions could not be graded, which is not the students' fault" in done.words
    )
    count("deleted folders", 1, wrong=len(wrong), silent=len(silent), left=len(done.left))


# --- What is read twice -----------------------------------------------------------------------------------------------


def test_a_file_by_whose_content_it_is_known_must_be_the_same_when_it_is_graded(
    handed_in: FaultyClass, tmp_path: Path, count: Count
) -> None:
    content = notebook.dumps(work().notebook(source_of(handed_in.course)))
    for student in ("ada", "bob", "eve"):
        hand_in(tmp_path, student, content).rename(tmp_path / student / STEM / "final.ipynb")
    submissions = find(tmp_path, [STEM], limit=1 << 24).submissions
    for student in ("ada", "bob"):
        (tmp_path / student / STEM / "final.ipynb").write_bytes(content.replace(b"prior", b"other"))
    refused = []
    for submission in submissions[:2]:
        with pytest.raises(UnreadError, match="It has changed since this run began. Run the same command again."):
            submission.read()
        refused.append(submission)
    assert submissions[2].read() == content
    count("vanishing submissions", 2, silent=2 - len(refused))


# --- grade --course ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def autumn(handed_in: FaultyClass, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An nbgrader course in which eight have handed in, right answers and wrong ones."""
    course, root = handed_in.course, tmp_path_factory.mktemp("nbgrader") / "autumn"
    course.practice(STEM).parent.mkdir()
    course.practice(STEM).write_text("{}")
    nbgrader_course.build(course, root)
    for number in range(8):
        answer = WRONG if number % 2 else None
        submission = hand_in(root / "submitted", f"kim-{number}", written(handed_in, answer, number))
        submission.with_name("timestamp.txt").write_text("2026-10-01 12:00:00.000000 UTC\n")
    return root


def written(made: FaultyClass, answer: str | None, number: int) -> bytes:
    some = work(posterior=answer, bayes_binary=None).notebook(source_of(made.course))
    next(cell for cell in some.cells if cell.id == "setup").source += f"\nWHO = {number}"
    return notebook.dumps(some)


def recorded(root: Path) -> dict[str, tuple[float, str, str]]:
    """What the gradebook and the autograded notebooks say: score, moment, and whose text it is, by student."""
    query = """SELECT s.student_id, s.timestamp, sum(g.auto_score) FROM grade g
        JOIN submitted_notebook n ON g.notebook_id = n.id JOIN submitted_assignment s ON n.assignment_id = s.id
        GROUP BY s.student_id"""
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        found = {student: (score, str(moment)[:19]) for student, moment, score in book.execute(query)}
    texts = {}
    for student in found:
        folder = root / "autograded" / student / STEM
        text = (folder / f"{STEM}.ipynb").read_text()
        number = text.partition("WHO = ")[2][0]
        texts[student] = f"{number} {'wrong' if 'return prior' in text else 'right'}"
        assert (folder / "timestamp.txt").read_text()[:19] == found[student][1]
    return {student: (*found[student], texts[student]) for student in found}


def test_what_was_graded_is_recorded_whatever_has_become_of_the_file(
    handed_in: FaultyClass,
    autumn: Path,
    tmp_path: Path,
    count: Count,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = Path(shutil.copytree(autumn, tmp_path / "autumn"))
    submitted, show, happened = root / "submitted", console.Bar.show, list[str]()
    other = written(handed_in, WRONG, 9)
    secret = tmp_path / "secret"
    (secret / STEM).mkdir(parents=True)
    (secret / STEM / f"{STEM}.ipynb").write_bytes(other)
    (secret / STEM / "timestamp.txt").write_text("2026-12-24 12:00:00.000000 UTC\n")

    def file(number: int) -> Path:
        return submitted / f"kim-{number}" / STEM / f"{STEM}.ipynb"

    def linked(path: Path, target: Path) -> None:
        shutil.rmtree(path)
        path.symlink_to(target)

    fates: list[Callable[[], object]] = [
        lambda: file(0).write_bytes(other),
        lambda: file(1).write_bytes(file(2).read_bytes()),
        lambda: file(2).unlink(),
        lambda: gone(submitted / "kim-3"),
        lambda: linked(submitted / "kim-4", secret),
        lambda: linked(submitted / "kim-5" / STEM, secret / STEM),
        lambda: file(6).with_name("timestamp.txt").write_text("2026-12-24 12:00:00.000000 UTC\n"),
    ]

    def disturbed(self: console.Bar, done: int, total: int) -> None:
        show(self, done, total)
        if done == total == 8 and not happened:  # all are graded, and none is recorded
            for fate in fates:
                fate()
                happened.append("")

    monkeypatch.setattr(console.Bar, "show", disturbed)
    arguments = ["grade", STEM, "--course", str(root), "--workers", "1", "--isolation", "portable"]
    code = command.main(arguments, handed_in.course)
    said = " ".join(capsys.readouterr().out.split())
    moment = "2026-10-01 12:00:00"
    expected = {f"kim-{n}": (6.0 - 3.0 * (n % 2), moment, f"{n} {'wrong' if n % 2 else 'right'}") for n in range(8)}
    found = recorded(root)
    wrong = [who for who in expected if found.get(who) != expected[who]]
    assert code == 0 and "8 graded" in said, said  # all that was handed in when it began
    count("vanishing submissions", len(happened), wrong=len(wrong), silent=len(expected.keys() - found.keys()))

    code = command.main(arguments, handed_in.course)
    said = " ".join(capsys.readouterr().out.split())
    now = recorded(root)
    assert now["kim-0"] == (3, moment, "9 wrong") and now["kim-6"][1] == "2026-12-24 12:00:00"
    assert {who: now[who] for who in ("kim-2", "kim-3", "kim-4", "kim-5", "kim-7")} == {
        who: expected[who] for who in ("kim-2", "kim-3", "kim-4", "kim-5", "kim-7")
    }
    assert "4 kept from earlier runs" in said and "this run has read no submission of kim-2, kim-3" in said


def test_one_that_cannot_be_recorded_stops_no_other_and_is_named(
    handed_in: FaultyClass, autumn: Path, tmp_path: Path, count: Count, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(autumn, tmp_path / "autumn"))
    (root / "autograded").mkdir()
    (root / "autograded" / "kim-1").write_text("in the way")
    arguments = ["grade", STEM, "--course", str(root), "--workers", "2", "--isolation", "portable"]
    code = command.main(arguments, handed_in.course)
    said = " ".join(capsys.readouterr().out.split())
    told = code == 1 and "problem kim-1 was graded, and could not be recorded: " in said
    assert recorded(root).keys() == {f"kim-{number}" for number in range(8)} - {"kim-1"}
    count("records in the way", 1, silent=int(not told))
    (root / "autograded" / "kim-1").unlink()
    assert command.main(arguments, handed_in.course) == 0 and "kim-1" in recorded(root)
