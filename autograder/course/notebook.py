"""Notebook files of any origin: reading them whatever their state, and writing them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines

from autograder.course import files
from autograder.course.errors import AutograderError, SubmissionError

LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3"}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

_TRACES_OF_CELL = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")
_TRACES_OF_NOTEBOOK = ("celltoolbar", "signature", "toc", "varInspector", "widgets")
_KEYS_OF_CELL = ("cell_type", "id", "metadata", "execution_count", "outputs", "attachments")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEEPEST = 100
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# Far more than people make, and few enough to be read in a few seconds. Parts are lists and objects; values, what they
# hold. A figure for a browser may have some hundred thousand.
_MAX_CELLS, _MAX_PARTS, _MAX_VALUES = 10_000, 300_000, 1_000_000
_TEXT_OR_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)  # possessive: no byte is read twice

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
    check_size(data, where, error=error, limit=limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{where} is not UTF-8 text (byte {problem.start}). Save it again in JupyterLab.") from None
    too_deep = f"{where} is nested too deeply to be a notebook. Save it again in JupyterLab."
    try:
        content = json.loads(text, parse_constant=lambda word: None)  # JSON itself has no NaN
    except RecursionError:
        raise error(too_deep) from None
    except ValueError as problem:
        raise error(f"{where} is not JSON ({problem}), so it is not a notebook. Save it again in JupyterLab.") from None
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


def check_size(data: bytes, where: str, *, error: Error = SubmissionError, limit: int | None = None) -> None:
    """An `error`, unless `data` has at most `limit` bytes, and so little in them that anybody can read it as JSON."""
    if limit is not None and len(data) > limit:
        raise error(_too_large(where, len(data), limit))
    if _has_too_many_parts(data):
        raise error(
            f"{where} has more than {_MAX_PARTS} parts or {_MAX_VALUES} values. "
            "Clear the outputs in JupyterLab and save it again."
        )


def dumps(notebook: NotebookNode) -> bytes:
    """The bytes of a notebook file: keys sorted, indented by one, a newline at the end."""
    try:
        text = nbformat.v4.writes(notebook, allow_nan=False)
    except ValueError:  # a number such as 1e999, which Python reads as infinite and no other program can read back
        text = nbformat.v4.writes(_node(_finite(notebook)))
    return bytes(text.encode("utf-8", "replace") + b"\n")


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook so that nobody ever reads half of it."""
    files.replace(path, dumps(notebook))


def _content(path: Path, error: Error, limit: int | None, symlinks: bool) -> bytes:
    if not symlinks and path.is_symlink():
        raise error(f"{path} is a symbolic link, not a notebook. Hand in the file itself.")
    try:
        file = files.open_regular(path, links=symlinks)
    except files.NotAFileError:
        raise error(f"{path} is not a file, so it is not a notebook.") from None
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror}.") from None
    with file:
        size = os.fstat(file.fileno()).st_size
        if limit is not None and size > limit:
            raise error(_too_large(str(path), size, limit))
        return file.read() if limit is None else file.read(limit + 1)


def _too_large(where: str, size: int, limit: int) -> str:
    return (
        f"{where} is too large: {size / 1e6:.1f} MB where {limit / 1e6:.1f} MB are allowed. "
        "Clear the outputs in JupyterLab (Edit, Clear Outputs of All Cells) and save again."
    )


def _too_many(where: str, cells: int) -> str:
    return f"{where} has {cells} cells; at most {_MAX_CELLS} are read."


def _notebook(content: Any, where: str, error: Error) -> NotebookNode:
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise error(f"{where} is JSON, but not a notebook: it has no cells.")
    major = content.get("nbformat")
    if major == 3:
        content = _from_version_3(content, where, error)
    elif major != 4:
        raise error(f"{where} has the notebook format {major!r:.20}; 3 and 4 are known. Save it again in JupyterLab.")
    if not isinstance(content.get("cells"), list):
        raise error(f"{where} is JSON, but not a notebook: its cells are not a list.")
    if len(content["cells"]) > _MAX_CELLS:
        raise error(_too_many(where, len(content["cells"])))
    taken = {cell["id"] for cell in content["cells"] if isinstance(cell, dict) and _has_id(cell)}
    cells = [_cell(cell, number, taken, where, error) for number, cell in enumerate(content["cells"], start=1)]
    metadata = content["metadata"] if isinstance(content.get("metadata"), dict) else {}
    return _node({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _node(content: dict[str, Any]) -> NotebookNode:
    node: NotebookNode = nbformat.from_dict(content)
    return node


def _has_too_many_parts(data: bytes) -> bool:
    """Whether there is more in a file than may be read; brackets and commas within texts do not count."""
    if data.count(b"{") + data.count(b"[") <= _MAX_PARTS and data.count(b",") <= _MAX_VALUES:
        return False
    parts = values = texts = 0
    for found in _TEXT_OR_MARK.finditer(data):
        mark = data[found.start()]
        if mark == _QUOTE:
            texts += 1
        elif mark == _COMMA:
            values += 1
        else:
            parts += 1
        if parts > _MAX_PARTS or values > _MAX_VALUES or texts > 2 * (_MAX_PARTS + _MAX_VALUES):
            return True
    return False


_QUOTE, _COMMA = b'",'


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
        cells = [cell for sheet in content["worksheets"] for cell in sheet["cells"]]
        if len(cells) > _MAX_CELLS:  # before they are converted, which takes long
            raise error(_too_many(where, len(cells)))
        for cell in cells:
            if cell.get("cell_type") == "heading" and cell.get("level") not in range(1, 7):
                cell["level"] = 1  # the converter writes as many characters as it is told
        upgraded = nbformat.convert(nbformat.v3.to_notebook_json(content), 4)
    except (RecursionError, AutograderError):
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
    node = _node(complete)
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


def _finite(value: Any) -> Any:
    """The same data with nothing in the place of numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return {key: _finite(item) for key, item in value.items()} if isinstance(value, dict) else value


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
