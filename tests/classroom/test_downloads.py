"""`autograder collect`: whose a notebook is, which one it is, and what is said where that was not plain."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from sample_course import STEM, copy_course

from autograder.classroom import downloads
from autograder.classroom.downloads import Collection
from autograder.cli import main
from autograder.course import Course
from autograder.course.errors import SubmissionError, UsageError
from autograder.grading import submissions
from autograder.grading.ownership import Rule
from autograder.grading.places import NotebookFile
from autograder.nbgrader_bridge.folder import read_beside, read_timestamp

ROSTER = """id,first_name,last_name,email,lms_user_id
al815,Ada,Lovelace,ada@example.org,4711
gh906,Grace,Hopper,grace@example.org,4712
jm,Jörg,Müller,jm@example.org,4713
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "repository")


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
    made: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for number, source in enumerate(sources)
    ]
    metadata = {} if stem is None else {"course": {"stem": stem}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def put(path: Path, content: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(work() if content is None else content)
    return path


def collect(course: Course, place: Path, root: Path, **options: Any) -> Collection:
    return downloads.collect(course, place, root, **options)


def submitted(root: Path) -> dict[str, bytes]:
    folder = root / "submitted"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def inferred(found: Collection) -> str:
    return "\n".join(f"{piece.owner.student}: {words}" for piece in found.pieces for words in piece.owner.inferred)


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
    assert found.pieces[0].owner.handed_in == datetime(2026, 10, 12, 20, 0, 0, 1, tzinfo=UTC)
    assert submitted(autumn)[f"ada/{STEM}/{STEM}.ipynb"] == work("late")
    assert "of two files the later one was taken" in inferred(found)
    assert "ada has handed in 01_bayes_rule twice" in reasons(found)


def test_zip_collects_archive_is_understood(course: Course, autumn: Path, tmp_path: Path) -> None:
    archive = tmp_path / "downloaded" / STEM / "archive"
    put(archive / f"ps1_ada_attempt_2026-10-12-15-00-00_{STEM}.ipynb", work(stem=None))
    with zipfile.ZipFile(archive / "bob.zip", "w") as packed:
        packed.writestr(f"{STEM}.ipynb", work())
    found = collect(course, tmp_path / "downloaded", autumn, confirmed=True)
    assert {piece.owner.student for piece in found.pieces} == {"ada", "bob"}
    assert found.pieces[0].owner.handed_in == datetime(2026, 10, 12, 15, tzinfo=UTC)


def test_a_moodle_download_leads_to_the_roster_by_names(course: Course, autumn: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as packed:
        packed.writestr(f"Ada Lovelace_657737_assignsubmission_file_/{STEM}.ipynb", work())
        packed.writestr(f"Jörg Müller_657738_assignsubmission_file/{STEM}.ipynb", work())
        packed.writestr(f"Grace Hopper_657739_assignsubmission_file_{STEM}.ipynb", work())
    found = collect(course, tmp_path / "moodle.zip", with_roster(autumn))
    assert [piece.owner.student for piece in found.pieces] == ["al815", "gh906", "jm"]
    assert inferred(found) == "" and len(submitted(autumn)) == 3


def test_a_canvas_download_leads_to_the_roster_by_number_or_name(course: Course, autumn: Path, tmp_path: Path) -> None:
    place = tmp_path / "submissions"
    put(place / f"lovelaceada_4711_99001_{STEM}.ipynb")
    put(place / f"hoppergrace_LATE_1_99002_{STEM}-2.ipynb")
    found = collect(course, place, with_roster(autumn))
    assert [piece.owner.student for piece in found.pieces] == ["al815", "gh906"]
    assert "gh906: Canvas calls it late, but does not say when it was handed in" in inferred(found)
    assert found.waiting and not (autumn / "submitted").exists()


def zipped(name: str, content: bytes, *more: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in ((name, content), *more):
            archive.writestr(*entry)
    return packed.getvalue()


@pytest.mark.parametrize("unpacked", [False, True])
def test_a_zip_that_a_student_uploaded_is_looked_into(
    course: Course, autumn: Path, tmp_path: Path, unpacked: bool
) -> None:
    place = tmp_path / ("download" if unpacked else "download.zip")
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as packed:
        packed.writestr(
            "Ada Lovelace_657737_assignsubmission_file/my work.ZIP", zipped(f"hand_in/{STEM}.ipynb", work("ada"))
        )
        packed.writestr("hoppergrace_4712_99002_work.zip", zipped(f"{STEM}.ipynb", work("grace")))
        packed.writestr("Jörg Müller_657738_assignsubmission_file/work.zip", b"not a zip")
        if unpacked:
            packed.extractall(place)
    found = collect(course, place, with_roster(autumn))
    assert {piece.owner.student: piece.content for piece in found.pieces} == {
        "al815": work("ada"),
        "gh906": work("grace"),
    }
    assert found.pieces[0].where.endswith(f"my work.ZIP:hand_in/{STEM}.ipynb") and str(place) in found.pieces[0].where
    assert "work.zip: it is not a zip file" in reasons(found)
    assert "tmp/autograder" not in reasons(found)


@pytest.mark.parametrize("unpacked", [False, True])
def test_whoever_handed_in_something_else_is_listed(
    course: Course, autumn: Path, tmp_path: Path, unpacked: bool
) -> None:
    place = tmp_path / ("download" if unpacked else "download.zip")
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as packed:
        packed.writestr(f"Ada Lovelace_657737_assignsubmission_file/{STEM}.ipynb", work())
        packed.writestr("Ada Lovelace_657737_assignsubmission_onlinetext/onlinetext.html", b"hello")
        packed.writestr("Grace Hopper_657739_assignsubmission_file/work.pdf", b"%PDF")
        packed.writestr("Jörg Müller_657738_assignsubmission_file/work.zip", zipped("work.py", b"1"))
        if unpacked:
            packed.extractall(place)
    found = collect(course, place, with_roster(autumn))
    assert [piece.owner.student for piece in found.pieces] == ["al815"]
    told = sorted(reasons(found).splitlines())
    assert len(told) == 2
    assert told[0].endswith(
        "Grace Hopper_657739_assignsubmission_file/work.pdf: it is not a notebook (.ipynb), "
        "and there is none of this student"
    )
    assert told[1].endswith("work.zip: it holds no notebook (.ipynb), and there is none of this student")


def test_an_umlaut_may_be_written_as_two_characters(course: Course, autumn: Path, tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", f"Jörg Müller_657738_assignsubmission_file_{STEM}.ipynb")
    put(tmp_path / "in" / name)
    assert [piece.owner.student for piece in collect(course, tmp_path / "in", with_roster(autumn)).pieces] == ["jm"]


def test_a_name_in_a_canvas_download_may_hold_digits(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / f"projectgroup3_4712_99002_{STEM}.ipynb")
    assert [piece.owner.student for piece in collect(course, tmp_path / "in", with_roster(autumn)).pieces] == ["gh906"]


def test_without_a_roster_names_are_inferred_and_wait_for_confirmation(
    course: Course, autumn: Path, tmp_path: Path
) -> None:
    place = tmp_path / "moodle"
    put(place / "Ada Lovelace_657737_assignsubmission_file_" / f"{STEM}.ipynb")
    put(place / f"bob_{STEM}.ipynb")
    found = collect(course, place, autumn)
    assert found.waiting and not (autumn / "submitted").exists()
    assert "the student is 'Ada_Lovelace' by the platform's name; there is no roster" in inferred(found)
    assert "the student is 'bob' by the file's name" in inferred(found)
    assert not collect(course, place, autumn, confirmed=True).waiting
    assert set(submitted(autumn)) == {f"Ada_Lovelace/{STEM}/{STEM}.ipynb", f"bob/{STEM}/{STEM}.ipynb"}


def test_a_renamed_notebook_without_metadata_is_recognised_by_its_cells(
    course: Course, autumn: Path, tmp_path: Path
) -> None:
    functions = tuple(
        f"def {name}(x):\n    return x" for name in ("posterior", "bayes_binary", "sequential_posterior", "prob")
    )
    put(tmp_path / "in" / "ada" / "my homework.ipynb", work(stem=None, cells=functions))
    found = collect(course, tmp_path / "in", autumn)
    assert found.pieces[0].owner.assignment == STEM
    assert "recognised as 01_bayes_rule by its cells" in inferred(found)


def test_the_same_file_twice_is_one_submission(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb")
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}-Copy1.ipynb")
    found = collect(course, tmp_path / "in", autumn)
    assert len(found.pieces) == 1 and inferred(found) == ""
    assert "it is the same as" in reasons(found)


@pytest.mark.parametrize(
    "end",
    [
        "-Copy1",
        " (1)",
        " - Copy",
        " - copy (2)",
        "_final",
        "-2",
        "-final-2",
        "_FINAL_final copy 12 (3)",
        " copy\tcopy - Copy",
    ],
)
def test_what_is_appended_to_copies_is_no_part_of_a_students_name(
    course: Course, autumn: Path, tmp_path: Path, end: str
) -> None:
    put(tmp_path / "in" / f"ada_{STEM}{end}.ipynb")
    assert [piece.owner.student for piece in collect(course, tmp_path / "in", autumn).pieces] == ["ada"]


@pytest.mark.parametrize("name", ["copy " * 45 + "x", "copy " * 40 + "1" * 40 + "x", "-1" * 120 + "x", " " * 240 + "x"])
def test_a_name_made_of_copies_is_read_as_fast_as_others(
    course: Course, autumn: Path, tmp_path: Path, name: str
) -> None:
    put(tmp_path / "in" / f"{name}.ipynb")  # a pattern that tries all ways to split it would not come back
    assert [piece.owner.student for piece in collect(course, tmp_path / "in", autumn).pieces] == [
        re.sub("[ ]+", "_", name.strip(" -"))
    ]


def test_an_older_file_never_replaces_a_newer_one(course: Course, autumn: Path, tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    put(new / f"ada+{STEM}+2026-10-12 20:00:00 UTC" / f"{STEM}.ipynb", work("new"))
    put(old / f"ada+{STEM}+2026-10-11 20:00:00 UTC" / f"{STEM}.ipynb", work("old"))
    collect(course, new, autumn)
    assert "kept, because" in collect(course, old, autumn).written[0]
    assert submitted(autumn)[f"ada/{STEM}/{STEM}.ipynb"] == work("new")
    assert collect(course, new, autumn).written == (f"ada/{STEM}: unchanged",)


def test_a_submission_by_an_unknown_student_is_listed_and_not_written(
    course: Course, autumn: Path, tmp_path: Path
) -> None:
    put(tmp_path / "in" / "eve" / STEM / f"{STEM}.ipynb")
    put(tmp_path / "in" / "al815" / STEM / f"{STEM}.ipynb")
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert "There is no student 'eve' on the roster. Add the student, or rename it" in reasons(found)
    assert set(submitted(autumn)) == {f"al815/{STEM}/{STEM}.ipynb"}


def test_a_notebook_of_no_assignment_says_what_to_do(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "poem.ipynb", work(stem=None))
    found = collect(course, tmp_path / "in", autumn)
    assert "It belongs to no known assignment (01_bayes_rule). Name one with --assignment if it does." in reasons(found)
    assert collect(course, tmp_path / "in", autumn, stem=STEM).pieces[0].owner.assignment == STEM


@pytest.mark.parametrize("name", ["..", ".hidden"])
def test_a_name_that_leads_elsewhere_is_no_student(name: str) -> None:
    path = PurePosixPath(f"{name}+{STEM}+2026-10-12 20:00:00 UTC", f"{STEM}.ipynb")
    pieces, skipped = downloads.recognised([NotebookFile(path, str(path), work)], Rule([STEM], asks=True))
    assert not pieces and "Nothing says whose it is" in skipped[0].reason


def test_a_broken_file_does_not_stop_the_others(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / STEM / f"{STEM}.ipynb", b"{")
    put(tmp_path / "in" / "bob" / STEM / f"{STEM}.ipynb")
    found = collect(course, tmp_path / "in", autumn)
    assert [piece.owner.student for piece in found.pieces] == ["bob"] and "is not JSON" in reasons(found)


MOODLE = "_assignsubmission_file_"


@pytest.mark.parametrize(
    "inside",
    [
        f"Grace Hopper_102{MOODLE}/{STEM}.ipynb",
        f"Grace Hopper_102{MOODLE}{STEM}.ipynb",
        f"gh906+{STEM}+2020-01-01 00:00:00 UTC/{STEM}.ipynb",
        f"gh906/{STEM}/{STEM}.ipynb",
        f"work/gh906_{STEM}.ipynb",
    ],
)
@pytest.mark.parametrize("own", [f"Ada Lovelace_101{MOODLE}", f"al815+{STEM}+2026-10-12 18:00:00 UTC"])
def test_a_name_inside_a_student_s_folder_is_not_believed(
    course: Course, autumn: Path, tmp_path: Path, own: str, inside: str
) -> None:
    put(tmp_path / "in" / own / f"{STEM}.ipynb", work("ada"))
    put(tmp_path / "in" / own / inside, work("forged"))
    packed = put(tmp_path / "in" / own / "work.zip")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(inside, work("forged, too"))
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert [piece.owner.student for piece in found.pieces] == ["al815"]


@pytest.mark.parametrize("inside", [f"gh906/{STEM}/{STEM}.ipynb", f"gh906/{STEM}.ipynb"])
def test_a_folder_inside_nbgraders_layout_is_not_believed(
    course: Course, autumn: Path, tmp_path: Path, inside: str
) -> None:
    for student in ("al815", "gh906"):
        put(tmp_path / "in" / student / STEM / f"{STEM}.ipynb", work(student))
    put(tmp_path / "in" / "al815" / STEM / inside, work("forged"))
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert {piece.owner.student: piece.content for piece in found.pieces}["gh906"] == work("gh906")


@pytest.mark.parametrize("name", [f"Grace Hopper_102{MOODLE}/{STEM}.ipynb", f"hoppergrace_4712_99_{STEM}.ipynb"])
def test_a_platform_s_name_inside_nbgraders_layout_waits_for_confirmation(
    course: Course, autumn: Path, tmp_path: Path, name: str
) -> None:
    put(tmp_path / "in" / "al815" / STEM / name)
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert found.waiting and f"inside the folder 'al815/{STEM}'" in inferred(found)


def test_a_broken_zip_does_not_stop_the_others(course: Course, autumn: Path, tmp_path: Path) -> None:
    packed = put(tmp_path / "in" / f"Ada Lovelace_101{MOODLE}" / "work.zip")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{STEM}.ipynb", work())
    packed.write_bytes(packed.read_bytes().replace(b"PK\x01\x02", b"PK\x01\x03"))
    put(tmp_path / "in" / f"Grace Hopper_102{MOODLE}" / f"{STEM}.ipynb")
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert [piece.owner.student for piece in found.pieces] == ["gh906"] and "work.zip cannot be unpacked" in reasons(
        found
    )


def test_a_moment_that_a_student_may_have_written_waits_for_confirmation(
    course: Course, autumn: Path, tmp_path: Path
) -> None:
    own = tmp_path / "in" / f"Ada Lovelace_101{MOODLE}"
    put(own / f"{STEM}.ipynb")
    put(own / "timestamp.txt", b"2020-01-01 00:00:00 UTC")
    found = collect(course, tmp_path / "in", with_roster(autumn))
    assert found.waiting and "2020-01-01 00:00 UTC as the timestamp.txt beside it says" in inferred(found)


@pytest.mark.parametrize(
    "text", ["2026-01-01 00:00:00 /etc/passwd", "2026-01-01 00:00:00 99999999999", "x" * 1_000_000, "1e999 \0"]
)
def test_a_timestamp_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    path = put(tmp_path / "timestamp.txt", text.encode())
    assert read_timestamp(path, tmp_path) is None


def test_a_timestamp_is_a_file_and_no_way_to_others(tmp_path: Path) -> None:
    real = put(tmp_path / "real.txt", b"2026-01-01 00:00:00 UTC")
    assert read_timestamp(real, tmp_path) == datetime(2026, 1, 1, tzinfo=UTC)
    (tmp_path / "link.txt").symlink_to(real)
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("link.txt", "pipe.txt", "nothing.txt"):
        assert read_timestamp(tmp_path / name, tmp_path) is None
        with pytest.raises(OSError, match=name):
            read_beside(tmp_path / name, tmp_path)


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
    assert capsys.readouterr().out.endswith(f"ada/{STEM}: collected\n1 notebook collected from {tmp_path / 'in'}.\n")


def test_a_time_that_may_be_another_submissions_is_told(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "first" / "ada" / STEM / f"{STEM}.ipynb")
    put(tmp_path / "first" / "ada" / STEM / "timestamp.txt", b"2026-10-14 09:00:00 UTC\n")
    collect(course, tmp_path / "first", autumn, confirmed=True)
    put(tmp_path / "second" / "ada" / STEM / f"{STEM}.ipynb", work("2"))
    [written] = collect(course, tmp_path / "second", autumn, confirmed=True).written
    assert (
        written
        == f"ada/{STEM}: replaced; its timestamp.txt still says 2026-10-14 09:00 UTC: correct it if this one came later"
    )
    assert submitted(autumn)[f"ada/{STEM}/{STEM}.ipynb"] == work("2")


def test_a_zip_in_a_students_folder_is_theirs(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "my work.zip", zipped(f"course/notebooks/{STEM}.ipynb", work()))
    put(tmp_path / "in" / "bob" / STEM / "work.zip", zipped(f"{STEM}.ipynb", work()))
    found = collect(course, tmp_path / "in", autumn)
    assert [(piece.owner.student, piece.owner.inferred) for piece in found.pieces] == [("ada", ()), ("bob", ())]


def test_whom_a_zip_in_somebody_elses_folder_names_is_asked(course: Course, autumn: Path, tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "work.zip", zipped(f"bob/{STEM}/{STEM}.ipynb", work()))
    found = collect(course, tmp_path / "in", autumn)
    assert found.waiting and submitted(autumn) == {}
    assert inferred(found) == "bob: the student is read from folders inside 'work.zip', which lies in the folder 'ada'"


def test_a_zip_that_is_named_in_an_odd_way_is_listed_and_stops_nobody(
    course: Course, autumn: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr(f"ada/{STEM}/{STEM}.ipynb", work())
        packed.writestr(
            "bob/.//work.zip", zipped(f"{STEM}.ipynb", work())
        )  # as a path, it is bob/work.zip, which is not there
    found = collect(course, tmp_path / "all.zip", autumn)
    assert [piece.owner.student for piece in found.pieces] == ["ada"]
    assert "bob/work.zip: It cannot be unpacked" in reasons(found)


def test_a_zip_is_not_opened_again_for_each_notebook_in_it(
    course: Course, autumn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    class Counted(zipfile.ZipFile):
        def __init__(self, *args: Any, **options: Any) -> None:
            opened.append(args)
            super().__init__(*args, **options)

    def times(students: int) -> int:
        place = put(
            tmp_path / f"{students}.zip",
            zipped("readme.txt", b"", *((f"{n}/{STEM}/{STEM}.ipynb", work()) for n in range(students))),
        )
        opened.clear()
        with monkeypatch.context() as patched:
            patched.setattr(zipfile, "ZipFile", Counted)
            assert len(collect(course, place, autumn).pieces) == students
        return len(opened)

    assert times(30) == times(2)


MANY = [(f"{number}_{STEM}.ipynb", b"{}") for number in range(60)]
FORGED = [(f"student{number}x_{number}_{number}_{STEM}.ipynb", work() + b" " * (1 << 20)) for number in range(40)]


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize("own", ["eve", f"eve/{STEM}", f"Eve Moore_103{MOODLE}"])
@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (MANY, "with it, there are 60 notebooks in this student's zips, more than 50. Unpack it"),
        (FORGED, "with it, the notebooks in this student's zips are larger than 10 MiB together. Unpack it"),
    ],
    ids=["many", "large"],
)
def test_a_students_zip_that_holds_too_much_is_listed_and_stops_nobody(
    course: Course, autumn: Path, tmp_path: Path, unpacked: bool, own: str, entries: list[tuple[str, bytes]], words: str
) -> None:
    (autumn / "course.toml").write_text("[limits]\nnotebook_bytes = 2097152\n")
    place = tmp_path / ("in" if unpacked else "in.zip")
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as packed:
        packed.writestr(f"{own}/work.zip", zipped(*entries[0], *entries[1:]))
        for student in ("ada", "zoe"):
            packed.writestr(f"{student}/{STEM}/{STEM}.ipynb", work())
        if unpacked:
            packed.extractall(place)
    found = collect(course, place, autumn, confirmed=True)
    assert [piece.owner.student for piece in found.pieces] == ["ada", "zoe"] and len(submitted(autumn)) == 2
    assert f"{own}/work.zip: {words}" in reasons(found) and len(found.skipped) == 1


def test_several_zips_of_one_student_are_counted_together(course: Course, autumn: Path, tmp_path: Path) -> None:
    for student in ("ada", "bob"):
        put(tmp_path / "in" / student / "a.zip", zipped(f"{STEM}.ipynb", work()))
    put(tmp_path / "in" / "ada" / "b.zip", zipped("x.txt", b"", *MANY[:49]))
    put(tmp_path / "in" / "ada" / "c.zip", zipped("x.txt", b"", MANY[0]))
    found = collect(course, tmp_path / "in", autumn, confirmed=True)
    assert [piece.owner.student for piece in found.pieces] == ["ada", "bob"]
    assert "ada/c.zip: with it, there are 51 notebooks" in reasons(found)


def test_a_zip_of_a_whole_class_may_hold_more(course: Course, autumn: Path, tmp_path: Path) -> None:
    entries = [
        (f"Student {chr(97 + number // 26)}{chr(97 + number % 26)}_{number}{MOODLE}/{STEM}.ipynb", work())
        for number in range(60)
    ]
    for place in (tmp_path / "class.zip", tmp_path / "downloaded" / STEM / "archive" / "class.zip"):
        put(place, zipped("x.txt", b"", *entries))
    for place in (tmp_path / "class.zip", tmp_path / "downloaded"):
        assert len(collect(course, place, autumn).pieces) == 60
    put(tmp_path / "week" / "one" / "class.zip", zipped("x.txt", b"", *entries))
    with pytest.raises(
        UsageError, match="There is no notebook in .*class.zip: .*if it is a whole class's, collect it by itself"
    ):
        collect(course, tmp_path / "week", autumn)


@pytest.mark.parametrize("inner", [False, True])
def test_a_name_too_long_for_a_folder_is_listed_and_stops_nobody(
    course: Course, autumn: Path, tmp_path: Path, inner: bool
) -> None:
    path = f"{'m' * 300}/{STEM}/{STEM}.ipynb"
    place = tmp_path / "in.zip"
    with zipfile.ZipFile(place, "w") as packed:
        packed.writestr("eve/work.zip" if inner else path, zipped(path, work()) if inner else work())
        for student in ("ada", "zoe"):
            packed.writestr(f"{student}/{STEM}/{STEM}.ipynb", work())
    found = collect(course, place, autumn, confirmed=True)
    assert set(submitted(autumn)) == {f"{student}/{STEM}/{STEM}.ipynb" for student in ("ada", "zoe")}
    assert "'mmmmmmmmmmmmmmmmmmmm'... is too long for a student's name. Rename the file or its folder." in reasons(
        found
    )


NOBODY = 65534


@contextmanager
def an_ordinary_user() -> Iterator[None]:
    """Nobody in particular instead of root, whom no mode of a folder stops; anyone else is an ordinary user already."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(NOBODY)
    except OSError as error:
        pytest.skip(f"root cannot become an ordinary user here: {error}")
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anyone can get into; pytest's own are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="ordinary-user-", dir="/tmp"))
    path.chmod(0o777)
    yield path
    for folder in path.rglob("closed*"):
        folder.chmod(0o755)
    shutil.rmtree(path)


def test_a_folder_that_nobody_may_look_into_stops_no_ordinary_user(open_folder: Path) -> None:
    place, root = open_folder / "in", open_folder / "autumn"
    course = copy_course(open_folder / "repository")
    root.mkdir()
    root.chmod(0o777)
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    assert collect(
        course, put(open_folder / f"ada_{STEM}.ipynb"), root
    ).waiting  # nothing but to import all, which may be root's own
    for student in ("ada", "zoe"):
        put(place / student / STEM / f"{STEM}.ipynb")
    for path in (f"{STEM}.ipynb", "work.zip", "folder/work.pdf"):
        put(place / "eve" / "closed" / path)
    put(place / "kim" / "closed" / "work.zip", zipped(f"{STEM}.ipynb", work()))
    for student in ("eve", "kim"):
        (place / student / "closed").chmod(0o444)
    with an_ordinary_user():
        found = collect(course, place, root, confirmed=True)
        graded = {
            submission.student: submission for submission in submissions.find(place, [STEM], limit=1000).submissions
        }
        assert graded["ada"].read() == graded["zoe"].read() == work()
        with pytest.raises(SubmissionError, match="It cannot be read: Permission denied. Put the file itself there."):
            graded["closed"].read()
    assert [piece.owner.student for piece in found.pieces] == ["ada", "zoe"]
    told = reasons(found)
    assert f"eve/closed/{STEM}.ipynb: It cannot be read: Permission denied. Put the file itself there." in told
    assert (
        "kim/closed/work.zip: it cannot be read: Permission denied" in told
        and "eve/closed/folder: it cannot be read" in told
    )
