"""`autograder groups` as an instructor calls it: what it prints, and what it says where it cannot."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from autograder.cli import main
from autograder.course.model import ExerciseResult, Result, Verdict
from autograder.grading import store

STEM = "01_bayes_rule"
HOSTILE = "def f():\n\treturn '\x1b]0;gone\x07'  # \u202egro\x00" + "y" * 500 + "\n" + "\n".join("z" * 40)


def wrong(behaviour: str, score: float = 0, **more: Any) -> ExerciseResult:
    return ExerciseResult("posterior", score, 3, Verdict.FAILED, (), behaviour=behaviour, **more)


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Results of three who answered alike, two of whom got something, and of two who did not."""
    belief: dict[str, Any] = {"misconception": "forgets_the_prior", "question": "Does it move?", "more": True}
    some = {
        "ada": wrong("a" * 16, 0.5, code="def posterior():\n    return 1", **belief),
        "bob": wrong("a" * 16, 0.5, code="def posterior():\n    return 10", **belief),
        "kim": wrong("a" * 16, **belief),
        "eve": wrong("b" * 16, code=HOSTILE, relation="except: zeros: prior"),
        "z\x1b[31m": wrong("c" * 16),
    }
    for student, exercise in some.items():
        store.write(tmp_path / "out", Result(student, STEM, "strong", (exercise,)))
    return tmp_path / "out"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["groups", *arguments]) == 0
    return capsys.readouterr().out


def give(folder: Path, told: str, group: str = "a" * 16) -> str:
    path = folder.parent / "given.toml"
    path.write_text(f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group}"\n{told}\n')
    return str(path)


def test_a_group_is_shown_with_all_that_one_needs_to_reply(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, str(graded)).splitlines()
    assert told[:9] == [
        f"{STEM}, posterior: 5 wrong answers in 3 groups",
        "",
        "  group aaaaaaaaaaaaaaaa: 3 students, 2 with 0.5, 1 with 0 of 3 points",
        "  who: ada, bob, kim",
        "  recognised: forgets the prior, and something else is wrong",
        "  question: Does it move?",
        "    | def posterior():",
        "    |     return 1",
        "",
    ]
    assert "  recognised: right except for zeros (prior)" in told


def test_what_students_wrote_does_nothing_to_a_terminal_and_is_bounded(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(capsys, str(graded))
    assert not [one for one in told if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")]
    assert max(map(len, told.splitlines())) < 200
    assert "    | ... and 12 more lines" in told and "who: z\ufffd[31m" in told


def test_of_many_groups_the_largest_are_shown(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, str(graded), STEM, "--most", "1")
    assert told.count("  group ") == 1
    assert told.endswith("  and 2 answers in 2 smaller groups: --most shows more\n")


def test_machines_get_all_of_it(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["groups", str(graded), "--reply", give(graded, 'comment = "Look."\npoints = 2')])
    capsys.readouterr()
    document = json.loads(said(capsys, str(graded), "--json", "--most", "1"))
    assert [group["group"] for group in document["groups"]] == ["a" * 16, "b" * 16, "c" * 16]
    first = document["groups"][0]
    assert (first["students"], first["scores"], first["earned"]) == (["ada", "bob", "kim"], [2, 2, 2], [0.5, 0.5, 0])
    assert first["reply"] == {"question": "", "comment": "Look.", "points": 2}
    assert document["groups"][1]["code"] == HOSTILE
    assert document["replies_to_nobody"] == []


def test_a_reply_says_to_how_many_it_went_and_taking_it_back_from_how_many(
    graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = give(graded, 'comment = "Look."\nquestion = "Why?"\npoints = 1')
    assert said(capsys, str(graded), "--reply", given) == (
        f"{STEM}, posterior, group {'a' * 16}: question, comment and 1 point for 3 students\n"
        f"3 results changed; all replies are in {graded / 'replies.toml'}.\n"
    )
    assert "  replied: question, comment and 1 point\n" in said(capsys, str(graded))
    assert said(capsys, str(graded), "--forget", "a" * 16) == (
        f"{STEM}, posterior, group {'a' * 16}: taken back from 3 students\n"
        f"3 results changed; all replies are in {graded / 'replies.toml'}.\n"
    )


def test_a_mark_below_what_the_checks_gave_is_said(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lower = give(graded, "points = 0.25")
    told = f"{STEM}, posterior, group {'a' * 16}: the checks had given more to 2 of them.\n"
    assert told in said(capsys, str(graded), "--reply", lower)
    assert "had given more" not in said(capsys, str(graded), "--forget", "a" * 16)


def test_what_was_replied_is_json_for_machines(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(said(capsys, str(graded), "--reply", give(graded, "points = 1"), "--json"))
    (reply,) = document["replies"]
    assert (reply["exercise"], reply["points"], reply["students"]) == ("posterior", 1, 3)
    assert document["results_changed"] == 3


def test_a_reply_that_nobody_is_left_for_is_one_line(graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["groups", str(graded), "--reply", give(graded, "points = 1", "b" * 16)])
    store.write(graded, Result("eve", STEM, "strong", (wrong("a" * 16),)))
    capsys.readouterr()
    last = said(capsys, str(graded)).splitlines()[-1]
    assert last == f"Nobody is left for the reply to {STEM}, posterior, group {'b' * 16}: it is kept, see --forget."


def test_a_class_without_wrong_answers_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = ExerciseResult("posterior", 3.0, 3, Verdict.PASSED, ())
    store.write(tmp_path, Result("ada", STEM, "strong", (right,)))
    assert said(capsys, str(tmp_path)) == "No wrong answer was looked at: there are no groups.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["out", "02_other"], 2, "There are no results of '02_other' in "),
        (["nowhere"], 2, "There are no results in "),
        (["out", "--reply", "given.toml", "--forget", "a"], 2, "--reply and --forget are two commands"),
        (["out", STEM, "--reply", "given.toml"], 2, "A reply names its notebook in the file: omit the one"),
        (["out", "--reply", "nothing.toml"], 2, "There is no file "),
        (["out", "--reply", "given.toml"], 1, "given.toml, reply 1 gives 4 points, and posterior is worth 3."),
        (["out", "--forget", "a"], 2, "There is no reply to take back"),
    ],
)
def test_what_cannot_be_done_is_said(
    graded: Path,
    arguments: list[str],
    code: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    give(graded, "points = 4")
    monkeypatch.chdir(graded.parent)
    assert main(["groups", *arguments]) == code
    assert words in capsys.readouterr().err
