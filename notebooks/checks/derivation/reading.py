"""Turns the text of a line into a tree of plain algebra, or says why it cannot be read.

A line is text that somebody else wrote, so it is never run: it is parsed, and everything that is not listed here is
refused.
"""

from __future__ import annotations

import ast
import unicodedata
import warnings
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
