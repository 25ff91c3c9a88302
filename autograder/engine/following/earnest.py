"""Whether a function was attempted in earnest: it does something with what it is given, be it right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autograder.engine.probing.values import same
from autograder.engine.running import Call


def in_earnest(calls: Sequence[Call]) -> bool:
    """Whether calls of a function show more than a stub, a bare `raise` or a constant.

    A function that fails in any other way, or ends its process, was attempted: mistakes look like that. What was never
    called has shown nothing.
    """
    if all(call.refused for call in calls):
        return False
    answered = [call for call in calls if call.error is None]
    return len(answered) < len(calls) or not _is_constant(answered)


def _is_constant(calls: Sequence[Call]) -> bool:
    """Whether different questions got the same answer: equal values, or one number as often as it was asked for."""
    if all(same(one.args, other.args) and same(one.kwargs, other.kwargs) for one, other in pairwise(calls)):
        return False
    if all(same(one.value, other.value) for one, other in pairwise(calls)):
        return True
    contents = {frozenset(_content(call.value)) for call in calls}
    return len(contents) == 1 and _has_one_number_per_part(contents.pop())


def _has_one_number_per_part(content: frozenset[tuple[str, str]]) -> bool:
    return len({part for part, _ in content}) == len(content)


def _content(value: Any, part: str = "") -> Iterator[tuple[str, str]]:
    """The different numbers and texts in a value, each with the part of a tuple or dictionary that it is in."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _content(item, f"{part}/{key}")
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _content(item, f"{part}/{number}")
    elif isinstance(value, np.ndarray):
        yield from ((part, str(item)) for item in np.unique(value))
    else:
        yield part, repr(value)
