"""Slips of the pen: small changes of a right answer, each as a function of its own, to find an answer that is one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from autograder.engine.diagnosis.mutants import AXIS, OPERATION, SIGN, Mutant, mutants

SLIP = "_slip_"
"""How the name of a function begins that is a right answer with one small change."""


def slips(function: str, code: str) -> list[Mutant]:
    """The changes of a function that somebody could be asked about; none where a change could make it run for ever."""
    if not is_bounded(code):
        return []
    tree = ast.parse(code)
    return [*(mutant for mutant in mutants(function, code) if mutant.slip), *_of_calls(function, tree)]


def is_bounded(code: str) -> bool:
    """Whether code ends however it is changed: what waits for something to come true may not."""
    return not any(isinstance(node, ast.While) for node in ast.walk(ast.parse(code)))


def _of_calls(function: str, tree: ast.Module) -> Iterator[Mutant]:
    """Slips in what is called: a call left out, its argument with the other sign, a mean for a sum, another axis.

    No check has to reject each of these, so they are not among the mutants that suites are measured with.
    """
    for number, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.Call):
            continue
        for edit, slip in ((_leave_out, OPERATION), (_negate, SIGN), (_average, OPERATION), (_turn, AXIS)):
            changed = copy.deepcopy(tree)
            target = next(other for at, other in enumerate(ast.walk(changed)) if at == number)
            assert isinstance(target, ast.Call)
            if edit(target):
                yield Mutant(function, f"{ast.unparse(node)} changed", ast.unparse(changed), slip)


def _leave_out(call: ast.Call) -> bool:
    """Let a function of one argument give back what it is given."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return False
    call.func, call.args = ast.Name("_unchanged", ast.Load()), call.args
    return True


def _negate(call: ast.Call) -> bool:
    """Give the last argument the other sign."""
    if not call.args or isinstance(call.args[-1], ast.Constant | ast.Starred):
        return False
    call.args[-1] = ast.UnaryOp(ast.USub(), call.args[-1])
    return True


def _average(call: ast.Call) -> bool:
    """Take a mean for a sum, or a sum for a mean."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in ("sum", "mean"):
        return False
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = "mean" if name == "sum" else "sum"
    return True


def _turn(call: ast.Call) -> bool:
    """Go along another axis."""
    axes = [keyword for keyword in call.keywords if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant)]
    if not axes:
        return False
    axes[0].value = ast.Constant({0: 1, 1: 0, -1: 0}.get(axes[0].value.value, 0))  # type: ignore[attr-defined]
    return True


def defining(function: str, codes: Sequence[str]) -> str:
    """Code that defines changed versions of a function, by number: `_slip_0_posterior` and so on."""
    defined = (_renamed(function, f"{SLIP}{number}_{function}", code) for number, code in enumerate(codes))
    return "\n".join(["def _unchanged(value): return value", *defined])


def _renamed(function: str, name: str, code: str) -> str:
    tree = ast.parse(code)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            node.name = name
    return ast.unparse(tree)
