"""The reference solutions as ordinary functions, for tests that compare them with independent oracles."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike

from autograder.course import sources

ROOT = Path(__file__).resolve().parents[2]


@cache
def functions(stem: str, *given: str) -> SimpleNamespace:
    """The functions that a source notebook defines in its solution cells and in the cells `given` by id."""
    source = sources.read(ROOT / "solutions" / f"{stem}.ipynb")
    names = {"np": np, "math": math, "ArrayLike": ArrayLike}
    for cell in source.cells:
        if sources.function_of(cell) is not None or cell.id in given:
            exec(cell.source, names)
    return SimpleNamespace(**names)
