"""Mutants of a reference function: each differs from it by one small change of syntax that a slip of the pen could make."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_OPERATORS: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.FloorDiv: [ast.Div],
    ast.Mod: [ast.Mult],
}
_COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}


@dataclass(frozen=True)
class Mutant:
    """A changed function: its name, what was changed where, and the code to paste."""

    function: str
    change: str
    source: str


Edit = Callable[[ast.AST], ast.AST | None]


def mutants(function: str, code: str) -> list[Mutant]:
    """All mutants of a function's code, each different from the others and from the original."""
    tree = ast.parse(code)
    seen = {ast.unparse(tree)}
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        for edit in _edits(node):
            changed = copy.deepcopy(tree)
            target = next(other for position, other in enumerate(ast.walk(changed)) if position == number)
            new = edit(target)
            if new is not None:
                changed = _Replace(target, new).visit(changed)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen:
                seen.add(text)
                after = ast.unparse(target if new is None else new) if not isinstance(new, ast.Pass) else "nothing"
                found.append(Mutant(function, f"{_short(ast.unparse(node))} → {_short(after)}", text))
    return found


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _edits(node: ast.AST) -> Iterator[Edit]:
    """The changes that can be made at a node; an edit returns a new node, or None when it changed the node itself."""
    match node:
        case ast.BinOp(op=operator):
            yield from (_set("op", other()) for other in _OPERATORS.get(type(operator), []))
            if isinstance(operator, ast.Add | ast.Sub | ast.Mult | ast.Div):
                yield lambda target: target.left  # type: ignore[attr-defined]
                yield lambda target: target.right  # type: ignore[attr-defined]
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
            yield lambda target: target.operand  # type: ignore[attr-defined]
        case ast.Compare(ops=[operator, *_]):
            yield from (_first_operator(other()) for other in _COMPARISONS.get(type(operator), []))
        case ast.BoolOp(op=operator):
            yield _set("op", ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.Constant(value=bool(value)):
            yield _set("value", not value)
        case ast.Constant(value=int(value)):
            yield from (_set("value", value + step) for step in (1, -1))
        case ast.Constant(value=float(value)):
            yield from (_set("value", changed) for changed in (value * 2, value + 1))
        case ast.Call(args=[_, _, *_]):
            yield _swap_arguments
        case ast.If():
            yield lambda target: ast.Pass()
        case ast.Subscript(slice=ast.Slice()):
            yield lambda target: target.value  # type: ignore[attr-defined]
        case ast.AugAssign(op=operator):
            yield from (_set("op", other()) for other in _OPERATORS.get(type(operator), []))
    if isinstance(node, ast.Call) and any(keyword.arg in ("axis", "keepdims") for keyword in node.keywords):
        yield _drop_keyword


def _set(name: str, value: object) -> Edit:
    def edit(target: ast.AST) -> None:
        setattr(target, name, value)

    return edit


def _first_operator(operator: ast.cmpop) -> Edit:
    def edit(target: ast.AST) -> None:
        target.ops[0] = operator  # type: ignore[attr-defined]

    return edit


def _swap_arguments(target: ast.AST) -> None:
    target.args[0], target.args[1] = target.args[1], target.args[0]  # type: ignore[attr-defined]


def _drop_keyword(target: ast.AST) -> None:
    target.keywords = [k for k in target.keywords if k.arg not in ("axis", "keepdims")]  # type: ignore[attr-defined]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."
