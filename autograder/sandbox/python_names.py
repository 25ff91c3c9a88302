"""What a notebook's code defines, and which names that code reads. The text is parsed and never run.

What parsing takes can grow with the square of the text: 290 kB of `import a.a.a…` fill 4 GB, and the same amount of
f-strings takes half a minute. So the grader reads short texts only, and a process of the sandbox reads long ones.
"""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterable, Iterator

Statement = list[list[str]]  # the names that it defines, and those that it reads

_LINE_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_CELL_MAGIC = re.compile(r"\s*%%(?!time\b|capture\b)")  # those two run the rest of their cell as Python


def statements(cells: Iterable[str]) -> list[Statement]:
    """For every statement of the cells that defines something, the names that it defines and those that it reads.

    A function or class counts once for its body and once for each decorator, default or base. Together that is about
    as long as the code. A cell that cannot be parsed defines nothing.
    """
    return [
        [sorted(defined), sorted(read)]
        for source in cells
        if not _CELL_MAGIC.match(source)
        for defined, read in _statements(_LINE_MAGIC.sub(r"\1pass", source))
        if defined
    ]


def _statements(source: str) -> Iterator[tuple[set[str], set[str]]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
            tables = symtable.symtable(source, "cell", "exec").get_children()
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the parser's words for what is nested too deeply
        return
    for table in tables:
        yield {table.get_name()}, _globals(table)
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in _around(statement):
                yield {statement.name}, _read(part)
        else:
            yield _bound(statement), _read(statement)


def _around(statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    """Decorators, defaults, annotations and bases: what is evaluated outside the body."""
    for name, value in ast.iter_fields(statement):
        if name != "body":
            yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST))


def _globals(table: symtable.SymbolTable) -> set[str]:
    """The names that a function or class reads from the notebook, also in functions inside it."""
    names: set[str] = set()
    waiting = [table]  # without recursion: a thousand lambdas may be nested in one line
    while waiting:
        one = waiting.pop()
        names.update(symbol.get_name() for symbol in one.get_symbols() if symbol.is_global() and symbol.is_referenced())
        waiting += one.get_children()
    return names


def _read(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def _bound(node: ast.AST) -> set[str]:
    defined = {
        part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return defined | {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
