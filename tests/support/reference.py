"""The reference solutions as ordinary functions, for tests that compare them with independent oracles."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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


@cache
def names(stem: str) -> dict[str, Any]:
    """The names of a source notebook after its cells have run, without checks and demonstrations. Copy to change it."""
    found: dict[str, Any] = {}
    for cell in sources.read(ROOT / "solutions" / f"{stem}.ipynb").cells:
        graded = cell.metadata.get("nbgrader", {}).get("grade", False)
        if cell.cell_type == "code" and not graded and "demo" not in cell.metadata.get("tags", []):
            exec("\n".join(line for line in cell.source.splitlines() if not line.startswith("%")), found)
    return found
