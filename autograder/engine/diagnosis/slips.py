"""Slips of the pen: small changes of the reference, each as a function of its own, to find an answer that is one."""

from __future__ import annotations

import ast

from autograder.engine.diagnosis.mutants import Mutant, mutants

SLIP = "_slip_"
"""How the name of a function begins that is the reference with one small change."""


def slips(function: str, code: str) -> list[Mutant]:
    """The changes of a function that somebody could be asked about; none where a change could make it run for ever."""
    if any(isinstance(node, ast.While) for node in ast.walk(ast.parse(code))):
        return []
    return [mutant for mutant in mutants(function, code) if mutant.slip]


def defining(function: str, changed: list[Mutant]) -> str:
    """Code that defines all of them, by number: `_slip_0_posterior` and so on."""
    return "\n".join(_renamed(function, f"{SLIP}{number}_{function}", one.source) for number, one in enumerate(changed))


def _renamed(function: str, name: str, code: str) -> str:
    tree = ast.parse(code)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            node.name = name
    return ast.unparse(tree)
