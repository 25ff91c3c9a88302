"""Running a notebook from a fresh start, as grading does: `python -m checks.fresh`, which `guard.run` starts.

It is given the stem and the code cells, {"stem": ..., "cells": [[7, "..."], ...]}. What it finds it tells as soon as it
is known, a line of JSON each: {"exercises": [...]}, then {"cell": 7} before a cell runs, {"cell": 7, "error": "..."} if
it fails, and {"states": {...}} at the end. Nothing is written to disk.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable, Iterable
from typing import Any

from checks import guard, packages, running
from checks.checking import load
from checks.rendering import verdict_on

Run = Callable[[str], BaseException | None]


def main() -> None:
    """Run what was given, and tell."""
    given, answers = guard.attach()

    def tell(**event: Any) -> None:
        print(json.dumps(event), file=answers, flush=True)

    examine(given["stem"], given["cells"], tell)


def examine(stem: str, cells: Iterable[tuple[int, str]], tell: Callable[..., None]) -> None:
    """Run the code cells of a notebook in order, and ask for every exercise; an error ends its cell, not the run."""
    by_exercise: dict[str, list[Any]] = {}
    for check in load(stem):
        by_exercise.setdefault(check.exercise, []).append(check)
    run, namespace = _in_ipython() or _in_plain_python()
    packages.hide()
    tell(exercises=list(by_exercise))
    for number, source in cells:
        tell(cell=number)
        error = run(source)
        if error is not None and type(error).__name__ not in ("CheckFailed", "NotImplementedError"):
            tell(cell=number, error=_told(error))
    outcomes = {name: running.examine_all(some, namespace) for name, some in by_exercise.items()}
    tell(states={name: verdict_on(some) for name, some in outcomes.items()})


def _told(error: BaseException) -> str:
    """An error in one line, in the words of Python; a place in the code is a line of the cell."""
    words = f"{error.msg} (line {error.lineno} of the cell)" if isinstance(error, SyntaxError) else str(error)
    name = type(error).__name__
    if name == "_IncompleteInputError":  # so called since Python 3.13
        name = "SyntaxError"
    return f"{name}: {words}".split("\n")[0][:200]


def _in_ipython() -> tuple[Run, dict[str, Any]] | None:
    """IPython without history, without a folder of its own and without figures to draw; None where there is none."""
    try:
        from IPython.core import interactiveshell
        from IPython.core.profiledir import ProfileDir
        from traitlets.config import Config
    except ImportError:
        return None
    vars(interactiveshell)["PickleShareDB"] = lambda root: {}  # IPython 8 would make a folder for it
    config = Config({"HistoryManager": {"enabled": False}})
    shell = interactiveshell.InteractiveShell.instance(config=config, ipython_dir="", profile_dir=ProfileDir())
    shell.db = {}
    shell.magics_manager.register_function(lambda line: None, "line", "matplotlib")

    def run(source: str) -> BaseException | None:
        result = shell.run_cell(source, store_history=False)
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error

    return run, shell.user_ns


def _in_plain_python() -> tuple[Run, dict[str, Any]]:
    namespace: dict[str, Any] = {"__name__": "__main__"}

    def run(source: str) -> BaseException | None:
        lines = [line for line in source.splitlines() if not line.startswith(("%", "!"))]
        linecache.cache["<cell>"] = len(source), None, [f"{line}\n" for line in lines], "<cell>"
        try:
            exec(compile("\n".join(lines), "<cell>", "exec"), namespace)  # noqa: S102  (the student's own notebook)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (a notebook may raise anything)
            return error
        return None

    return run, namespace


if __name__ == "__main__":
    main()
