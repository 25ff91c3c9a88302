"""Handing in says the same as grading would of the same bytes: what one refuses, the other refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import readers
from sample_class import SHORT, STEM, copy_course, hand_in, need, source_of, work
from test_files import FILES, cell, edited, every_cell, many_cells

from autograder.course import Course, notebook
from autograder.grading.grade import Options, grade

sys.path.insert(0, str(Course.default().notebooks))
from checks import reading  # what students have

HALF = work(bayes_binary=None)
FIX = ("JupyterLab", "save", "Save", "Delete some", "Shorten it", "not a notebook of this course")


def source_in_one_piece(content: dict[str, Any]) -> None:
    for one in content["cells"]:
        one["source"] = "".join(one["source"])


def in_old_format(honest: bytes) -> bytes:
    """The same notebook as IPython 1 wrote it."""
    cells = [
        {"cell_type": "code", "input": one["source"], "outputs": [], "language": "python", "metadata": {}}
        if one["cell_type"] == "code"
        else {"cell_type": one["cell_type"], "source": one["source"], "metadata": {}}
        for one in json.loads(honest)["cells"]
    ]
    content = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    return json.dumps(content).encode()


# Bytes made from an honest notebook, beside those that other tests of hostile files hand in.
ODD: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda honest: honest,
    "with a mark of byte order": lambda honest: b"\xef\xbb\xbf" + honest,
    "with two marks": lambda honest: b"\xef\xbb\xbf" * 2 + honest,
    "a mark alone": lambda _: b"\xef\xbb\xbf",
    "utf-16 little": lambda honest: honest.decode().encode("utf-16-le"),
    "utf-16 big with a mark": lambda honest: b"\xfe\xff" + honest.decode().encode("utf-16-be"),
    "utf-32": lambda honest: honest.decode().encode("utf-32"),
    "latin": lambda honest: honest.replace(b"Bayes", "Bäyes".encode("latin-1")),
    "other line ends": lambda honest: honest.replace(b"\n", b"\r\n"),
    "spaces around": lambda honest: b" \n\t" + honest + b"\n\n ",
    "something after it": lambda honest: honest + b"{}",
    "twice": lambda honest: honest * 2,
    "a comma too much": lambda honest: honest.rstrip()[:-1] + b",}",
    "conflict of versions": lambda honest: b"<<<<<<< HEAD\n" + honest + b"=======\n" + honest + b">>>>>>> main\n",
    "zero bytes within": lambda honest: honest.replace(b'"metadata"', b'"meta\0data"', 1),
    "a number": lambda _: b"1",
    "a text": lambda _: b'"cells"',
    "nothing in JSON": lambda _: b"null",
    "a page": lambda _: b"<!DOCTYPE html><title>Sign in</title>",
    "no format": edited(lambda content: content.pop("nbformat")),
    "format 2": edited(lambda content: content.update(nbformat=2)),
    "format 5": edited(lambda content: content.update(nbformat=5)),
    "format 4.0": edited(lambda content: content.update(nbformat=4.0)),
    "format in quotes": edited(lambda content: content.update(nbformat="4")),
    "format is true": edited(lambda content: content.update(nbformat=True)),
    "old format": in_old_format,
    "old format without sheets": edited(lambda content: content.update(nbformat=3)),
    "sheets in the new format": edited(lambda content: content.update(worksheets=content.pop("cells"))),
    "old format, sheets are a table": lambda _: b'{"nbformat": 3, "metadata": {}, "worksheets": {"cells": []}}',
    "cells are text": edited(lambda content: content.update(cells="none")),
    "cells are nothing": edited(lambda content: content.update(cells=None)),
    "a cell is nothing": edited(lambda content: content["cells"].append(None)),
    "a cell of no kind": edited(lambda content: content["cells"].append({"source": "1"})),
    "a cell of a new kind": edited(lambda content: content["cells"].append({"cell_type": "sql", "source": "1"})),
    "a kind in a list": edited(lambda content: content["cells"].append({"cell_type": ["code"], "source": "1"})),
    "only text": edited(lambda content: content.update(cells=[{"cell_type": "markdown", "source": "# Done"}])),
    "blank code": edited(every_cell(source=" \n\t")),
    "source in one piece": edited(source_in_one_piece),
    "source of numbers": edited(lambda content: cell(content, "setup").update(source=["a", 1])),
    "no source": edited(lambda content: cell(content, "setup").pop("source")),
    "metadata is a list": edited(lambda content: content.update(metadata=[])),
    "metadata are missing": edited(lambda content: content.pop("metadata")),
    "another course": edited(lambda content: content["metadata"].update(course={"stem": 7})),
    "outputs are a number": edited(every_cell(outputs=7)),
    "outputs of other kinds": edited(every_cell(outputs=[{"output_type": "display_data", "data": {"a/b": [7]}}, 7])),
    "attachments are a list": edited(every_cell(attachments=[1])),
    "deep enough": lambda honest: honest.replace(b'"metadata": {', b'"metadata": {"x": ' + nested(96) + b",", 1),
    "too deep": lambda honest: honest.replace(b'"metadata": {', b'"metadata": {"x": ' + nested(101) + b",", 1),
    "2000 code cells": edited(lambda content: many_cells(content, 2000 - len(codes(content)))),
    "2001 code cells": edited(lambda content: many_cells(content, 2001 - len(codes(content)))),
    "10000 cells": edited(lambda content: texts(content, 10_000 - len(content["cells"]))),
    "10001 cells": edited(lambda content: texts(content, 10_001 - len(content["cells"]))),
    "a long cell": edited(lambda content: lengthen(cell(content, "setup"), 500_000)),
    "a cell that is too long": edited(lambda content: lengthen(cell(content, "setup"), 500_001)),
    "as large as allowed": lambda honest: honest + b" " * ((20 << 20) - len(honest)),
    "too large by a byte": lambda honest: honest + b" " * ((20 << 20) - len(honest) + 1),
    "half a character in code": edited(lambda content: lengthen(cell(content, "setup"), 2000, "# \ud800")),
}


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def codes(content: dict[str, Any]) -> list[Any]:
    return [one for one in content["cells"] if one["cell_type"] == "code"]


def texts(content: dict[str, Any], count: int) -> None:
    content["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": ""}] * count


def lengthen(one: dict[str, Any], length: int, comment: str = "#") -> None:
    one["source"] = "".join(one["source"]) + f"\n{comment}"
    one["source"] += "x" * (length - len(one["source"]))


def corpus(honest: bytes) -> dict[str, bytes]:
    """All odd bytes, by name."""
    made = {name: make(honest) for name, make in ODD.items()}
    made |= {f"file: {name}": make(honest) for name, (make, _) in FILES.items()}
    return made | {f"text: {name}": data for name, data in readers.FILES.items()}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, bytes]]:
    course = copy_course(tmp_path_factory.mktemp("both") / "course")
    return course, corpus(notebook.dumps(HALF.notebook(source_of(course))))


@pytest.fixture(scope="module")
def graded(
    honest: tuple[Course, dict[str, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[float, str]]:
    """What grading makes of each of them: marks, and the reason why not."""
    (course, files), root = honest, tmp_path_factory.mktemp("graded")
    names = {f"s{number}": name for number, name in enumerate(files)}
    for student, name in names.items():
        hand_in(root / "in", student, files[name])
    options = Options(root / "out", workers=2, isolation=need("portable"), limits=SHORT)
    run = grade(course, root / "in", options)
    found = {names[result.student]: (result.score, result.ungraded or "") for result in run.results}
    for skipped in run.skipped:
        student = Path(skipped.where).relative_to(root / "in").parts[0]
        found[names[student]] = (0, skipped.reason)
    return found


def test_handing_in_and_grading_take_and_refuse_the_same_bytes(
    honest: tuple[Course, dict[str, bytes]], graded: dict[str, tuple[float, str]], tmp_path: Path
) -> None:
    course, files = honest
    assert len(files) > 100 and set(files) == set(graded)
    path, told, differing = tmp_path / f"{STEM}.ipynb", {}, {}
    for name, data in files.items():
        path.write_bytes(data)
        try:
            read = reading.read(path, list(course.stems()))
            told[name] = ""
            mine = [cell.source for cell in read.cells]
            theirs = [source for _, source in notebook.code_cells(notebook.parse(data, name))]
            assert (mine, read.stem) == (theirs, STEM), name
        except reading.NotHandedIn as reason:
            told[name] = str(reason)
        if bool(told[name]) != bool(graded[name][1]):
            differing[name] = (told[name], graded[name])
    assert differing == {}
    assert [reason for reason in told.values() if reason and not any(words in reason for words in FIX)] == []
    refused = sum(map(bool, told.values()))
    assert refused > 40 and len(told) - refused > 25


@pytest.mark.parametrize("name", ["with a mark of byte order", "old format", "other line ends", "source in one piece"])
def test_what_looks_odd_and_is_sound_earns_the_same(graded: dict[str, tuple[float, str]], name: str) -> None:
    assert graded[name] == graded["as it is"] and graded[name][0] > 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("file: utf16", "is UTF-16 text"),
        ("utf-16 big with a mark", "is UTF-16 text"),
        ("latin", "is not UTF-8 text"),
        ("file: nothing", "has no bytes"),
        ("conflict of versions", "is not JSON"),
        ("a number", "is JSON, but not a notebook"),
        ("cells are text", "its cells are not a list"),
        ("format 5", "has the notebook format 5"),
        ("file: nested_json", "nested too deeply"),
        ("too large by a byte", "is too large: grading takes at most 20 MiB"),
        ("2001 code cells", "2001 code cells; grading runs at most 2000"),
        ("a cell that is too long", "500001 characters"),
        ("only text", "there is no code"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    honest: tuple[Course, dict[str, bytes]], tmp_path: Path, name: str, words: str
) -> None:
    path = tmp_path / f"{STEM}.ipynb"
    path.write_bytes(honest[1][name])
    with pytest.raises(reading.NotHandedIn, match=words):
        reading.read(path, [STEM])


def test_the_old_format_without_its_converter_is_to_be_saved_anew(
    honest: tuple[Course, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    with pytest.raises(reading.NotHandedIn, match="old notebook format 3. Open it in JupyterLab and save it"):
        reading.parse(honest[1]["old format"], f"{STEM}.ipynb")
    assert reading.parse(honest[1]["as it is"], f"{STEM}.ipynb")["cells"]  # all else does without
