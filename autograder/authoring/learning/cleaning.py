"""The code of a student as nobody's: one function, without comments, texts and names that could say whose it was."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from autograder.authoring.learning import allowed
from autograder.course.errors import SubmissionError
from autograder.course.model import NEXT_CELL

LONGEST = 8000  # characters of code that is read here: as much as a result has
_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)
_SUBSCRIPTS = re.compile(r"[A-Za-z,.\-> ]{1,20}")
KNOWN = frozenset({"np"})
"""What every module of the catalogue has under this name: NumPy."""
_TEXTS = frozenset(
    "ignore warn raise float int bool str float16 float32 float64 int8 int32 int64 i f b u d C F ij xy same valid full "
    "left right both linear lower higher nearest midpoint over under stable reduced complete".split()
)
_TEXT = "text"


class NotUsable(SubmissionError):
    """An answer that cannot be an entry of the catalogue as it is; its text says why."""


def cleaned(code: str, function: str, reference: str) -> str:
    """The function of this name in a student's code, with what it needs of the rest; NotUsable says why there is none.

    `reference` is our own answer: parameters get its names, and names that it has may stay.
    """
    if len(code) > LONGEST:
        raise NotUsable("it is too long to be looked at")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bare = _Bare(_words(reference))
            found = _whole([bare.visit(statement) for statement in _statements(code)], function)
            _rename(found, function, reference)
            _drop_passes(found)
            text = ast.unparse(ast.fix_missing_locations(found))
            (again,) = ast.parse(text).body  # what is looked at is what will be written
            assert isinstance(again, ast.FunctionDef)
            words = allowed.problem(again, KNOWN)
    except (RecursionError, MemoryError, ValueError, SyntaxError):
        raise NotUsable("it is nested too deeply, or not valid Python") from None
    if words:
        raise NotUsable(words)
    return text


def with_name(code: str, name: str) -> str:
    """The code of one function under another name."""
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    function.name = name
    return ast.unparse(function)


# --- One function of several cells ------------------------------------------------------------------------------------


def _statements(code: str) -> list[ast.stmt]:
    """The statements of all cells that can be read, in order."""
    found: list[ast.stmt] = []
    problems = 0
    for cell in code.split(NEXT_CELL):
        try:
            found += ast.parse(_MAGIC.sub("", cell)).body
        except SyntaxError:
            problems += 1
    if problems and not found:
        raise NotUsable("it is not valid Python")
    return found


def _whole(statements: Sequence[ast.stmt], function: str) -> ast.FunctionDef:
    """The function, with what it takes from outside put into it."""
    defined = {name: statement for statement in statements for name in _defined(statement)}
    found = _as_function(defined.get(function), function)
    names = _names_from_outside(found)
    needed: dict[str, ast.stmt] = {}
    waiting = sorted(names, reverse=True)
    while waiting:
        name = waiting.pop()
        if name in needed or name == function or (name in allowed.BUILTINS and name not in defined):
            continue
        if name in KNOWN and name not in defined:
            continue
        # The notebook's first cell may import it, which is not the student's.
        statement = defined.get(name, ast.Import([ast.alias("math")]) if name == "math" else None)
        if statement is None:
            raise NotUsable(f"it uses `{name:.60}`, which is defined elsewhere")
        needed[name] = statement
        waiting += sorted(_names_from_outside(statement))
    if function in names or any(function in _names_from_outside(one) for one in needed.values()):
        found = _calling_itself(found)
    order = {id(statement): place for place, statement in enumerate(statements)}
    first = sorted({id(one): one for one in needed.values()}.values(), key=lambda one: order.get(id(one), -1))
    found.body = [*(one for one in first if not _is_usual(one)), *found.body]
    return found


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement outside functions defines, as far as that can be put into a function."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        yield from (part.id for part in ast.walk(statement.targets[0]) if isinstance(part, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)


def _is_usual(statement: ast.stmt) -> bool:
    """Whether it says what every module of the catalogue says."""
    return isinstance(statement, ast.Import) and [(one.name, one.asname) for one in statement.names] == [
        ("numpy", "np")
    ]


def _as_function(statement: ast.stmt | None, function: str) -> ast.FunctionDef:
    if isinstance(statement, ast.FunctionDef):
        if statement.decorator_list:
            raise NotUsable("there is a decorator")
        return statement
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
        returned = ast.Return(statement.value.body)
        made = ast.FunctionDef(function, statement.value.args, [returned], [], None, None)
        made.type_params = []  # type: ignore[attr-defined, unused-ignore]
        return ast.fix_missing_locations(made)
    raise NotUsable(f"it does not define `{function}` as a function of its own")


def _calling_itself(found: ast.FunctionDef) -> ast.FunctionDef:
    """The same function within one that calls it: an entry is known by another name, and would not find itself."""
    arguments = found.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise NotUsable("it calls itself, and takes arguments in an unusual way")
    passed: list[ast.expr] = [ast.Name(one.arg, ast.Load()) for one in (*arguments.posonlyargs, *arguments.args)]
    body: list[ast.stmt] = [found, ast.Return(ast.Call(ast.Name(found.name, ast.Load()), passed, []))]
    outer = ast.FunctionDef(found.name, arguments, body, [], None, None)
    outer.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return ast.fix_missing_locations(outer)


def _names_from_outside(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return set()
    table = symtable.symtable(ast.unparse(statement), "cell", "exec")
    here = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    return (here | allowed.names_from_outside(table)) - set(_defined(statement)) | (
        {name for name in _defined(statement) if name in allowed.names_from_outside(table)}
    )


# --- Without comments, texts and annotations --------------------------------------------------------------------------


def _words(reference: str) -> frozenset[str]:
    """The texts that our own answer has."""
    constants = (node.value for node in ast.walk(ast.parse(reference)) if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


def _drop_passes(found: ast.FunctionDef) -> None:
    """Take out every `pass` that stands beside something else."""
    for node in ast.walk(found):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                kept = [one for one in body if not isinstance(one, ast.Pass)]
                setattr(node, name, kept or body[:1])


class _Bare(ast.NodeTransformer):
    """Takes away what does not calculate: annotations, docstrings, messages, prints, and texts that nothing needs."""

    def __init__(self, texts: frozenset[str]) -> None:
        self._texts = texts | _TEXTS

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return self.visit(ast.Assign([node.target], node.value, lineno=node.lineno))  # type: ignore[no-any-return]

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Constant):
            return ast.Pass()
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("print", "display"):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        node.exc, node.cause = kind, None
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.msg = None
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.type is None:
            node.type = ast.Name("Exception", ast.Load())
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.Constant(_TEXT)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        first = node.args[0] if node.args else None
        is_sum = isinstance(node.func, ast.Attribute) and node.func.attr == "einsum"
        kept = first.value if is_sum and isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        self.generic_visit(node)
        if kept is not None and _SUBSCRIPTS.fullmatch(kept):
            node.args[0] = ast.Constant(kept)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and node.value not in self._texts:
            return ast.Constant(_TEXT)
        return node


# --- Names that say nothing -------------------------------------------------------------------------------------------


def _rename(found: ast.FunctionDef, function: str, reference: str) -> None:
    """Give every name that the function makes up another one, unless our own answer has it, or it is one letter."""
    made_up = [name for name in dict.fromkeys(_bound(found)) if name != function]
    known = {part.id for part in ast.walk(ast.parse(reference)) if isinstance(part, ast.Name)}
    wanted = _parameters(reference, function)
    own = [one.arg for one in (*found.args.posonlyargs, *found.args.args)]
    parameters = dict(zip(own, wanted, strict=True)) if len(own) == len(wanted) else {}
    taken = {*_all_names(found), *known, *wanted, *allowed.BUILTINS, *KNOWN}
    fresh = (f"v{number}" for number in count(1) if f"v{number}" not in taken)
    names = dict(parameters)
    given = set(parameters.values())
    for name in made_up:
        may_stay = name in known or len(name) == 1 or name in allowed.BUILTINS
        if name not in parameters and (name in given or not may_stay):
            names[name] = next(fresh)
    inner = next(fresh) if any(_is_inner(node, found, function) for node in ast.walk(found)) else function
    _Renamed(names, {function: inner}, found).visit(found)


def _parameters(reference: str, function: str) -> list[str]:
    for node in ast.walk(ast.parse(reference)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    return []


def _is_inner(node: ast.AST, found: ast.FunctionDef, function: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node is not found and node.name == function


def _bound(found: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(found):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.ExceptHandler | ast.FunctionDef) and node is not found and node.name:
            yield node.name
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


def _all_names(found: ast.FunctionDef) -> Iterable[str]:
    return {part.id for part in ast.walk(found) if isinstance(part, ast.Name)} | set(_bound(found))


class _Renamed(ast.NodeTransformer):
    """Changes names wherever they stand for the same thing; what stands behind a dot is somebody else's."""

    def __init__(self, names: Mapping[str, str], inner: Mapping[str, str], outermost: ast.FunctionDef) -> None:
        self._names, self._outermost = {**names, **inner}, outermost
        self._local = frozenset(self._names)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node is not self._outermost:
            node.name = self._new(node.name)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._new(node.arg)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._new(node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = node.name and self._new(node.name)
        return self.generic_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self._new(name) for name in node.names]
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        node.asname = node.asname and self._new(node.asname)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in self._local:
            for keyword in node.keywords:
                keyword.arg = keyword.arg and self._new(keyword.arg)
        return self.generic_visit(node)

    def _new(self, name: str) -> str:
        return self._names.get(name, name)
