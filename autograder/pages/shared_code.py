"""The code that two similar students share, cut to the lines that an instructor compares by eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.pages.similarity import Marked, Pair

_AROUND = 2  # lines before and after shared ones
_LINES, _LINE = 80, 200  # of code that are shown of a cell, and characters of a line
_LEFT_OUT = ("…", False)


@dataclass(frozen=True)
class PairView:
    """Two similar students: how much of each one's code the other has, both on average, and the code itself."""

    students: tuple[str, str]
    shares: tuple[float, float]
    share: float
    measure: float
    passages: Sequence[tuple[Marked, Marked]]


def pair_view(pair: Pair) -> PairView:
    """A pair with the lines around what is shared; the rest of their code is left out."""
    passages = [(excerpt(passage.one), excerpt(passage.other)) for passage in pair.passages]
    return PairView(pair.students, pair.shares, sum(pair.shares) / 2, pair.measure, passages)


def excerpt(lines: Marked) -> Marked:
    """The shared lines, with a few around them; an ellipsis stands for lines that are left out between them."""
    near = {place + step for place, (_, shared) in enumerate(lines) if shared for step in range(-_AROUND, _AROUND + 1)}
    shown: list[tuple[str, bool]] = []
    skipped = False
    for place, (line, shared) in enumerate(lines):
        if place not in near or len(shown) >= _LINES:
            skipped = True
            continue
        if skipped and shown:
            shown.append(_LEFT_OUT)
        skipped = False
        text = line if len(line) <= _LINE else f"{line[:_LINE]}…"
        shown.append((text, shared and bool(text.strip())))
    if skipped and len(shown) >= _LINES:
        shown.append(_LEFT_OUT)
    return tuple(shown)
