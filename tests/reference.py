"""The reference solutions as ordinary functions, for tests that compare them with independent oracles."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike

from autograder import notebook

ROOT = Path(__file__).resolve().parent.parent


@cache
def functions(stem: str) -> SimpleNamespace:
    """The functions that the solution cells of a source notebook define, as attributes."""
    source = notebook.read_source(ROOT / "solutions" / f"{stem}.ipynb")
    names = {"np": np, "ArrayLike": ArrayLike}
    for cell in source.cells:
        if notebook.function_of(cell) is not None:
            exec(cell.source, names)  # noqa: S102 - our own notebooks
    return SimpleNamespace(**names)
