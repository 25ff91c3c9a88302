"""`autograder learn`: which groups it lists, how it is called wrongly, and what it prints of names and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.cli import main
from autograder.course.model import ExerciseResult, Result, Verdict
from autograder.grading import store

STEM = "01_bayes_rule"
WRONG = ExerciseResult("posterior", 0.0, 3, Verdict.FAILED, (), behaviour="0123456789abcdef")


def graded(folder: Path, **answers: ExerciseResult) -> Path:
    for student, answer in answers.items():
        store.write(folder, Result(student, STEM, "strong", (answer,)))
    return folder


def test_groups_are_listed_the_largest_first_with_what_to_do_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = replace(WRONG, behaviour="fedcba9876543210", misconception="forgets_the_prior", question="Why?")
    related = replace(WRONG, behaviour="abcdefabcdefabcd", relation="negative", question="Which sign?")
    graded(tmp_path, ada=related, bob=WRONG, eve=WRONG, tom=known)
    assert main(["learn", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines() == [
        "group             students  exercise",
        "0123456789abcdef         2  01_bayes_rule, posterior",
        "abcdefabcdefabcd         1  01_bayes_rule, posterior (negative: students are asked about that)",
        "",
        f"To propose one as an entry of the catalogue: autograder learn {tmp_path} 01234567",
    ]


def test_where_all_is_known_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded(tmp_path, ada=replace(WRONG, misconception="forgets_the_prior"))
    assert main(["learn", str(tmp_path)]) == 0
    assert "there is nothing to learn" in capsys.readouterr().out


def test_a_long_list_is_cut_and_names_steer_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = {f"s{number}": replace(WRONG, behaviour=f"{number:016x}", name="x\x1b[2J") for number in range(30)}
    graded(tmp_path, **some)
    assert main(["learn", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "and 10 smaller ones" in said and "\x1b" not in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--out", "x.py"], "--out says where a proposal goes: name the GROUP"),
        (["01234567", "--add", "x.py"], "--add takes a file that was written before"),
        (["--add", "none.py"], "There is no file none.py"),
        (["9999"], "There is no group '9999'"),
        (["0123"], "'0123' is the name of several groups: posterior:0123456789abcdef, prob:0123456789abcdef"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str
) -> None:
    store.write(tmp_path, Result("ada", STEM, "strong", (WRONG, replace(WRONG, name="prob"))))
    assert main(["learn", str(tmp_path), *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", str(tmp_path)]) == 2
    assert "There are no results in" in capsys.readouterr().err


def test_code_that_was_not_kept_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded(tmp_path, ada=WRONG)
    assert main(["learn", str(tmp_path), "0123"]) == 1
    assert "Nothing can be learnt from the code of group 0123456789abcdef: none was kept; grade again." in (
        capsys.readouterr().err
    )
