"""Everything that a notebook needs, imported and used once, so that a forked process finds it ready."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from typing import Any


def warm(checks: str, *, figures: bool) -> Any:
    """An IPython shell without history, threads or terminal, in a process where the usual imports are done.

    `checks` is the folder that holds the students' package of that name. With `figures`, `%matplotlib inline`
    draws as in a notebook; without, figures are built but never drawn.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    sys.path.insert(0, checks)
    _import_course_modules()

    class GradingShell(InteractiveShell):
        def enable_gui(self, gui: Any = None) -> None:  # the base class raises on %matplotlib inline
            pass

        def enable_matplotlib(self, gui: Any = None) -> tuple[Any, Any]:
            return super().enable_matplotlib(gui) if figures else ("agg", "agg")

        def showtraceback(self, *args: Any, **kwargs: Any) -> None:  # errors travel as data; nobody reads a terminal
            pass

        showsyntaxtraceback = showtraceback

    config = Config()
    config.HistoryManager.enabled = False  # its database would start a thread
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.autoindent = False
    shell = GradingShell.instance(config=config)

    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4], label="a")
    axes.scatter([1], [2], c=[1])
    axes.bar([1], [2])
    axes.set_title("$x^2$")
    axes.legend()
    figure.savefig(io.BytesIO(), format="png")
    plt.close("all")
    np.random.default_rng(0).normal(size=(50, 5)) @ np.ones(5)
    np.linalg.solve(np.eye(3), np.ones(3))
    sink, sys.stdout = sys.stdout, io.StringIO()
    shell.run_cell("%matplotlib inline\n_w = [f'{i:.3f}' for i in range(2)]\ndel _w", store_history=False, silent=True)
    sys.stdout = sink
    plt.close("all")
    return shell


def _import_course_modules() -> None:
    for name in ("checks", "ipywidgets"):  # a course may do without either
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
