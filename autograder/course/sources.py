"""Source notebooks: what an author's notebook says, exercise by exercise, and the rules that it has to follow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.course import notebook
from autograder.course.errors import SourceError
from autograder.course.model import TOUR, Exercise

BEGIN_SOLUTION, END_SOLUTION = "BEGIN SOLUTION", "END SOLUTION"
_CHECK = re.compile(r'check\("([A-Za-z_]\w*)"\)')
_MAY_USE = re.compile(r"^[^\w\n]*may use\b.*$", re.IGNORECASE | re.MULTILINE)


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
            found.append(_exercise(cell, tuple(functions), found, stem))
            functions = []
    if functions:
        raise SourceError(f'{stem}: nothing checks `{functions[0]}`. Add a cell check("{functions[0]}") below it.')
    _require_words_about_use(source, found, stem)
    return tuple(found)


def may_use_line(names: Sequence[str]) -> str:
    """The line by which a task says which earlier exercises an answer may build on: at least one."""
    *others, last = (f"`{name}`" for name in names)
    return f"*May use:* your {', '.join(others)} and {last}." if others else f"*May use:* your {last}."


def tasks(source: NotebookNode) -> dict[str, str]:
    """What each exercise asks: the markdown of the cell above its first function, by the exercise's name."""
    found = exercises(source)
    cells = _task_cells(source, found)
    return {exercise.name: cells[exercise.name].source if exercise.name in cells else "" for exercise in found}


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


def _exercise(cell: NotebookNode, functions: tuple[str, ...], earlier: Sequence[Exercise], stem: str) -> Exercise:
    """The exercise that a check cell ends, given the functions of the solution cells and the exercises before it."""
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
    return Exercise(name, int(points), functions, _may_use(cell, earlier, stem))


def _may_use(cell: NotebookNode, earlier: Sequence[Exercise], stem: str) -> tuple[str, ...]:
    """The earlier exercises that an answer may build on, as the metadata of the check cell declare them."""
    declared = cell.metadata.get("course", {})
    names = declared.get("may_use", []) if isinstance(declared, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or {*declared} - {"may_use"}:
        raise SourceError(
            f'{stem}, cell {cell.id}: its metadata say "course": {declared!r:.60}. '
            'Write "course": {"may_use": ["name", ...]} with names of earlier exercises, or leave it out.'
        )
    _require_distinct(names, "name in may_use", f"{stem}, cell {cell.id}")
    known = {exercise.name: exercise for exercise in earlier}
    for name in names:
        if name not in known:
            raise SourceError(
                f"{stem}, cell {cell.id}: may_use names {name!r}, which is not an exercise above this one. "
                f"Those are: {', '.join(known) or 'none'}."
            )
        if missing := [other for other in known[name].may_use if other not in names]:
            raise SourceError(
                f"{stem}, cell {cell.id}: may_use names {name!r}, which may itself use {missing[0]!r}. "
                f"An answer that calls the one rests on the other, too: add {missing[0]!r}."
            )
    return tuple(names)


def _task_cells(source: NotebookNode, found: Sequence[Exercise]) -> dict[str, NotebookNode]:
    """The markdown cell above the first function of each exercise that has one, by the exercise's name."""
    names = {exercise.functions[0]: exercise.name for exercise in found}
    cells: dict[str, NotebookNode] = {}
    above: NotebookNode | None = None
    for cell in source.cells:
        if cell.cell_type == "markdown" and not _is_manual(cell):
            above = cell
        elif above is not None and (name := names.get(function_of(cell) or "")) is not None:
            cells[name] = above
    return cells


def _require_words_about_use(source: NotebookNode, found: Sequence[Exercise], stem: str) -> None:
    """What may be used is declared in check cells, and said in the texts of these exercises, and nowhere else."""
    above = _task_cells(source, found)
    for exercise in found:
        _require_line(exercise, above.get(exercise.name), stem)
    texts = {cell.id for cell in above.values()}
    for cell in source.cells:
        if "course" in cell.metadata and not _is_check(cell):
            raise SourceError(f'{stem}, cell {cell.id}: "course" belongs to the metadata of a check cell. Move it.')
        if cell.cell_type == "markdown" and cell.id not in texts and (said := _MAY_USE.findall(cell.source)):
            raise SourceError(
                f"{stem}, cell {cell.id}: {said[0]!r} does not stand in the text of an exercise. "
                "Move it to the cell above the exercise's first function."
            )


def _require_line(exercise: Exercise, text: NotebookNode | None, stem: str) -> None:
    name = exercise.name
    where = f"{stem}, cell {name.replace('_', '-') if text is None else text.id}"
    said = [] if text is None else _MAY_USE.findall(text.source)
    if exercise.may_use and said != [may_use_line(exercise.may_use)]:
        raise SourceError(
            f"{where}: by its check cell's metadata `{name}` may use earlier exercises, so the text above it has once, "
            f"in a line of its own: {may_use_line(exercise.may_use)} It has {said or 'nothing like that'}."
        )
    if said and not exercise.may_use:
        raise SourceError(
            f"{where}: the text above `{name}` says {said[0]!r}, but its check cell's metadata say nothing about it. "
            'Add "course": {"may_use": ["name", ...]} there, or remove the line.'
        )


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
