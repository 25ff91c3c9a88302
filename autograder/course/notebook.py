"""Notebook files: reading them, writing them, and what a source notebook says. Only this module knows nbformat."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines

from autograder.course import files
from autograder.course.errors import AutograderError, SourceError, SubmissionError
from autograder.course.model import TOUR, Exercise

BEGIN_SOLUTION, END_SOLUTION = "BEGIN SOLUTION", "END SOLUTION"
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3"}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

_TRACES_OF_CELL = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")
_TRACES_OF_NOTEBOOK = ("celltoolbar", "signature", "toc", "varInspector", "widgets")
_KEYS_OF_CELL = ("cell_type", "id", "metadata", "execution_count", "outputs", "attachments")
_CHECK = re.compile(r'check\("([A-Za-z_]\w*)"\)')
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEEPEST = 100
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_MAX_CELLS, _MAX_PARTS = 10_000, 300_000  # far more than people make, and few enough to be read in a few seconds

Error = type[AutograderError]


# --- Reading and writing ----------------------------------------------------------------------------------------------


def read(
    path: Path, *, error: Error = SubmissionError, limit: int | None = None, symlinks: bool = True
) -> NotebookNode:
    """The notebook in a file, brought to the current format; an `error` says what is wrong with the file.

    `limit` bounds the size in bytes. With `symlinks=False` a symbolic link is refused instead of followed.
    """
    return parse(_content(path, error, limit, symlinks), str(path), error=error, limit=limit)


def parse(data: bytes, where: str, *, error: Error = SubmissionError, limit: int | None = None) -> NotebookNode:
    """The notebook in `data`, brought to the current format; `where` names it in the error's message.

    Cells without id are numbered, missing metadata and outputs are filled in, outputs that cannot be
    understood are dropped: none of that matters to what a student wrote.
    """
    if limit is not None and len(data) > limit:
        raise error(_too_large(where, len(data), limit))
    if data.count(b"{") + data.count(b"[") > _MAX_PARTS:
        raise error(f"{where} has more than {_MAX_PARTS} parts. Clear the outputs in JupyterLab and save it again.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{where} is not UTF-8 text (byte {problem.start}). Save it again in JupyterLab.") from None
    too_deep = f"{where} is nested too deeply to be a notebook. Save it again in JupyterLab."
    try:
        content = json.loads(text)
    except RecursionError:
        raise error(too_deep) from None
    except ValueError as problem:
        raise error(f"{where} is not JSON ({problem}), so it is no notebook. Save it again in JupyterLab.") from None
    if _is_deep(content):
        raise error(too_deep)
    try:
        return _notebook(_without_surrogates(content) if _SURROGATE.search(text) else content, where, error)
    except AutograderError:
        raise
    except Exception as problem:  # noqa: BLE001 - one strange file must not stop a class
        raise error(
            f"{where} cannot be read as a notebook ({type(problem).__name__}). Save it again in JupyterLab."
        ) from None


def read_source(path: Path) -> NotebookNode:
    """A source notebook, which must be flawless: valid, with ids that differ, and with the stem of its file."""
    source = read(path, error=SourceError)
    _require_distinct([cell.id for cell in source.cells], "cell id", path.name)
    try:
        nbformat.validate(source)
    except nbformat.ValidationError as problem:
        raise SourceError(f"{path.name} is not a valid notebook: {problem.message}.") from None
    if _stem_of_source(source) != path.stem:
        raise SourceError(
            f"{path.name} says in its metadata that it is {stem_of(source)!r}. "
            f"Set course.stem to {path.stem!r}, or rename the file."
        )
    return source


def dumps(notebook: NotebookNode) -> bytes:
    """The bytes of a notebook file: keys sorted, indented by one, a newline at the end."""
    return nbformat.v4.writes(notebook).encode("utf-8", "replace") + b"\n"


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook so that nobody ever reads half of it."""
    files.replace(path, dumps(notebook))


def _content(path: Path, error: Error, limit: int | None, symlinks: bool) -> bytes:
    if not symlinks and path.is_symlink():
        raise error(f"{path} is a symbolic link, not a notebook. Hand in the file itself.")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags if symlinks else flags | getattr(os, "O_NOFOLLOW", 0))
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror}.") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise error(f"{path} is not a file, so it is no notebook.")
    with os.fdopen(handle, "rb") as file:
        if limit is not None and status.st_size > limit:
            raise error(_too_large(str(path), status.st_size, limit))
        return file.read() if limit is None else file.read(limit + 1)


def _too_large(where: str, size: int, limit: int) -> str:
    return (
        f"{where} is too large: {size / 1e6:.1f} MB where {limit / 1e6:.1f} MB are allowed. "
        "Clear the outputs in JupyterLab (Edit, Clear Outputs of All Cells) and save again."
    )


def _notebook(content: Any, where: str, error: Error) -> NotebookNode:
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise error(f"{where} is JSON, but not a notebook: it has no cells.")
    major = content.get("nbformat")
    if major == 3:
        content = _from_version_3(content, where, error)
    elif major != 4:
        raise error(f"{where} has the notebook format {major!r:.20}; 3 and 4 are known. Save it again in JupyterLab.")
    if not isinstance(content.get("cells"), list):
        raise error(f"{where} is JSON, but not a notebook: its cells are no list.")
    if len(content["cells"]) > _MAX_CELLS:
        raise error(f"{where} has {len(content['cells'])} cells; at most {_MAX_CELLS} are read.")
    taken = {cell["id"] for cell in content["cells"] if isinstance(cell, dict) and _has_id(cell)}
    cells = [_cell(cell, number, taken, where, error) for number, cell in enumerate(content["cells"], start=1)]
    metadata = content["metadata"] if isinstance(content.get("metadata"), dict) else {}
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _is_deep(content: Any) -> bool:
    """Whether lists and objects are nested further than any notebook needs, and than recursion could follow."""
    level = [content]
    for _ in range(_DEEPEST):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _from_version_3(content: dict[str, Any], where: str, error: Error) -> dict[str, Any]:
    try:
        for cell in (cell for sheet in content["worksheets"] for cell in sheet["cells"]):
            if cell.get("cell_type") == "heading" and cell.get("level") not in range(1, 7):
                cell["level"] = 1  # the converter writes as many signs as it is told
        upgraded = nbformat.convert(nbformat.v3.to_notebook_json(content), 4)
    except RecursionError:
        raise
    except Exception as problem:  # noqa: BLE001 - the converter expects a sound file and fails in any way on others
        raise error(f"{where} is a damaged notebook of format 3 ({problem}). Save it again in JupyterLab.") from None
    for cell in upgraded.cells:
        cell.pop("id", None)
    return dict(upgraded)


def _cell(cell: Any, number: int, taken: set[str], where: str, error: Error) -> NotebookNode:
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if kind not in ("code", "markdown", "raw"):
        raise error(f"{where}: cell {number} is neither code nor text. Delete it in JupyterLab and save again.")
    lines = cell.get("source", "")
    if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
        lines = "".join(lines)
    if not isinstance(lines, str):
        raise error(f"{where}: the content of cell {number} is not text. Type it again in JupyterLab and save.")
    complete = {key: cell[key] for key in _KEYS_OF_CELL if key in cell} | {
        "source": lines
    }  # nbgrader refuses a cell with others
    if not _has_id(cell):
        complete["id"] = next(name for name in _numbered(number) if name not in taken)
        taken.add(complete["id"])
    if not isinstance(cell.get("metadata"), dict):
        complete["metadata"] = {}
    if kind == "code":
        count = cell.get("execution_count")
        complete["execution_count"] = count if isinstance(count, int) else None
        outputs = cell["outputs"] if isinstance(cell.get("outputs"), list) else []
        complete["outputs"] = [output for output in outputs if _is_output(output)]
    attachments = cell.get("attachments")
    if not isinstance(attachments, dict) or not all(isinstance(bundle, dict) for bundle in attachments.values()):
        complete.pop("attachments", None)
    node = nbformat.from_dict(complete)
    rejoin_lines(NotebookNode(cells=[node]))
    return node


def _is_output(output: Any) -> bool:
    match output:
        case {"output_type": "stream", "text": str()}:
            return True
        case {"output_type": "error"}:
            return "text" not in output
        case {"output_type": "stream", "text": list(lines)}:
            return all(isinstance(line, str) for line in lines)
        case {"output_type": "display_data" | "execute_result", "data": dict()}:
            return True
    return False


def _has_id(cell: dict[str, Any]) -> bool:
    return isinstance(cell.get("id"), str) and _CELL_ID.fullmatch(cell["id"]) is not None


def _numbered(number: int) -> Iterator[str]:
    yield f"cell-{number}"
    letter = 0
    while True:
        letter += 1
        yield f"cell-{number}-{letter}"


def _without_surrogates(value: Any) -> Any:
    """The same data with � for half a character, which no file could hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def tidy(some: NotebookNode) -> NotebookNode:
    """The notebook without what editors and runs leave behind, and with the course's kernel; changed in place."""
    for cell in some.cells:
        for key in _TRACES_OF_CELL:
            cell.metadata.pop(key, None)
    for key in _TRACES_OF_NOTEBOOK:
        some.metadata.pop(key, None)
    some.metadata.update(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    return some


# --- What any notebook says -------------------------------------------------------------------------------------------


def stem_of(notebook: NotebookNode) -> str | None:
    """The stem that a notebook carries in its metadata, or None."""
    course = notebook.metadata.get("course")
    stem = course.get("stem") if isinstance(course, dict) else None
    return stem if isinstance(stem, str) else None


def code_cells(notebook: NotebookNode) -> list[tuple[str, str]]:
    """The id and the source of each code cell, in order."""
    return [(cell.id, cell.source) for cell in notebook.cells if cell.cell_type == "code"]


# --- What a source notebook says --------------------------------------------------------------------------------------


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
                f"{_stem_of_source(source)}, cell {cell.id}: a graded cell is no demonstration. Drop the tag."
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
    stem = stem_of(source)
    if stem is None:
        raise SourceError(
            'A source notebook lacks its stem. Add "course": {"stem": "NN_name"} to the notebook\'s metadata.'
        )
    return stem


def _function(cell: NotebookNode, stem: str) -> str:
    """The function that a solution cell asks for."""
    name = _grader(cell).get("grade_id", "")
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
