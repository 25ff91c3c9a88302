"""What a task and the docstring of its stub promise, and which check asks for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.course import sources
from autograder.course.errors import SuiteError
from autograder.course.model import Exercise
from autograder.validity import samples

# Words with which something is promised that a check can ask for. Cell by cell of a docstring, sentence by sentence.
_PROMISING = re.compile(
    r"\b(nan|inf|warnings?|any shape|any number of|any length|broadcast\w*|left (alone|as)|as (it was|they were)|"
    r"new array|accept\w*|never|exact\w*|refuse\w*|ValueError|lists?|tuples?|may be|may have|need not|empty|or True)\b"
)
_LOOKED_AT = "*Hidden checks look at:*"
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`*$\d])|(?<=[.:])\n\n")


@dataclass(frozen=True)
class Kept:
    """How a promise is kept: the checks that ask for it, or why it is not graded."""

    checks: tuple[str, ...] = ()
    ungraded: str = ""


Promises = Mapping[str, Mapping[str, Kept]]
"""By exercise and by the words of the promise."""


def made(source: NotebookNode, exercise: Exercise) -> list[str]:
    """The promises that a student reads about an exercise, in the words of the notebook with single spaces."""
    found = [*_in_task(sources.tasks(source).get(exercise.name, ""))]
    for function in exercise.functions:
        found += _in_docstring(_docstring(source, function))
    return list(dict.fromkeys(found))


def kept(suite: Path) -> Promises:
    """What the suite says in `PROMISES`; nothing where it has none. The suite is read, not run."""
    tree = ast.parse(suite.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "PROMISES" for t in node.targets):
            try:
                return {
                    name: {_folded(words): _kept(value) for words, value in _items(inside)}
                    for name, inside in _items(node.value)
                }
            except (ValueError, AttributeError):
                raise SuiteError(
                    f"{suite}: PROMISES must map names of exercises to promises, and each promise to the name of a "
                    'check, a tuple of names, or Ungraded("why").'
                ) from None
    return {}


def problems(made: Sequence[str], kept: Mapping[str, Kept], checks: Iterable[str]) -> Iterator[str]:
    """What is off about the promises of an exercise: not asked for, asked by no such check, or made no longer."""
    known = set(checks)
    for words in made:
        if words not in kept:
            yield f"it promises “{words}”, and PROMISES names no check that asks for it"
    for words, how in kept.items():
        if words not in made:
            yield f"PROMISES lists “{words}”, which neither the task nor the docstring says; remove it"
        yield from (
            f"PROMISES names the check {name} for “{words}”, which does not exist"
            for name in how.checks
            if name not in known
        )


def _items(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if not isinstance(node, ast.Dict):
        raise ValueError
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise ValueError
        yield ast.literal_eval(key), value


def _kept(node: ast.expr) -> Kept:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Ungraded":
        return Kept(ungraded=ast.literal_eval(node.args[0]))
    value = ast.literal_eval(node)
    return Kept((value,) if isinstance(value, str) else tuple(value))


def _in_task(text: str) -> Iterator[str]:
    before, _, after = text.partition(_LOOKED_AT)
    looked_at = after.partition("\n\n")[0]
    listed = _sentences(looked_at)[:1]  # what follows says what is not looked at
    yield from (_folded(item).rstrip(".") for one in listed for item in one.split(";") if item.strip())
    before = re.sub(r"\$\$.*?\$\$", " ", before, flags=re.DOTALL)
    paragraphs = [part for part in before.split("\n\n") if not part.startswith(("#", "*May use"))]
    yield from _telling(sentence for part in paragraphs for sentence in _sentences(part))


def _in_docstring(text: str) -> Iterator[str]:
    parts = _SECTION.split(text)
    yield from _telling(_sentences(parts[0]))
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title in ("Examples", "Example"):
            continue
        if title == "Raises":
            yield from (_folded(entry) for entry in re.split(r"\n(?=\S)", body.strip("\n")) if entry.strip())
            continue
        for entry in re.split(r"\n(?=\S)", body.strip("\n")):
            _, _, said = entry.partition("\n")
            yield from _telling(_sentences(said))


def _telling(sentences: Iterable[str]) -> Iterator[str]:
    return (sentence for sentence in sentences if _PROMISING.search(sentence))


def _sentences(text: str) -> list[str]:
    return [found for found in map(_folded, _SENTENCE.split(text)) if found]


def _folded(text: str) -> str:
    return " ".join(text.split())


def _docstring(source: NotebookNode, function: str) -> str:
    tree = ast.parse(samples.reference_code(source, function))
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
    return ast.get_docstring(found) or ""
