"""What builds on what in a submission: short code is read here, long code in a process of the sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograder.course.errors import MachineError
from autograder.engine.running import Cell
from autograder.sandbox import python_names
from autograder.sandbox.process import ProcessGone, Spawner

Uses = Mapping[str, list[set[str]]]

# In bytes of code. What people write is short, and is read here in less time than a process needs to start; the worst
# text of that length takes half a second and 20 MB. The longest that is read at all is ten times what people write.
_SHORT, _SHORT_CELL, _LONGEST = 40_000, 8000, 300_000
_PROCESSOR_SECONDS = 5
_SECONDS = 60.0  # on the clock, where a busy machine lets a process wait; the processor's time ends it before


def names_used(zygote: Spawner, cells: Iterable[Cell]) -> dict[str, list[set[str]]]:
    """For every name that the cells define, the names outside it that its code reads. Nothing is run for that.

    Names that one statement defines share one set: thousands of names may read thousands. It may say too much of
    statements outside functions, which costs a second run in vain, and no marks. Nothing is known of code that cannot
    be read within the sandbox's memory and a few seconds of processor time.
    """
    sources = [cell.source for cell in cells]
    sizes = [len(source.encode("utf-8", "replace")) for source in sources]
    if sum(sizes) > _LONGEST:
        return {}
    if sum(sizes) <= _SHORT and max(sizes, default=0) <= _SHORT_CELL:
        return _uses(python_names.statements(sources))
    return _uses(_read_in_sandbox(zygote, sources))


def _read_in_sandbox(zygote: Spawner, sources: Iterable[str]) -> Any:
    """What a fresh process says of the code, which may be anything; None when it says nothing in time."""
    texts = [source.encode("utf-8", "replace") for source in sources]
    request = {
        "do": "names",
        "text": b"".join(texts),
        "lengths": [len(text) for text in texts],
        "seconds": _PROCESSOR_SECONDS,
    }
    process = zygote.spawn()
    try:
        return process.ask(request, _SECONDS).get("value")
    except ProcessGone as gone:
        if gone.from_outside:
            raise MachineError(str(gone)) from None
        return None
    finally:
        process.end()


def _uses(told: Any) -> dict[str, list[set[str]]]:
    """The same as a mapping; nothing if it is not what was asked for. The wire has bounded how long it is."""
    uses: dict[str, list[set[str]]] = {}
    if type(told) is not list or not all(map(_is_statement, told)):
        return uses
    for defined, read in told:
        shared = set(read)
        for name in defined:
            uses.setdefault(name, []).append(shared)
    return uses


def _is_statement(told: Any) -> bool:
    return (
        type(told) is list
        and len(told) == 2
        and all(type(names) is list and all(type(name) is str for name in names) for names in told)
    )


def reachable(uses: Uses, start: Iterable[str]) -> set[str]:
    """The names that the code of `start` leads to, over any number of steps; `start` itself included."""
    found: set[str] = set()
    followed: set[int] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            new = [used for used in uses.get(name, ()) if id(used) not in followed]
            followed.update(map(id, new))
            waiting += [other for used in new for other in used]
    return found
