"""The plots of a class report, as the places and sizes that `templates/plots.html` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH = 560
_TALLEST = 120  # of a bar of the histogram
_GAP = 6  # between two of them
_STEP = 26  # from one share to the next
_LONGEST = 28  # characters of a name


@dataclass(frozen=True)
class Bin:
    """How many students have a score from `low` to `high`, and where their bar stands."""

    low: float
    high: float
    count: int
    left: float
    middle: float
    width: float
    height: float


@dataclass(frozen=True)
class Histogram:
    """How many students reached which score."""

    bins: Sequence[Bin]
    width: int = _WIDTH


@dataclass(frozen=True)
class Bar:
    """The mean share of an exercise's points, and where its bar stands; the label is the name, cut where it is long."""

    name: str
    label: str
    share: float
    top: int


@dataclass(frozen=True)
class Shares:
    """The mean shares of the exercises, as bars from 0 to 100 %."""

    bars: Sequence[Bar]
    height: int
    width: int = _WIDTH


def histogram(scores: Sequence[float], most: int) -> Histogram:
    """How many students reached which score, in at most ten bars."""
    bins = min(10, most) or 1
    counts = [0] * bins
    for score in scores:
        counts[min(int(score * bins / most), bins - 1) if most else 0] += 1
    step, highest = _WIDTH / bins, max(counts)
    return Histogram(
        [
            Bin(
                low=place * most / bins,
                high=(place + 1) * most / bins,
                count=count,
                left=place * step + _GAP / 2,
                middle=(place + 0.5) * step,
                width=step - _GAP,
                height=_TALLEST * count / highest,
            )
            for place, count in enumerate(counts)
        ]
    )


def shares(named: Sequence[tuple[str, float]]) -> Shares:
    """A bar from 0 to 100 % for each name."""
    bars = [Bar(name, _shortened(name), share, _STEP * place + 4) for place, (name, share) in enumerate(named)]
    return Shares(bars, _STEP * len(bars) + 4)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
