"""The memory that this machine has left, or the container around, and how many processes were ended for want of it."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path("/")


@dataclass(frozen=True)
class Memory:
    """How many bytes there are in all, and how many can still be had: of the machine, or of the tightest container."""

    total: int
    available: int


@dataclass(frozen=True)
class _Group:
    """A control group that bounds the memory of this process, and the names that its files have in its version."""

    folder: Path
    bound: str
    used: str
    cached: str
    events: str

    def memory(self) -> Memory | None:
        """What its bound leaves; None where it has none. What the page cache could give back is not used up."""
        bound, used = _number(self.folder / self.bound), _number(self.folder / self.used)
        if bound is None or used is None:
            return None
        cached = _field(self.folder / "memory.stat", self.cached) or 0
        return Memory(bound, max(bound - used + cached, 0))


def memory(root: Path = _ROOT) -> Memory | None:
    """The memory that is left; None where nobody tells, as on systems other than Linux.

    `root` is where /proc and /sys are.
    """
    information = root / "proc/meminfo"
    total, available = _field(information, "MemTotal:"), _field(information, "MemAvailable:")
    if total is None or available is None:
        return None
    whole = Memory(total << 10, available << 10)
    bounded = [left for group in _groups(root) if (left := group.memory()) is not None and left.total < whole.total]
    return min([whole, *bounded], key=lambda left: left.available)


def memory_kills(root: Path = _ROOT) -> int:
    """How many processes the kernel has ended for want of memory so far, here and in the containers around."""
    counts = [_field(group.folder / group.events, "oom_kill") for group in _groups(root)]
    return sum(count or 0 for count in (_field(root / "proc/vmstat", "oom_kill"), *counts))


def stalled(root: Path = _ROOT) -> float:
    """For how many seconds so far everything that was to run has waited for memory; 0 where nobody counts."""
    places = [root / "proc/pressure/memory", *(group.folder / "memory.pressure" for group in _groups(root))]
    totals = [re.search(r"^full .*total=(\d+)", _text(place), re.MULTILINE) for place in places]
    return max((int(total[1]) / 1e6 for total in totals if total is not None), default=0.0)


@cache
def _groups(root: Path) -> tuple[_Group, ...]:
    """The control groups that bound the memory of this process: its own, and those around."""
    found: list[_Group] = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:  # version 2
            top, names = "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file", "memory.events")
        elif "memory" in controllers.split(","):
            top = "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "memory.oom_control")
        else:
            continue
        own = root / top / path.lstrip("/")
        around = [folder for folder in (own, *own.parents) if folder.is_relative_to(root / top)]
        found += [_Group(folder, *names) for folder in around if (folder / names[1]).exists()]
    return tuple(found)


def _text(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii")
    return ""


def _number(path: Path) -> int | None:
    """The number in a file; None where there is none, or a word, which means that there is no bound."""
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _field(path: Path, name: str) -> int | None:
    """The number after a name, in a file with a name and a number in every line."""
    found = re.search(rf"^{re.escape(name)}\s+(\d+)", _text(path), re.MULTILINE)
    return None if found is None else int(found[1])
