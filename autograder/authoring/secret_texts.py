"""What students must not see: solutions, sample answers, hidden checks, known answers, and outputs of solutions.

Code is secret line by line, as far as a line says something: `return result` or `x = np.asarray(x)` may be
anywhere. A line that students may see although it is part of a solution, a suite or a known answer ends with the
comment `# given`.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autograder.course import Course, sources
from autograder.course.errors import SuiteError
from autograder.grading.seeds import secret as of_the_course

SOLUTION, ANSWER, HIDDEN = "solution line", "sample answer", "hidden check"
MISCONCEPTION, OUTPUT, STRAY = "known answer", "solution output", "file that does not belong"
KEY = "the course's own secret"

_CODE = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?|\w+|[^\w\s]")
_WORD = re.compile(r"[^\W_]+")
_STRING = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\])*"')
_OPERATOR = re.compile(r"\*\*|//|==|!=|<=|>=|(?<![=(,\[:])\s*-|[+*/@%<>&|^~]|\b(?:and|or|lambda)\b")
_CALL = re.compile(r"(\w+)\s*\(")
_SUBSCRIPT = re.compile(r"[\w)\]]\s*\[")
_NUMBER = re.compile(r"(?<!\w)\d+(?:\.\d+)?")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|\n\s*\n")
_SILENT = ("def ", "class ", "import ", "from ", "@", "raise ")
# Calls that say nothing about how an exercise is solved.
_PLAIN_CALLS = frozenset(
    (
        "and array asarray bool copy dict elif else empty empty_like enumerate errstate float for full if in int "
        "isinstance lambda len list not or print range return set str super tuple while zeros zeros_like ones "
        "ones_like zip"
    ).split()
)


@dataclass(frozen=True)
class Secret:
    """One thing that must not be found: the tokens to look for, and what to say when they are found.

    `prose` is compared word by word, code token by token. What is `quoted` is secret only where nobody reads it:
    the number that a solution prints may be in the text, but does not belong in the metadata.
    """

    kind: str
    text: str
    origin: str
    tokens: tuple[str, ...]
    prose: bool = False
    quoted: bool = False


@dataclass(frozen=True)
class Line:
    """A statement without its comments, as the lines that it takes in the file; whether it is marked `# given`."""

    rows: tuple[str, ...]
    given: bool

    @property
    def text(self) -> str:
        """The statement in one line."""
        return " ".join(row.strip() for row in self.rows)


def code_tokens(text: str) -> list[str]:
    """The tokens by which code is compared: white space, case and the kind of quotes do not matter."""
    return _CODE.findall(text.lower().replace("'", '"'))


def words(text: str) -> list[str]:
    """The words by which prose is compared: punctuation, emphasis and case do not matter."""
    return _WORD.findall(text.lower())


def secrets(course: Course) -> list[Secret]:
    """Everything in the course that students must not see."""
    found: list[Secret] = []
    if key := of_the_course.find(course):  # what is found of it is not shown either
        found.append(
            Secret(KEY, "which hidden numbers are drawn with", key.where, tuple(words(key.key.decode())), prose=True)
        )
    for stem in course.stems():
        found += _of_source(course.source(stem))
    for path in sorted(course.suites.glob("*.py")):
        found += _of_suite(path)
    for path in sorted(course.catalogue.glob("*.py")):
        found += _of_catalogue(path)
    return list({(secret.tokens, secret.prose): secret for secret in reversed(found)}.values())[::-1]


def pictures(course: Course) -> list[tuple[str, str]]:
    """The origin of every picture that a source drew, and a stretch of its base64 text that identifies it."""
    found = []
    for stem in course.stems():
        path = course.source(stem)
        for cell, data in sources.image_outputs(sources.read(path)):
            compact = "".join(data.split())
            found.append((f"{_place(path)}, cell {cell}", compact[len(compact) // 2 :][:80]))
    return [(origin, stretch) for origin, stretch in found if len(stretch) == 80]


# --- What is secret in a source, a suite, a catalogue -----------------------------------------------------------------


def _of_source(path: Path) -> Iterator[Secret]:
    source = sources.read(path)
    for name, region in sources.solution_regions(source):
        origin = f"{_place(path)}, {name}"
        lines = [line for line in code_lines(region) if not line.text.startswith(_SILENT)]
        yield from _secret_lines(SOLUTION, lines, origin)
        for line in lines:
            value = _value(line.text)
            if not line.given and says_something(value) and (effort(value) >= 3 or len(value) >= 40):
                yield _code(SOLUTION, value, origin)
        for first, second in pairwise(lines):
            if says_something(pair := f"{first.text} {second.text}"):
                yield _code(SOLUTION, pair, origin)
        whole = " ".join(line.text for line in lines)
        if effort(whole) and len(whole) >= 12:
            yield _code(SOLUTION, whole, origin)
    for name, answer in sources.sample_answers(source):
        yield from _sentences(ANSWER, answer, f"{_place(path)}, {name}")
    for cell, output in sources.text_outputs(source):
        for row in output.splitlines():
            if len(row.strip()) >= 12 and len(code_tokens(row)) >= 3:
                yield Secret(OUTPUT, row, f"{_place(path)}, cell {cell}", tuple(code_tokens(row)), quoted=True)


def _of_suite(path: Path) -> Iterator[Secret]:
    text, tree = _parse(path)
    origin = _place(path)
    yield from _sentences(HIDDEN, ast.get_docstring(tree) or "", origin)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _sentences(HIDDEN, ast.get_docstring(node) or "", f"{origin}, {node.name}")
            if node.name.lower().startswith("test"):
                yield _code(HIDDEN, node.name, origin)
    lines = [line for line in code_lines(text) if not line.text.startswith(_SILENT)]
    yield from _secret_lines(HIDDEN, [line for line in lines if "assert" in line.text], origin)
    for line in lines:
        if not line.given and _shows_numbers(line.text):
            yield _code(HIDDEN, line.text, origin)


def _of_catalogue(path: Path) -> Iterator[Secret]:
    text, tree = _parse(path)
    origin = _place(path)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        several = node.name.count("_") >= 2
        yield _code(MISCONCEPTION, node.name if several else f"def {node.name}(", origin)
        yield from _sentences(MISCONCEPTION, ast.get_docstring(node) or "", f"{origin}, {node.name}")
        for decorator in node.decorator_list:
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else []:
                if keyword.arg == "hint" and isinstance(keyword.value, ast.Constant):
                    yield from _sentences(MISCONCEPTION, str(keyword.value.value), f"{origin}, {node.name}")
    lines = [line for line in code_lines(text) if not line.text.startswith(_SILENT)]
    lines = [line for line in lines if effort(line.text) >= 2 and len(line.text) >= 25]
    yield from _secret_lines(MISCONCEPTION, lines, origin)


def _secret_lines(kind: str, lines: list[Line], origin: str) -> Iterator[Secret]:
    """Every statement that says something, and every row of it that does so by itself."""
    for line in lines:
        for text in dict.fromkeys([line.text, *(row.strip() for row in line.rows)]):
            if not line.given and says_something(text):
                yield _code(kind, text, origin)


def _sentences(kind: str, text: str, origin: str) -> Iterator[Secret]:
    """The sentences of a text that are long enough to be told apart from common phrases."""
    for sentence in _SENTENCE_END.split(text):
        if len(words(sentence)) >= 5 and len(" ".join(words(sentence))) >= 28:
            yield Secret(kind, sentence.strip(), origin, tuple(words(sentence)), prose=True)


def _code(kind: str, text: str, origin: str) -> Secret:
    return Secret(kind, text, origin, tuple(code_tokens(text)))


def _parse(path: Path) -> tuple[str, ast.Module]:
    text = path.read_text(encoding="utf-8")
    try:
        return text, ast.parse(text)
    except SyntaxError as problem:
        raise SuiteError(f"{_place(path)}, line {problem.lineno}: {problem.msg}.") from None


def _place(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


# --- How much a line of code says -------------------------------------------------------------------------------------


def code_lines(code: str) -> list[Line]:
    """The statements of a piece of code, headers of blocks included, docstrings and comments not."""
    text = textwrap.dedent(code)
    rows = text.splitlines()
    found: list[Line] = []
    first: int | None = None
    given = only_text = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
            row, column = token.start
            if token.type == tokenize.COMMENT:
                given = given or token.string.strip("# ") == "given"
                rows[row - 1] = rows[row - 1][:column]
            elif token.type == tokenize.NEWLINE and first is not None:
                if not only_text:
                    found.append(Line(tuple(line for line in rows[first - 1 : row] if line.strip()), given))
                first, given = None, False
            elif token.type not in (
                tokenize.NL,
                tokenize.INDENT,
                tokenize.DEDENT,
                tokenize.ENDMARKER,
                tokenize.NEWLINE,
            ):
                only_text = token.type == tokenize.STRING and (first is None or only_text)
                first = first or row
            elif first is None:
                given = False
    except (tokenize.TokenError, SyntaxError):
        return [Line((row.split("#")[0].strip(),), False) for row in text.splitlines() if row.split("#")[0].strip()]
    return found


def effort(text: str) -> int:
    """How many operators, calls and subscripts a piece of code has that say something about how it works."""
    bare = _STRING.sub('""', text.replace("'", '"'))
    calls = [name for name in _CALL.findall(bare) if name not in _PLAIN_CALLS]
    return len(_OPERATOR.findall(bare)) + len(calls) + len(_SUBSCRIPT.findall(bare))


def says_something(text: str) -> bool:
    """Whether a line of code could only have been written by someone who knows the answer."""
    return (effort(text) >= 2 and len(text) >= 16) or (effort(text) >= 1 and len(text) >= 25)


def _value(text: str) -> str:
    """The right-hand side of an assignment, or what is returned."""
    return re.sub(r"^(?:return\b|[\w\s,.\[\]:]+=(?!=))\s*", "", text)


def _shows_numbers(text: str) -> bool:
    """Whether a line tells inputs or expected values: three numbers, or two with several digits."""
    numbers = [number for number in _NUMBER.findall(text) if number not in ("0", "1", "2", "0.0", "1.0", "2.0", "0.5")]
    digits = [number for number in numbers if len(number.replace(".", "").strip("0")) >= 2]
    return len(numbers) >= 3 or len(digits) >= 2
