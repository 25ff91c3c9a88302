"""Results in words, as text and as HTML: the verdict first, then every check.

JupyterLab removes `role`, `aria-*`, `border-left` and CSS variables from notebooks that it does not trust, and
themes are light or dark: so the words alone carry the verdict, and no colour is set.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Any

from checks.running import Outcome, Verdict

HIDDEN = "Hidden checks with other numbers follow when the notebook is graded."
NOT_COUNTED = "Hidden checks are not counted here; they follow when the notebook is graded."


@dataclass(frozen=True)
class Report:
    """A heading, the checks with what they found, a list, closing lines; shows itself in a notebook or as text."""

    heading: str
    outcomes: tuple[Outcome, ...] = ()
    items: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = [self.heading]
        for outcome in self.outcomes:
            parts.append(f"  {outcome.verdict.value}: {outcome.check.description}")
            parts += [_indented(f"{label}: ", value) for label, value in outcome.rows]
            parts += [f"      {outcome.advice}"] if outcome.advice else []
        return "\n".join([*parts, *(f"  {line}" for line in (*self.items, *self.lines))])

    def _repr_html_(self) -> str:
        points = [*map(_outcome_html, self.outcomes), *map(_html, self.items)]
        bullets = "".join(f"<li>{point}</li>" for point in points)
        lines = "".join(f"<p>{_html(line)}</p>" for line in self.lines)
        return f"<div><p><strong>{_html(self.heading)}</strong></p>{f'<ul>{bullets}</ul>' if bullets else ''}{lines}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _indented(label: str, value: str) -> str:
    first, *rest = value.split("\n")
    return "\n".join([f"      {label}{first}", *(" " * (6 + len(label)) + line for line in rest)])


def _outcome_html(outcome: Outcome) -> str:
    rows = "\n".join(textwrap.dedent(_indented(f"{label}: ", value)) for label, value in outcome.rows)
    said = _html(f"{outcome.verdict.value}: {outcome.check.description}")
    advice = f"<p>{_html(outcome.advice)}</p>" if outcome.advice else ""
    return said + (f"<pre>{escape(rows)}</pre>" if rows else "") + advice


def _html(text: str) -> str:
    """A sentence as HTML, with `code` between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def verdict_on(outcomes: tuple[Outcome, ...]) -> str:
    """The state of a whole exercise, in words."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if verdicts == {Verdict.PASSES}:
        return "all visible checks pass"
    if verdicts == {Verdict.NOT_ATTEMPTED}:
        return "not attempted yet"
    if verdicts == {Verdict.MISSING}:
        return "cannot be checked yet"
    return "not right yet"


def report_on(exercise: str, outcomes: tuple[Outcome, ...]) -> Report:
    """The report on one exercise."""
    verdict = verdict_on(outcomes)
    heading = f"{exercise}: {verdict}"
    if verdict == "all visible checks pass":
        return Report(heading, outcomes, lines=(HIDDEN,))
    if verdict in ("not attempted yet", "cannot be checked yet"):
        advice = dict.fromkeys(outcome.advice for outcome in outcomes if outcome.advice)
        return Report(heading, lines=tuple(advice))
    return Report(heading, outcomes)


def progress(results: dict[str, tuple[Outcome, ...]]) -> Report:
    """The report on a whole notebook: one line for each exercise."""
    done = sum(verdict_on(outcomes) == "all visible checks pass" for outcomes in results.values())
    items = tuple(f"{name}: {verdict_on(outcomes)}" for name, outcomes in results.items())
    heading = f"{done} of {len(results)} exercises pass their visible checks"
    return Report(heading, items=items, lines=(NOT_COUNTED,))
