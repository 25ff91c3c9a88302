"""Handing in: is the file on disk the notebook on the screen, does it work from a fresh start, and where does it go?

    checks.hand_in()                                in a cell of the notebook
    python -m checks hand-in 01_bayes_rule.ipynb    in a terminal, in the folder of the notebooks

Nothing is changed but the folder `hand_in` beside the notebook: it gets a copy of the file and a receipt.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FunctionType
from typing import Any

from checks.rendering import HIDDEN, PASSED, Report, worth

PACKAGE = Path(__file__).resolve().parent
SECONDS = 600
FRESH = "CHECKS_FRESH_START"  # set in the process that runs a notebook afresh: there, handing in does nothing
SAVE = "Save the notebook (Ctrl+S, on a Mac Cmd+S)"
NOT_RUN = "not reached"


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
    """A notebook file as it is on disk."""

    path: Path
    data: bytes
    stem: str
    cells: tuple[Cell, ...]
    points: Mapping[str, int]
    saved: datetime | None = None

    @property
    def sha256(self) -> str:
        """The checksum of the file."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class FreshStart:
    """What came of running the notebook from top to bottom: the state of each exercise, errors by cell, a stop."""

    states: Mapping[str, str]
    errors: tuple[tuple[Cell, str], ...] = ()
    stopped: str = ""


@dataclass(frozen=True)
class HandedIn:
    """What was handed in, where it is now, and what there is to know about it."""

    notebook: Notebook
    fresh: FreshStart
    copy: Path
    remarks: tuple[str, ...] = field(default=())

    def report(self) -> Report:
        """The same in words."""
        name, points = self.notebook.stem, self.notebook.points
        passed = sum(state == PASSED for state in self.fresh.states.values())
        share = f"{passed} of {len(self.fresh.states)} exercises"
        heading = f"{name}: handed in; {share} pass their visible checks from a fresh start"
        items = [
            f"{exercise}{worth(points.get(exercise, 0))}: {state}" for exercise, state in self.fresh.states.items()
        ]
        lines = [self.fresh.stopped] if self.fresh.stopped else []
        lines += [f"{cell} stops with an error from a fresh start: {error}" for cell, error in self.fresh.errors]
        return Report(heading, items=tuple(items), lines=(*lines, *self.remarks))


def hand_in(
    stem: str | None,
    named: str | os.PathLike[str] | None,
    known: list[str],
    examine: Callable[[str], dict[str, str]] | None,
) -> HandedIn:
    """Hand in the notebook of `stem`, or the file `named`; NotHandedIn says what is in the way.

    `examine` tells the state of each exercise in this session; without it there is no session to compare with.
    """
    if sys.platform == "emscripten":
        raise NotHandedIn("in the browser, choose File > Download, and hand in the file that you get.")
    if stem is None and named is None:
        raise NotHandedIn("run the first code cell of the notebook, then this one again.")
    notebook = read(_file(stem, named), known)
    if stem is not None and notebook.stem != stem:
        raise NotHandedIn(
            f"{notebook.path.name} is the notebook {notebook.stem}, but this session works on {stem}. "
            f'Open {notebook.stem} and hand in there, or name the file: checks.hand_in("{stem}.ipynb").'
        )
    here = examine(notebook.stem) if examine else {}
    if examine and (differing := _unsaved(notebook)):
        names = ", ".join(f"`{name}`" for name in differing)
        raise NotHandedIn(
            f"what ran here as {names} is not what {notebook.path.name} holds on disk. {SAVE}, "
            f"run the {'cell' if len(differing) == 1 else 'cells'} of {names}, then this one again."
        )
    fresh = run_afresh(notebook)
    if fresh.states and set(fresh.states.values()) == {"not attempted yet"}:
        raise NotHandedIn(
            f"no exercise of {notebook.path.name} has been attempted in the file on disk. "
            f"If you have answers on the screen, they are not saved. {SAVE}, then hand in again."
        )
    copy, receipt = _keep(notebook, fresh)
    remarks = [
        f"`{name}` passes in this session, but not from a fresh start: "
        "does it use something that no cell of the file makes?"
        for name, state in here.items()
        if state == PASSED and fresh.states.get(name) != PASSED
    ]
    remarks += [
        _delivered(copy, receipt, notebook),
        f"Receipt: {receipt.name}, for the file with the checksum {notebook.sha256[:12]}.",
        # What was typed and not run is known to the browser alone.
        f"The file was last saved at {notebook.saved:%H:%M:%S}. "
        "If you have typed anything since, save and hand in again.",
        HIDDEN,
    ]
    return HandedIn(notebook, fresh, copy, tuple(remarks))


# --- The file on disk -------------------------------------------------------------------------------------------------


def read(path: Path, known: list[str]) -> Notebook:
    """The notebook in a file; NotHandedIn says what is wrong with it."""
    try:
        data, saved = path.read_bytes(), datetime.fromtimestamp(path.stat().st_mtime)
    except OSError as problem:
        naming = "python -m checks hand-in name.ipynb" if _shell() is None else 'checks.hand_in("name.ipynb")'
        raise NotHandedIn(
            f"there is no notebook {path.name} to be read in {path.absolute().parent} ({problem.strerror}). "
            f"{SAVE}, or name the file: {naming}."
        ) from None
    try:
        content = json.loads(data)
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
        metadata = content["metadata"]
    except (ValueError, KeyError, TypeError):
        raise NotHandedIn(
            f"{path.name} is damaged: it is no notebook that could be read. {SAVE} in JupyterLab."
        ) from None
    code = tuple(Cell(number, source) for number, (kind, source) in enumerate(cells, start=1) if kind == "code")
    if not any(cell.source.strip() for cell in code):
        raise NotHandedIn(f"{path.name} is empty: there is no code in the file on disk. {SAVE}, then hand in again.")
    stem = _stem(metadata, code)
    if stem not in known:
        raise NotHandedIn(f"{path.name} is not a notebook of this course. Those are: {', '.join(known)}.")
    return Notebook(path.resolve(), data, stem, code, _points(content["cells"]), saved)


def _points(cells: list[Any]) -> dict[str, int]:
    """The points of each exercise, by nbgrader's metadata; exercises whose metadata got lost are left out."""
    found = {}
    for cell in cells:
        match cell.get("metadata"):
            case {"nbgrader": {"grade": True, "solution": False, "grade_id": str(name), "points": int(points)}}:
                found[name.removesuffix("-check")] = points
    return found


def points_beside(folders: list[Path], stem: str) -> dict[str, int]:
    """The points of each exercise of a notebook, from the first of the folders that holds it; empty if none does."""
    for folder in folders:
        try:
            return _points(json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return {}


def _stem(metadata: Any, code: tuple[Cell, ...]) -> str | None:
    """The stem that the file carries, or that its code starts the checks with."""
    match metadata:
        case {"course": {"stem": str(stem)}}:
            return stem
    started = (re.search(r"checks\.start\(\s*[\"'](\w+)[\"']", cell.source) for cell in code)
    return next((match.group(1) for match in started if match), None)


def _file(stem: str | None, named: str | os.PathLike[str] | None) -> Path:
    """The file to hand in: the one that was named, the one that Jupyter opened, or the one that is called so."""
    if named is not None:
        return Path(named)
    opened = Path(os.environ.get("JPY_SESSION_NAME", ""))
    if opened.suffix == ".ipynb" and opened.is_file():
        return opened
    return Path.cwd() / f"{stem}.ipynb"


# --- The notebook on the screen ---------------------------------------------------------------------------------------


def _unsaved(notebook: Notebook) -> list[str]:
    """The functions that were defined in this session by a cell that is not in the file, in the order of the file.

    A function knows the text of the cell that made it. Names that the file does not define are of no concern here:
    running it afresh tells whether they are missed.
    """
    shell = _shell()
    if shell is None:
        return []
    written = {shell.transform_cell(cell.source).strip() for cell in notebook.cells}
    defined = dict.fromkeys(name for cell in notebook.cells for name in _functions(shell.transform_cell(cell.source)))
    found = []
    for name in defined:
        function = shell.user_ns.get(name)
        if isinstance(function, FunctionType) and function.__globals__ is shell.user_ns:
            ran = "".join(linecache.getlines(function.__code__.co_filename)).strip()
            if ran and ran not in written:
                found.append(name)
    return found


def _functions(code: str) -> list[str]:
    try:
        return [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


# --- A fresh start ----------------------------------------------------------------------------------------------------


def run_afresh(notebook: Notebook, seconds: float = SECONDS) -> FreshStart:
    """Run the notebook from top to bottom in a process of its own, with this Python, and ask for every exercise."""
    with tempfile.TemporaryDirectory(prefix="hand-in-") as scratch:
        found, copy = Path(scratch, "found"), Path(scratch, "notebook.ipynb")
        copy.write_bytes(notebook.data)
        command = [sys.executable, "-m", "checks.fresh", str(copy), notebook.stem, str(found)]
        paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {
            FRESH: "1",
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "MPLBACKEND": "agg",
            "IPYTHONDIR": scratch,
        }
        nowhere = subprocess.DEVNULL
        try:
            subprocess.run(
                command,
                cwd=notebook.path.parent,
                env=environment,
                timeout=seconds,
                check=False,
                stdin=nowhere,
                stdout=nowhere,
                stderr=nowhere,
            )
            ended = "Python ended in the middle of it."
        except subprocess.TimeoutExpired:
            ended = f"it was still running after {seconds:g} seconds."
        lines = found.read_text(encoding="utf-8").splitlines() if found.exists() else []
    return _understood(notebook, [json.loads(line) for line in lines], ended)


def _understood(notebook: Notebook, events: list[dict[str, Any]], ended: str) -> FreshStart:
    by_number = {cell.number: cell for cell in notebook.cells}
    reached = [by_number[event["cell"]] for event in events if "cell" in event and "error" not in event]
    errors = tuple((by_number[event["cell"]], event["error"]) for event in events if "error" in event)
    for event in events:
        if "states" in event:
            return FreshStart(event["states"], errors)
    exercises: list[str] = next((event["exercises"] for event in events if "exercises" in event), [])
    where = f"At {reached[-1]}" if reached else "At the start"
    return FreshStart(
        dict.fromkeys(exercises, NOT_RUN), errors, f"{where}, running the notebook afresh came to an end: {ended}"
    )


# --- Where it goes ----------------------------------------------------------------------------------------------------


def _keep(notebook: Notebook, fresh: FreshStart) -> tuple[Path, Path]:
    """The copy to hand in and its receipt, both written beside the notebook; what was there is replaced as a whole."""
    folder = notebook.path.parent / "hand_in"
    copy, receipt = folder / f"{notebook.stem}.ipynb", folder / f"{notebook.stem}.receipt.json"
    document = {
        "notebook": copy.name,
        "stem": notebook.stem,
        "sha256": notebook.sha256,
        "handed_in": datetime.now(UTC).isoformat(timespec="seconds"),
        "exercises": [{"name": name, "visible_checks": state} for name, state in fresh.states.items()],
        "errors": [{"cell": cell.number, "error": error} for cell, error in fresh.errors],
        "stopped": fresh.stopped,
    }
    try:
        folder.mkdir(exist_ok=True)
        _replace(copy, notebook.data)
        _replace(receipt, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as problem:
        raise NotHandedIn(
            f"{folder} cannot be written to ({problem.strerror}). Your notebook is unharmed: "
            f"hand in {notebook.path} itself, or move the course's folder to a place of your own."
        ) from None
    return copy, receipt


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    os.replace(part, path)


def _delivered(copy: Path, receipt: Path, notebook: Notebook) -> str:
    """Send the copy to nbgrader's exchange where there is one; where the notebook is now, in words."""
    upload = f"The file to upload is {copy}."
    if importlib.util.find_spec("nbgrader") is None:
        return upload
    with tempfile.TemporaryDirectory(prefix="hand-in-") as scratch:
        folder = Path(scratch, notebook.stem)
        folder.mkdir()
        for path in (copy, receipt):
            (folder / path.name).write_bytes(path.read_bytes())
        command = [sys.executable, "-m", "checks.exchange", scratch, notebook.stem]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        }
        try:
            done = subprocess.run(
                command,
                cwd=notebook.path.parent,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            answer = json.loads(done.stdout.splitlines()[-1])
        except (subprocess.TimeoutExpired, IndexError, ValueError):
            return f"nbgrader did not answer, so nothing was sent. {upload}"
    match answer:
        case {"course": str(course), "sent": str(when)}:
            return f"Sent to the course {course} through nbgrader at {when}. A copy is {copy}."
        case {"problem": str(problem)}:
            return f"nbgrader could not send it: {problem} {upload}"
    return upload
