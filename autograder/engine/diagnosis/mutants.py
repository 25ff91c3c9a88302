"""Mutants of a reference function: each differs from it by one small change that a slip of the pen could make.

Mutation libraries change the modules of a package and run its tests in new processes. Here the code is a cell of a
notebook and the tests are a suite that grades many answers in one go, so all that is needed is the list of changes.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
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
_SYMMETRIC = ("np.logaddexp", "np.maximum", "np.minimum", "np.add", "np.multiply")


@dataclass(frozen=True)
class Mutant:
    """A changed function: its name, what was changed (in words of its own for each change), and the code to paste.

    `slip` says what sort of a mistake the change is; it is empty where no question goes with it.
    """

    function: str
    change: str
    source: str
    slip: str = ""


Edit = Callable[[ast.AST], ast.AST | None]


def mutants(function: str, code: str) -> list[Mutant]:
    """All mutants of a function's code, each different from the others and from the original."""
    said: Counter[str] = Counter()
    found = []
    for text, change, slip in _changed(_Bare().visit(ast.parse(code))):
        said[change] += 1
        found.append(Mutant(function, change if said[change] == 1 else f"{change} ({said[change]})", text, slip))
    return found


def _changed(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """The texts of all trees that differ from this one by one change, each with that change in words, and its sort."""
    seen = {ast.unparse(tree)}
    given = {
        part for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for part in ast.walk(node.args)
    }  # by the stub
    for number, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.expr | ast.stmt) or node in given:
            continue
        for slip, edit in _edits(node):
            changed = copy.deepcopy(tree)
            target = next(other for position, other in enumerate(ast.walk(changed)) if position == number)
            new = edit(target)
            if new is not None:
                changed = _Replace(target, new).visit(changed)
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen:
                seen.add(text)
                after = ast.unparse(target if new is None else new) if not isinstance(new, ast.Pass) else "nothing"
                yield text, f"{_short(ast.unparse(node))} → {_short(after)}", slip


class _Bare(ast.NodeTransformer):
    """Removes what nobody looks at: no check could kill a mutant with another annotation, docstring or message."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        if len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


SIGN, OPERATION, TERM, COMPARISON, CONSTANT, ORDER, CASE, RANGE, AXIS = (
    "sign",
    "operation",
    "term",
    "comparison",
    "constant",
    "order",
    "case",
    "range",
    "axis",
)
"""The sorts of slips: what somebody who made one should look at."""


def _edits(node: ast.AST) -> Iterator[tuple[str, Edit]]:
    """The changes that can be made at a node, each with its sort.

    An edit returns a new node, or None when it changed the node itself.
    """
    match node:
        case ast.BinOp(op=operator):
            slip = SIGN if isinstance(operator, ast.Add | ast.Sub) else OPERATION
            yield from ((slip, _set("op", other())) for other in _OPERATORS.get(type(operator), []))
            if isinstance(operator, ast.Add | ast.Sub | ast.Mult | ast.Div):
                yield TERM, lambda target: target.left  # type: ignore[attr-defined]
                yield TERM, lambda target: target.right  # type: ignore[attr-defined]
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert() as operator):
            slip = SIGN if isinstance(operator, ast.USub) else COMPARISON
            yield slip, lambda target: target.operand  # type: ignore[attr-defined]
        case ast.Compare(ops=[operator, *_]):
            yield from ((COMPARISON, _first_operator(other())) for other in _COMPARISONS.get(type(operator), []))
        case ast.BoolOp(op=operator):
            yield COMPARISON, _set("op", ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.Constant(value=bool(value)):
            yield "", _set("value", not value)
        case ast.Constant(value=int(value)):
            yield from ((CONSTANT, _set("value", value + step)) for step in (1, -1))
        case ast.Constant(value=float(value)):
            yield from ((CONSTANT, _set("value", changed)) for changed in (value * 2, value + 1))
        case ast.Constant(value=str(value)):  # algebra may be an answer, too
            yield from (("", _set("value", text)) for text in _algebra(value))
        case ast.Call(func=function, args=[_, _, *_]) if ast.unparse(function) not in _SYMMETRIC:
            yield ORDER, _swap_arguments
        case ast.If():
            yield CASE, lambda target: ast.Pass()
        case ast.Subscript(slice=ast.Slice()):
            yield RANGE, lambda target: target.value  # type: ignore[attr-defined]
        case ast.AugAssign(op=operator):
            slip = SIGN if isinstance(operator, ast.Add | ast.Sub) else OPERATION
            yield from ((slip, _set("op", other())) for other in _OPERATORS.get(type(operator), []))
    if isinstance(node, ast.Call) and any(keyword.arg in ("axis", "keepdims") for keyword in node.keywords):
        yield AXIS, _drop_keyword


def _algebra(text: str) -> list[str]:
    """The mutants of a text that is a formula; a message is not one."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return []
    return [changed for changed, _, _ in _changed(tree)] if isinstance(tree.body, ast.BinOp) else []


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
