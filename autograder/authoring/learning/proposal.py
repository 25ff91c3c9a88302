"""A proposed entry of the catalogue as a file: written with gaps for a person to fill, and read back when they are.

A file is only ever parsed, never run.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.learning import allowed, cleaning
from autograder.course.errors import AuthorError, UsageError

GAP = "WRITE"
"""What stands where a person is to write something: nothing is added while it is there."""
_LONGEST = 40_000  # characters of a file
_WORDS = ("caught_by", "hint", "function", "fair", "luck")
_IMPORTS = ("import numpy as np", "import math", "from autograder.course.catalogue import misconception")


@dataclass(frozen=True)
class Proposal:
    """A wrong answer on its way into the catalogue."""

    stem: str
    exercise: str
    function: str
    group: str
    """The behaviour of those who gave it."""
    name: str
    belief: str
    caught_by: str
    hint: str
    code: str
    """The function under the name that the exercise asks for, without decorator and docstring."""
    text: str = ""
    """The entry as it stands in the file."""
    fair: str | None = None
    luck: str | None = None


def written(proposal: Proposal, remarks: list[str]) -> str:
    """The text of a file that proposes an entry; `remarks` say what was found out about it."""
    function = f'    function="{proposal.function}",\n' if proposal.function != proposal.exercise else ""
    head, _, body = cleaning.with_name(proposal.code, proposal.name).partition("\n")
    told = "\n".join(f"- {remark}" for remark in remarks)
    return f'''"""A proposed wrong answer for the catalogue. Fill in what {GAP} stands for.

Read the code, too: it is what a class wrote. What was found out about it:

{told}

Then: autograder learn DIR --add THIS-FILE
"""

import numpy as np

from autograder.course.catalogue import misconception

STEM, GROUP = "{proposal.stem}", "{proposal.group}"


@misconception(
    "{proposal.exercise}",
{function}    caught_by="{proposal.caught_by}",
    hint="{proposal.hint}",
)
{head}
    """{proposal.belief}"""
{body}
'''


def read(path: Path) -> Proposal:
    """The entry that a file proposes; an AuthorError says what has to be changed in it."""
    text = _text(path)
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AuthorError(f"{path} is not valid Python ({type(error).__name__}: {error}). Correct it.") from None
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1:
        raise AuthorError(f"{path} has {len(functions)} functions; a proposal is exactly one.")
    for node in module.body:
        if node is not functions[0] and not _is_expected(node):
            raise AuthorError(f"{path}, line {node.lineno}: only the one function may stand here. Take this out.")
    stem, group = _origin(path, module)
    return _proposal(path, text, functions[0], stem, group)


def check_complete(path: Path, proposal: Proposal) -> None:
    """Raise unless a person has given it a name, a belief, and a question as its hint."""
    for what, words in (("name", proposal.name), ("docstring", proposal.belief), ("hint", proposal.hint)):
        if GAP in words or not words.strip():
            raise AuthorError(f"{path}: its {what} is still to be written. Put your own words where {GAP} stands.")
    if "?" not in proposal.hint:
        raise AuthorError(f"{path}: its hint asks nothing. Write the question that would reveal the mistake.")
    name = proposal.name
    if name.startswith("_") or keyword.iskeyword(name) or hasattr(builtins, name) or name in cleaning.KNOWN:
        raise AuthorError(f"{path}: {name!r} is no name for a mistake. Let it say what the answer does wrong.")


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}. `autograder learn DIR GROUP` writes a proposal.") from None
    except UnicodeDecodeError:
        raise AuthorError(f"{path} is not UTF-8 text. Save it again.") from None
    if len(text) > _LONGEST:
        raise AuthorError(f"{path} has {len(text)} characters; a proposal has at most {_LONGEST}.")
    return text


def _is_expected(node: ast.stmt) -> bool:
    """Whether it is what a proposal begins with: words about it, imports, and where it comes from."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return _is_origin(node) if isinstance(node, ast.Assign) else ast.unparse(node) in _IMPORTS


def _is_origin(node: ast.Assign) -> bool:
    return ast.unparse(node.targets[0]) in ("STEM, GROUP", "(STEM, GROUP)") and isinstance(node.value, ast.Tuple)


def _origin(path: Path, module: ast.Module) -> tuple[str, str]:
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            found = [part.value for part in node.value.elts if isinstance(part, ast.Constant)]
            if len(found) == 2 and all(isinstance(part, str) for part in found):
                return str(found[0]), str(found[1])
    raise AuthorError(
        f'{path} does not say where it comes from. Put the line back that begins with STEM, GROUP = "...".'
    )


def _proposal(path: Path, text: str, function: ast.FunctionDef, stem: str, group: str) -> Proposal:
    exercise, words = _decorator(path, function)
    if reason := allowed.problem(function, cleaning.KNOWN):
        raise AuthorError(f"{path}: this must not get into the catalogue. In {reason}.")
    first = min(function.lineno, *(decorator.lineno for decorator in function.decorator_list))
    own = "\n".join(text.split("\n")[first - 1 : function.end_lineno])
    again = ast.parse(own).body
    if len(again) != 1 or ast.dump(again[0]) != ast.dump(function):
        raise AuthorError(f"{path}: where the function begins and ends cannot be told. Put it on lines of its own.")
    belief = ast.get_docstring(function) or ""
    asked = words.get("function") or exercise
    return Proposal(
        stem=stem,
        exercise=exercise,
        function=asked,
        group=group,
        name=function.name,
        belief=belief,
        caught_by=words.get("caught_by", ""),
        hint=words.get("hint", ""),
        code=_bare(function, asked),
        text=own,
        fair=words.get("fair"),
        luck=words.get("luck"),
    )


def _decorator(path: Path, function: ast.FunctionDef) -> tuple[str, dict[str, str]]:
    """The exercise that the decorator names, and its other arguments: nothing but texts."""
    (call,) = function.decorator_list if len(function.decorator_list) == 1 else (None,)
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "misconception" and len(call.args) == 1:
        values = [*call.args, *(one.value for one in call.keywords)]
        texts = [one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        names = [one.arg for one in call.keywords]
        if len(texts) == len(values) and all(name in _WORDS for name in names):
            return texts[0], {str(name): text for name, text in zip(names, texts[1:], strict=True)}
    raise AuthorError(
        f"{path}, line {function.lineno}: exactly one decorator belongs above the function, as in "
        '@misconception("exercise", caught_by="test_...", hint="..."), with texts in quotes only.'
    )


def _bare(function: ast.FunctionDef, name: str) -> str:
    """The function without decorator and docstring, under the name that the exercise asks for."""
    (node,) = ast.parse(ast.unparse(function)).body
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list, node.name = [], name
    if len(node.body) > 1 and ast.get_docstring(node) is not None:
        del node.body[0]
    return ast.unparse(node)
