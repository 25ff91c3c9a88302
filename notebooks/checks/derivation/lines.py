"""Says of each line of a derivation whether it follows, and what all lines together lack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from checks.derivation.forms import both_forms
from checks.derivation.reading import LONGEST_LINE, Refused, Tree, read, read_all
from checks.derivation.structure import is_result, is_step, shows_both_logarithms
from checks.derivation.values import agree, derivative, points, value

_RESULT = read("(y - p)*x")


@dataclass(frozen=True)
class Step:
    """One line of a derivation: its number, its text, its tree if it can be read, and what is wrong with it."""

    number: int
    text: str
    tree: Tree | None
    problem: str

    @property
    def follows(self) -> bool:
        """Whether the line equals the derivative."""
        return not self.problem


def steps(lines: Any) -> list[Step]:
    """Every line of a derivation with its verdict; Refused if there is no list of lines at all."""
    found: list[Step] = []
    for number, line in enumerate(read_all(lines), start=1):
        text = line if isinstance(line, str) and len(line) <= LONGEST_LINE else f"<{type(line).__name__}>"
        try:
            tree = read(line)
        except Refused as reason:
            found.append(Step(number, text, None, f"line {number} cannot be read: {reason}"))
        else:
            found.append(Step(number, text, tree, _problem(number, tree, found[-1] if found else None)))
    return found


def _problem(number: int, tree: Tree, before: Step | None) -> str:
    """Why a line is not equal to the derivative, with a point at which one can see it; empty if it is."""
    at = points()
    got, want = value(tree, at), derivative(at)
    if agree(got, want):
        return ""
    wrong = ~np.isfinite(got) | ~np.isclose(got, want, rtol=1e-9, atol=1e-9)
    first = int(np.argmax(wrong))
    place = f"at y = {at['y'][first]:.0f}, p = {at['p'][first]:.2f}, x = {at['x'][first]:.2f}"
    if before is None:
        said = "is not the derivative"
    elif before.follows:
        said = f"does not follow from line {before.number}"
    elif before.tree is not None and agree(got, value(before.tree, at)):
        said = f"carries on what went wrong before, in line {before.number}"
    else:
        said = "is not the derivative either"
    if not np.isfinite(got[first]):
        return f"line {number} {said}: {place} it has no value"
    return f"line {number} {said}: {place} it is {got[first]:.4g}, and the derivative is {want[first]:.4g}"


def first_problem(lines: Any) -> str:
    """The first thing that is wrong with a derivation, in words that name the line; empty if it is complete."""
    try:
        found = steps(lines)
    except Refused as reason:
        return str(reason)
    return next((step.problem for step in found if step.problem), "") or next(iter(_remarks(found)), "")


def middle(found: list[Step]) -> list[Step]:
    """The lines between the first and the last that hold, and in which something has happened.

    A line that is the first or the last one in another order, with other brackets, with a factor or a term that says
    nothing, may stand there, but it is no step.
    """
    between = [step for step in found[1:-1] if step.tree is not None and step.follows]
    if not between:
        return []
    ends = found[-1].tree
    first, last = both_forms(found[0].tree), both_forms(ends if ends is not None and is_result(ends) else _RESULT)
    return [step for step in between if is_step(both_forms(step.tree), first, last)]


def _remarks(found: list[Step]) -> Iterator[str]:
    """What the lines, taken together, still lack."""
    first, last = found[0], found[-1]
    if first.tree is not None and first.follows and not shows_both_logarithms(first.tree):
        yield (
            "The first line should still show both logarithms differentiated: something over p, something over 1 - p, "
            "each times the derivative of p."
        )
    if last.tree is not None and last.follows and not is_result(last.tree):
        yield "The last line can be simplified further: no division, and y and p only once each."
    if not middle(found):
        yield (
            "Between the first line and the result, show at least one line of the way: a fraction has gone, a bracket "
            "was multiplied out, terms came together. Another order, or a factor such as p/p, is no step."
        )


def findings(lines: Any) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The lines that do not hold (which one, its text, what is wrong with it), and what all of them together lack.

    Refused if there is no list of lines at all.
    """
    found = steps(lines)
    wrong = [(f"line {step.number}", step.text, _verdict(step)) for step in found if not step.follows]
    return wrong, list(_remarks(found))


def explain(lines: Any) -> str:
    """A derivation with a verdict beside each line, and below what it still lacks; meant to be printed."""
    try:
        found = steps(lines)
    except Refused as reason:
        return str(reason)
    width = max(len(step.text) for step in found)
    rows = [f"line {step.number:<2} {step.text:{width}}  {_verdict(step)}" for step in found]
    remarks = list(_remarks(found))
    complete = not remarks and all(step.follows for step in found)
    return "\n".join(
        [*rows, *remarks, *(["Every line follows, from the two logarithms to the result."] if complete else [])]
    )


def _verdict(step: Step) -> str:
    return "follows" if step.follows else "<-- " + step.problem.removeprefix(f"line {step.number} ")
