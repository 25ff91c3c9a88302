"""Code as lines of coloured parts; what takes too long to be looked at is shown in one colour."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder.course.model import NEXT_CELL

KINDS = ("", "comment", "text", "figure", "keyword", "name")
_PROGRAM = Path(__file__).with_name("colours.py")
_SECONDS = 60.0  # on the clock, where a busy machine lets the process wait; processor time ends it long before
_MOST_LINES, _MOST_PARTS = 400, 3000  # of the code of one exercise


@dataclass(frozen=True)
class Part:
    """Some characters of a line, and what they are: one of `KINDS`."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Line:
    """A line of a cell, with the number that it has there."""

    number: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The line as it was written."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True)
class Shown:
    """Code as a page shows it: its cells line by line, how many lines it has, and whether the last ones are left out.

    The description that a cell was given with is left out, too: whoever reads this knows it.
    """

    cells: tuple[tuple[Line, ...], ...]
    count: int
    cut: bool = False


def plain(code: str) -> Shown:
    """The code in one colour."""
    return _shown(code, lambda text: [Part(text)], ())


class Highlighter:
    """Finds out what is what in code, in a process of its own; to be closed after use."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Highlighter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def shown(self, code: str, given: Sequence[str] = ()) -> Shown:
        """The code in colours; `given` are texts that cells began with when they were handed out."""
        return _shown(code, self._parts, given)

    def _parts(self, code: str) -> Sequence[Part]:
        told = self._asked(code)
        if not isinstance(told, list) or not all(map(_is_part, told)) or sum(n for n, _ in told) != len(code):
            return [Part(code)]
        found, start = [], 0
        for length, kind in told:
            found.append(Part(code[start : start + length], kind))
            start += length
        return found

    def _asked(self, code: str) -> Any:
        """What the process says; None where it ended instead, or said nothing in time."""
        if self._process is None:
            command = [sys.executable, "-P", str(_PROGRAM)]  # it imports nothing from the folder that we are in
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(code).encode() + b"\n")
            self._process.stdin.flush()
            ready = select.select([self._process.stdout], [], [], _SECONDS)[0]
            line = self._process.stdout.readline() if ready else b""
            return json.loads(line)
        except (OSError, ValueError):
            self._end()
            return None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _shown(code: str, parts_of: Callable[[str], Sequence[Part]], given: Sequence[str]) -> Shown:
    cells: list[tuple[Line, ...]] = []
    texts = code.split(NEXT_CELL)
    count = sum(text.count("\n") + 1 for text in texts)
    lines_left, parts_left = _MOST_LINES, _MOST_PARTS
    for text in texts:
        if not lines_left:
            break
        kept = "\n".join(text.split("\n")[:lines_left])
        parts = parts_of(kept)
        parts_left -= len(parts)
        lines = list(_in_lines(parts if parts_left > 0 else [Part(kept)]))
        lines_left -= len(lines)
        described = _described(text, given)
        cells.append(tuple(line for line in lines if line.number not in described))
    return Shown(tuple(cells), count, cut=count > _MOST_LINES)


def _described(text: str, given: Sequence[str]) -> range:
    """The numbers of the lines in which a cell has the description that it was given with."""
    head = next((head for head in given if head and text.startswith(f"{head}\n")), "")
    before, quotes, _ = head.partition('"""')
    return range(before.count("\n") + 1, head.count("\n") + 2) if quotes else range(0)


def _is_part(told: Any) -> bool:
    return isinstance(told, list) and len(told) == 2 and type(told[0]) is int and told[0] >= 0 and told[1] in KINDS


def _in_lines(parts: Sequence[Part]) -> Iterator[Line]:
    number, line = 1, list[Part]()
    for part in parts:
        first, *others = part.text.split("\n")
        line.append(Part(first, part.kind))
        for text in others:
            yield Line(number, tuple(one for one in line if one.text))
            number, line = number + 1, [Part(text, part.kind)]
    yield Line(number, tuple(one for one in line if one.text))
