"""Running a notebook from a fresh start, as grading does: `python -m checks.fresh NOTEBOOK STEM FOUND`.

What is found goes to the file FOUND, a line of JSON each, as soon as it is known: {"exercises": [...]}, then
{"cell": 7} before a cell runs, {"cell": 7, "error": "..."} if it fails, and {"states": {...}} at the end.
"""

from __future__ import annotations

import json
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checks import packages, running
from checks.checking import load
from checks.rendering import verdict_on

Run = Callable[[str], BaseException | None]


def main(notebook: str, stem: str, found: str) -> None:
    """Run the code cells of a notebook in order; an error ends its cell, not the run."""
    cells = json.loads(Path(notebook).read_text(encoding="utf-8"))["cells"]
    by_exercise: dict[str, list[Any]] = {}
    for check in load(stem):
        by_exercise.setdefault(check.exercise, []).append(check)
    with open(found, "w", encoding="utf-8") as file:

        def tell(**event: Any) -> None:
            print(json.dumps(event), file=file, flush=True)

        tell(exercises=list(by_exercise))
        run, namespace = _in_ipython() or _in_plain_python()
        packages.hide()
        for number, cell in enumerate(cells, start=1):
            if cell["cell_type"] == "code":
                tell(cell=number)
                error = run("".join(cell["source"]))
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
    """IPython without history and without figures to draw; None where it is not installed."""
    try:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config
    except ImportError:
        return None
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
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
    main(*sys.argv[1:])
