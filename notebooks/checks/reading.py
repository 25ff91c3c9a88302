"""Reading the file of a notebook as grading does: what grading refuses is refused here, with what to do about it.

The grader's own reader is `autograder/course/notebook.py`, which students do not have; a test holds that both take and
refuse the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

SAVE = "Save the notebook (Ctrl+S, on a Mac Cmd+S)"
SAVE_ANEW = (
    "If it is open in JupyterLab, save it there (Ctrl+S, on a Mac Cmd+S), then hand in again. "
    "If it cannot be opened there either, go back to a copy that can."
)
CLEAR = "Clear the outputs in JupyterLab (Edit, Clear Outputs of All Cells), save, then hand in again."

# What grading reads and runs. Parts are lists and objects; values, what they hold.
MOST_BYTES = 20 << 20
MOST_CODE_CELLS, LONGEST_CELL = 2000, 500_000
_MOST_CELLS, _MOST_PARTS, _MOST_VALUES = 10_000, 300_000, 1_000_000
_DEEPEST = 100
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_TEXT_OR_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)  # possessive: no byte is read twice
_QUOTE, _COMMA = b'",'
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class NotHandedIn(Exception):
    """Why a notebook was not handed in, and what to do. A notebook shows one line of it, no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


@dataclass(frozen=True)
class Cell:
    """A code cell of the file: its place among all cells, counted as JupyterLab does, and its source."""

    number: int
    source: str

    def __str__(self) -> str:
        lines = [line.strip() for line in self.source.splitlines() if line.strip()]
        return f"cell {self.number} (`{lines[0][:50]}`)" if lines else f"cell {self.number}"


@dataclass(frozen=True)
class Notebook:
    """A notebook file as it is on disk; `claims` is the stem in its metadata where that is none of the course."""

    path: Path
    data: bytes
    stem: str
    cells: tuple[Cell, ...]
    points: Mapping[str, int]
    saved: datetime | None = None
    claims: str = ""

    @property
    def sha256(self) -> str:
        """The checksum of the file."""
        return hashlib.sha256(self.data).hexdigest()


def read(path: Path, known: list[str]) -> Notebook:
    """The notebook in a file; NotHandedIn says what is wrong with it."""
    data, saved = _content(path)
    content = parse(data, path.name)
    code = tuple(
        Cell(number, cell["source"])
        for number, cell in enumerate(content["cells"], start=1)
        if cell["cell_type"] == "code"
    )
    _check_code(path.name, code)
    claimed, stem = _stem(path, content["metadata"], code, known)
    return Notebook(path.resolve(), data, stem, code, _points(content["cells"]), saved, claimed)


def points_beside(folders: list[Path], stem: str) -> dict[str, int]:
    """The points of each exercise of a notebook, from the first of the folders that holds it; empty if none does."""
    for folder in folders:
        try:
            return _points(json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return {}


def _content(path: Path) -> tuple[bytes, datetime]:
    """The bytes of a file, and when it was saved; never more of them than are read, and never those of a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NotHandedIn(f"{path.name} in {path.absolute().parent} is not a file. Name the notebook itself.")
            data = file.read(MOST_BYTES + 1)
    except OSError as problem:
        naming = "python -m checks hand-in name.ipynb" if _in_a_terminal() else 'checks.hand_in("name.ipynb")'
        raise NotHandedIn(
            f"there is no notebook {path.name} to be read in {path.absolute().parent} ({problem.strerror}). "
            f"{SAVE}, or name the file: {naming}."
        ) from None
    if len(data) > MOST_BYTES:
        raise NotHandedIn(f"{path.name} is too large: grading takes at most {MOST_BYTES >> 20} MiB. {CLEAR}")
    return data, datetime.fromtimestamp(about.st_mtime)


def _in_a_terminal() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is None or ipython.get_ipython() is None


# --- From bytes to cells ----------------------------------------------------------------------------------------------


def parse(data: bytes, name: str) -> dict[str, Any]:
    """The cells of a notebook, each with its kind and its source as one text, and the metadata: as grading has them."""
    if not data:
        raise NotHandedIn(f"{name} is empty: the file on disk has no bytes. {SAVE}, then hand in again.")
    if _has_too_many_parts(data):
        raise NotHandedIn(f"{name} has more than {_MOST_PARTS} parts or {_MOST_VALUES} values. {CLEAR}")
    too_deep = NotHandedIn(f"{name} is nested too deeply to be a notebook. {SAVE_ANEW}")
    text = _text(data, name)
    try:
        content = json.loads(text, parse_constant=lambda word: None)  # JSON itself has no NaN
    except RecursionError:
        raise too_deep from None
    except ValueError as problem:
        raise NotHandedIn(f"{name} is damaged: it is not JSON ({problem}), so no notebook. {SAVE_ANEW}") from None
    if _is_deep(content):
        raise too_deep
    return _notebook(_without_surrogates(content) if _SURROGATE.search(text) else content, name)


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        if data.startswith(_UTF_16):
            raise NotHandedIn(
                f"{name} is UTF-16 text, as some editors and PowerShell write it; a notebook is UTF-8, and grading "
                f"reads nothing else. {SAVE_ANEW}"
            ) from None
        raise NotHandedIn(f"{name} is damaged: it is not UTF-8 text (byte {problem.start}). {SAVE_ANEW}") from None


def _notebook(content: Any, name: str) -> dict[str, Any]:
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise NotHandedIn(f"{name} is JSON, but not a notebook: it has no cells. {SAVE_ANEW}")
    major = content.get("nbformat")
    if major == 3:
        content = _from_version_3(content, name)
    elif major != 4:
        raise NotHandedIn(f"{name} has the notebook format {major!r:.20}; grading knows 3 and 4. {SAVE_ANEW}")
    if not isinstance(content.get("cells"), list):
        raise NotHandedIn(f"{name} is JSON, but not a notebook: its cells are not a list. {SAVE_ANEW}")
    if len(content["cells"]) > _MOST_CELLS:
        raise _too_many(name, len(content["cells"]))
    metadata = content["metadata"] if isinstance(content.get("metadata"), dict) else {}
    return {
        "cells": [_cell(cell, number, name) for number, cell in enumerate(content["cells"], start=1)],
        "metadata": metadata,
    }


def _too_many(name: str, cells: int) -> NotHandedIn:
    return NotHandedIn(f"{name} has {cells} cells; grading reads at most {_MOST_CELLS}. Delete some, and save.")


def _cell(cell: Any, number: int, name: str) -> dict[str, Any]:
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if kind not in ("code", "markdown", "raw"):
        raise NotHandedIn(f"cell {number} of {name} is neither code nor text. Delete it in JupyterLab, and save.")
    lines = cell.get("source", "")
    if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
        lines = "".join(lines)
    if not isinstance(lines, str):
        raise NotHandedIn(f"what is in cell {number} of {name} is not text. Type it again in JupyterLab, and save.")
    return {"cell_type": kind, "source": lines, "metadata": cell.get("metadata")}


def _from_version_3(content: dict[str, Any], name: str) -> dict[str, Any]:
    """The same notebook in format 4, by the same converter as when it is graded."""
    old = f"{name} is in the old notebook format 3"
    try:
        import nbformat
    except ImportError:
        raise NotHandedIn(f"{old}. Open it in JupyterLab and save it, then hand in again.") from None
    try:
        cells = [cell for sheet in content["worksheets"] for cell in sheet["cells"]]
        if len(cells) > _MOST_CELLS:  # before they are converted, which takes long
            raise _too_many(name, len(cells))
        for cell in cells:
            if cell.get("cell_type") == "heading" and cell.get("level") not in range(1, 7):
                cell["level"] = 1  # the converter writes as many characters as it is told
        return dict(nbformat.convert(nbformat.v3.to_notebook_json(content), 4))
    except NotHandedIn:
        raise
    except Exception as problem:  # noqa: BLE001 - the converter expects a sound file and fails in any way on others
        raise NotHandedIn(f"{old}, and damaged ({problem}). {SAVE_ANEW}") from None


def _has_too_many_parts(data: bytes) -> bool:
    """Whether there is more in a file than may be read; brackets and commas within texts do not count."""
    if data.count(b"{") + data.count(b"[") <= _MOST_PARTS and data.count(b",") <= _MOST_VALUES:
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
        if parts > _MOST_PARTS or values > _MOST_VALUES or texts > 2 * (_MOST_PARTS + _MOST_VALUES):
            return True
    return False


def _is_deep(content: Any) -> bool:
    """Whether lists and objects are nested further than any notebook needs."""
    level = [content]
    for _ in range(_DEEPEST):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _without_surrogates(value: Any) -> Any:
    """The same data with � for half a character, which no file could hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


# --- What the cells say -----------------------------------------------------------------------------------------------


def _check_code(name: str, code: tuple[Cell, ...]) -> None:
    """NotHandedIn, if grading would not run this."""
    if not any(cell.source.strip() for cell in code):
        raise NotHandedIn(f"{name} is empty: there is no code in the file on disk. {SAVE}, then hand in again.")
    if len(code) > MOST_CODE_CELLS:
        raise NotHandedIn(
            f"{name} has {len(code)} code cells; grading runs at most {MOST_CODE_CELLS}. Delete some, and save."
        )
    for cell in code:
        if len(cell.source) > LONGEST_CELL:
            raise NotHandedIn(
                f"cell {cell.number} of {name} has {len(cell.source)} characters; grading takes at most "
                f"{LONGEST_CELL} in a cell. Shorten it, and save."
            )


def _points(cells: list[Any]) -> dict[str, int]:
    """The points of each exercise, by nbgrader's metadata; exercises whose metadata got lost are left out."""
    found = {}
    for cell in cells:
        match cell.get("metadata"):
            case {"nbgrader": {"grade": True, "solution": False, "grade_id": str(name), "points": int(points)}}:
                found[name.removesuffix("-check")] = points
    return found


def _stem(path: Path, metadata: Any, code: tuple[Cell, ...], known: list[str]) -> tuple[str, str]:
    """What the file claims to be where that is no notebook of the course, and the notebook of the course that it is.

    It is the one that its metadata names, else the one that its code starts the checks of, else that of its name. A
    file with the name of another notebook is refused: grading goes by the name.
    """
    match metadata:
        case {"course": {"stem": str(claimed)}}:
            pass
        case _:
            claimed = ""
    started = (re.search(r"checks\.start\(\s*[\"'](\w+)[\"']", cell.source) for cell in code)
    by_code = next((match.group(1) for match in started if match), None)
    by_name = path.stem if path.stem in known else None
    stem = next((one for one in (claimed, by_code, by_name) if one in known), None)
    if stem is None:
        raise NotHandedIn(f"{path.name} is not a notebook of this course. Those are: {', '.join(known)}.")
    if by_name not in (None, stem):
        raise NotHandedIn(
            f"{path.name} is the notebook {stem} by what is in it. Hand in the right file, "
            f"or rename this one to {stem}.ipynb."
        )
    return "" if claimed in known else claimed, stem
