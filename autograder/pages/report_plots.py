"""The plots of a class report: SVG that takes its colours from the page, and says its numbers in words."""

from __future__ import annotations

import html
from collections.abc import Sequence

_WIDTH = 560


def histogram(scores: Sequence[float], most: int) -> str:
    """How many students reached which score, in at most ten bars."""
    bins = min(10, most) or 1
    counts = [0] * bins
    for score in scores:
        counts[min(int(score * bins / most), bins - 1) if most else 0] += 1
    edges = [(place * most / bins, (place + 1) * most / bins) for place in range(bins)]
    words = "; ".join(f"{low:g} to {high:g}: {count}" for (low, high), count in zip(edges, counts, strict=True))
    step, tallest = _WIDTH / bins, max(counts)
    parts = []
    for place, (count, (low, high)) in enumerate(zip(counts, edges, strict=True)):
        tall, middle = 120 * count / tallest, (place + 0.5) * step
        if count:
            parts.append(
                f'<rect x="{middle - step / 2 + 3:.1f}" y="{140 - tall:.1f}" width="{step - 6:.1f}" height="{tall:.1f}"/>'
            )
            parts.append(f'<text x="{middle:.1f}" y="{134 - tall:.1f}">{count}</text>')
        parts.append(f'<text x="{middle:.1f}" y="157">{low:g}–{high:g}</text>')
    axis = f'<line x1="0" y1="140" x2="{_WIDTH}" y2="140"/><text x="{_WIDTH / 2}" y="176">score</text>'
    return _svg(f"Number of students by score. {words}.", 182, "".join(parts) + axis)


def shares(named: Sequence[tuple[str, float]]) -> str:
    """A bar from 0 to 100 % for each name."""
    parts = []
    for place, (name, share) in enumerate(named):
        top = 26 * place + 4
        parts.append(
            f'<text class=name x="210" y="{top + 14}">{_shortened(name)}</text><rect class=ground x="220" y="{top}" width="290" height="18"/>'
        )
        parts.append(f'<rect x="220" y="{top}" width="{290 * share:.1f}" height="18"/>')
        parts.append(f'<text class=value x="516" y="{top + 14}">{share:.0%}</text>')
    words = "; ".join(f"{name}: {share:.0%}" for name, share in named)
    return _svg(f"Mean share of the points, by exercise. {words}.", 26 * len(named) + 4, "".join(parts))


def _svg(words: str, height: int, inside: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{html.escape(words, quote=True)}">{inside}</svg>'
    )


def _shortened(name: str) -> str:
    return html.escape(name if len(name) <= 28 else f"{name[:27]}…")
