"""Files that are no proper notebooks, or were tampered with: each is told apart, and none stops the class."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sample_class import SHORT, STEM, copy_course, hand_in, need, source_of, work

from autograder.cli import summary
from autograder.course import notebook
from autograder.course.errors import UsageError
from autograder.course.model import Result
from autograder.grading import places, submissions
from autograder.grading.grade import Options, Run, grade
from autograder.sandbox import scratch

HALF = work(bayes_binary=None, prob=None)
EARNED = 7


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """A file made by changing the JSON of an honest one."""

    def make(honest: bytes) -> bytes:
        content = json.loads(honest)
        change(content)
        return json.dumps(content).encode()

    return make


def cell(content: dict[str, Any], identity: str) -> dict[str, Any]:
    return next(cell for cell in content["cells"] if cell["id"] == identity)


def every_cell(**changes: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for one in content["cells"]:
            one.update(changes)

    return change


def without(*identities: str) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        content["cells"] = [one for one in content["cells"] if one["id"] not in identities]

    return change


def claim_more(content: dict[str, Any]) -> None:
    for one in content["cells"]:
        grader = one["metadata"].get("nbgrader")
        if grader:
            grader.update(points=400, locked=False, solution=not grader["solution"], grade_id=f"x{grader['grade_id']}")


def skip_checks(content: dict[str, Any]) -> None:
    for one in content["cells"]:
        one["metadata"]["tags"] = ["skip-execution", "demo", "remove-cell"]
        if one["id"].endswith("-check"):
            one["source"] = "pass"


def print_much(content: dict[str, Any], characters: int) -> None:
    cell(content, "setup")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * characters}]


def many_cells(content: dict[str, Any], count: int) -> None:
    content["cells"] += [
        {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [], "execution_count": None}
    ] * count


def heading_of_a_billion(honest: bytes) -> bytes:
    code = {"cell_type": "code", "input": "1", "outputs": [], "language": "python", "metadata": {}}
    sheet = {"cells": [{"cell_type": "heading", "level": 10**9, "source": "x", "metadata": {}}, code]}
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [sheet]}).encode()


# What each file is, how it is made from an honest one, and what must be said: marks, or a part of the reason why not.
FILES: dict[str, tuple[Callable[[bytes], bytes], float | str]] = {
    "a_million_cells": (lambda _: b'{"nbformat":4,"cells":[' + b'{"cell_type":"code"},' * 900_000 + b"{}]}", "parts"),
    "many_cells": (edited(lambda content: many_cells(content, 5_000)), "code cells"),
    "too_many_cells": (edited(lambda content: many_cells(content, 20_000)), "cells"),
    "a_cell_without_end": (
        edited(lambda content: cell(content, "setup").update(source="x = 1\n" * 200_000)),
        "characters",
    ),
    "much_output": (edited(lambda content: print_much(content, 15_000_000)), EARNED),
    "broken_json": (lambda honest: honest[: len(honest) // 2], "not JSON"),
    "nothing": (lambda _: b"", "not JSON"),
    "other_json": (lambda _: b'[{"cells": []}]', "not a notebook"),
    "nested_json": (lambda _: b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested"),
    "nested_lists": (lambda _: b'{"nbformat":4,"cells":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested"),
    "infinite_number": (
        lambda honest: honest.replace(b'"nbformat_minor": 5', b'"nbformat_minor": 5e999, "x": NaN'),
        EARNED,
    ),
    "number_without_end": (
        lambda honest: honest.replace(b'"nbformat": 4', b'"nbformat": ' + b"4" * 1_000_000),
        "not JSON",
    ),
    "format_of_the_future": (edited(lambda content: content.update(nbformat=99)), "format"),
    "format_in_words": (edited(lambda content: content.update(nbformat="four")), "format"),
    "damaged_old_format": (
        lambda _: b'{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code"}]}]}',
        "format 3",
    ),
    "heading_of_a_billion": (heading_of_a_billion, 0),
    "not_utf8": (lambda honest: honest.replace(b"Bayes", b"B\xe4yes"), "UTF-8"),
    "utf16": (lambda honest: honest.decode().encode("utf-16"), "UTF-8"),
    "half_characters": (edited(lambda content: cell(content, "setup")["metadata"].update(x="\ud800")), EARNED),
    "zeros": (lambda _: bytes(1_000_000), "not JSON"),
    "a_zip": (lambda honest: zipped({"x.ipynb": honest}), "UTF-8"),
    "cells_are_a_table": (edited(lambda content: content.update(cells={"a": 1})), "not a list"),
    "cells_are_numbers": (edited(lambda content: content.update(cells=[1, 2])), "neither code nor text"),
    "source_is_a_number": (edited(lambda content: cell(content, "setup").update(source=5)), "not text"),
    "no_code": (edited(lambda content: content.update(cells=[])), "no code"),
    "same_id_everywhere": (edited(every_cell(id="same")), EARNED),
    "ids_are_paths": (edited(every_cell(id="../../etc/passwd")), EARNED),
    "no_ids": (edited(lambda content: [one.pop("id") for one in content["cells"]]), EARNED),
    "no_metadata": (edited(every_cell(metadata=None)), EARNED),
    "claims_more_points": (edited(claim_more), EARNED),
    "skips_the_checks": (edited(skip_checks), EARNED),
    "deleted_check_cells": (edited(without("bayes-binary-check", "posterior-check", "prob-check")), EARNED),
    "deleted_everything_else": (
        edited(without("count-people", "icon-array", "mosaic", "ask-spam", "progress")),
        EARNED,
    ),
    "another_stem": (edited(lambda content: content["metadata"].update(course={"stem": "99_free_marks"})), EARNED),
}

# What may stand where a notebook should be, and what must be said about it.
PLACES: dict[str, tuple[Callable[[Path], object], str]] = {
    "link_to_a_file": (lambda path: path.symlink_to("/etc/passwd"), "symbolic link"),
    "link_to_a_classmate": (
        lambda path: path.symlink_to(path.parents[2] / "ada" / STEM / f"{STEM}.ipynb"),
        "symbolic link",
    ),
    "link_to_nowhere": (lambda path: path.symlink_to("nowhere"), "symbolic link"),
    "pipe": (os.mkfifo, "regular file"),
    "hundred_megabytes": (lambda path: path.write_bytes(b'{"x": "' + b"x" * 100_000_000), "larger than"),
    "unreadable_folder": (lambda path: path.mkdir(), "no notebook"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """One class in which everybody but Ada and Zoe hands in something strange."""
    root = tmp_path_factory.mktemp("files")
    course = copy_course(root / "course")
    honest = notebook.dumps(HALF.notebook(source_of(course)))
    folder = root / "submitted"
    for name in ("ada", "zoe"):
        hand_in(folder, name, honest)
    for name, (make, _) in FILES.items():
        hand_in(folder, name, make(honest))
    for name, (put, _) in PLACES.items():
        path = folder / name / STEM / f"{STEM}.ipynb"
        path.parent.mkdir(parents=True)
        put(path)
    beside = hand_in(folder, "ships_modules", honest).parent
    for name in ("numpy.py", "conftest.py", "sitecustomize.py", "checks.py", "test_free_marks.py"):
        (beside / name).write_text("raise SystemExit('spoilt')\n")
    for name in ("=1+1", "<script>alert(1)<", "-rf", "a b", "Zoë", "x" * 200):
        hand_in(folder, name, honest)
    hand_in(Path(os.fsdecode(os.fsencode(folder))), os.fsdecode(b"not utf8 \xff"), honest)
    unknown = folder / "stranger.ipynb"  # whose it is, only its content could tell
    unknown.write_bytes(heading_of_a_billion(b""))
    options = Options(root / "graded", workers=2, isolation=need("portable"), limits=SHORT)
    return grade(course, folder, options), root / "graded"


def result_of(graded: tuple[Run, Path], name: str) -> Result:
    return next(result for result in graded[0].results if result.student == name)


@pytest.mark.parametrize("name", FILES)
def test_a_strange_file_gets_its_marks_or_a_reason(graded: tuple[Run, Path], name: str) -> None:
    expected, result = FILES[name][1], result_of(graded, name)
    if isinstance(expected, str):
        assert result.ungraded is not None and expected in result.ungraded
        assert result.score == 0 and not result.exercises
    else:
        assert (result.score, result.ungraded) == (expected, None)


@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_file_is_skipped_with_a_reason(graded: tuple[Run, Path], name: str) -> None:
    reasons = [entry.reason for entry in graded[0].skipped if name in entry.where]
    missing = ["no notebook" for student, _ in graded[0].missing if student == name]
    assert any(PLACES[name][1] in reason for reason in [*reasons, *missing])
    assert name not in {result.student for result in graded[0].results}


@pytest.mark.parametrize(
    "name", ["ada", "zoe", "ships_modules", "=1+1", "<script>alert(1)<", "-rf", "a b", "Zoë", "x" * 200]
)
def test_everybody_else_gets_their_marks(graded: tuple[Run, Path], name: str) -> None:
    assert result_of(graded, name).score == EARNED


def test_a_name_that_is_no_text_stops_nobody(graded: tuple[Run, Path]) -> None:
    told = [entry.where for entry in graded[0].skipped] + [result.student for result in graded[0].results]
    assert any("not utf8" in name for name in told)
    assert (graded[1] / "grades.csv").read_text().count("\n") > len(FILES)


def test_no_name_is_a_formula_in_the_table(graded: tuple[Run, Path]) -> None:
    rows = (graded[1] / "grades.csv").read_text().splitlines()
    assert not [row for row in rows if row.lstrip('"')[0] in "=+-@"]


# --- Zips -------------------------------------------------------------------------------------------------------------


def zipped(entries: dict[str, bytes]) -> bytes:
    """A zip with the given entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_damage(archive: bytes, name: str) -> bytes:
    """The zip with nonsense where the compressed bytes of one entry are."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        at = opened.getinfo(name).header_offset
        size = opened.getinfo(name).compress_size
    names = sum(struct.unpack_from("<HH", archive, at + 26))
    first = at + 30 + names
    return archive[:first] + b"\xff" * min(size, 500) + archive[first + min(size, 500) :]


def test_a_folder_with_a_classmate_s_name_is_no_submission_of_theirs(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    honest, stub = (notebook.dumps(one.notebook(source_of(course))) for one in (HALF, work()))
    for name in ("ada", "zoe"):
        hand_in(tmp_path / "in", name, honest)
    own = tmp_path / "in" / "ada" / STEM
    for path in (
        own / "zoe" / STEM / f"{STEM}.ipynb",
        own / "zoe" / f"{STEM}.ipynb",
        own / "x" / f"zoe_{STEM}.ipynb",
        own / "eve" / STEM / "x.ipynb",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(stub)
    run = grade(course, tmp_path / "in", Options(tmp_path / "out", workers=1, isolation=need("portable"), limits=SHORT))
    assert {result.student: result.score for result in run.results} == {"ada": EARNED, "zoe": EARNED}
    assert len(run.skipped) == 4 and all("deeper than <student>/<assignment>/" in entry.reason for entry in run.skipped)


def test_a_student_with_a_million_files_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_MAX_FILES_OF_ONE", 20)
    monkeypatch.setattr(places, "_MAX_FILES", 30)
    for name in ("ada", "zoe"):
        hand_in(tmp_path, name, b"{}")
    for student, depth in (("deep", 40), ("wide", 0)):
        own = hand_in(tmp_path, student, b"{}").parent
        for number in range(40):
            path = own.joinpath(*["x"] * min(number, depth), f"{number}.txt")
            path.parent.mkdir(exist_ok=True)
            path.touch()
    found = submissions.find(tmp_path, [STEM], limit=1000)
    assert {submission.student for submission in found.submissions} == {
        "ada",
        "deep",
        "zoe",
    }  # what is beside it, not below
    assert sum("has more than 20 files; these are left out" in entry.reason for entry in found.skipped) == 2
    with pytest.raises(UsageError, match="holds more than 30 files"):  # alone, a folder is that of a class
        submissions.find(tmp_path / "wide", [STEM], limit=1000)


def test_folders_in_folders_without_end_stop_nobody(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "zoe", b"{}")
    at = hand_in(tmp_path / "in", "ada", b"{}").parent
    for _ in range(60):
        at /= "x"
    at.joinpath(*["y"] * 60).mkdir(parents=True)
    for _ in range(20):  # in one piece it would be too long a path, or take too deep a recursion, to be made
        deeper = tmp_path / "deeper"
        deeper.joinpath(*["z"] * 59).mkdir(parents=True)
        at.rename(deeper.joinpath(*["z"] * 59, "x"))
        deeper.rename(at)
    found = submissions.find(tmp_path / "in", [STEM], limit=1000)
    assert {submission.student for submission in found.submissions} == {"ada", "zoe"}
    assert ["nested too deeply" in entry.reason for entry in found.skipped] == [True]
    scratch.remove(str(at))


def test_names_steer_no_terminal(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    honest = notebook.dumps(HALF.notebook(source_of(course)))
    named = edited(lambda content: content["metadata"].update(course={"stem": "\x1b[2J" + "x" * 100_000}))
    hand_in(tmp_path / "in", "ada", honest).rename(tmp_path / "in" / "ada" / STEM / "\x1b[2J\nzoe: 20.ipynb")
    hand_in(tmp_path / "in", "zoe", named(honest)).rename(tmp_path / "in" / "zoe" / STEM / "x.ipynb")
    for name in ("a\x9b2J", "\u202egro", "a\nb"):
        hand_in(tmp_path / "in", name, honest)
    run = grade(course, tmp_path / "in", Options(tmp_path / "out", workers=1, isolation=need("portable"), limits=SHORT))
    assert {result.student: result.score for result in run.results} == {"ada": EARNED}
    assert len(run.skipped) == 4
    console = Console(file=io.StringIO(), width=200)
    console.print(summary.render(run, "out"))
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert "was taken for 01_bayes_rule.ipynb" in told and len(told) < 10_000
    assert not [sign for sign in told if sign != "\n" and not sign.isprintable()]


def test_a_zip_whose_list_of_files_is_damaged_says_so(tmp_path: Path) -> None:
    for number, (before, after) in enumerate([(b"PK\x01\x02", b"PK\x01\x03"), ("ä".encode(), b"\xff\xfe")]):
        place = tmp_path / f"{number}.zip"
        place.write_bytes(zipped({f"ä_{STEM}.ipynb": b"{}"}).replace(before, after))
        with pytest.raises(UsageError, match="cannot be unpacked: .* Zip the files again."):
            submissions.find(place, [STEM], limit=SHORT.notebook_bytes)


def test_a_zip_that_unpacks_to_everything_harms_nobody(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course")
    honest = notebook.dumps(HALF.notebook(source_of(course)))
    path = f"{STEM}/{STEM}.ipynb"
    entries = {
        f"ada/{path}": honest,
        f"bomb/{path}": b'{"cells": "' + b" " * 300_000_000,
        f"../../climber/{path}": honest,
        f"/absolute/{path}": honest,
        f"damaged/{path}": honest,
        f"{'long' * 100}/{path}": honest,
        f"{'long/' * 1000}/{path}": honest,
        f"nested/{path}": zipped({"x" * 100: b"0" * 1_000_000}),
        f"zoe/{path}": honest,
    }
    place = tmp_path / "class.zip"
    place.write_bytes(with_damage(zipped(entries), f"damaged/{path}"))
    with zipfile.ZipFile(place, "a") as archive:
        link = zipfile.ZipInfo(f"link/{path}")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    run = grade(course, place, Options(tmp_path / "graded", workers=1, isolation=need("portable"), limits=SHORT))
    assert {result.student: result.score for result in run.results if result.ungraded is None} == {
        "ada": EARNED,
        "zoe": EARNED,
    }
    reasons = {entry.where.removeprefix(f"{place}:"): entry.reason for entry in run.skipped}
    assert "larger than" in reasons[f"bomb/{path}"]
    assert "leads out" in reasons[f"../../climber/{path}"] and "leads out" in reasons[f"/absolute/{path}"]
    assert "leads out" in reasons[f"link/{path}"]
    assert "cannot be unpacked" in reasons[f"damaged/{path}"]
    assert "too long for a student's name" in reasons[f"{'long' * 100}/{path}"]
    assert any("its path is too long" in reason for reason in reasons.values())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.zip", "course", "graded"]
