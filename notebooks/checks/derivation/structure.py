"""Tells what lines show: both logarithms, a step of the way, or the result."""

from __future__ import annotations

from collections.abc import Iterator

from checks.derivation.forms import ONE_MINUS_P, Form, Forms, P, both_forms, denominators
from checks.derivation.reading import Tree
from checks.derivation.values import agree, is_derivative, marked_value, points


def shows_both_logarithms(tree: Tree, seed: int = 0) -> bool:
    """Whether a line still shows y over p and 1 - y over 1 - p, each times the derivative of p.

    Put any number for "one over p" and any other for "one over 1 - p": the line has to follow suit. Where one of them
    has been cancelled, or both were put on one denominator, it does not. The same goes for the label: as it is 0 or 1,
    the result times (y/p*p + (1-y)/(1-p)*(1-p)) would follow suit, too, and shows nothing. Nor does it divide by
    anything else.
    """
    forms = both_forms(tree)
    if forms is None or not denominators(forms[0]).keys() <= {P, ONE_MINUS_P}:
        return False
    at = points(seed)
    at = {**at, "y": at["any y"]}
    shown = marked_value(tree, at)
    slope = at["p"] * (1 - at["p"]) * at["x"]
    return agree(shown, (at["y"] * at["1/p"] - (1 - at["y"]) * at["1/q"]) * slope)


def is_result(tree: Tree) -> bool:
    """Whether a line is the derivative with nothing left to simplify: no division, y and p once each."""
    kinds = list(_nodes(tree))
    divides = any(kind == "/" or (kind == "**" and rest[1] < 0) for kind, *rest in kinds)
    once = all(kinds.count(("symbol", name)) == 1 for name in ("y", "p"))
    return not divides and once and is_derivative(tree)


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree[1:]:
        if isinstance(part, tuple):
            yield from _nodes(part)


def is_step(line: Forms | None, first: Forms | None, last: Forms | None) -> bool:
    """Whether a line is neither the first nor the last one in disguise."""
    if line is None or not denominators(line[0]).keys() <= {P, ONE_MINUS_P}:
        return False  # nothing in a derivation of this leads to another denominator
    return not (first is not None and _repeats_first(line, first)) and not (
        last is not None and _repeats_last(line, last)
    )


def _repeats_first(line: Forms, first: Forms) -> bool:
    """Whether a line is the first one, times or plus something that says nothing, and no fraction in it has gone."""
    (written, short), (start, start_short) = line, first
    fewer = _fractions(written) < _fractions(start)
    return written == start or _has_term(short, start_short) or (_contains(short, start_short) and not fewer)


def _fractions(form: Form) -> int:
    """How often a line divides by p or by 1 - p."""
    return sum(count for atom, count in denominators(form).items() if atom in (P, ONE_MINUS_P))


def _repeats_last(line: Forms, last: Forms) -> bool:
    """Whether a line is the last one, times or plus something that says nothing.

    With both fractions on their common denominator, p (1 - p) stands above and below the fraction bar, and that says
    how the fractions were put together.
    """
    (written, short), (_, result) = line, last
    return _has_term(short, result) or (_contains(short, result) and not _is_on_one_denominator(written))


def _equal(one: Form, other: Form) -> bool:
    return (one.factors, one.divisors) == (other.factors, other.divisors)


def _contains(form: Form, part: Form) -> bool:
    """Whether all factors of another form are factors of this one. Where both are equal, the others are one."""
    factors, divisors = dict(form.factors), dict(form.divisors)
    return all(factors.get(atom, 0) >= count for atom, count in part.factors) and all(
        divisors.get(atom, 0) >= count for atom, count in part.divisors
    )


def _has_term(form: Form, term: Form) -> bool:
    """Whether a form is a sum, and one of its terms is this one."""
    terms = list(form.sum_terms())
    return len(terms) > 1 and any(_equal(one, term) for one in terms)


def _is_on_one_denominator(form: Form) -> bool:
    return all(dict(term.divisors) == {P: 1, ONE_MINUS_P: 1} for term in form.sum_terms())
