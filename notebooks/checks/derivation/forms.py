"""Puts lines into a normal form, in which order, brackets, signs and factors that cancel make no difference.

Nothing is ever multiplied out for it, so that a normal form is never longer than its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b

from checks.derivation.reading import Tree

# Numbers are whole numbers modulo a large prime: they are exact, and however they are multiplied they stay small. A
# value is a tuple of such numbers, one for each of a few points, at half of which the label is 0. That two values agree
# at all points by accident is as good as impossible.

_PRIME = 2**61 - 1
_POINTS = 6
_AT = {
    "y": tuple(place % 2 for place in range(_POINTS)),
    "p": tuple(pow(3, 1009 + 7 * place, _PRIME) for place in range(_POINTS)),
    "x": tuple(pow(5, 2003 + 11 * place, _PRIME) for place in range(_POINTS)),
}

Value = tuple[int, ...]
Powers = tuple[tuple["Atom", int], ...]
Forms = tuple["Form", "Form"]  # of a line as it is written, and with everything cancelled


class _NoValue(ValueError):
    """A line that divides by zero at one of the points."""


@dataclass(frozen=True)
class Atom:
    """What a product consists of: a symbol or a sum. Sums are scaled: 2 - 2 p and p - 1 are the same atom."""

    key: str  # the same for the same atom, and short: what is nested deeply is compared as fast as anything else
    terms: tuple[tuple[Powers, Powers, tuple[int, ...]], ...] = field(compare=False, repr=False)
    """Factors, divisors and the numbers in front of them; a symbol has none."""
    value: Value = field(compare=False, repr=False)


@dataclass(frozen=True)
class Form:
    """A number, times powers of atoms, over powers of atoms."""

    number: int
    factors: Powers = ()
    divisors: Powers = ()

    @cached_property
    def value(self) -> Value:
        """The value at each of the points."""
        over, under = _power_value(self.factors), _power_value(self.divisors)
        return tuple(self.number * a * _inverse(b) % _PRIME for a, b in zip(over, under))

    def sum_terms(self) -> Iterator[Form]:
        """The terms, if it is nothing but a sum and a number in front of it; otherwise itself."""
        if self.divisors or len(self.factors) != 1 or self.factors[0][1] != 1 or not self.factors[0][0].terms:
            yield self
            return
        for factors, divisors, numbers in self.factors[0][0].terms:
            for number in numbers:
                yield Form(self.number * number % _PRIME, factors, divisors)


def _power_value(powers: Powers) -> Value:
    found = [1] * _POINTS
    for atom, exponent in powers:
        found = [a * pow(b, exponent, _PRIME) % _PRIME for a, b in zip(found, atom.value)]
    return tuple(found)


def _inverse(number: int) -> int:
    if number % _PRIME == 0:
        raise _NoValue
    return pow(number, -1, _PRIME)


def _constant(value: Value) -> int | None:
    """The number that a value is at all points, if it is the same one."""
    return value[0] if len(set(value)) == 1 else None


def _form(tree: Tree, *, cancel: bool) -> Form:
    """The normal form of a tree; with `cancel`, what stands both above and below a fraction bar is left out."""
    kind, *parts = tree
    if kind == "number":
        number = Fraction(repr(parts[0]))  # 0.1 is a tenth here, not the float next to it
        return Form(number.numerator * _inverse(number.denominator) % _PRIME)
    if kind == "symbol":
        return Form(1, ((_symbol(parts[0]), 1),))
    if kind == "**":
        base, exponent = _form(parts[0], cancel=cancel), parts[1]
        return _power(base, exponent) if exponent >= 0 else _product(Form(1), _power(base, -exponent), -1, cancel)
    if kind in "*/":
        left, right = (_form(part, cancel=cancel) for part in parts)
        return _product(left, right, 1 if kind == "*" else -1, cancel)
    return _sum(list(_terms(tree, 1, cancel=cancel)))


def _symbol(name: str) -> Atom:
    return Atom(name, (), _AT[name])


def _power(base: Form, exponent: int) -> Form:
    if exponent == 0:
        return Form(1)
    factors, divisors = ({a: n * exponent for a, n in powers} for powers in (base.factors, base.divisors))
    return Form(pow(base.number, exponent, _PRIME), _sorted(factors), _sorted(divisors))


def _product(left: Form, right: Form, sign: int, cancel: bool) -> Form:
    """The product of two forms, or with the sign -1 their quotient."""
    over, under = (right.factors, right.divisors) if sign > 0 else (right.divisors, right.factors)
    number = right.number if sign > 0 else _inverse(right.number)
    if sign < 0 and 0 in _power_value(right.factors):
        raise _NoValue
    factors, divisors = dict(left.factors), dict(left.divisors)
    for powers, more in ((factors, over), (divisors, under)):
        for atom, exponent in more:
            powers[atom] = powers.get(atom, 0) + exponent
    if cancel:
        for atom in factors.keys() & divisors.keys():
            both = min(factors[atom], divisors[atom])
            factors[atom] -= both
            divisors[atom] -= both
    return Form(left.number * number % _PRIME, _sorted(factors), _sorted(divisors))


def _sorted(powers: dict[Atom, int]) -> Powers:
    """Powers in an order of their own. A label is 0 or 1, and so is its square: no power of it is anything else."""
    found = [(a, 1 if set(a.value) <= {0, 1} else n) for a, n in powers.items() if n]
    return tuple(sorted(found, key=repr))


def _terms(tree: Tree, sign: int, *, cancel: bool) -> Iterator[Form]:
    """The terms of a sum, those of sums inside it included, but for what is in brackets and comes to zero."""
    kind, *parts = tree
    if kind in ("+", "-"):
        yield from _terms(parts[0], sign, cancel=cancel)
        added = list(_terms(parts[1], sign if kind == "+" else -sign, cancel=cancel))
        if any(_total(added)):
            yield from added
    elif kind == "minus":
        yield from _terms(parts[0], -sign, cancel=cancel)
    else:
        form = _form(tree, cancel=cancel)
        yield from Form(sign * form.number % _PRIME, form.factors, form.divisors).sum_terms()


def _sum(terms: list[Form]) -> Form:
    """The sum of some forms. Like terms are put together, and a sum that is a product of its parts is one."""
    numbers: dict[tuple[Powers, Powers], list[int]] = {}
    for term in terms:
        if any(term.value):
            numbers.setdefault((term.factors, term.divisors), []).append(term.number)
    left = {
        key: tuple(sorted(found)) if _is_multiplied_out(key, numbers) else (sum(found) % _PRIME,)
        for key, found in numbers.items()
        if sum(found) % _PRIME or _is_multiplied_out(key, numbers)
    }
    value = _total([Form(sum(found) % _PRIME, *key) for key, found in left.items()])
    same = _constant(value)
    if same is not None and all(len(found) == 1 for found in left.values()):
        return Form(same)
    if len(left) == 1:
        ((key, (number, *_)),) = left.items()
        return Form(number, *key)
    return _as_product(left, value) or _as_atom(left, value)


def _total(terms: list[Form]) -> Value:
    return tuple(sum(column) % _PRIME for column in zip((0,) * _POINTS, *(term.value for term in terms)))


def _is_multiplied_out(key: tuple[Powers, Powers], numbers: dict[tuple[Powers, Powers], list[int]]) -> bool:
    """Whether terms that cancel are what algebra leaves behind: y p among terms of the same kind, or y in y + (1 - y).

    Any other term that is added and taken away again was put there for no reason.
    """
    if sum(numbers[key]) % _PRIME or len(numbers) == 1:
        return False
    if len(numbers) == 2 and ((), ()) in numbers:
        return not key[1] and key[0] in [((_symbol(name), 1),) for name in ("y", "p")]
    monomials = all(not under and all(not atom.terms for atom, _ in over) for over, under in numbers)
    of_x = {dict(over).get(_symbol("x"), 0) for over, _ in numbers}
    return monomials and len(of_x) == 1 and {"y", "p"} <= {atom.key for atom, _ in key[0]}


def _as_product(left: dict[tuple[Powers, Powers], tuple[int, ...]], value: Value) -> Form | None:
    """The sum as what its terms have in common, if a number is all that is left beside it; or as p (1 - p)."""
    common = dict(next(iter(left))[0])
    for factors, _ in left:
        common = {atom: min(n, dict(factors).get(atom, 0)) for atom, n in common.items()}
    shared = _sorted(common)
    for powers in (shared, _SLOPE):
        beside = _power_value(powers)
        if powers and all(beside):
            number = _constant(tuple(a * _inverse(b) % _PRIME for a, b in zip(value, beside)))
            if number is not None:
                return Form(number, powers)
    return None


def _as_atom(left: dict[tuple[Powers, Powers], tuple[int, ...]], value: Value) -> Form:
    ordered = sorted(left.items(), key=lambda item: repr(item[0]))
    number = next((found[0] for _, found in ordered if len(found) == 1), ordered[0][1][0])
    scale = _inverse(number)
    terms = tuple((*key, tuple(sorted(n * scale % _PRIME for n in found))) for key, found in ordered)
    key = blake2b(repr(terms).encode(), digest_size=16).hexdigest()
    return Form(number, ((Atom(key, terms, tuple(v * scale % _PRIME for v in value)), 1),))


P = _symbol("p")
ONE_MINUS_P = _as_atom({((), ()): (1,), (((P, 1),), ()): (_PRIME - 1,)}, tuple(1 - p for p in P.value)).factors[0][0]
_SLOPE = _sorted({P: 1, ONE_MINUS_P: 1})


def denominators(form: Form) -> dict[Atom, int]:
    """How often a form divides by what, inside its sums as well."""
    found: dict[Atom, int] = dict(form.divisors)
    for atom, _ in (*form.factors, *form.divisors):
        for factors, divisors, _ in atom.terms:
            for other, count in denominators(Form(1, factors, divisors)).items():
                found[other] = found.get(other, 0) + count
    return found


def both_forms(tree: Tree | None) -> Forms | None:
    """The two forms of a line; None where it cannot be read, or divides by zero."""
    try:
        return None if tree is None else (_form(tree, cancel=False), _form(tree, cancel=True))
    except _NoValue:
        return None
