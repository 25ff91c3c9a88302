"""Reads a derivation of the gradient, one line of algebra at a time, and says of each line whether it follows.

    print(explain(derivation()))

The derivation is that of one example's log-likelihood, y log p + (1 - y) log(1 - p) with p = sigma(w . x), by one
weight w_j. Its lines use three symbols: y (the label, 0 or 1), p, and x (short for the feature x_j). A line is text
that somebody else wrote, so it is never run: it is parsed into a tree, everything in the tree that is not plain
algebra is refused, and a few lines of our own compute the value at many random points. Two lines are taken for equal
if they agree at all of them.
"""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
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
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
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

    1/p and 1/q are there for a look at the structure: values that have nothing to do with p.
    """
    rng = np.random.default_rng(seed)
    return {
        "y": rng.permutation(np.arange(count) % 2).astype(float),
        "p": rng.uniform(0.05, 0.95, count),
        "x": rng.uniform(0.3, 3, count) * rng.choice([-1, 1], count),
        "1/p": rng.uniform(2, 5, count),
        "1/q": rng.uniform(-5, -2, count),
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
    has been cancelled, or both were put on one denominator, it does not.
    """
    at = points(seed)
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
    """The lines between the first and the last that hold, and that repeat neither the first nor the last."""
    first, last = found[0].tree, found[-1].tree
    return [
        step
        for step in found[1:-1]
        if step.tree is not None and step.follows and step.tree != first and not _same_result(step.tree, last)
    ]


def _same_result(tree: Tree, last: Tree | None) -> bool:
    """Whether a line is the result, and as much multiplied out as the last line: y*x - p*x comes before (y - p)*x."""
    return is_result(tree) and (last is None or _times(tree, "x") == _times(last, "x"))


def _times(tree: Tree, name: str) -> int:
    return list(_nodes(tree)).count(("symbol", name))


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
        yield "Between the first line and the result, show at least one line of the way."


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
