"""Handing in: is the file on disk the notebook on the screen, does it work from a fresh start, and where does it go?

    checks.hand_in()                                in a cell of the notebook
    python -m checks hand-in 01_bayes_rule.ipynb    in a terminal, in the folder of the notebooks

Nothing is changed but the folder `hand_in` beside the notebook: it gets a copy of the file and a receipt, both or none.
"""

from __future__ import annotations

import ast
import errno
import importlib.util
import json
import linecache
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FunctionType
from typing import Any

from checks import guard, keeping
from checks.reading import SAVE, Cell, Notebook, NotHandedIn, read
from checks.rendering import HIDDEN, PASSED, Report, worth

PACKAGE = Path(__file__).resolve().parent
SECONDS = 600
GRACE = 10.0  # seconds for nbgrader to take back what it has begun
FRESH = "CHECKS_FRESH_START"  # set in the process that runs a notebook afresh: there, handing in does nothing
NOT_RUN = "not reached"
_FULL = [getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG")]
STUB, MISSING = "not attempted yet", "cannot be checked yet"


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
    try:
        fresh = run_afresh(notebook)
        _check_attempted(notebook, fresh)
        copy, delivered = _keep(notebook, fresh)
    except KeyboardInterrupt:
        raise NotHandedIn(
            "it was interrupted. What was handed in before, if anything, is as it was; to hand in, run it again."
        ) from None
    remarks = [
        f"`{name}` passes in this session, but not from a fresh start: "
        "does it use something that no cell of the file makes?"
        for name, state in here.items()
        if state == PASSED and fresh.states.get(name) != PASSED
    ]
    if notebook.claims:
        remarks.append(
            f"By its metadata, the file is the notebook {notebook.claims!r:.60}, not {notebook.stem}. Is it right?"
        )
    remarks += [
        delivered,
        f"Receipt: {notebook.stem}.receipt.json, for the file with the checksum {notebook.sha256[:12]}.",
        # What was typed and not run is known to the browser alone.
        f"The file was last saved at {notebook.saved:%H:%M:%S}. "
        "If you have typed anything since, save and hand in again.",
        HIDDEN,
    ]
    return HandedIn(notebook, fresh, copy, tuple(remarks))


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
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


# --- A fresh start ----------------------------------------------------------------------------------------------------


def run_afresh(notebook: Notebook, seconds: float = SECONDS) -> FreshStart:
    """Run the notebook from top to bottom in a process of its own, with this Python, and ask for every exercise."""
    given = {"stem": notebook.stem, "cells": [[cell.number, cell.source] for cell in notebook.cells]}
    environment = _environment() | {FRESH: "1", "MPLBACKEND": "agg"}
    try:
        ran = guard.run("checks.fresh", given, folder=notebook.path.parent, environment=environment, seconds=seconds)
    except OSError as problem:
        raise NotHandedIn(_cannot_begin(notebook, f"no process could be started: {problem.strerror}")) from None
    ended = "Python ended in the middle of it." if ran.ended else f"it was still running after {seconds:g} seconds."
    return _understood(notebook, list(_events(ran.lines)), ended)


def _environment() -> dict[str, str]:
    """The environment of a process that finds this package."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _events(lines: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """What was told, up to a line that its process did not live to complete."""
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            return


def _understood(notebook: Notebook, events: list[dict[str, Any]], ended: str) -> FreshStart:
    by_number = {cell.number: cell for cell in notebook.cells}
    reached = [by_number[event["cell"]] for event in events if "cell" in event and "error" not in event]
    errors = tuple((by_number[event["cell"]], event["error"]) for event in events if "error" in event)
    exercises: list[str] = next((event["exercises"] for event in events if "exercises" in event), [])
    if not exercises:
        raise NotHandedIn(_cannot_begin(notebook, ended))
    for event in events:
        if "states" in event:
            return FreshStart(event["states"], errors)
    where = f"At {reached[-1]}" if reached else "At the start"
    return FreshStart(
        dict.fromkeys(exercises, NOT_RUN), errors, f"{where}, running the notebook afresh came to an end: {ended}"
    )


def _cannot_begin(notebook: Notebook, why: str) -> str:
    return (
        f"{notebook.path.name} could not be run from a fresh start, not even its first cell: {why.rstrip('.')}. "
        "Your notebook is unharmed. Close other notebooks and programs, restart the kernel, then hand in again; "
        f"if that does not help, hand in {notebook.path} itself."
    )


def _check_attempted(notebook: Notebook, fresh: FreshStart) -> None:
    """NotHandedIn, if there is no answer in the file and nothing in it fails that could be one."""
    untouched = set(fresh.states.values()) == {STUB}
    nothing = set(fresh.states.values()) <= {STUB, MISSING} and not fresh.errors
    if not (untouched or nothing):
        return
    raise NotHandedIn(
        f"no exercise of {notebook.path.name} has been attempted in the file on disk. "
        f"If you have answers on the screen, they are not saved. {SAVE}, then hand in again."
    )


# --- Where it goes ----------------------------------------------------------------------------------------------------


def _keep(notebook: Notebook, fresh: FreshStart) -> tuple[Path, str]:
    """The copy to hand in, put beside the notebook together with its receipt, and in words where it is now."""
    folder = notebook.path.parent / "hand_in"
    copy, contents = folder / f"{notebook.stem}.ipynb", _to_hand_in(notebook, fresh)
    again = f"Your notebook is unharmed: hand in {notebook.path} itself, or "
    try:
        with keeping.alone_in(folder):
            keeping.put_together(folder, contents)
            return copy, _delivered(copy, contents, notebook)
    except keeping.BusyError:
        raise NotHandedIn(f"another hand-in is at work in {folder}. When it has ended, hand in again.") from None
    except (OSError, KeyboardInterrupt) as problem:
        if keeping.holds(folder, contents):  # it came too late
            return copy, f"Then it was interrupted. {_upload(copy)}"
        if isinstance(problem, KeyboardInterrupt):
            raise
        before = " What was handed in before is still there." if copy.exists() else ""
        raise NotHandedIn(
            f"{folder} cannot be written to ({problem.strerror or problem}).{before} {again}{_room(problem)}."
        ) from None


def _room(problem: OSError) -> str:
    if problem.errno in _FULL:
        return "make room on the disk, then hand in again"
    return "close what you have open of that folder, or move the course's folder to a place of your own"


def _to_hand_in(notebook: Notebook, fresh: FreshStart) -> dict[str, bytes]:
    """The receipt and the copy, by name: where there is a copy, there has been its receipt before."""
    receipt = {
        "notebook": f"{notebook.stem}.ipynb",
        "stem": notebook.stem,
        "sha256": notebook.sha256,
        "handed_in": datetime.now(UTC).isoformat(timespec="seconds"),
        "exercises": [{"name": name, "visible_checks": state} for name, state in fresh.states.items()],
        "errors": [{"cell": cell.number, "error": error} for cell, error in fresh.errors],
        "stopped": fresh.stopped,
    }
    text = json.dumps(receipt, indent=1, ensure_ascii=False) + "\n"
    return {
        f"{notebook.stem}.receipt.json": text.encode("utf-8", "replace"),
        f"{notebook.stem}.ipynb": notebook.data,
    }


def _upload(copy: Path) -> str:
    return f"The file to upload is {copy}."


def _delivered(copy: Path, contents: Mapping[str, bytes], notebook: Notebook) -> str:
    """Send the copy to nbgrader's exchange where there is one; where the notebook is now, in words."""
    if importlib.util.find_spec("nbgrader") is None:
        return _upload(copy)
    try:
        with keeping.stage(copy.parent) as outbox:
            (outbox / notebook.stem).mkdir()
            keeping.write(outbox / notebook.stem, contents)
            given = {"folder": str(outbox), "stem": notebook.stem}
            ran = guard.run(
                "checks.exchange",
                given,
                folder=notebook.path.parent,
                environment=_environment(),
                seconds=SECONDS,
                grace=GRACE,
            )
    except OSError as problem:
        return f"nbgrader could not be asked to send it ({problem.strerror}), so nothing was sent. {_upload(copy)}"
    match list(_events(ran.lines)):
        case [{"course": str(course), "sent": str(when)}]:
            return f"Sent to the course {course} through nbgrader at {when}. A copy is {copy}."
        case [{"problem": str(reason)}]:
            return f"nbgrader could not send it: {reason} {_upload(copy)}"
        case []:
            return f"nbgrader did not answer, so nothing was sent. {_upload(copy)}"
    return _upload(copy)
