"""Results in words, as text and as HTML: the verdict first, then every check.

JupyterLab removes `role`, `aria-*`, `border-left` and CSS variables from notebooks that it does not trust, and
themes are light or dark: so the words alone carry the verdict, and no colour is set.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from checks import costs
from checks.running import Outcome, Verdict

PASSED = "all visible checks pass"
NOT_RIGHT = "not right yet"
HIDDEN = "Hidden checks with other numbers follow when the notebook is graded."
NOT_COUNTED = "Hidden checks are not counted here; they decide about the points when the notebook is graded."
HAND_IN = "Nothing is left to do but to save (Ctrl+S) and to hand in: `checks.hand_in()`."


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
        return (
            f"<div><p><strong>{_html(self.heading)}</strong></p>{f'<ul>{bullets}</ul>' if bullets else ''}{lines}</div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


@dataclass(frozen=True)
class InWords:
    """What a figure shows, in words, to be unfolded below it."""

    words: str

    def __repr__(self) -> str:
        return f"Figure in words: {self.words}"

    def _repr_html_(self) -> str:
        return f"<details><summary>Figure in words</summary><p>{escape(self.words)}</p></details>"


def _indented(label: str, value: str) -> str:
    first, *rest = value.split("\n")
    return "\n".join([f"      {label}{first}", *(" " * (6 + len(label)) + line for line in rest)])


def _outcome_html(outcome: Outcome) -> str:
    rows = "\n".join(textwrap.dedent(_indented(f"{label}: ", value)) for label, value in outcome.rows)
    said = _html(f"{outcome.verdict.value}: {outcome.check.description}")
    advice = f"<p><em>{_html(outcome.advice)}</em></p>" if outcome.advice else ""
    return said + (f"<pre>{escape(rows)}</pre>" if rows else "") + advice


def _html(text: str) -> str:
    """A sentence as HTML, with `code` between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def verdict_on(outcomes: tuple[Outcome, ...]) -> str:
    """The state of a whole exercise, in words."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if verdicts == {Verdict.PASSES}:
        return PASSED
    if verdicts == {Verdict.NOT_ATTEMPTED}:
        return "not attempted yet"
    if verdicts == {Verdict.MISSING}:
        return "cannot be checked yet"
    return NOT_RIGHT


def report_on(exercise: str, outcomes: tuple[Outcome, ...], *, graded: bool = True) -> Report:
    """The report on one exercise; where it is `graded`, each check that fails says what it costs."""
    verdict = verdict_on(outcomes)
    heading = f"{exercise}: {verdict}"
    if verdict == PASSED:
        return Report(heading, outcomes, lines=(HIDDEN,))
    if verdict in ("not attempted yet", "cannot be checked yet"):
        advice = dict.fromkeys(outcome.advice for outcome in outcomes if outcome.advice)
        return Report(heading, lines=tuple(advice))
    return Report(heading, tuple(map(_with_costs, outcomes)) if graded else outcomes)


def _with_costs(outcome: Outcome) -> Outcome:
    """The outcome, and in its last row what it costs if it stays so."""
    if outcome.verdict is Verdict.PASSES:
        return outcome
    return replace(
        outcome, rows=(*outcome.rows, ("costs", costs.in_words(outcome.check.kind, stressed=outcome.check.stressed)))
    )


def _at_stake(outcomes: tuple[Outcome, ...]) -> str:
    """What the checks that do not pass cost together."""
    failed = [outcome.check for outcome in outcomes if outcome.verdict is not Verdict.PASSES]
    return costs.at_stake((check.kind, check.stressed) for check in failed)


def progress(results: dict[str, tuple[Outcome, ...]], points: dict[str, int] | None = None) -> Report:
    """The report on a whole notebook: one line for each exercise, the points in reach, and what is left.

    Where the visible checks pass, the points are in reach, no more: hidden checks decide whether they are earned.
    Without `points` the report speaks of exercises only.
    """
    value = {name: (points or {}).get(name, 0) for name in results}
    verdicts = {name: verdict_on(outcomes) for name, outcomes in results.items()}
    done = [name for name, verdict in verdicts.items() if verdict == PASSED]
    left = [name for name in results if name not in done]

    def at_stake(name: str) -> str:
        return f"; at stake: {_at_stake(results[name])}" if value[name] and verdicts[name] == NOT_RIGHT else ""

    heading = f"{len(done)} of {len(results)} exercises pass their visible checks"
    if sum(value.values()):
        heading += f": up to {sum(value[name] for name in done)} of {sum(value.values())} points so far"
    items = tuple(f"{name}{worth(value[name])}: {verdicts[name]}" + at_stake(name) for name in results)
    exercises = "1 exercise" if len(left) == 1 else f"{len(left)} exercises"
    to_do = (
        f"Left to do: {exercises}{worth(sum(value[name] for name in left))}; next is `{left[0]}`." if left else HAND_IN
    )
    return Report(heading, items=items, lines=(to_do, NOT_COUNTED))


def worth(points: int) -> str:
    """The points of an exercise in brackets, or nothing where they are not known."""
    return f" ({points} {'point' if points == 1 else 'points'})" if points else ""
