"""The command `autograder grade` and its relatives, as an instructor calls them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.cli import main
from autograder.course import Course, notebook, policy, sources
from autograder.course.errors import AuthorError
from autograder.sandbox import matplotlib_version
from autograder.validity import samples

COURSE = Course.default()
STEM = "01_bayes_rule"
SOURCE = sources.read(COURSE.source(STEM))


def hand_in(folder: Path, student: str, content: bytes) -> None:
    path = folder / student / STEM / f"{STEM}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of grading a small class with every kind of bad input in it."""
    folder = tmp_path_factory.mktemp("class")
    submitted = folder / "submitted"
    hand_in(submitted, "ada", notebook.dumps(samples.reference(SOURCE)))
    hand_in(submitted, "bob", notebook.dumps(samples.untouched(SOURCE)))
    hand_in(submitted, "broken-json", b'{"cells": [')
    hand_in(submitted, "not-utf8", b"\xff\xfe\x00")
    hand_in(
        submitted, "no-code", json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    )
    hand_in(submitted, "future", json.dumps({"cells": [], "metadata": {}, "nbformat": 9, "nbformat_minor": 0}).encode())
    (submitted / "absent" / STEM).mkdir(parents=True)
    (submitted / "notes.txt").write_text("see you on Monday")
    assert main(["grade", str(submitted), "--out", str(folder / "out")]) == 0
    return folder / "out"


def document(graded: Path, student: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((graded / "results" / student / f"{STEM}.json").read_text())
    return found


def test_a_result_holds_what_marks_need(graded: Path) -> None:
    ada = document(graded, "ada")
    assert (ada["student"], ada["assignment"], ada["score"], ada["max_score"]) == ("ada", STEM, 20, 20)
    assert ada["isolation"] in ("strong", "portable")
    assert ada["faults"] == []
    assert {"name", "score", "points", "verdict", "misconception", "checks"} <= ada["exercises"][0].keys()
    assert {"name", "verdict", "message"} <= ada["exercises"][0]["checks"][0].keys()


def test_an_untouched_notebook_is_not_attempted(graded: Path) -> None:
    bob = document(graded, "bob")
    assert bob["score"] == 0
    assert {exercise["verdict"] for exercise in bob["exercises"]} == {"not attempted"}


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("broken-json", "is not JSON"),
        ("not-utf8", "is not UTF-8 text"),
        ("no-code", "The notebook has no code. Ask for the file that the student worked in."),
        ("future", "has the notebook format 9; 3 and 4 are known"),
    ],
)
def test_a_file_that_cannot_be_graded_says_why(graded: Path, student: str, reason: str) -> None:
    assert reason in document(graded, student)["ungraded"]


def test_the_table_of_marks_has_a_row_for_everybody(graded: Path) -> None:
    rows = {row["student"]: row for row in csv.DictReader((graded / "grades.csv").read_text().splitlines())}
    assert rows["ada"]["score"] == "20" and rows["ada"]["status"] == "graded" and rows["ada"]["posterior"] == "3"
    assert rows["broken-json"]["status"] == "ungraded" and rows["broken-json"]["score"] == ""
    assert rows["absent"]["status"] == "missing"


def test_the_columns_of_the_table_follow_the_notebook(graded: Path) -> None:
    header = (graded / "grades.csv").read_text().splitlines()[0].split(",")
    names = [exercise.name for exercise in sources.exercises(SOURCE)]
    assert header == ["student", "assignment", "score", "max_score", "status", *names, "in this run"]


def test_nothing_is_left_half_written(graded: Path) -> None:
    assert [path for path in graded.rglob("*") if path.name.endswith(".part")] == []


def test_machines_get_json_and_people_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(tmp_path / "in", "ada", notebook.dumps(samples.untouched(SOURCE)))
    (tmp_path / "in" / "notes.txt").write_text("see you on Monday")
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [result["student"] for result in told["results"]] == ["ada"]
    assert told["skipped"][0]["reason"] == "it is not a notebook (.ipynb)"
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "0 / 20" in told and "nothing attempted" in told
    assert "1 graded (1 unchanged since the last run), 1 skipped" in told


def test_explain_shows_what_was_called_and_what_came_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"ada_{STEM}.ipynb"
    path.write_bytes(notebook.dumps(samples.reference(SOURCE)))
    assert main(["grade", str(path), "--out", str(tmp_path / "out"), "--explain"]) == 0
    told = capsys.readouterr().out
    assert "posterior · test_" in told and "passed" in told
    assert "posterior(array(" in told and " ms]" in told
    assert main(["grade", str(path), "--out", str(tmp_path / "out"), "--explain", "--json"]) == 0
    explanation = json.loads(capsys.readouterr().out)["explanation"]
    assert any("posterior(array(" in line for line in explanation)
    assert main(["grade", str(path), "--out", str(tmp_path / "out"), "--explain", "--changes"]) == 2
    assert "--explain replaces no results either" in capsys.readouterr().err


def test_full_writes_the_notebook_with_its_figures(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "ada", notebook.dumps(samples.reference(SOURCE)))
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--full"]) == 0
    executed = notebook.read(tmp_path / "out" / "autograded" / "ada" / STEM / f"{STEM}.ipynb")
    assert sources.image_outputs(executed)
    assert document(tmp_path / "out", "ada")["score"] == 20


def test_a_run_that_draws_figures_without_shortcuts_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "in", "ada", notebook.dumps(samples.untouched(SOURCE)))
    command = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--full"]
    assert main(command) == 0
    assert "shortcuts" not in capsys.readouterr().err
    monkeypatch.setattr(matplotlib_version, "TRIED", ("1.0",))
    assert main(command) == 0
    assert "figures are drawn without shortcuts" in capsys.readouterr().err
    assert main(["doctor"]) == 0
    assert "NO  figures: drawn without shortcuts" in capsys.readouterr().out


def test_a_wrong_call_exits_with_two_and_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")]) == 2
    assert "There is nothing at" in capsys.readouterr().err
    assert main(["grade", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    assert "There is no notebook in" in capsys.readouterr().err
    with pytest.raises(SystemExit) as wrong:
        main(["grade", str(tmp_path), "--out", str(tmp_path / "out"), "--workers", "none"])
    assert wrong.value.code == 2


def test_an_output_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(tmp_path / "in", "ada", b"{}")
    (tmp_path / "out").write_text("precious")
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 2
    assert "Name another folder with --out" in capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "precious"


def test_grading_without_isolation_marks_every_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(tmp_path / "in", "ada", notebook.dumps(samples.untouched(SOURCE)))
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--isolation", "none"]) == 0
    assert document(tmp_path / "out", "ada")["isolation"] == "none"
    assert "WITHOUT isolation" in capsys.readouterr().out


def test_the_doctor_names_the_isolation_that_grading_will_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "Landlock" in told and "seccomp" in told
    assert "`autograder grade` will" in told


def test_the_demo_never_replaces_a_folder_that_it_did_not_make(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert "was not made by a demo" in capsys.readouterr().err
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_changes_are_shown_before_they_replace_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submitted, out = tmp_path / "in", tmp_path / "out"
    hand_in(submitted, "ada", notebook.dumps(samples.untouched(SOURCE)))
    hand_in(submitted, "bob", notebook.dumps(samples.untouched(SOURCE)))
    assert main(["grade", str(submitted), "--out", str(out)]) == 0
    before = (out / "grades.csv").read_text()
    (submitted / "ada" / STEM / f"{STEM}.ipynb").write_bytes(notebook.dumps(samples.reference(SOURCE)))
    capsys.readouterr()

    assert main(["grade", str(submitted), "--out", str(out), "--changes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == [
        {"student": "ada", "assignment": STEM, "before": 0, "after": 20}
    ]
    assert (out / "grades.csv").read_text() == before and document(out, "ada")["score"] == 0

    assert main(["grade", str(submitted), "--out", str(out)]) == 0
    assert "2 unchanged since the last run" in capsys.readouterr().out  # what --changes found out is not graded again
    assert document(out, "ada")["score"] == 20
    assert not (out / ".pending").exists()


def test_an_unknown_limit_is_named(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("[limits]\ncall_minutes = 1\n")
    with pytest.raises(AuthorError, match=r"'call_minutes' in \[limits\] is not known. Known are: cell_seconds"):
        policy.limits(Course(tmp_path))


def test_a_limit_must_be_a_number_above_zero(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("[limits]\ncpu_seconds = 0\n")
    with pytest.raises(AuthorError, match=r"cpu_seconds in \[limits\] is 0; it must be a whole number above zero"):
        policy.limits(Course(tmp_path))
    for value in ("nan", "inf", "-1", "true"):
        (tmp_path / "course.toml").write_text(f"[limits]\ncall_seconds = {value}\n")
        with pytest.raises(AuthorError, match=r"call_seconds in \[limits\] is .*; it must be a number above zero"):
            policy.limits(Course(tmp_path))


def test_limits_come_from_the_courses_one_file(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("[limits]\ncall_seconds = 2.5\n")
    assert policy.limits(Course(tmp_path)).call_seconds == 2.5
    assert policy.limits(Course(tmp_path / "elsewhere")).call_seconds == 10.0


def test_a_hidden_suite_can_be_run_by_hand_on_one_submission(tmp_path: Path) -> None:
    path = tmp_path / "one.ipynb"
    path.write_bytes(
        notebook.dumps(samples.untouched(SOURCE, {"posterior": samples.reference_code(SOURCE, "posterior")}))
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(COURSE.suite(STEM)),
        "--submission",
        str(path),
    ]
    solved = subprocess.run([*command, "-k", "each_likelihood_is_weighed"], capture_output=True, text=True, timeout=300)
    assert solved.returncode == 0 and "1 passed" in solved.stdout
    command += ["--seed", "7"]
    stub = subprocess.run([*command, "-k", "certainty"], capture_output=True, text=True, timeout=300)
    assert stub.returncode == 1 and "NotImplementedError" in stub.stdout


VERBS = (
    "refresh release site course collect grade check groups marks feedback report demo learn validate doctor".split()
)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb_ends_with_an_example_of_it(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as shown:
        main([verb, "--help"])
    assert shown.value.code == 0
    assert capsys.readouterr().out.strip().splitlines()[-1].startswith(f"example: autograder {verb}")


def test_help_names_every_verb_and_imports_nothing_heavy() -> None:
    script = """
import sys
from autograder.cli import main
try:
    main(["--help"])
finally:
    print("imported:", *({"IPython", "matplotlib", "nbformat", "nbgrader", "numpy", "rich"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    *help_lines, imported = done.stdout.splitlines()
    assert [line.split()[0] for line in help_lines if line.startswith("    ") and line[4] != " "] == VERBS
    assert imported == "imported:"
