"""Similar pairs: what is found, what is not, and what no submission can spoil."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from sample_course import STEM

from autograder.cli import main
from autograder.course import Course, catalogue, notebook, sources
from autograder.course.model import Result
from autograder.grading import store
from autograder.grading.submissions import Submission
from autograder.pages.report_page import page
from autograder.pages.similarity import Comparison, compare
from autograder.validity import samples

COURSE = Course.default()
SOURCE = sources.read(COURSE.source(STEM))
FUNCTIONS = tuple(sources.stubs(SOURCE))
RIGHT = {
    name: [a.source() for a in catalogue.read(COURSE.misconceptions(STEM)).answers if a.is_right and a.function == name]
    for name in FUNCTIONS
}

HELPER = """
def tidy(table, wanted):
    rows = []
    for line in table.splitlines():
        parts = [part.strip() for part in line.split(";") if part]
        if len(parts) == wanted and not parts[0].startswith("#"):
            rows.append(tuple(float(part) for part in parts[1:]))
    if not rows:
        raise ValueError("there is no row in <table>")
    return max(rows, key=lambda row: row[0] - row[-1] ** 2)
"""


class Renaming(ast.NodeTransformer):
    """Gives every local variable and parameter another name."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = f"own_{node.id}" if node.id in self.names else node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = f"own_{node.arg}" if node.arg in self.names else node.arg
        return node


def renamed(code: str) -> str:
    """The same code with other names, and without its comments and its layout."""
    tree = ast.parse(code)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return ast.unparse(Renaming(names | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}).visit(tree))


def reordered(work: NotebookNode) -> NotebookNode:
    work.cells.reverse()
    return work


def with_cell(work: NotebookNode, code: str) -> NotebookNode:
    work.cells.append(new_code_cell(code))
    return work


def answers(variant: int) -> dict[str, str]:
    """One right answer to every exercise; the variants have none in common."""
    return {name: RIGHT[name][variant] for name in FUNCTIONS}


def compared(works: Mapping[str, NotebookNode | bytes]) -> Comparison:
    contents = {student: work if isinstance(work, bytes) else notebook.dumps(work) for student, work in works.items()}
    handed_in = [Submission(student, STEM, student, partial(bytes, data)) for student, data in contents.items()]
    return compare(COURSE, STEM, handed_in)


def students(found: Comparison) -> list[tuple[str, str]]:
    return [pair.students for pair in found.pairs]


@pytest.fixture(scope="module")
def independent() -> dict[str, NotebookNode]:
    """A class of four: the reference, and three right answers to everything that are written differently."""
    return {"ref": samples.reference(SOURCE)} | {
        name: samples.answered(SOURCE, answers(number)) for number, name in enumerate(("ada", "bob", "cyd"))
    }


@pytest.fixture(scope="module")
def copied(independent: dict[str, NotebookNode]) -> Comparison:
    copy = reordered(samples.answered(SOURCE, {name: renamed(code) for name, code in answers(0).items()}))
    return compared({**independent, "eve": copy})


def test_independent_right_answers_are_no_pair(independent: dict[str, NotebookNode]) -> None:
    found = compared(independent)
    assert found.compared == 4
    assert students(found) == []


def test_a_copy_with_other_names_in_another_order_is_found(copied: Comparison) -> None:
    assert students(copied) == [("ada", "eve")]
    assert copied.pairs[0].shares[0] > 0.95


def test_a_copy_of_the_reference_is_found(independent: dict[str, NotebookNode]) -> None:
    changed = {name: renamed(samples.reference_code(SOURCE, name)) for name in FUNCTIONS}
    assert students(compared({**independent, "eve": reordered(samples.answered(SOURCE, changed))})) == [("eve", "ref")]


def test_the_lines_that_are_shared_are_marked_and_the_stub_is_left_out(copied: Comparison) -> None:
    passages = copied.pairs[0].passages
    assert len(passages) >= 4
    for passage in passages:
        assert any(shared for _, shared in passage.one) and any(shared for _, shared in passage.other)
        assert not any("Parameters" in line for line, _ in passage.one)
    marked = "\n".join(line for passage in passages for line, shared in passage.other if shared)
    assert "own_" in marked


def test_only_the_shared_part_of_a_cell_is_marked(independent: dict[str, NotebookNode]) -> None:
    own = {"ada": "first = [n for n in range(3)]\n", "bob": "other = {}\n"}
    works = {name: with_cell(samples.untouched(SOURCE), own[name] * 3 + HELPER) for name in own}
    (pair,) = compared({"cyd": independent["cyd"], **works}).pairs
    (passage,) = pair.passages
    lines = dict(passage.one)
    assert lines['        if len(parts) == wanted and not parts[0].startswith("#"):']
    assert not lines["first = [n for n in range(3)]"]


def test_a_class_is_marked_where_it_stands() -> None:
    helper = "before = 1\nclass Table:\n" + HELPER.replace("\n", "\n    ")
    works = {name: with_cell(samples.untouched(SOURCE), helper) for name in ("ada", "bob")}
    (pair,) = compared(works).pairs
    assert [line.strip() for line, shared in pair.passages[0].one if shared][:2] == ["before = 1", "class Table:"]


def test_what_the_course_gives_does_not_count() -> None:
    given = [cell.source for cell in SOURCE.cells if cell.cell_type == "code" and sources.function_of(cell) is None]
    assert sum(len(code) for code in given) > 5000
    works = {name: samples.untouched(SOURCE) for name in ("ada", "bob")}
    for work in works.values():
        for code in given:
            with_cell(work, "# my own notes\n" + re.sub(r"\b(\w+)(?= = )", r"own_\1", code))
    assert students(compared(works)) == []
    assert students(compared({name: with_cell(work, HELPER) for name, work in works.items()})) == [("ada", "bob")]


def test_what_the_whole_class_writes_makes_no_pair(independent: dict[str, NotebookNode]) -> None:
    works = {f"s{number:02}": with_cell(samples.untouched(SOURCE), HELPER) for number in range(20)}
    assert students(compared(works)) == []
    assert students(compared({name: works[name] for name in ("s00", "s01")} | independent)) == [("s00", "s01")]


def test_a_few_lines_in_common_make_no_pair() -> None:
    short = "def mean_of(values):\n    return sum(values) / len(values)"
    assert students(compared({name: with_cell(samples.untouched(SOURCE), short) for name in ("ada", "bob")})) == []


def test_what_cannot_be_read_is_told_and_the_others_are_compared(
    copied: Comparison, independent: dict[str, NotebookNode]
) -> None:
    copy = samples.answered(SOURCE, answers(0))
    huge = with_cell(with_cell(samples.untouched(SOURCE), "x = 1\n" * 50_000), " " * 30_000 + "x")
    found = compared(
        {
            "ada": independent["ada"],
            "eve": copy,
            "bad": b"{",
            "big": huge,
            "none": notebook.dumps(samples.untouched(SOURCE)),
        }
    )
    assert students(found) == [("ada", "eve")]
    assert found.notes[0].startswith("bad could not be compared: bad is not JSON")
    assert found.notes[1] == "Of big, only a part was compared: some cells are too long."


def test_the_page_shows_the_pair_and_escapes_the_code() -> None:
    works = {name: with_cell(samples.untouched(SOURCE), HELPER) for name in ("<i>ada", "bob")}
    shown = page([Result(name, STEM, "strong", ()) for name in works], None, {STEM: compared(works)})
    words = " ".join(shown.split())
    assert "&lt;i&gt;ada</strong> and <strong>bob</strong>: nearly the same" in words
    assert (
        "no row in &lt;table&gt;" in shown
        and "<table>" not in shown.partition("Similar pairs")[2].partition("Students</h3>")[0]
    )
    assert "<i>ada" not in shown
    assert "not proof of copying" in words and "talk with the students" in words


def test_a_class_with_nothing_similar_is_told_so(independent: dict[str, NotebookNode]) -> None:
    shown = page([Result(name, STEM, "strong", ()) for name in independent], None, {STEM: compared(independent)})
    assert "No two of the 4 submissions compared are unusually similar." in shown


def test_without_the_submissions_the_page_says_how_to_look_for_pairs() -> None:
    assert "autograder report RESULTS --submissions PLACE" in page([Result("ada", STEM, "strong", ())])


@pytest.fixture
def handed_in(tmp_path: Path, independent: dict[str, NotebookNode]) -> Path:
    """Results of three students in graded/, and what they and a fourth one handed in in submitted/."""
    works = {**independent, "eve": samples.answered(SOURCE, answers(0))}
    for student, work in works.items():
        notebook.write(work, tmp_path / "submitted" / student / STEM / f"{STEM}.ipynb")
        if student != "cyd":
            store.write(tmp_path / "graded", Result(student, STEM, "strong", ()))
    (tmp_path / "other" / "ada" / "02_maximum_likelihood").mkdir(parents=True)
    (tmp_path / "other" / "ada" / "02_maximum_likelihood" / "02_maximum_likelihood.ipynb").write_bytes(b"{}")
    return tmp_path


def test_the_command_compares_what_was_graded(handed_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded, out = str(handed_in / "graded"), str(handed_in / "report.html")
    assert main(["report", graded, "--submissions", str(handed_in / "submitted"), "--out", out]) == 0
    assert "4 submissions of 4 students; 1 similar pair" in capsys.readouterr().out
    shown = (handed_in / "report.html").read_text()
    assert "<strong>ada</strong> and <strong>eve</strong>" in shown and "1 pair among 4 submissions" in shown
    assert main(["report", graded, "--out", out]) == 0
    assert "Similar pairs need --submissions" in capsys.readouterr().out
    for place in ("nowhere", "other"):
        assert (
            main(["report", graded, "--submissions", str(handed_in / place), "--out", str(handed_in / "no.html")]) == 2
        )
    assert not (handed_in / "no.html").exists()


def test_the_page_is_the_same_in_every_run(handed_in: Path) -> None:
    pages = set()
    for seed in ("1", "2"):
        out = handed_in / f"{seed}.html"
        command = [
            sys.executable,
            "-m",
            "autograder",
            "report",
            "graded",
            "--submissions",
            "submitted",
            "--out",
            str(out),
        ]
        subprocess.run(
            command, cwd=handed_in, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        pages.add(re.sub(r"\s+$", "", out.read_text()))
    assert len(pages) == 1
