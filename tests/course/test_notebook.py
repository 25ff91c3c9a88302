"""Notebook files are read tolerantly, written atomically, and sources are held to their rules."""

import json
import os
import random
from pathlib import Path
from typing import Any

import minicourse
import nbformat
import pytest
from nbformat import NotebookNode

from autograder.course import Course, notebook, sources
from autograder.course.errors import AuthorError, SourceError, SubmissionError, UsageError
from autograder.course.model import Exercise

MINIMAL = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def as_bytes(**changes: Any) -> bytes:
    return json.dumps(MINIMAL | changes).encode()


# --- Files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"print('hello')", "is not JSON"),
        (b"\xff\xfe\x00", "is not UTF-8 text (byte 0)"),
        (b"[]", "is JSON, but not a notebook"),
        (b'"cells"', "is JSON, but not a notebook"),
        (b"null", "is JSON, but not a notebook"),
        (b'{"nbformat": 4}', "is JSON, but not a notebook"),
        (as_bytes(cells={}), "its cells are not a list"),
        (b'{"nbformat": 4, "worksheets": []}', "its cells are not a list"),
        (as_bytes(nbformat=2), "has the notebook format 2; 3 and 4 are known"),
        (as_bytes(nbformat=5), "has the notebook format 5; 3 and 4 are known"),
        (as_bytes(nbformat=None), "has the notebook format None"),
        (as_bytes(nbformat="4" * 1000), "3 and 4 are known"),
        (as_bytes(nbformat=3, worksheets=[{"cells": [7]}]), "damaged notebook of format 3"),
        (as_bytes(cells=[7]), "cell 1 is neither code nor text"),
        (as_bytes(cells=[{"cell_type": "heading"}]), "cell 1 is neither code nor text"),
        (as_bytes(cells=[{"cell_type": "code", "source": 7}]), "the content of cell 1 is not text"),
        (as_bytes(cells=[{"cell_type": "code", "source": ["a", 7]}]), "the content of cell 1 is not text"),
        (b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (as_bytes(metadata={"deep": json.loads("[" * 120 + "]" * 120)}), "nested too deeply"),
        (b'{"cells": [], "nbformat": ' + b"4" * 5000 + b"}", "is not JSON"),
        (as_bytes(metadata={"m": [{}] * 300_001}), "more than 300000 parts"),
        (as_bytes(metadata={"m": [0] * 1_000_002}), "1000000 values"),
        (as_bytes(metadata={"m": {f"{key:x}": 0 for key in range(1_000_002)}}), "1000000 values"),
        (b'{"cells":' + b'"",' * 2_700_000, "1000000 values"),
        (b'{"cells":' + b'""' * 2_700_000 + b"," * 1_000_001, "1000000 values"),
        (as_bytes(nbformat=3, worksheets=[{"cells": [{}] * 10_001}]), "has 10001 cells; at most 10000"),
    ],
)
def test_what_is_no_notebook_gets_a_message_that_says_why(data: bytes, message: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        notebook.parse(data, "anna.ipynb")
    assert "anna.ipynb" in str(caught.value)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_error_is_the_authors_where_the_file_is() -> None:
    with pytest.raises(SourceError, match="is not JSON"):
        notebook.parse(b"", "01_mini.ipynb", error=SourceError)


def test_missing_ids_metadata_and_outputs_are_filled_in() -> None:
    cells = [
        {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
        {"cell_type": "markdown", "source": "text", "id": "cell-1", "metadata": None},
        {"cell_type": "code", "source": "c", "id": "not an id!", "outputs": "none", "execution_count": "x"},
        {"cell_type": "code"},
    ]
    read = notebook.parse(as_bytes(cells=cells, metadata=[]), "x")
    assert [cell.id for cell in read.cells] == ["cell-1-1", "cell-1", "cell-3", "cell-4"]
    assert notebook.code_cells(read) == [("cell-1-1", "a = 1\nb = 2"), ("cell-3", "c"), ("cell-4", "")]
    assert notebook.stem_of(read) is None
    nbformat.validate(read)


def test_outputs_that_make_no_sense_are_dropped_and_the_source_is_kept() -> None:
    outputs = [
        7,
        {},
        {"output_type": "stream"},
        {"output_type": "display_data", "data": []},
        {"output_type": ["error"]},
    ]
    outputs += [{"output_type": "stream", "text": [7]}, {"output_type": "error", "text": [7]}]
    kept = {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]}
    cells = [{"cell_type": "code", "source": "a", "outputs": [*outputs, kept], "attachments": {"x": 7}}]
    read = notebook.parse(as_bytes(cells=cells), "x")
    assert sources.text_outputs(read) == [("cell-1", "a\nb")]
    assert notebook.code_cells(read) == [("cell-1", "a")]
    assert notebook.parse(notebook.dumps(read), "x") == read


def test_keys_that_no_cell_has_are_dropped() -> None:
    cells = [
        {"cell_type": "code", "source": "a", "outputs": [], "prompt": 7, "*": 8},
        {"cell_type": "markdown", "source": "b", "level": 1},
    ]
    read = notebook.parse(as_bytes(cells=cells), "x")
    nbformat.validate(read)
    assert [sorted(cell) for cell in read.cells] == [
        ["cell_type", "execution_count", "id", "metadata", "outputs", "source"],
        ["cell_type", "id", "metadata", "source"],
    ]


@pytest.mark.parametrize("minor", [0, 4, 5, 9])
def test_every_minor_version_of_format_4_is_read(minor: int) -> None:
    read = notebook.parse(as_bytes(nbformat_minor=minor, cells=[{"cell_type": "code", "source": "a"}]), "x")
    assert (read.nbformat, read.nbformat_minor) == (4, 5)


def test_format_3_is_upgraded() -> None:
    old = {"worksheets": [{"cells": [{"cell_type": "code", "language": "python", "input": "a = 1", "outputs": []}]}]}
    read = notebook.parse(json.dumps(old | {"nbformat": 3, "nbformat_minor": 0, "metadata": {}}).encode(), "x")
    assert notebook.code_cells(read) == [("cell-1", "a = 1")]


def test_a_byte_order_mark_does_no_harm() -> None:
    assert notebook.parse(b"\xef\xbb\xbf" + as_bytes(), "x").cells == []


def test_brackets_and_commas_in_texts_are_no_parts() -> None:
    text = '[1, 2, {"a": "\\\\"}], ' * 250_000
    cells = [{"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": [text]}]}]
    assert notebook.parse(as_bytes(cells=cells), "anna.ipynb").cells[0].outputs[0].text == text


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-" + "9" * 400 + ".0"])
def test_numbers_that_json_does_not_have_are_not_written(number: str) -> None:
    data = as_bytes(metadata={"m": [1.5, "X"]}).replace(b'"X"', number.encode())
    written = notebook.dumps(notebook.parse(data, "anna.ipynb"))

    def refuse(word: str) -> None:
        raise ValueError(word)

    assert json.loads(written, parse_constant=refuse)["metadata"] == {"m": [1.5, None]}


def test_half_a_character_is_replaced_so_that_the_notebook_can_be_written(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": "s = '\ud800'", "metadata": {"\udfff": ["\ud83d\ude00"]}}]
    read = notebook.parse(as_bytes(cells=cells), "x")
    notebook.write(read, tmp_path / "x.ipynb")
    assert notebook.code_cells(notebook.read(tmp_path / "x.ipynb")) == [("cell-1", "s = '\ufffd'")]
    assert "😀" in (tmp_path / "x.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize("metadata", [{}, {"course": 7}, {"course": {}}, {"course": {"stem": ["01_mini"]}}])
def test_a_submission_without_a_usable_stem_has_none(metadata: dict[Any, Any]) -> None:
    assert notebook.stem_of(notebook.parse(as_bytes(metadata=metadata), "x")) is None


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.ipynb"
    with path.open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(SubmissionError, match="too large: 50000.0 MB where 20.0 MB are allowed"):
        notebook.read(path, limit=20_000_000)
    with pytest.raises(SubmissionError, match="too large"):
        notebook.parse(b" " * 101, "x", limit=100)


def test_a_symbolic_link_is_refused_when_told(tmp_path: Path) -> None:
    (tmp_path / "real.ipynb").write_bytes(as_bytes())
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    assert notebook.read(tmp_path / "link.ipynb").cells == []
    with pytest.raises(SubmissionError, match=r"link\.ipynb is a symbolic link"):
        notebook.read(tmp_path / "link.ipynb", symlinks=False)


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    for name in ("pipe.ipynb", "folder.ipynb"):
        with pytest.raises(SubmissionError, match="is not a file, so it is not a notebook"):
            notebook.read(tmp_path / name)
    with pytest.raises(SubmissionError, match="cannot be read: No such file"):
        notebook.read(tmp_path / "missing.ipynb")


def test_writing_is_stable_and_leaves_no_traces(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    made = minicourse.make_notebook("01_mini", minicourse.cells_of_01())
    notebook.write(made, path)
    first = path.read_bytes()
    notebook.write(notebook.read(path), path)
    assert path.read_bytes() == first == notebook.dumps(made)
    assert first.endswith(b"}\n") and b'\n "cells": [' in first
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.ipynb"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("old")

    def full(*args: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        notebook.write(minicourse.make_notebook("01_mini", []), path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.ipynb"]


def test_no_damage_to_a_file_ends_in_anything_but_a_notebook_or_a_message(tmp_path: Path) -> None:
    whole = notebook.dumps(minicourse.make_notebook("01_mini", minicourse.cells_of_01()))
    rng = random.Random(0)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 5)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            read = notebook.parse(
                bytes(damaged[: rng.randint(1, len(damaged))] if rng.random() < 0.3 else damaged), "x"
            )
        except SubmissionError:
            continue
        notebook.dumps(read)
        assert all(isinstance(text, str) for _, text in notebook.code_cells(read))


# --- Sources ----------------------------------------------------------------------------------------------------------


def source_of(*cells: NotebookNode) -> NotebookNode:
    return minicourse.make_notebook("01_mini", list(cells))


HALF = minicourse.solution("half", "def half(x):\n    ### BEGIN SOLUTION\n    return x / 2\n    ### END SOLUTION")
OTHER = minicourse.solution("other", "def other(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION")


def test_exercises_are_read_from_the_cells() -> None:
    source = source_of(*minicourse.cells_of_01(), HALF, OTHER, minicourse.check("half", 2.0))
    assert sources.exercises(source) == (
        Exercise("weighted_mean", 3, ("weighted_mean",)),
        Exercise("half", 2, ("half", "other")),
    )


def test_regions_answers_and_cells_to_skip_are_read_from_the_cells() -> None:
    source = source_of(*minicourse.cells_of_01(), HALF, minicourse.check("half"))
    assert sources.solution_regions(source)[1] == ("half", "    return x / 2")
    assert sources.sample_answers(source) == [("reflect-1-answer", minicourse.SAMPLE_ANSWER)]
    assert sources.check_cells(source) == {'check("weighted_mean")', 'check("half")'}
    assert sources.demo_cells(source) == {'print("weighted, the mean is", weighted_mean([2.0, 4.0], [1, 3]))', "None"}
    assert sources.text_outputs(source) == [("example", "weighted, the mean is 3.5\n"), ("figure", "<Figure>")]
    assert sources.image_outputs(source) == [("figure", minicourse.PICTURE)]


def changed(cell: NotebookNode, **fields: Any) -> NotebookNode:
    copied = nbformat.from_dict(json.loads(json.dumps(cell)))
    for field, value in fields.items():
        if field in ("source", "id"):
            copied[field] = value
        elif value is None:
            del copied.metadata.nbgrader[field]
        else:
            copied.metadata.nbgrader[field] = value
    assert isinstance(copied, NotebookNode)
    return copied


CHECK = minicourse.check("half")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([CHECK], "cell half-check: no solution cell stands between"),
        ([HALF, CHECK, minicourse.check("other")], "cell other-check: no solution cell stands between"),
        ([HALF], "nothing checks `half`"),
        ([HALF, HALF, CHECK], "the cell id 'half' occurs more than once"),
        ([HALF, changed(HALF, id="again"), CHECK], "the grade_id 'half' occurs more than once"),
        ([HALF, changed(CHECK, points=None)], "cell half-check: the points are None"),
        ([HALF, changed(CHECK, points=0)], "the points are 0"),
        ([HALF, changed(CHECK, points=1.5)], "the points are 1.5"),
        ([HALF, changed(CHECK, points="3")], "the points are '3'"),
        ([HALF, changed(CHECK, source='check("half")\nprint(1)')], 'a check cell contains exactly check("name")'),
        ([HALF, changed(CHECK, source="check('half')")], 'a check cell contains exactly check("name")'),
        ([HALF, changed(CHECK, source="")], 'a check cell contains exactly check("name")'),
        ([HALF, changed(CHECK, grade_id="test-half")], "its grade_id is 'test-half', not 'half-check'"),
        ([OTHER, CHECK], "checks 'half', but the first solution cell before it is 'other'"),
        ([changed(HALF, grade_id="third"), CHECK], "the cell does not define `third`"),
        ([changed(HALF, id="cell-7"), CHECK], "cell cell-7: with this grade_id its id must be 'half'"),
        ([HALF, changed(CHECK, id="cell-8")], "its id must be 'half-check'"),
        ([changed(HALF, source="def half(x):\n    return x / 2"), CHECK], "a solution cell without ### BEGIN SOLUTION"),
        ([changed(HALF, source="def half(x):\n    ### BEGIN SOLUTION\n    pass"), CHECK], "no ### END SOLUTION after"),
        ([changed(HALF, source="def half(x):\n    ### END SOLUTION\n    pass"), CHECK], "do not come in pairs"),
        (
            [minicourse.markdown("intro", "### BEGIN SOLUTION\n### END SOLUTION"), HALF, CHECK],
            "cell intro: solution markers in a cell that nbgrader does not know as a solution",
        ),
    ],
)
def test_a_source_that_breaks_a_rule_is_refused(cells: list[Any], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        sources.exercises(source_of(*cells))
    assert message in str(caught.value)
    assert "01_mini" in str(caught.value)


def test_a_graded_cell_is_no_demonstration() -> None:
    tagged = nbformat.from_dict(json.loads(json.dumps(HALF)))
    tagged.metadata["tags"] = ["demo"]
    with pytest.raises(SourceError, match="cell half: a graded cell is not a demonstration"):
        sources.demo_cells(source_of(tagged))


def test_a_source_carries_the_stem_of_its_file(tmp_path: Path) -> None:
    made = source_of(HALF, CHECK)
    notebook.write(made, tmp_path / "02_other.ipynb")
    with pytest.raises(SourceError, match="says in its metadata that it is '01_mini'"):
        sources.read(tmp_path / "02_other.ipynb")
    del made.metadata["course"]
    with pytest.raises(SourceError, match="lacks its stem"):
        sources.exercises(made)


def test_a_source_must_be_a_valid_notebook(tmp_path: Path) -> None:
    made = source_of(HALF, CHECK)
    made.cells[0].outputs = [nbformat.from_dict({"output_type": "error", "ename": 7})]
    notebook.write(made, tmp_path / "01_mini.ipynb")
    with pytest.raises(SourceError, match=r"01_mini\.ipynb is not a valid notebook"):
        sources.read(tmp_path / "01_mini.ipynb")


# --- The course -------------------------------------------------------------------------------------------------------


def test_the_course_knows_its_places(tmp_path: Path) -> None:
    course = minicourse.make(tmp_path)
    assert course.stems() == ("01_mini", "02_more")
    assert course.source("01_mini") == tmp_path / "solutions" / "01_mini.ipynb"
    assert course.released("01_mini") == tmp_path / "notebooks" / "01_mini.ipynb"
    assert course.suite("01_mini") == tmp_path / "autograder" / "suites" / "test_01_mini.py"
    assert course.misconceptions("01_mini") == tmp_path / "autograder" / "misconceptions" / "01_mini.py"
    assert course.select(None) == course.select(["02_more", "01_mini", "01_mini"]) == ("01_mini", "02_more")


def test_an_unknown_stem_is_answered_with_the_nearest_first(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no notebook '02_mor' in .*Known are: 02_more, 01_mini\."):
        minicourse.make(tmp_path).source("02_mor")


def test_a_course_without_sources_says_so(tmp_path: Path) -> None:
    with pytest.raises(AuthorError, match="There is no source notebook in"):
        Course(tmp_path).select(None)


def test_the_default_course_is_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Course.default().root / "autograder" / "__init__.py").is_file()
    monkeypatch.setattr("autograder.course.folders.__file__", str(tmp_path / "autograder" / "course" / "folders.py"))
    with pytest.raises(AuthorError, match="There is no folder solutions/ in"):
        Course.default()
