"""`autograder collect`: whose a notebook is, which one it is, and what is said where that was not plain."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest

from autograder import collecting
from autograder.cli import main
from autograder.collecting import Collection
from autograder.course import Course
from autograder.errors import UsageError
from autograder.submissions import Found
from semester import STEM, copy_course

ROSTER = """id,first_name,last_name,email,lms_user_id
al815,Ada,Lovelace,ada@example.org,4711
gh906,Grace,Hopper,grace@example.org,4712
jm,Jörg,Müller,jm@example.org,4713
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("semester") / "repository")


@pytest.fixture
def autumn(tmp_path: Path) -> Path:
    """An nbgrader course without roster; `collect` needs no more of it than its configuration."""
    root = tmp_path / "autumn"
    root.mkdir()
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    return root


def with_roster(root: Path) -> Path:
    (root / "students.csv").write_text(ROSTER)
    (root / "course.toml").write_text('students = "students.csv"\n')
    return root


def work(words: str = "1", stem: str | None = STEM, cells: tuple[str, ...] = ()) -> bytes:
    sources = [words, *cells]
    made = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for number, source in enumerate(sources)
    ]
    metadata = {} if stem is None else {"course": {"stem": stem}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def put(path: Path, content: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(work() if content is None else content)
    return path


def collect(course: Course, place: Path, root: Path, **options: object) -> Collection:
    return collecting.collect(course, place, root, **options)  # type: ignore[arg-type]


def submitted(root: Path) -> dict[str, bytes]:
    folder = root / "submitted"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def inferred(found: Collection) -> str:
    return "\n".join(f"{piece.student}: {words}" for piece in found.pieces for words in piece.inferred)


def reasons(found: Collection) -> str:
    return "\n".join(f"{entry.where}: {entry.reason}" for entry in found.skipped)


def test_nbgraders_layout_is_taken_as_it_is(course: Course, autumn: Path, tmp_path: Path) -> None:
    place = tmp_path / "in"
    put(place / "ada" / STEM / f"{STEM}.ipynb")
    put(place / "ada" / STEM / "timestamp.txt", b"2026-10-12 18:00:00 UTC\n")
    found = collect(course, place, autumn)
    assert inferred(found) == ""
    assert submitted(autumn) == {
        f"ada/{STEM}/{STEM}.ipynb": work(),
        f"ada/{STEM}/timestamp.txt": b"2026-10-12 18:00:00.000000 UTC\n",
    }


def test_of_the_exchange_the_latest_submission_is_taken(course: Course, autumn: Path, tmp_path: Path) -> None:
    place = tmp_path / "inbound"
    put(place / f"ada+{STEM}+2026-10-12 20:00:00.000001 UTC+c2VjcmV0" / f"{STEM}.ipynb", work("late"))
    put(place / f"ada+{STEM}+2026-10-11 20:00:00.000001 UTC+bW9yZQ" / f"{STEM}.ipynb", work("early"))
    found = collect(course, place, autumn, confirmed=True)
    assert found.pieces[0].handed_in == datetime(2026, 10, 12, 20, 0, 0, 1, tzinfo=UTC)
    assert submitted(autumn)[f"ada/{STEM}/{STEM}.ipynb"] == work("late")
    assert "of two files the later one was taken" in inferred(found)
    assert "ada has handed in 01_bayes_rule twice" in reasons(found)


def test_zip_collects_archive_is_understood(course: Course, autumn: Path, tmp_path: Path) -> None:
    archive = tmp_path / "downloaded" / STEM / "archive"
    put(archive / f"ps1_ada_attempt_2026-10-12-15-00-00_{STEM}.ipynb", work(stem=None))
    with zipfile.ZipFile(archive / "bob.zip", "w") as packed:
        packed.writestr(f"{STEM}.ipynb", work())
    found = collect(course, tmp_path / "downloaded", autumn, confirmed=True)
    assert {piece.student for piece in found.pieces} == {"ada", "bob"}
    assert found.pieces[0].handed_in == datetime(2026, 10, 12, 15, tzinfo=UTC)


def test_a_moodle_download_leads_to_the_roster_by_names(course: Course, autumn: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as packed:
        packed.writestr(f"Ada Lovelace_657737_assignsubmission_file_/{STEM}.ipynb", work())
        packed.writestr(f"Jörg Müller_657738_assignsubmission_file/{STEM}.ipynb", work())
        packed.writestr(f"Grace Hopper_657739_assignsubmission_file_{STEM}.ipynb", work())
    found = collect(course, tmp_path / "moodle.zip", with_roster(autumn))
    assert [piece.student for piece in found.pieces] == ["al815", "gh906", "jm"]
    assert inferred(found) == "" and len(submitted(autumn)) == 3


def test_a_canvas_download_leads_to_the_roster_by_number_or_name(course: Course, autumn: Path, tmp_path: Path) -> None:
    place = tmp_path / "submissions"
    put(place / f"lovelaceada_4711_99001_{STEM}.ipynb")
    put(place / f"hoppergrace_LATE_1_99002_{STEM}-2.ipynb")
    found = collect(course, place, with_roster(autumn))
    assert [piece.student for piece in found.pieces] == ["al815", "gh906"]
    assert "gh906: Canvas calls it late, but does not say when it was handed in" in inferred(found)
    assert found.waiting and not (autumn / "submitted").exists()


def test_without_a_roster_names_are_inferred_and_wait_for_confirmation(course: Course, autumn: Path, tmp_path: Path) -> None:
    place = tmp_path / "moodle"
    put(place / "Ada Lovelace_657737_assignsubmission_file_" / f"{STEM}.ipynb")
    put(place / f"bob_{STEM}.ipynb")
    found = collect(course, place, autumn)
    assert found.waiting and not (autumn / "submitted").exists()
    assert "the student is 'Ada_Lovelace' by the platform's name; there is no roster" in inferred(found)
    assert "the student is 'bob' by the file's name" in inferred(found)
    assert not collect(course, place, autumn, confirmed=True).waiting
    assert set(submitted(autumn)) == {f"Ada_Lovelace/{STEM}/{STEM}.ipynb", f"bob/{STEM}/{STEM}.ipynb"}


def test_a_renamed_notebook_without_metadata_is_recognised_by_its_cells(course: Course, autumn: Path, tmp_path: Path) -> None:
    functions = tuple(f"def {name}(x):\n    return x" for name in ("posterior", "bayes_binary", "sequential_posterior", "prob"))
    put(tmp_path / "in" / "ada" / "my homework.ipynb", work(stem=None, cells=functions))
    found = collect(course, tmp_path / "in", autumn)
    assert found.pieces[0].assignment == STEM
    assert "recognised as 01_bayes_rule by its cells" in inferred(found)


def test_the_same_file_twice_is_one_submission(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb")
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}-Copy1.ipynb")
    found = collect(course, tmp_path / "in", autumn)
    assert len(found.pieces) == 1 and inferred(found) == ""
    assert "it is the same as" in reasons(found)


def test_an_older_file_never_replaces_a_newer_one(course: Course, autumn: Path, tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    put(new / f"ada+{STEM}+2026-10-12 20:00:00 UTC" / f"{STEM}.ipynb", work("new"))
    put(old / f"ada+{STEM}+2026-10-11 20:00:00 UTC" / f"{STEM}.ipynb", work("old"))
    collect(course, new, autumn)
    assert "kept, for" in collect(course, old, autumn).written[0]
    assert submitted(autumn)[f"ada/{STEM}/{STEM}.ipynb"] == work("new")
    assert collect(course, new, autumn).written == (f"ada/{STEM}: unchanged",)


def test_a_submission_by_an_unknown_student_is_listed_and_not_written(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "eve" / STEM / f"{STEM}.ipynb")
    put(tmp_path / "in" / "al815" / STEM / f"{STEM}.ipynb")
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert "There is no student 'eve' on the roster. Add the student, or rename it" in reasons(found)
    assert set(submitted(autumn)) == {f"al815/{STEM}/{STEM}.ipynb"}


def test_a_notebook_of_no_assignment_says_what_to_do(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "poem.ipynb", work(stem=None))
    found = collect(course, tmp_path / "in", autumn)
    assert "It belongs to no known assignment (01_bayes_rule). Name one with --assignment if it does." in reasons(found)
    assert collect(course, tmp_path / "in", autumn, stem=STEM).pieces[0].assignment == STEM


@pytest.mark.parametrize("name", ["..", ".hidden"])
def test_a_name_that_leads_elsewhere_is_no_student(name: str) -> None:
    path = PurePosixPath(f"{name}+{STEM}+2026-10-12 20:00:00 UTC", f"{STEM}.ipynb")
    pieces, skipped = collecting.recognised([Found(path, str(path), work)], [STEM], [], {})
    assert not pieces and "Nothing says whose it is" in skipped[0].reason


def test_a_broken_file_does_not_stop_the_others(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb", b"{")
    put(tmp_path / "in" / "bob" / STEM / f"{STEM}.ipynb")
    found = collect(course, tmp_path / "in", autumn)
    assert [piece.student for piece in found.pieces] == ["bob"] and "is not JSON" in reasons(found)


def test_an_empty_place_is_a_wrong_call(course: Course, autumn: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(UsageError, match="There is no notebook in .*/in. Name the folder or the zip"):
        collect(course, tmp_path / "in", autumn)


def test_the_command_tells_what_it_inferred(autumn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "in" / f"ada_{STEM}.ipynb")
    assert main(["collect", str(tmp_path / "in"), "--course", str(autumn)]) == 0
    told = capsys.readouterr().out
    assert f"inferred  ada/{STEM}: the student is 'ada' by the file's name" in told
    assert "Nothing was written: look at what was inferred, then add --yes." in told
    assert main(["collect", str(tmp_path / "in"), "--course", str(autumn), "--yes"]) == 0
    assert f"ada/{STEM}: collected" in capsys.readouterr().out
