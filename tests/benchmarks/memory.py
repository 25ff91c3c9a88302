"""How much memory processes use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path


def used(pids: Iterable[int], *, family: bool = True) -> int:
    """The bytes of these processes together, and with `family` of what they started; shared pages count once (PSS)."""
    children = _children() if family else {}
    total, todo = 0, list(pids)
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += 1024 * int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found.setdefault(parent, []).append(int(entry.name))
    return found
