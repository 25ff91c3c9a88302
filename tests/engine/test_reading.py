"""What builds on what is read from a submission's code: quickly, and however long it would take, at little cost."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sample_class import REPOSITORY, SHORT, need

from autograder.course import notebook, sources
from autograder.engine.following.reading import names_used, reachable
from autograder.engine.running import Cell
from autograder.sandbox.process import CRASHED, Process, ProcessGone, Spawner, Zygote


def started(mode: str) -> Iterator[Zygote]:
    zygote = Zygote(need(mode), checks=REPOSITORY.checks, data=REPOSITORY.data, limits=SHORT)
    yield zygote
    zygote.close()


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    yield from started("portable")


@pytest.fixture(scope="module")
def strong() -> Iterator[Zygote]:
    yield from started("strong")


LONG = Cell("long", "#" * 10_000)  # so much code is read by a process of the sandbox


def builds(zygote: Spawner, code: str) -> bool:
    """Whether `f` builds on `a`, whoever reads the code."""
    cells = [Cell("one", "x = 1"), Cell("two", code)]
    here, there = ("a" in reachable(names_used(zygote, some), ["f"]) for some in (cells, [LONG, *cells]))
    assert here is there
    return here


@pytest.mark.parametrize(
    "code",
    [
        "def f(x): return a(x)",
        "%matplotlib inline\ndef f(x):\n    !ls\n    return a(x)",
        "%%time\ndef f(x): return a(x)",
        "def g(x): return a(x)\ndef f(x): return g(x)",
        "h = [a]\ndef f(x): return h[0](x)",
        "f = lambda x: a(x)",
        "def f(x, how=a): return how(x)",
        "def f(x, *, how=a): return how(x)",
        "def f(x) -> a: return x",
        "@a\ndef f(x): return x",
        "class f(a): pass",
        "class f(metaclass=a): pass",
        "class f:\n    def one(self, a): return a\n    def two(self): return a()",
        "def f(x):\n    def g(): return a(x)\n    return g()",
        "try:\n    def f(x): return a(x)\nexcept ValueError: pass",
        "async def f(x): return [a(y) async for y in x]",
        "# Größe\ndef ƒ(x): return a(x)\ndef f(x): return ƒ(x)",
        "def f(x): return a(x)\r\ny = 1\r\n",
        "\f\ndef f(x): return a(x)",
        "def f(x): return a(x)\ny = " + "lambda: " * 990 + "0",
        "def f(x): return (" + "lambda: " * 700 + "a)(x)",
    ],
)
def test_code_that_calls_another_function_builds_on_it(zygote: Zygote, code: str) -> None:
    assert builds(zygote, code)


@pytest.mark.parametrize(
    "code",
    [
        "def f(a): return a",
        "def f(x):\n    a = x\n    return a",
        "def f(x): return 'a'  # a",
        "def g(x): return a(x)",
        "def f(x): return a(x",
        "%%bash\ndef f(x): return a(x)",
        "def f(x): return a(x)\0",
        "def f(x): return a(x)\ny = " + "-" * 20_000 + "1",
        "def f(x): return a(x)\ny = 1" + " + 1" * 20_000,
        "def f(x): return a(x)\ny = " + "9" * 5000,
        "def f(x): return a(x)\n" + "#" * 400_000,
    ],
)
def test_code_that_does_not_or_cannot_be_parsed_builds_on_nothing(zygote: Zygote, code: str) -> None:
    assert not builds(zygote, code)


def test_names_of_one_statement_share_what_they_read(zygote: Zygote) -> None:
    uses = names_used(zygote, [Cell("one", "a = b = [x, y]"), Cell("two", "b = z")])
    assert uses["a"][0] is uses["b"][0]  # thousands of names that read thousands would fill the memory
    assert reachable(uses, ["b"]) == {"b", "x", "y", "z"}


def test_code_is_read_in_both_kinds_of_isolation(zygote: Zygote, strong: Zygote) -> None:
    code = [Cell("one", "def f(x): return a(x)"), Cell("two", "g = [f, b]"), LONG]
    assert (
        names_used(strong, code)
        == names_used(zygote, code)
        == names_used(zygote, code[:2])
        == {"f": [{"a"}, set()], "g": [{"f", "b"}]}
    )


def test_every_notebook_of_the_course_is_read(zygote: Zygote) -> None:
    for stem in REPOSITORY.stems():
        source = sources.read(REPOSITORY.source(stem))
        uses = names_used(zygote, [Cell(id, text) for id, text in notebook.code_cells(source)])
        functions = {name for exercise in sources.exercises(source) for name in exercise.functions}
        assert functions and functions <= uses.keys()
        assert uses == names_used(zygote, [*(Cell(id, text) for id, text in notebook.code_cells(source)), LONG])


def test_ten_times_as_much_as_people_write_is_read(zygote: Zygote) -> None:
    lines = "".join(f"def f{number}(x):\n    return f{number + 1}(x) + np.sum(x)\n\n" for number in range(5500))
    assert 250_000 < len(lines) < 300_000
    assert "f5500" in reachable(names_used(zygote, [Cell("all", lines)]), ["f0"])


# --- Code that is meant to be expensive -------------------------------------------------------------------------------

DOTTED_IMPORT = "import " + ".".join(["a"] * 145_000)  # 290 kB; Python's parser fills 4 GB with it in half a minute
EXPENSIVE = {
    "dotted import": DOTTED_IMPORT,
    "names": "y = [" + ",".join(f"n{number}" for number in range(40_000)) + "]",
    "targets": "=".join(f"n{number}" for number in range(40_000)) + "= 0",
    "targets that read": "=".join(f"n{number}" for number in range(15_000))
    + "="
    + "+".join(f"m{number}" for number in range(15_000)),
    "long names": "\n".join(f"{'n' * 2000}{number} = 1" for number in range(140)),
    "letters of many bytes": "\n".join(f"{'ä' * 20}{number} = {'ö' * 20}{number}" for number in range(2900)),
    "decorators": "@a\n" * 98_000 + "def g(): pass",
}


@pytest.mark.parametrize("name", EXPENSIVE)
def test_expensive_code_costs_the_grader_no_memory(zygote: Zygote, name: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    names_used(zygote, [Cell("honest", "def f(x): return a(x)"), Cell("expensive", EXPENSIVE[name])])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # KiB
    assert builds(zygote, "def f(x): return a(x)")


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="newer parsers read this at once; the older takes half a minute"
)
def test_of_code_that_takes_too_long_nothing_is_known(zygote: Zygote) -> None:
    code = [Cell("honest", "def f(x): return a(x)"), Cell("long", "y = f'" + "{x}" * 95_000 + "'")]
    assert names_used(zygote, code) == {}


class Other(Process):
    """A process that answers something else, as one that a text has taken over might."""

    def __init__(self, reply: object) -> None:
        self.reply, self.ends = reply, 0

    def ask(self, *_: Any, **__: Any) -> dict[str, Any]:
        if isinstance(self.reply, ProcessGone):
            raise self.reply
        return {"value": self.reply}

    def end(self) -> dict[str, Any]:
        self.ends += 1
        return {}


class Others(Spawner):
    def __init__(self, process: Process) -> None:
        self.process = process

    def spawn(self) -> Process:
        return self.process


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {"f": ["a"]},
        ["f"],
        [["f", ["a"]]],
        [[["f"]]],
        [[["f"], ["a"], ["b"]]],
        [[["f"], [1]]],
        [[[["f"]], ["a"]]],
        [[["f"], ["a"]], 0],
        ProcessGone(CRASHED, "it has ended"),
    ],
)
def test_an_answer_of_another_form_says_nothing(reply: object) -> None:
    process = Other(reply)
    assert names_used(Others(process), [Cell("one", "def f(x): return a(x)"), LONG]) == {}
    assert process.ends
