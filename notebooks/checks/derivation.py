"""Reads a derivation of the gradient, one line of algebra at a time, and says of each line whether it follows.

    print(explain(derivation()))

The derivation is that of one example's log-likelihood, y log p + (1 - y) log(1 - p) with p = sigma(w . x), by one
weight w_j. Its lines use three symbols: y (the label, 0 or 1), p, and x (short for the feature x_j). A line is text
that somebody else wrote, so it is never run: it is parsed into a tree, everything in the tree that is not plain
algebra is refused, and a few lines of our own compute the value at many random points. Two lines are taken for equal
if they agree at all of them.

A line of the way has to differ from the first line and from the result in more than its looks. To see that, lines are
put into a normal form in which order, brackets, signs and factors that cancel make no difference. Nothing is ever
multiplied out for it, so that a normal form is never longer than its line.
"""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

SYMBOLS = ("y", "p", "x")
MOST_LINES = 30
LONGEST_LINE = 300  # characters
DEEPEST = 60  # operations inside one another
LARGEST_NUMBER = 1000
LARGEST_EXPONENT = 4

Tree = tuple[Any, ...]  # ("number", 2.0), ("symbol", "y"), ("minus", tree), ("+", tree, tree), ("**", tree, 2), ...

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_LOOK_ALIKES = {"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "÷": "/", "²": "**2", "³": "**3", "⁄": "/"}


class Refused(ValueError):
    """A line, or a whole derivation, that cannot be read; the text says why, and what to write instead."""


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_all(lines: Any) -> list[str]:
    """The lines of a derivation as a list of text; Refused if it is anything else, or far too long."""
    if isinstance(lines, np.ndarray):
        lines = lines.tolist()
    if isinstance(lines, str):
        raise Refused("A derivation is a list of lines, one text for each of them; this is a single text.")
    if not isinstance(lines, list | tuple):
        raise Refused(f"A derivation is a list of lines; this is of type {type(lines).__name__}.")
    if not lines:
        raise Refused("The derivation has no lines.")
    if len(lines) > MOST_LINES:
        raise Refused(f"The derivation has {len(lines)} lines; {MOST_LINES} are more than enough.")
    return list(lines)


def read(line: Any) -> Tree:
    """The tree of a line: plain algebra in y, p and x. Refused, with the reason, if it is anything else."""
    if not isinstance(line, str):
        raise Refused(f"a line is text in quotes; this is of type {type(line).__name__}")
    if len(line) > LONGEST_LINE:
        raise Refused(f"it has {len(line)} characters; {LONGEST_LINE} are more than enough")
    if not line.strip():
        raise Refused("it is empty")
    for character in line:
        if not " " <= character <= "~":
            raise Refused(_about_character(character))
    return _tree(_parsed(line), 0)


def _about_character(character: str) -> str:
    if character in _LOOK_ALIKES:
        return f"it contains the character {character}; write {_LOOK_ALIKES[character]}"
    if character in "\t\r\n":
        return "it contains a tab or a line break; write each line as a text of its own"
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    return f"it contains a character that Python's algebra does not know ({name})"


def _parsed(line: str) -> ast.expr:
    if "=" in line:
        raise Refused("leave the equals sign out: each line is one expression")
    try:
        with warnings.catch_warnings():  # Python warns about 2if and the like, which are refused anyway
            warnings.simplefilter("ignore")
            return ast.parse(line.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Refused("Python cannot read it: is an operator or a parenthesis missing?") from None


def _tree(node: ast.expr, depth: int) -> Tree:
    """Our own tree of an expression; whatever is not listed here is refused."""
    if depth > DEEPEST:
        raise Refused("it is nested too deeply")
    match node:
        case ast.Name(id=name) if name in SYMBOLS:
            return ("symbol", name)
        case ast.Constant(value=int() | float() as value) if type(value) in (int, float):
            return ("number", _number(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ("minus", _tree(operand, depth + 1))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _tree(operand, depth + 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return ("**", _tree(left, depth + 1), _exponent(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return (_OPERATORS[type(op)], _tree(left, depth + 1), _tree(right, depth + 1))
    raise Refused(_about_node(node))


def _number(value: float) -> float:
    if not abs(value) <= LARGEST_NUMBER:
        raise Refused(f"it contains a number beyond {LARGEST_NUMBER}")
    return float(value)


def _exponent(node: ast.expr) -> int:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign, node = -1 if isinstance(node.op, ast.USub) else 1, node.operand
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value <= LARGEST_EXPONENT:
        return sign * node.value
    raise Refused(f"an exponent is a whole number up to {LARGEST_EXPONENT} here")


def _about_node(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        letters = [letter for letter in node.id if letter in SYMBOLS]
        meant = f"; did you mean {'*'.join(letters)}?" if len(letters) == len(node.id) else ""
        return f"it uses the name {node.id[:20]}, and only y, p and x are allowed{meant}"
    if isinstance(node, ast.Call):
        return "it calls a function, or a * is missing in front of a parenthesis"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        return "write ** for a power, not ^"
    return "it is more than numbers, y, p, x, + - * / ** and parentheses"


# --- Values -----------------------------------------------------------------------------------------------------------


def points(seed: int = 0, count: int = 200) -> dict[str, np.ndarray]:
    """Random values for the symbols: labels 0 and 1, probabilities away from 0 and 1, features of both signs.

    1/p, 1/q and "any y" are there for a look at the structure: values that have nothing to do with p, or with labels.
    """
    rng = np.random.default_rng(seed)
    return {
        "y": rng.permutation(np.arange(count) % 2).astype(float),
        "p": rng.uniform(0.05, 0.95, count),
        "x": rng.uniform(0.3, 3, count) * rng.choice([-1, 1], count),
        "1/p": rng.uniform(2, 5, count),
        "1/q": rng.uniform(-5, -2, count),
        "any y": rng.uniform(-2, 2, count),
    }


def derivative(at: dict[str, np.ndarray]) -> np.ndarray:
    """The derivative of the log-likelihood by the weight, at the points: the result that the last line states."""
    return np.asarray((at["y"] - at["p"]) * at["x"])


def value(tree: Tree, at: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a line at the points; inf or nan where it has none."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(tree, at, marked=False) + np.zeros_like(at["y"]))


def is_derivative(tree: Tree, seed: int = 0) -> bool:
    """Whether a line equals the derivative at random points."""
    at = points(seed)
    return _agree(value(tree, at), derivative(at))


def _agree(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.isfinite(one).all() and np.isclose(one, other, rtol=1e-9, atol=1e-9).all())


def _value(tree: Tree, at: dict[str, np.ndarray], *, marked: bool) -> Any:
    """The value of a tree. `marked` computes with free values for one over p and for one over 1 - p."""
    kind, *parts = tree
    if kind == "number":
        return np.float64(parts[0])
    if kind == "symbol":
        return at[parts[0]]
    if kind == "minus":
        return -_value(parts[0], at, marked=marked)
    if kind == "**":
        base, exponent = parts
        inner = _value(base, at, marked=marked) if exponent >= 0 else _one_over(base, at, marked=marked)
        return inner ** abs(exponent)
    left = _value(parts[0], at, marked=marked)
    if kind == "/":
        return left * _one_over(parts[1], at, marked=marked)
    right = _value(parts[1], at, marked=marked)
    return left + right if kind == "+" else left - right if kind == "-" else left * right


def _one_over(tree: Tree, at: dict[str, np.ndarray], *, marked: bool) -> Any:
    if not marked:
        return np.float64(1) / _value(tree, at, marked=False)
    plain = value(tree, at)
    for denominator, free in ((at["p"], at["1/p"]), (1 - at["p"], at["1/q"])):
        for sign in (1, -1):
            if _agree(plain, sign * denominator):
                return sign * free
    kind, *parts = tree
    if kind == "*":
        return _one_over(parts[0], at, marked=True) * _one_over(parts[1], at, marked=True)
    if kind == "minus":
        return -_one_over(parts[0], at, marked=True)
    return np.float64(1) / _value(tree, at, marked=True)


# --- Structure --------------------------------------------------------------------------------------------------------


def shows_both_logarithms(tree: Tree, seed: int = 0) -> bool:
    """Whether a line still shows y over p and 1 - y over 1 - p, each times the derivative of p.

    Put any number for "one over p" and any other for "one over 1 - p": the line has to follow suit. Where one of them
    has been cancelled, or both were put on one denominator, it does not. The same goes for the label: as it is 0 or 1,
    the result times (y/p*p + (1-y)/(1-p)*(1-p)) would follow suit, too, and shows nothing. Nor does it divide by
    anything else.
    """
    forms = _forms(tree)
    if forms is None or not _denominators(forms[0]).keys() <= {_P, _ONE_MINUS_P}:
        return False
    at = points(seed)
    at = {**at, "y": at["any y"]}
    with np.errstate(all="ignore"):
        shown = _value(tree, at, marked=True) + np.zeros_like(at["y"])
    slope = at["p"] * (1 - at["p"]) * at["x"]
    return _agree(shown, (at["y"] * at["1/p"] - (1 - at["y"]) * at["1/q"]) * slope)


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


# --- Normal forms -----------------------------------------------------------------------------------------------------
#
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
Powers = tuple[tuple["_Atom", int], ...]


class _NoValue(ValueError):
    """A line that divides by zero at one of the points."""


@dataclass(frozen=True)
class _Atom:
    """What a product consists of: a symbol or a sum. Sums are scaled: 2 - 2 p and p - 1 are the same atom."""

    key: str  # the same for the same atom, and short: what is nested deeply is compared as fast as anything else
    terms: tuple[tuple[Powers, Powers, tuple[int, ...]], ...] = field(compare=False, repr=False)
    """Factors, divisors and the numbers in front of them; a symbol has none."""
    value: Value = field(compare=False, repr=False)


@dataclass(frozen=True)
class _Form:
    """A number, times powers of atoms, over powers of atoms."""

    number: int
    factors: Powers = ()
    divisors: Powers = ()

    @cached_property
    def value(self) -> Value:
        """The value at each of the points."""
        over, under = _power_value(self.factors), _power_value(self.divisors)
        return tuple(self.number * a * _inverse(b) % _PRIME for a, b in zip(over, under))

    def sum_terms(self) -> Iterator[_Form]:
        """The terms, if it is nothing but a sum and a number in front of it; otherwise itself."""
        if self.divisors or len(self.factors) != 1 or self.factors[0][1] != 1 or not self.factors[0][0].terms:
            yield self
            return
        for factors, divisors, numbers in self.factors[0][0].terms:
            for number in numbers:
                yield _Form(self.number * number % _PRIME, factors, divisors)


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


def _form(tree: Tree, *, cancel: bool) -> _Form:
    """The normal form of a tree; with `cancel`, what stands both above and below a fraction bar is left out."""
    kind, *parts = tree
    if kind == "number":
        number = Fraction(repr(parts[0]))  # 0.1 is a tenth here, not the float next to it
        return _Form(number.numerator * _inverse(number.denominator) % _PRIME)
    if kind == "symbol":
        return _Form(1, ((_symbol(parts[0]), 1),))
    if kind == "**":
        base, exponent = _form(parts[0], cancel=cancel), parts[1]
        return _power(base, exponent) if exponent >= 0 else _product(_Form(1), _power(base, -exponent), -1, cancel)
    if kind in "*/":
        left, right = (_form(part, cancel=cancel) for part in parts)
        return _product(left, right, 1 if kind == "*" else -1, cancel)
    return _sum(list(_terms(tree, 1, cancel=cancel)))


def _symbol(name: str) -> _Atom:
    return _Atom(name, (), _AT[name])


def _power(base: _Form, exponent: int) -> _Form:
    if exponent == 0:
        return _Form(1)
    factors, divisors = ({a: n * exponent for a, n in powers} for powers in (base.factors, base.divisors))
    return _Form(pow(base.number, exponent, _PRIME), _sorted(factors), _sorted(divisors))


def _product(left: _Form, right: _Form, sign: int, cancel: bool) -> _Form:
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
    return _Form(left.number * number % _PRIME, _sorted(factors), _sorted(divisors))


def _sorted(powers: dict[_Atom, int]) -> Powers:
    """Powers in an order of their own. A label is 0 or 1, and so is its square: no power of it is anything else."""
    found = [(a, 1 if set(a.value) <= {0, 1} else n) for a, n in powers.items() if n]
    return tuple(sorted(found, key=repr))


def _terms(tree: Tree, sign: int, *, cancel: bool) -> Iterator[_Form]:
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
        yield from _Form(sign * form.number % _PRIME, form.factors, form.divisors).sum_terms()


def _sum(terms: list[_Form]) -> _Form:
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
    value = _total([_Form(sum(found) % _PRIME, *key) for key, found in left.items()])
    same = _constant(value)
    if same is not None and all(len(found) == 1 for found in left.values()):
        return _Form(same)
    if len(left) == 1:
        ((key, (number, *_)),) = left.items()
        return _Form(number, *key)
    return _as_product(left, value) or _as_atom(left, value)


def _total(terms: list[_Form]) -> Value:
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


def _as_product(left: dict[tuple[Powers, Powers], tuple[int, ...]], value: Value) -> _Form | None:
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
                return _Form(number, powers)
    return None


def _as_atom(left: dict[tuple[Powers, Powers], tuple[int, ...]], value: Value) -> _Form:
    ordered = sorted(left.items(), key=lambda item: repr(item[0]))
    number = next((found[0] for _, found in ordered if len(found) == 1), ordered[0][1][0])
    scale = _inverse(number)
    terms = tuple((*key, tuple(sorted(n * scale % _PRIME for n in found))) for key, found in ordered)
    key = blake2b(repr(terms).encode(), digest_size=16).hexdigest()
    return _Form(number, ((_Atom(key, terms, tuple(v * scale % _PRIME for v in value)), 1),))


_P = _symbol("p")
_ONE_MINUS_P = _as_atom({((), ()): (1,), (((_P, 1),), ()): (_PRIME - 1,)}, tuple(1 - p for p in _P.value)).factors[0][0]
_SLOPE = _sorted({_P: 1, _ONE_MINUS_P: 1})


def _denominators(form: _Form) -> dict[_Atom, int]:
    """How often a form divides by what, inside its sums as well."""
    found: dict[_Atom, int] = dict(form.divisors)
    for atom, _ in (*form.factors, *form.divisors):
        for factors, divisors, _ in atom.terms:
            for other, count in _denominators(_Form(1, factors, divisors)).items():
                found[other] = found.get(other, 0) + count
    return found


# --- Line by line -----------------------------------------------------------------------------------------------------


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
    if _agree(got, want):
        return ""
    wrong = ~np.isfinite(got) | ~np.isclose(got, want, rtol=1e-9, atol=1e-9)
    first = int(np.argmax(wrong))
    place = f"at y = {at['y'][first]:.0f}, p = {at['p'][first]:.2f}, x = {at['x'][first]:.2f}"
    if before is None:
        said = "is not the derivative"
    elif before.follows:
        said = f"does not follow from line {before.number}"
    elif before.tree is not None and _agree(got, value(before.tree, at)):
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
    first, last = _forms(found[0].tree), _forms(ends if ends is not None and is_result(ends) else _RESULT)
    return [step for step in between if _is_step(_forms(step.tree), first, last)]


_RESULT = read("(y - p)*x")
_Forms = tuple[_Form, _Form]  # of a line as it is written, and with everything cancelled


def _forms(tree: Tree | None) -> _Forms | None:
    """The two forms of a line; None where it cannot be read, or divides by zero."""
    try:
        return None if tree is None else (_form(tree, cancel=False), _form(tree, cancel=True))
    except _NoValue:
        return None


def _is_step(line: _Forms | None, first: _Forms | None, last: _Forms | None) -> bool:
    """Whether a line is neither the first nor the last one in disguise."""
    if line is None or not _denominators(line[0]).keys() <= {_P, _ONE_MINUS_P}:
        return False  # nothing in a derivation of this leads to another denominator
    return not (first is not None and _repeats_first(line, first)) and not (
        last is not None and _repeats_last(line, last)
    )


def _repeats_first(line: _Forms, first: _Forms) -> bool:
    """Whether a line is the first one, times or plus something that says nothing, and no fraction in it has gone."""
    (written, short), (start, start_short) = line, first
    fewer = _fractions(written) < _fractions(start)
    return written == start or _has_term(short, start_short) or (_contains(short, start_short) and not fewer)


def _fractions(form: _Form) -> int:
    """How often a line divides by p or by 1 - p."""
    return sum(count for atom, count in _denominators(form).items() if atom in (_P, _ONE_MINUS_P))


def _repeats_last(line: _Forms, last: _Forms) -> bool:
    """Whether a line is the last one, times or plus something that says nothing.

    With both fractions on their common denominator, p (1 - p) stands above and below the fraction bar, and that says
    how the fractions were put together.
    """
    (written, short), (_, result) = line, last
    return _has_term(short, result) or (_contains(short, result) and not _is_on_one_denominator(written))


def _equal(one: _Form, other: _Form) -> bool:
    return (one.factors, one.divisors) == (other.factors, other.divisors)


def _contains(form: _Form, part: _Form) -> bool:
    """Whether all factors of another form are factors of this one. Where both are equal, the others are one."""
    factors, divisors = dict(form.factors), dict(form.divisors)
    return all(factors.get(atom, 0) >= count for atom, count in part.factors) and all(
        divisors.get(atom, 0) >= count for atom, count in part.divisors
    )


def _has_term(form: _Form, term: _Form) -> bool:
    """Whether a form is a sum, and one of its terms is this one."""
    terms = list(form.sum_terms())
    return len(terms) > 1 and any(_equal(one, term) for one in terms)


def _is_on_one_denominator(form: _Form) -> bool:
    return all(dict(term.divisors) == {_P: 1, _ONE_MINUS_P: 1} for term in form.sum_terms())


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
