"""Everything that a notebook needs, imported and used once, so that a forked process finds it ready."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def warm(checks: str, *, figures: bool, allowed: Sequence[str] = ()) -> Any:
    """An IPython shell without history, threads or terminal, in a process where the usual imports are done.

    `checks` is the folder that holds the students' package of that name. With `figures`, `%matplotlib inline`
    draws as in a notebook; without, figures are built but never drawn. Of the packages that the course does without,
    those that are `allowed` can be imported.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from IPython.core.interactiveshell import InteractiveShell
    from matplotlib.figure import Figure
    from traitlets.config import Config

    from autograder.sandbox import drawing

    sys.path.insert(0, checks)
    _import_course_modules(Path(checks), allowed)

    class GradingShell(InteractiveShell):
        def enable_gui(self, gui: Any = None) -> None:  # the base class raises on %matplotlib inline
            pass

        def enable_matplotlib(self, gui: Any = None) -> tuple[Any, Any]:
            if not figures:
                return "agg", "agg"
            enabled: tuple[Any, Any] = super().enable_matplotlib(gui)  # type: ignore[no-untyped-call]
            formatter: Any = self.display_formatter
            formatter.formatters["image/png"].for_type(Figure, drawing.png)  # instead of the one that it has set
            return enabled

        def showtraceback(self, *args: Any, **kwargs: Any) -> None:  # errors travel as data; nobody reads a terminal
            pass

        showsyntaxtraceback = showtraceback

    config = Config()
    config.HistoryManager.enabled = False  # its database would start a thread
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.autoindent = False
    shell: Any = GradingShell.instance(config=config)

    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4], label="a")
    axes.scatter([1], [2], c=[1])
    axes.bar([1], [2])
    axes.set_title("$x^2$")
    axes.legend()
    if figures:  # otherwise nobody draws, and this would only delay the first result
        drawing.png(figure)
    plt.close("all")
    np.random.default_rng(0).normal(size=(50, 5)) @ np.ones(5)
    np.linalg.solve(np.eye(3), np.ones(3))
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in ("%matplotlib inline", "def _w(x): return f'{x:.3f}'\n[_w(i) for i in range(2)];", "del _w", "1;"):
            shell.run_cell(cell, store_history=False)  # nothing is displayed: that would leave names behind
        for value in (1, 0.5, "text", [1], {"a": 1}, np.ones(2)):
            shell.display_formatter.format(value)
    plt.close("all")
    return shell


def _import_course_modules(folder: Path, allowed: Sequence[str]) -> None:
    """Import what every notebook of the course imports first.

    Only here does the sandbox name modules of a course, because a module that is imported once per zygote need not be
    compiled once per student. A course may lack any of them; nothing else in the sandbox depends on them.
    """
    exercises = [f"checks.exercises.{path.stem}" for path in sorted(folder.glob("checks/exercises/[0-9]*.py"))]
    for name in ("checks", "ipywidgets"):  # a course may do without either
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    with contextlib.suppress(ModuleNotFoundError):  # which packages answers do without is the course's word
        importlib.import_module("checks.packages").hide(allowed)
    for name in allowed:  # this may take seconds, which are not to be taken from every student
        with contextlib.suppress(Exception):  # it is told where a process tries whether it can import it
            importlib.import_module(name)
    for name in exercises:  # every notebook begins with its own, and would compile it anew
        with contextlib.suppress(Exception):  # an author's mistake is told where the checks are asked
            importlib.import_module(name)
