"""Whether it is asked, for every argument of every function, that a call leaves it as it was."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.engine.recording import Recorded


def problems(functions: Sequence[str], calls: Sequence[Recorded], asking: Collection[str]) -> Iterator[str]:
    """What is missing: arguments that no check among `asking` gives as an array of floats, or as a list.

    `calls` are all that the reference was asked. An argument counts if any of them gives it as an array or a list.
    """
    for function in functions:
        own = [call for call in calls if call.function == function]
        asked = [call for call in own if call.check in asking]
        for place in _places(own):
            given = [value for call in asked if (value := _at(call, place)) is not None]
            ways = {_way(value) for value in given}
            missing = [way for way in ("array of floats", "list") if way not in ways]
            if missing and not (missing == ["array of floats"] and "array of truth values" in ways):
                yield (
                    f"no check of the kind side effect gives argument {place!r} of {function} as "
                    f"{' or as '.join(missing)}; let one call leaves_alone with all arguments"
                )


def _places(calls: Sequence[Recorded]) -> list[int | str]:
    """The arguments that are given as an array or a list in any call, by position or by name."""
    found: dict[int | str, None] = {}
    for call in calls:
        given: list[tuple[int | str, Any]] = [*enumerate(call.args), *call.kwargs.items()]
        for place, value in given:
            if isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim):
                found[place] = None
    return list(found)


def _at(call: Recorded, place: int | str) -> Any:
    if isinstance(place, str):
        return call.kwargs.get(place)
    return call.args[place] if place < len(call.args) else None


def _way(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if isinstance(value, np.ndarray):
        return {"b": "array of truth values", "f": "array of floats"}.get(value.dtype.kind, "array")
    return ""
