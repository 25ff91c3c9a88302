"""The versions of matplotlib whose figures may be drawn with shortcuts, without importing matplotlib.

The shortcuts replace methods that matplotlib may rename or change in any version. On a version that is not listed here
nothing is replaced: figures take longer and look as they should. To list another one, install it and run
`tests/sandbox/test_drawing.py`, which compares every picture.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata

TRIED = ("3.11.2",)


def was_tried() -> bool:
    """Whether the installed version is one of those."""
    return _installed() in TRIED


def remark() -> str:
    """How figures are drawn on a version that was not tried, in words; empty on one that was."""
    if was_tried():
        return ""
    tried = ", ".join(TRIED)
    return f"drawn without shortcuts: matplotlib {_installed()} was not tried (tried: {tried})"


@cache
def _installed() -> str:
    return metadata.version("matplotlib")
