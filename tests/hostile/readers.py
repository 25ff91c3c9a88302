"""Everything on the grader's side that reads what students wrote, and nasty texts for it: run as a program, it reads.

`python readers.py GROUP CASES FILE` lets the readers of a group read the corpus, then texts that are made from it with
a fixed seed, within bounded memory and processor time. FILE says which case is being read; what went wrong is printed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
STEMS = ["01_bayes_rule", "02_maximum_likelihood"]
MEMORY = 1536 << 20  # bytes of address space beyond what the imports take
PROCESSOR_SECONDS = 1800  # more than ten times what all cases take
LONGEST = 2500  # characters of most texts; those of the corpus are read in full, too
SEED = 15

# --- Nasty texts ------------------------------------------------------------------------------------------------------

CODE = {
    "dotted import": "import " + ".".join(["a"] * 145_000),
    "f-strings": "y = f'" + "{x}" * 95_000 + "'",
    "nested f-strings": "f'{" * 150 + "x" + "}'" * 150,
    "f-strings in f-strings": "f\"{f'{f'''{x}'''}'}\"" * 500,
    "nested lambdas": "y = " + "lambda: " * 990 + "0",
    "deep brackets": "(" * 100_000,
    "brackets that close": "[" * 190 + "]" * 190,
    "mixed brackets": "([{" * 30_000 + "}])" * 30_000,
    "digits": "9" * 5000,
    "many numbers": ",".join(["9" * 4000] * 60),
    "power": "10**100000**100000",
    "hexadecimal": "0x" + "f" * 200_000,
    "decorators": "@a\n" * 50_000 + "def f(): pass",
    "operators": "x = 1" + " + 1" * 50_000,
    "signs": "x = " + "-" * 50_000 + "1",
    "not": "x = " + "not " * 50_000 + "1",
    "comparisons": "x = 1" + " < 1" * 50_000,
    "attributes": "x = a" + ".a" * 100_000,
    "calls": "x = a" + "()" * 100_000,
    "subscripts": "x = a" + "[0]" * 60_000,
    "comprehensions": "x = [a " + "for a in a " * 20_000 + "]",
    "nested comprehensions": "[" * 90 + "a" + " for a in a]" * 90,
    "conditions": "x = " + "a if a else " * 20_000 + "a",
    "branches": "if a:\n pass\n" + "elif a:\n pass\n" * 15_000,
    "nested functions": "".join(" " * n + f"def f{n}(a{n}):\n" for n in range(99)) + " " * 99 + "pass",
    "short lines": "a\n" * 100_000,
    "short names": ",".join(f"n{n}" for n in range(40_000)) + " = 0",
    "targets": "=".join(f"n{n}" for n in range(40_000)) + "=0",
    "parameters": "def f(" + ",".join(f"a{n}=b{n}" for n in range(15_000)) + "): pass",
    "long line": "x = '" + "a" * 200_000 + "'",
    "long name": "a" * 200_000,
    "continuations": "x = 1" + "\\\n" * 100_000,
    "null bytes": "x = 1\0" * 1000,
    "half characters": "x = '\ud800\udfff'\n" * 1000,
    "mark of byte order": "\ufeffx = 1\n" * 1000,
    "line ends": "a = 1\r\nb = 2\rc = 3\n\x0b\x0c\x1c\x85\u2028\u2029" * 500,
    "form feeds": "\f" * 5000 + "x = 1",
    "tabs and spaces": "if a:\n\tb\n        c\n" * 500,
    "whitespace": "x = 1" + " " * 100_000 + "\n" + "\t" * 10_000,
    "dots": "." * 50_000,
    "quotes": "\"'" * 20_000,
    "three quotes": '"""' * 10_001,
    "escapes": "'\\N{" * 5000 + "'" + "\\x" * 5000,
    "formats": "'" + "%(a)#0{a[" * 3000 + "'",
    "match": "match x:\n case " + "|".join(["a.b"] * 20_000) + ": pass",
    "stars": "print(" + "*" * 50_000 + "a)",
    "magics": "%%perl\n" + "s/" * 5000 + "\n%%html\n" + "<" * 5000 + "\n!ls\n%time x\n?a??",
    "no Python at all": "Lorem ipsum: dolor! sit amet? " * 3000,
    "emoji": "😀é\u0301ﬁ" * 5000,
    "colours": "\x1b[31m" * 20_000 + "\x1b[" + "0;" * 20_000 + "m" + "\x1b[" * 5000,
}
MARKDOWN = {
    "emphasis": "*a **b _c " * 1500,
    "emphasis in emphasis": "*_" * 9000,
    "brackets": "[" * 19_000,
    "links": "[a](b" * 3500 + ")" * 1500,
    "pictures": "![a](" * 3500,
    "references": "[a][" * 4500 + "[a]: b\n" * 200,
    "quotes": ">" * 19_000,
    "nested quotes": "".join(">" * n + " a\n" for n in range(190)),
    "nested lists": "".join(" " * n + "- a\n" for n in range(190)) + "- " * 500,
    "numbers": "1. a\n" * 3500,
    "ticks": " ".join("`" * n for n in range(1, 190)) + "```\n" * 300,
    "tables": "|a" * 3000 + "|\n" + "|-" * 3000 + "|\n" + "|b" * 3000,
    "elements": "<div>" * 3500,
    "elements that are opened anew": "<p>"
    + "".join(f"<{name} title={n}>" for name in ("a", "b", "i", "u", "s", "em", "code") for n in range(49))
    + "<p>x" * 2500,
    "long attributes": "<p>" + f"<b title='{'x' * 6000}'>" * 2 + "<p>x" * 1500,
    "half elements": "<a " * 6000,
    "attributes": "<a" + " b='" * 4500,
    "comments": "<!--" * 4500 + "--!>" * 100,
    "instructions": "<?<![CDATA[<!x" * 1300,
    "entities": "&a&#1114112;&#x110000;&amp" * 700,
    "spaces": "a" + " " * 19_000 + "b",
    "lines": "\n" * 19_000,
    "headings": "# a\n" * 4500 + "a\n=\n" * 100,
    "escapes": "\\" * 19_000,
    "addresses": "<http://a" * 2000 + "a@b.c " * 100,
    "dollars": "$a " * 6000,
    "two dollars": "$$a" * 6000,
    "parentheses": "\\\\(" * 6000 + "\\\\[" * 300,
    "environments": "\\begin{a}" * 2000,
    "formulas": "$x_{1}$ " * 2400,
}
LATEX = {
    "braces": "{" * 1900 + "}" * 1900,
    "open braces": "{" * 3900,
    "fractions": "\\frac{" * 600,
    "indices": "a_{" * 1000 + "}" * 900,
    "powers": "a^" * 1900,
    "accents": "'" * 3900,
    "parentheses": "\\left(" * 600,
    "roots": "\\sqrt[" * 600,
    "matrices": "\\begin{matrix}" * 250 + "&\\\\" * 100,
    "columns": "&" * 3900,
    "unknown": "\\unknown" * 400 + "\\text{$" * 20,
    "colours": "\\color{red}{\\href{javascript:a}{\\style{a}{b}}}" * 80,
}
HEAD = b'{"nbformat":4,"nbformat_minor":5,"metadata":'
FILES = {
    "nothing": b"",
    "ten million numbers": HEAD + b'{"m":[' + b"0," * 10_000_000 + b'0]},"cells":[]}',
    "many texts": HEAD + b'{"m":[' + b'"ab",' * 500_000 + b'""]},"cells":[]}',
    "more texts": HEAD + b'{"m":[' + b'"ab",' * 2_000_000 + b'""]},"cells":[]}',
    "texts without commas": HEAD + b'""' * 3_000_000,
    "open text": HEAD + b'"' + b"[{," * 1_000_000,
    "backslashes": HEAD + b'"' + b"\\" * 5_000_000,
    "many keys": HEAD + b"{" + b",".join(b'"%x":0' % n for n in range(300_000)) + b'},"cells":[]}',
    "the same key": HEAD + b"{" + b'"a":0,' * 900_000 + b'"a":1},"cells":[],"cells":[]}',
    "deep lists": HEAD + b"[" * 250_000,
    "deep enough": HEAD + b'{"a":' * 99 + b"0" + b"}" * 99 + b',"cells":[]}',
    "deep objects": HEAD + b'{"a":' * 100_000,
    "many lists": HEAD + b'{"m":[' + b"[]," * 150_000 + b'0]},"cells":[]}',
    "long numbers": HEAD
    + b'{"m":['
    + b"9" * 4300
    + b",1e"
    + b"9" * 10_000
    + b",1."
    + b"9" * 10_000
    + b']},"cells":[]}',
    "longer number": HEAD + b"9" * 5000 + b',"cells":[]}',
    "no numbers": HEAD + b'{"m":[NaN,Infinity,-Infinity,1e999]},"cells":[]}',
    "half characters": HEAD + b'{"\\ud800":"\\udfff\\ud83d"},"cells":[{"cell_type":"code","source":"\\ud800"}]}',
    "other bytes": b"\xff\xfe" + HEAD,
    "mark of byte order": b"\xef\xbb\xbf" + HEAD + b'{},"cells":[]}',
    "null bytes": HEAD.replace(b"metadata", b"meta\0data") + b'{},"cells":[]}',
    "many cells": HEAD + b'{},"cells":[' + b'{"cell_type":"code"},' * 9_999 + b'{"cell_type":"raw"}]}',
    "more cells": HEAD + b'{},"cells":[' + b'{"cell_type":"code"},' * 20_000 + b"{}]}",
    "cells without end": HEAD + b'{},"cells":[' + b'{"cell_type":"code","source":["' * 50_000,
    "format 3": b'{"nbformat":3,"metadata":{},"worksheets":[{"cells":['
    + b'{"cell_type":"code","input":"x","outputs":[]},' * 99_000
    + b"{}]}]}",
    "heading of format 3": b'{"nbformat":3,"metadata":{},"worksheets":[{"cells":[{"cell_type":"heading","level":1e300,'
    b'"source":"a"}]}]}',
    "cells of other kinds": HEAD + b'{},"cells":[null,[],{"cell_type":{}},{"cell_type":"code","source":{"a":[]}}]}',
    "outputs of other kinds": HEAD + b'{},"cells":[{"cell_type":"code","source":[],"outputs":[{"output_type":"stream",'
    b'"text":["a"]},{"output_type":"error","traceback":7},{"output_type":"display_data","data":{"a/b":[7]}},7]}]}',
    "a result": json.dumps(
        {"version": 2, "student": "a", "assignment": "b", "faults": [], "fault_kinds": [], "exercises": [], "key": ""}
    ).encode(),
    "a result of the first version": json.dumps(
        {
            "student": "a",
            "assignment": "b",
            "ungraded": None,
            "faults": ["cell 'a' crashed: " * 100],
            "exercises": [{"checks": [{"name": "visible: a", "message": "Not asked, because “" * 300}]}],
        }
    ).encode(),
}
NAMES = {
    "underscores": "_" * 4000 + ".ipynb",
    "Moodle": "a_b" * 600 + "_1" * 600 + "_assignsubmission_file_",
    "Canvas": "a-b" * 600 + "_LATE_" + "1_" * 600 + "x.ipynb",
    "exchange": "a+" * 1500 + "2026-10-12 18:30:00 UTC",
    "attempt": "a_" * 1500 + "attempt_2026-10-12-18-30-00",
    "copies": "- Copy 2_final(1)-2 " * 200 + ".ipynb",
    "digits": "-1" * 1500 + "1" * 1000 + ".ipynb",
    "parts": "a/" * 1500 + "01_bayes_rule.ipynb",
    "dots": "../" * 1000 + ".ipynb",
    "letters": "ä\u202e\x1b[31mß\u0301" * 300,
    "times": "2026-10-12 18:30:00 " + "9" * 900,
    "a moment": "2026-10-12 18:30:00.000000 UTC",
}
LINES = {
    "powers": "y**4**4**4",
    "minus": "-" * 300,
    "parentheses": "(" * 150 + "y" + ")" * 149,
    "number": "9" * 300,
    "exponents": "1e999*y**-4",
    "divisions": "y" + "/p" * 149,
    "calls": "y(p)(x)",
    "a result": "(y - p)*x",
    "a result and sums": "(y - p)*x + 0*(" + "y+(" * 50 + "p" + ")" * 51,
    "a result and fractions": "(y - p)*x + 0*(" + "1+1/(" * 25 + "p" + ")" * 26,
    "a result and powers": "(y - p)*x + 0*" + "(" * 40 + "p" + ")**4" * 40,
    "logarithms": "(y/p - (1 - y)/(1 - p))*p*(1 - p)*x",
    "text": "'y'",
    "names": "__import__('os')",
    "conditions": "2if y else p",
}

# --- Readers ----------------------------------------------------------------------------------------------------------


def code_readers() -> dict[str, Callable[[str], Any]]:
    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "notebooks")]
    from autograder.course import Course
    from autograder.grading.submissions import Submission
    from autograder.nbgrader_bridge.pages import highlighted
    from autograder.pages import similarity
    from autograder.pages.shared_code import pair_view
    from autograder.sandbox import python_names
    from checks import derivation

    def names(code: str) -> Any:
        return python_names.statements([code[:8000]])  # longer ones are read in the sandbox

    def in_colours(code: str) -> Any:
        return highlighted({}, code)  # type: ignore[arg-type]

    def derived(code: str) -> Any:
        return derivation.explain([code[:300], *code.split("\n")[:20]]), derivation.first_problem([code] * 3)

    waiting: list[str] = []

    def compared(code: str) -> Any:
        """Compares classes in which each text was handed in twice; the last of a hundred texts starts it."""
        waiting.append(code)
        if len(waiting) < 100:
            return None
        handed_in = [
            Submission(f"{student}-{n}", STEMS[0], "a file", partial(_with_cell, text))
            for n, text in enumerate(waiting)
            for student in ("anna", "berta")
        ]
        waiting.clear()
        return [pair_view(pair) for pair in similarity.compare(Course(REPOSITORY), STEMS[0], handed_in).pairs]

    return {"names": names, "highlighting": in_colours, "derivation": derived, "similarity": compared}


def _with_cell(code: str) -> bytes:
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()


def page_readers() -> dict[str, Callable[[str], Any]]:
    sys.path[:0] = [str(REPOSITORY)]
    from autograder.course import mathematics, text
    from autograder.nbgrader_bridge import pages
    from autograder.pages import prose

    def markdown(some: str) -> Any:
        return pages.markdown_to_html({}, some)  # type: ignore[arg-type]

    def latex(some: str) -> Any:
        return mathematics.shown(some), mathematics.shown(some, block=True)

    def told(some: str) -> Any:
        return text.printable(some), text.short_line(some), prose.split_heading(some[:20_000])

    return {"markdown": markdown, "html": pages.cleaned, "latex": latex, "outputs": pages.coloured, "texts": told}


def file_readers() -> dict[str, Callable[[bytes], Any]]:
    sys.path[:0] = [str(REPOSITORY)]
    from autograder.course import codec, notebook
    from autograder.grading import ownership, path_clues, store
    from autograder.nbgrader_bridge.folder import read_timestamp

    beside = Path(tempfile.mkdtemp(prefix="readers-")) / "timestamp.txt"

    def notebooks(data: bytes) -> Any:
        return notebook.dumps(notebook.parse(data, "a file", limit=20 << 20))

    def results(data: bytes) -> Any:
        return store.from_json(codec.decode(data, dict[str, Any]))

    def paths(data: bytes) -> Any:
        path = PurePosixPath(data[:8000].decode("utf-8", "replace"))
        path_clues.is_a_platforms(path)
        ownership.Rule(STEMS).owner(path, lambda: data[:10_000])
        return ownership.Rule(STEMS, asks=True).owner(path, lambda: data[:10_000])

    def moments(data: bytes) -> Any:
        beside.write_bytes(data[:1500])
        return read_timestamp(beside, beside.parent)

    return {"notebooks": notebooks, "results": results, "paths": paths, "moments": moments}


GROUPS: dict[str, Callable[[], dict[str, Callable[[Any], Any]]]] = {
    "code": code_readers,
    "pages": page_readers,
    "files": file_readers,
}


# How many cases a reader gets for one of those that take longest.
TURNS = {"names": 4, "highlighting": 3, "derivation": 4, "markdown": 4, "html": 6, "outputs": 3, "texts": 2}


def corpus(group: str) -> dict[str, Any]:
    """The texts that a group reads, by name; files are bytes."""
    if group == "files":
        texts = {f"name: {name}": text.encode() for name, text in NAMES.items()}
        return {**FILES, **texts}
    if group == "pages":
        return {
            **MARKDOWN,
            **{f"latex: {k}": v for k, v in LATEX.items()},
            **{f"code: {k}": v for k, v in CODE.items()},
        }
    return {**CODE, **{f"line: {k}": v for k, v in LINES.items()}}


# --- Cases ------------------------------------------------------------------------------------------------------------


def case(texts: list[Any], number: int) -> Any:
    """A text made of one to three others, with a few changes; the same for the same number on every machine."""
    rng = random.Random(SEED * 1_000_003 + number)
    made = texts[0][:0]
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(texts)
        length = rng.randint(1, LONGEST)
        start = rng.choice([0, rng.randint(0, max(0, len(text) - 1))])
        made += text[start : start + length]
    for _ in range(rng.randint(0, 6)):
        at, until = sorted(rng.randint(0, len(made)) for _ in range(2))
        other = rng.choice(texts)
        begin = rng.randint(0, len(other))
        piece = other[begin : begin + rng.randint(1, 30)]
        made = rng.choice(
            [
                made[:at] + made[until:],
                made[:at] + piece + made[at:],
                made[:at] + piece * rng.randint(1, 200) + made[at:],
                made[:at] + made[at : at + 40] * rng.randint(1, 100) + made[at:],
                made[until:] + made[:at],
            ]
        )
    return made[: 2 * LONGEST]


def main(group: str, cases: int, at_work: str) -> None:
    """Let the readers of a group read; print what went wrong as a list."""
    warnings.simplefilter("error")  # as in all tests: a reader that warns has not expected what it read
    readers = GROUPS[group]()
    expected = _our_errors()
    nasty = corpus(group)
    before = _peak()
    with open("/proc/self/statm") as statistics:
        size = int(statistics.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    log = os.open(at_work, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    wrong: list[str] = []

    def read(reader: str, name: str, text: Any) -> None:
        os.pwrite(log, f"{reader} reads {name:200}\n".encode(), 0)
        try:
            readers[reader](text)
        except expected:
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            wrong.append(f"{reader} reads {name}: {type(error).__name__}: {str(error)[:200]}; {text[:200]!r}")

    for name, text in nasty.items():
        for reader in readers:
            read(reader, name, text)
    texts = list(nasty.values())
    names = [name for name in readers for _ in range(TURNS.get(name, 1))]
    for number in range(cases):
        read(names[number % len(names)], f"case {number}", case(texts, number))
    grown = _peak() - before
    read_in_all = cases + len(nasty) * len(readers)
    print(json.dumps({"wrong": wrong, "cases": read_in_all, "grown": grown * 1024}))


def _peak() -> int:
    """The most memory that this program had, in KiB; what getrusage says includes whoever started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def _our_errors() -> tuple[type[Exception], ...]:
    from autograder.course.codec import CodecError
    from autograder.course.errors import AutograderError

    return AutograderError, CodecError


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
