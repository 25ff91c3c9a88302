"""Fresh numbers: the same for the same submission, wherever it is graded, and others for everybody else."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import unicodedata
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from sample_class import SHORT, STEM, assert_same, copy_course, documents, hand_in, source_of, work
from whole_class import RIGHT, result_of, run

from autograder.cli import run as command
from autograder.course import Course, notebook
from autograder.course.draw import FIXED, Draw
from autograder.course.errors import UsageError
from autograder.course.model import Result
from autograder.grading import reading, store
from autograder.grading.grade import Run
from autograder.grading.seeds import secret
from autograder.grading.seeds.seeding import NO_SECRET, NONE_LEFT, SAMPLE, Seed, Seeds

OTHER = "02_maximum_likelihood"
FIRST, SECOND = "the first secret of this course", "the second secret of this course"

# A check that draws, one that looks around in the process that asks, and one that is a matter of luck.
DRAWING = '''

@exercise("bayes_binary")
def test_the_prior_is_kept_when_the_evidence_says_nothing(student, draw):
    """Evidence that says nothing changes nothing."""
    prior = draw.probability()
    assert_matches(student.bayes_binary(prior, 0.5, 0.5), prior)


@exercise("bayes_binary")
def test_the_secret_is_elsewhere(student):
    """Whoever asks knows no secret."""
    import os

    student.bayes_binary(0.5, 0.5, 0.5)
    assert not any("SECRET" in name for name in os.environ)


@exercise("prob")
def test_luck(student, draw):
    """A coin decides."""
    student.prob([True], [True])
    assert draw.whole(0, 1) == 0
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    made = copy_course(tmp_path_factory.mktemp("seeds") / "course", [STEM, OTHER])
    with made.suite(STEM).open("a") as suite:
        suite.write(DRAWING)
    return made


@pytest.fixture(autouse=True)
def first_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(secret.VARIABLE, FIRST)


def seed(course: Course, some: NotebookNode | bytes, student: str = "ada", stem: str = STEM) -> Seed:
    content = some if isinstance(some, bytes) else notebook.dumps(some)
    return Seeds(course, limit=SHORT.notebook_bytes).seed(student, stem, content)


def answered(course: Course) -> NotebookNode:
    return work(prob=None).notebook(source_of(course))


# --- What a seed depends on -------------------------------------------------------------------------------------------


def test_student_assignment_attempt_and_secret_all_make_a_difference(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = answered(course)
    first = seed(course, some)
    assert first == seed(course, some) and re.fullmatch("[0-9a-f]{64}", first.text)
    others = [
        seed(course, some, "bob"),
        seed(course, some, stem=OTHER),
        seed(course, RIGHT.notebook(source_of(course))),
    ]
    monkeypatch.setenv(secret.VARIABLE, SECOND)
    others.append(seed(course, some))
    assert len({first.text, *(other.text for other in others)}) == 5
    assert others[0].attempt == others[3].attempt == first.attempt != others[2].attempt
    assert others[0].secret == first.secret != others[3].secret


def saved_again(some: NotebookNode) -> None:
    """As JupyterLab leaves it after a run: outputs, counts, and metadata."""
    for number, cell in enumerate(cell for cell in some.cells if cell.cell_type == "code"):
        cell.execution_count, cell.metadata["ExecuteTime"] = number, {"end_time": "now"}
        cell.outputs = [new_output("stream", text=f"{number}\n")]
    some.metadata["widgets"] = {"state": {}}


def with_notes(some: NotebookNode) -> None:
    some.cells.insert(2, new_markdown_cell("My notes."))
    some.cells += [new_code_cell(""), new_code_cell("  \n")]


def with_other_ids(some: NotebookNode) -> None:
    for number, cell in enumerate(some.cells):
        cell.id = f"n{number}"


def with_a_nan(some: NotebookNode) -> None:
    some.cells[-1].metadata["value"] = float("nan")


def on_windows(some: NotebookNode) -> None:
    for cell in some.cells:
        cell.source = cell.source.replace("\n", "\r\n")


@pytest.mark.parametrize("change", [saved_again, with_notes, with_other_ids, with_a_nan, on_windows])
def test_what_no_mark_depends_on_changes_no_seed(course: Course, change: object) -> None:
    some = answered(course)
    before = seed(course, some)
    assert callable(change)
    change(some)
    assert seed(course, nbformat.v4.writes(some).encode()) == before
    assert seed(course, json.dumps(some).encode("utf-8-sig")) == before  # each source as one text, after a mark


def test_an_older_format_is_the_same_attempt(course: Course) -> None:
    old = nbformat.v3.writes_json(nbformat.convert(answered(course), 3)).encode()
    assert seed(course, old) == seed(course, answered(course))


def test_a_changed_demonstration_is_another_attempt(course: Course) -> None:
    some = answered(course)
    before = seed(course, some)
    demo = next(cell for cell in some.cells if "demo" in cell.metadata.get("tags", []))
    demo.source += "\nprob = None"
    assert seed(course, some).text != before.text


def test_who_mends_a_demonstration_of_the_course_changes_no_seed(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course", [STEM])
    some = answered(course)
    before = seed(course, some)
    source = notebook.read(course.source(STEM))
    for cell in source.cells:
        if "demo" in cell.metadata.get("tags", []):
            cell.source += "  # mended"
    notebook.write(source, course.source(STEM))
    assert seed(course, some) == before


def test_names_that_look_the_same_are_the_same(course: Course) -> None:
    name = "Zoë Müller"
    spelt = {seed(course, answered(course), unicodedata.normalize(form, name)) for form in ("NFC", "NFD")}
    assert len(spelt) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"cells": 5}',
        b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]}',
        b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "\\ud800"}]}',
        b"x" * (SHORT.notebook_bytes + 1),
        b'{"nbformat": 4, "cells": [' + b"[]," * 400_000 + b"[]]}",
    ],
)
def test_a_file_that_is_no_notebook_has_a_seed_all_the_same(course: Course, content: bytes) -> None:
    first = seed(course, content)
    assert first == seed(course, content) and first.text not in (FIXED, seed(course, content + b" x").text)


def test_without_a_secret_everybody_gets_the_same_numbers(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    sample = Seeds(course, fixed=True, tell=told.append)
    assert {sample.seed(student, STEM, b"x").text for student in ("ada", "bob")} == {FIXED} and told == [SAMPLE]
    monkeypatch.delenv(secret.VARIABLE)
    monkeypatch.setenv("CI", "true")
    in_ci = Seeds(course, tell=told.append)
    assert {in_ci.seed(student, STEM, b"x").text for student in ("ada", "bob")} == {FIXED}
    assert told == [SAMPLE, NO_SECRET] and not secret.place(course).exists()


# --- Grading with seeds -----------------------------------------------------------------------------------------------


def hand_in_some(course: Course, folder: Path) -> Path:
    for student in ("ada", "bob", "cy"):
        hand_in(folder, student, RIGHT.notebook(source_of(course)))
    return folder


def test_the_same_in_any_order_and_company_on_any_number_of_processes(course: Course, tmp_path: Path) -> None:
    everybody = hand_in_some(course, tmp_path / "in")
    run(course, everybody, tmp_path / "out", workers=2)
    whole = documents(tmp_path / "out")
    shutil.rmtree(everybody / "ada")
    run(course, everybody, tmp_path / "fewer", force=True)
    fewer = documents(tmp_path / "fewer")
    assert_same(
        {name: data for name, data in fewer.items() if "results" in name},
        {name: data for name, data in whole.items() if "results" in name and "ada" not in name},
    )
    seeds = {result.student: result.seed for result in reading.in_folder(tmp_path / "out").apart()[0]}
    assert len(set(seeds.values())) == 3
    assert seeds["ada"] == seed(course, RIGHT.notebook(source_of(course))).text


def test_a_cluster_gets_the_same_seeds(course: Course, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    everybody = hand_in_some(course, tmp_path / "in")
    run(course, everybody, tmp_path / "here", isolation="none")
    run(course, everybody, tmp_path / "there", isolation="none", executor="dask")
    assert_same(documents(tmp_path / "there"), documents(tmp_path / "here"))
    checks = {
        check.name: check.verdict for check in reading.in_folder(tmp_path / "there").apart()[0][0].exercises[0].checks
    }
    assert checks["test_the_secret_is_elsewhere"] == "passed"


def luck(course: Course, student: str) -> bool:
    return Draw(seed(course, RIGHT.notebook(source_of(course)), student).text, "test_luck").whole(0, 1) == 0


def test_another_secret_grades_everything_again_and_changes_are_shown(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody = hand_in_some(course, tmp_path / "in")
    lucky = {student: luck(course, student) for student in ("ada", "bob", "cy")}
    run(course, everybody, tmp_path / "out")
    assert run(course, everybody, tmp_path / "out").unchanged == 3
    for number in range(100):
        monkeypatch.setenv(secret.VARIABLE, f"{SECOND} {number}")
        now = {student: luck(course, student) for student in lucky}
        if now != lucky:
            break
    shown = run(course, everybody, tmp_path / "out", changes=True)
    assert shown.unchanged == 0
    assert {change.student for change in shown.changes} == {name for name in now if now[name] != lucky[name]}


def test_a_result_says_what_its_numbers_were_drawn_from(course: Course, tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "ada", answered(course))
    result = result_of(run(course, tmp_path / "in", tmp_path / "out"), "ada")
    expected = seed(course, answered(course))
    assert (result.seed, result.attempt, result.secret) == (expected.text, expected.attempt, expected.secret)
    text = (tmp_path / "out" / "results" / "ada" / f"{STEM}.json").read_text()
    document = json.loads(text)
    assert (document["seed"], document["attempt"], document["secret"]) == (result.seed, result.attempt, result.secret)
    assert FIRST not in text


def result_of_document(folder: Path, student: str) -> Result:
    """The result that a folder holds."""
    found = reading.read(store.path_of(folder, student, STEM))
    assert isinstance(found, Result)
    return found


def calls(explanation: tuple[str, ...]) -> list[str]:
    """What was asked, and what came back, without how long it took."""
    return [re.sub(r"\s+\[[\d.]+ ms\]$", "", line) for line in explanation]


@pytest.fixture
def graded(course: Course, tmp_path: Path) -> Path:
    """The folder of a class of three: ada's code is hers alone, and two others handed in the same."""
    hand_in(tmp_path / "in", "ada", answered(course))
    for student in ("bob", "cy"):
        hand_in(tmp_path / "in", student, RIGHT.notebook(source_of(course)))
    run(course, tmp_path / "in", tmp_path / "out", full=True)
    return tmp_path


def handed_in(folder: Path, student: str) -> Path:
    return folder / "in" / student / STEM / f"{STEM}.ipynb"


def explained(course: Course, one: Path, out: Path) -> tuple[Run, list[str]]:
    """What an explanation of one submission finds, and what it tells besides."""
    told: list[str] = []
    return run(course, one, out, explain=True, full=True, tell=told.append), told


def test_an_explanation_asks_what_was_asked_even_if_the_secret_is_lost_or_damaged(
    course: Course, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, out = handed_in(graded, "ada"), graded / "out"
    recorded = result_of_document(out, "ada").seed
    first, told = explained(course, ada, out)
    assert told == [] and any(recorded in line for line in first.explanation)
    assert first.results[0].seed == recorded and not first.written
    monkeypatch.delenv("CI", raising=False)
    for now in (None, SECOND, "short"):
        monkeypatch.delenv(secret.VARIABLE) if now is None else monkeypatch.setenv(secret.VARIABLE, now)
        again, told = explained(course, ada, out)
        assert calls(again.explanation) == calls(first.explanation) and told == []
    assert not secret.place(course).exists()


def test_an_explanation_leaves_results_and_marks_as_they_were(course: Course, graded: Path) -> None:
    before = documents(graded / "out")
    for student in ("ada", "bob"):
        explained(course, handed_in(graded, student), graded / "out")
    explained(course, graded / "in", graded / "out")
    assert_same(documents(graded / "out"), before)


def test_a_file_with_another_name_is_known_by_its_code(course: Course, graded: Path) -> None:
    one = graded / "one.ipynb"
    shutil.copy(handed_in(graded, "ada"), one)
    found, told = explained(course, one, graded / "out")
    assert [(result.student, result.seed) for result in found.results] == [
        ("ada", result_of_document(graded / "out", "ada").seed)
    ]
    assert found.cautions == (f"one, {STEM}: this is the code of ada, who was asked again.",) and told == []
    shutil.copy(handed_in(graded, "bob"), one)
    found, _ = explained(course, one, graded / "out")
    [caution] = found.cautions
    assert "this is the code of bob, cy. It was asked with numbers for one; to see what one of them was" in caution


def test_other_code_than_what_was_graded_is_said(course: Course, graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed_in(graded, "ada").write_bytes(notebook.dumps(work().notebook(source_of(course))))
    words = (
        f"ada, {STEM}: {graded / 'out'} has no result of this code. It was asked with the numbers that ada would get"
    )
    found, told = explained(course, handed_in(graded, "ada"), graded / "out")
    assert found.cautions[0].startswith(words) and found.changes == () and told == []
    assert result_of(found, "ada").seed == seed(course, work().notebook(source_of(course))).text
    monkeypatch.delenv(secret.VARIABLE)
    monkeypatch.delenv("CI", raising=False)
    found, told = explained(course, handed_in(graded, "ada"), graded / "out")
    assert told == [NONE_LEFT] and result_of(found, "ada").seed == FIXED
    assert not secret.place(course).exists()


def test_a_result_that_cannot_be_read_is_named(course: Course, graded: Path) -> None:
    path = graded / "out" / "results" / "ada" / f"{STEM}.json"
    path.write_text("{")
    found, _ = explained(course, handed_in(graded, "ada"), graded / "out")
    [caution] = found.cautions
    assert caution.startswith(f"ada, {STEM}: the result in {path} cannot be read: ") and "from your copy" in caution


def test_whoever_has_a_damaged_result_is_not_taken_for_another_with_the_same_code(course: Course, graded: Path) -> None:
    recorded = result_of_document(graded / "out", "bob")
    (graded / "out" / "results" / "bob" / f"{STEM}.json").write_text("{")
    found, _ = explained(course, handed_in(graded, "bob"), graded / "out")
    assert [(result.student, result.seed) for result in found.results] == [("bob", recorded.seed)]


def test_results_of_a_lost_secret_are_not_replaced_without_being_told_to(
    course: Course, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, known = documents(graded / "out"), result_of_document(graded / "out", "ada").secret
    monkeypatch.delenv(secret.VARIABLE)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(UsageError, match=f"drawn with the secret of fingerprint {known}, and the course has no secret"):
        run(course, graded / "in", graded / "out")
    assert_same(documents(graded / "out"), before)
    assert not secret.place(course).exists()
    try:
        run(course, graded / "in", graded / "out", force=True)
        assert result_of_document(graded / "out", "ada").secret != known
    finally:
        shutil.rmtree(secret.place(course).parent)


def test_that_results_are_of_another_secret_is_said_once(
    course: Course, graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = result_of_document(graded / "out", "ada").secret
    monkeypatch.setenv(secret.VARIABLE, SECOND)
    told: list[str] = []
    run(course, graded / "in", graded / "out", changes=True, tell=told.append)
    assert len(told) == 1 and f"drawn with another secret (fingerprint {known}, now " in told[0]


def test_an_explanation_in_an_empty_folder_grades_as_always(course: Course, graded: Path) -> None:
    found, told = explained(course, graded / "in", graded / "elsewhere")
    assert found.written and found.explanation
    assert told == [f"{graded / 'elsewhere'} has no results: what is explained is graded now, for the first time."]
    assert_same(documents(graded / "elsewhere"), documents(graded / "out"))


def test_the_command_shows_where_the_suites_of_today_differ(
    course: Course, graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = graded / "out" / "results" / "ada" / f"{STEM}.json"
    recorded = reading.read(path)
    assert isinstance(recorded, Result)
    higher = dataclasses.replace(recorded.exercises[0], score=recorded.exercises[0].score + 0.5)
    store.write(graded / "out", dataclasses.replace(recorded, exercises=(higher, *recorded.exercises[1:])))
    one = str(handed_in(graded, "ada"))
    assert command(["grade", one, "--out", str(graded / "out"), "--explain"], course) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"differs ada: {recorded.score + 0.5:g} on record for {STEM}, {recorded.score:g} now" in said
    assert f"Nothing was written: the results in {graded / 'out'} are as they were." in said


def test_the_command_says_once_that_a_secret_was_made_or_that_numbers_are_fixed(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "in", "ada", work().notebook(source_of(course)))
    grade = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--force"]
    monkeypatch.delenv(secret.VARIABLE)
    monkeypatch.setenv("CI", "true")
    assert command(grade, course) == 0
    assert capsys.readouterr().err.count("hidden numbers are fixed: no secret in CI") == 1
    monkeypatch.delenv("CI")
    try:
        assert command(grade, course) == 0
        assert capsys.readouterr().err.count(f"made the course's secret in {secret.place(course)}") == 1
        assert command(grade, course) == 0
        assert "secret" not in capsys.readouterr().err
    finally:
        shutil.rmtree(secret.place(course).parent)


def test_a_sample_class_leaves_no_secret_behind(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(secret.VARIABLE)
    monkeypatch.delenv("CI", raising=False)
    from autograder.classroom import demo

    def one_of_them(*_: object) -> Path:
        hand_in(tmp_path / "in", "ada", work().notebook(source_of(course)))
        return tmp_path / "in"

    monkeypatch.setattr(demo, "build", one_of_them)
    assert command(["demo", "--out", str(tmp_path / "demo"), "--json"], course) == 0
    assert SAMPLE in capsys.readouterr().err
    assert not secret.place(course).parent.exists()
