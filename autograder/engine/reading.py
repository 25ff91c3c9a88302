"""What builds on what in a submission: its code is read in a process of the sandbox that has run none of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograder.engine.running import Cell
from autograder.sandbox.process import ProcessGone, Spawner

Uses = Mapping[str, list[set[str]]]

_MOST_BYTES = 300_000  # of code that is read at all: ten times as much as people write
_PROCESSOR_SECONDS = 5  # an honest notebook takes some milliseconds
_SECONDS = 60.0  # on the clock, where a busy machine lets a process wait; the processor's time ends it before


def names_used(zygote: Spawner, cells: Iterable[Cell]) -> dict[str, list[set[str]]]:
    """For every name that the cells define, the names outside it that its code reads. Nothing is run for that.

    Names that one statement defines share one set: thousands of names may read thousands. It may say too much of
    statements outside functions, which costs a second run in vain, and no marks. Nothing is known of code that cannot
    be read within the sandbox's memory and a few seconds of processor time.
    """
    sources = [cell.source.encode("utf-8", "replace") for cell in cells]
    if sum(map(len, sources)) > _MOST_BYTES:
        return {}
    request = {
        "do": "names",
        "text": b"".join(sources),
        "lengths": [len(source) for source in sources],
        "seconds": _PROCESSOR_SECONDS,
    }
    process = zygote.spawn()
    try:
        reply = process.ask(request, _SECONDS)
    except ProcessGone:
        return {}
    finally:
        process.end()
    return _uses(reply.get("value"))


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
