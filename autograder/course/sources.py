"""Source notebooks: what an author's notebook says, exercise by exercise, and the rules that it has to follow."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.course import notebook
from autograder.course.errors import SourceError
from autograder.course.model import TOUR, Exercise

BEGIN_SOLUTION, END_SOLUTION = "BEGIN SOLUTION", "END SOLUTION"
_CHECK = re.compile(r'check\("([A-Za-z_]\w*)"\)')


def read(path: Path) -> NotebookNode:
    """A source notebook, which must be flawless: valid, with ids that differ, and with the stem of its file."""
    source = notebook.read(path, error=SourceError)
    _require_distinct([cell.id for cell in source.cells], "cell id", path.name)
    try:
        nbformat.validate(source)
    except nbformat.ValidationError as problem:
        raise SourceError(f"{path.name} is not a valid notebook: {problem.message}.") from None
    if _stem_of_source(source) != path.stem:
        raise SourceError(
            f"{path.name} says in its metadata that it is {notebook.stem_of(source)!r}. "
            f"Set course.stem to {path.stem!r}, or rename the file."
        )
    return source


def exercises(source: NotebookNode) -> tuple[Exercise, ...]:
    """The exercises of a source notebook, in order; a SourceError names the cell that breaks a rule."""
    stem = _stem_of_source(source)
    _require_distinct([cell.id for cell in source.cells], "cell id", stem)
    _require_distinct(
        [_grader(cell)["grade_id"] for cell in source.cells if "grade_id" in _grader(cell)], "grade_id", stem
    )
    solution_regions(source)
    found: list[Exercise] = []
    functions: list[str] = []
    for cell in source.cells:
        if _is_solution(cell):
            functions.append(_function(cell, stem))
        elif _is_check(cell):
            found.append(_exercise(cell, tuple(functions), stem))
            functions = []
    if functions:
        raise SourceError(f'{stem}: nothing checks `{functions[0]}`. Add a cell check("{functions[0]}") below it.')
    return tuple(found)


def tasks(source: NotebookNode) -> dict[str, str]:
    """What each exercise asks: the markdown of the cell above its first function, by the exercise's name."""
    found: dict[str, str] = {}
    text = ""
    functions = {exercise.functions[0]: exercise.name for exercise in exercises(source)}
    for cell in source.cells:
        if cell.cell_type == "markdown" and not _is_manual(cell):
            text = cell.source
        elif (name := functions.get(function_of(cell) or "")) is not None:
            found[name] = text
    return found


def solution_regions(source: NotebookNode) -> list[tuple[str, str]]:
    """The grade_id and the code between the solution markers, for each region of each solution cell."""
    stem = _stem_of_source(source)
    regions: list[tuple[str, str]] = []
    for cell in source.cells:
        inside = _between_markers(cell, stem)
        if _is_solution(cell):
            if not inside:
                raise SourceError(
                    f"{stem}, cell {cell.id}: a solution cell without ### {BEGIN_SOLUTION} and ### {END_SOLUTION}. "
                    "Without them nbgrader would replace the whole cell, stub and docstring included."
                )
            regions += [(cell.metadata.nbgrader.grade_id, text) for text in inside]
        elif inside and not _is_manual(cell):
            raise SourceError(
                f"{stem}, cell {cell.id}: solution markers in a cell that nbgrader does not know as a solution. "
                "Set nbgrader's metadata (solution: true), or remove the markers."
            )
    return regions


def function_of(cell: NotebookNode) -> str | None:
    """The function that a cell of a source notebook answers; None for every other cell."""
    return _grader(cell).get("grade_id") if _is_solution(cell) else None


def stubs(source: NotebookNode) -> dict[str, str]:
    """The code of each function's cell as students get it, with nothing between the markers but an exception."""
    region = re.compile(rf"^([ \t]*)### {BEGIN_SOLUTION}.*?### {END_SOLUTION}", re.MULTILINE | re.DOTALL)
    return {
        function: region.sub(r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", cell.source)
        for cell in source.cells
        if (function := function_of(cell)) is not None
    }


def sample_answers(source: NotebookNode) -> list[tuple[str, str]]:
    """The grade_id and the sample answer of each cell that is graded by hand."""
    stem = _stem_of_source(source)
    return [
        (cell.metadata.nbgrader.grade_id, "\n".join(_between_markers(cell, stem)) or cell.source)
        for cell in source.cells
        if _is_manual(cell)
    ]


def demo_cells(source: NotebookNode) -> set[str]:
    """The stripped sources of the demonstrations, which grading may skip where they are unchanged."""
    for cell in source.cells:
        if "demo" in cell.metadata.get("tags", []) and (_is_solution(cell) or _is_check(cell)):
            raise SourceError(
                f"{_stem_of_source(source)}, cell {cell.id}: a graded cell is not a demonstration. Remove the tag."
            )
    return {
        cell.source.strip()
        for cell in source.cells
        if cell.cell_type == "code" and "demo" in cell.metadata.get("tags", [])
    }


def check_cells(source: NotebookNode) -> set[str]:
    """The stripped sources of the check cells, which grading may skip: it runs the checks itself."""
    return {cell.source.strip() for cell in source.cells if _is_check(cell)}


def text_outputs(source: NotebookNode) -> list[tuple[str, str]]:
    """The id and the text of everything that the code cells printed or returned as plain text."""
    found = []
    for cell in source.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain")
            if isinstance(text, str):
                found.append((cell.id, text))
    return found


def image_outputs(source: NotebookNode) -> list[tuple[str, str]]:
    """The id and the base64 text of every picture that the code cells drew."""
    return [
        (cell.id, data)
        for cell in source.cells
        for output in cell.get("outputs", [])
        for kind, data in output.get("data", {}).items()
        if kind.startswith("image/") and isinstance(data, str)
    ]


def _grader(cell: NotebookNode) -> dict[str, Any]:
    """What nbgrader's metadata say about a cell."""
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def _is_solution(cell: NotebookNode) -> bool:
    return bool(_grader(cell).get("solution")) and not _grader(cell).get("grade")


def _is_check(cell: NotebookNode) -> bool:
    return bool(_grader(cell).get("grade")) and not _grader(cell).get("solution")


def _is_manual(cell: NotebookNode) -> bool:
    return bool(_grader(cell).get("grade")) and bool(_grader(cell).get("solution"))


def _stem_of_source(source: NotebookNode) -> str:
    stem = notebook.stem_of(source)
    if stem is None:
        raise SourceError(
            'A source notebook lacks its stem. Add "course": {"stem": "NN_name"} to the notebook\'s metadata.'
        )
    return stem


def _function(cell: NotebookNode, stem: str) -> str:
    """The function that a solution cell asks for."""
    name = str(_grader(cell).get("grade_id", ""))
    if cell.cell_type != "code" or not re.search(rf"^(?:def|class) {re.escape(name)}\b", cell.source, re.MULTILINE):
        raise SourceError(f"{stem}, cell {cell.id}: the grade_id is {name!r}, but the cell does not define `{name}`.")
    _require_id(cell, stem)
    return name


def _exercise(cell: NotebookNode, functions: tuple[str, ...], stem: str) -> Exercise:
    """The exercise that a check cell ends, given the functions of the solution cells before it."""
    match = _CHECK.fullmatch(cell.source.strip())
    if cell.cell_type != "code" or match is None:
        raise SourceError(
            f'{stem}, cell {cell.id}: a check cell contains exactly check("name"), not {cell.source!r:.60}.'
        )
    name = match.group(1)
    if not functions:
        raise SourceError(f"{stem}, cell {cell.id}: no solution cell stands between the check before and this one.")
    if functions[0] != name:
        raise SourceError(
            f"{stem}, cell {cell.id}: checks {name!r}, but the first solution cell before it is {functions[0]!r}. "
            "An exercise is named after its first function."
        )
    if _grader(cell).get("grade_id") != f"{name}-check":
        raise SourceError(
            f"{stem}, cell {cell.id}: its grade_id is {_grader(cell).get('grade_id')!r}, not '{name}-check'."
        )
    _require_id(cell, stem)
    points = _grader(cell).get("points")
    if isinstance(points, bool) or not isinstance(points, int | float) or not float(points).is_integer() or points < 0:
        raise SourceError(f"{stem}, cell {cell.id}: the points are {points!r}. Give a whole number above zero.")
    if (points == 0) != stem.startswith(TOUR):
        raise SourceError(
            f"{stem}, cell {cell.id}: the points are {points!r}. In a tour they are 0, elsewhere a number above zero."
        )
    return Exercise(name, int(points), functions)


def _require_id(cell: NotebookNode, stem: str) -> None:
    expected = _grader(cell)["grade_id"].replace("_", "-")
    if cell.id != expected:
        raise SourceError(f"{stem}, cell {cell.id}: with this grade_id its id must be {expected!r}.")


def _require_distinct(names: list[str], what: str, where: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise SourceError(f"{where}: the {what} {twice[0]!r} occurs more than once. Every {what} must be unique.")


def _between_markers(cell: NotebookNode, stem: str) -> list[str]:
    """The texts between the solution markers of a cell, as nbgrader reads them."""
    found: list[str] = []
    region: list[str] | None = None
    for line in cell.source.splitlines():
        if BEGIN_SOLUTION in line and region is None:
            region = []
        elif END_SOLUTION in line and region is not None:
            found.append("\n".join(region))
            region = None
        elif BEGIN_SOLUTION in line or END_SOLUTION in line:
            raise SourceError(f"{stem}, cell {cell.id}: solution markers do not come in pairs (BEGIN, then END).")
        elif region is not None:
            region.append(line)
    if region is not None:
        raise SourceError(f"{stem}, cell {cell.id}: no ### {END_SOLUTION} after ### {BEGIN_SOLUTION}.")
    return found
