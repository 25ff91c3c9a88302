"""Right except where …: the sort of input that tells the probes with a wrong answer from all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from autograder.course.kinds import Kind
from autograder.engine.probing.probes import Probe, Questions
from autograder.engine.probing.values import is_code

LEAST_RIGHT, LEAST_WRONG = 6, 3
"""Probes that must be right, and wrong: fewer do not show that these are an exception, and what they are."""
_PLAIN_TO_SEE = ("a list", "not given", "given", "an array", "one number", "nothing", "infinity")
"""Sorts of input that nobody draws by chance."""
_WITHOUT = "without: "
"""How the feature of a call begins in which an argument is missing, or zero."""


class Features:
    """For every probe, the sorts of input that it belongs to: "zeros: prior", "a list"."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    @cached_property
    def of_probes(self) -> list[set[str]]:
        """The features of each probe."""
        return [set(self._features(probe)) for probe in self._questions.probes]

    @cached_property
    def _numbers(self) -> set[str]:
        """The arguments that are one number wherever they are given, and no count."""
        given: dict[str, list[bool]] = {}
        floats: set[str] = set()
        for probe in self._questions.probes:
            for place, value in enumerate((*probe.args, *probe.kwargs.values())):
                name = self._questions.name_of(probe, place)
                if value is not None:
                    given.setdefault(name, []).append(type(value) in (int, float))
                if type(value) is float:
                    floats.add(name)
        return {name for name, numbers in given.items() if all(numbers) and name in floats}

    def _features(self, probe: Probe) -> Iterator[str]:
        values = (*probe.args, *probe.kwargs.values())
        arrays = [value for value in values if isinstance(value, np.ndarray | list | tuple)]
        if any(isinstance(value, list | tuple) for value in values):
            yield "a list"
        yield "an array" if arrays else "one number"
        for place, value in enumerate(values):
            name = self._questions.name_of(probe, place)
            if value is None:
                yield f"not given: {name}"
            elif not is_code(value) and not isinstance(value, str):
                yield from (f"{sort}: {name}" for sort, has in _SORTS.items() if has(_plain(value)))
        names = self._questions.parameters
        yield from (f"not given: {name}" for name in names[len(probe.args) :] if name not in probe.kwargs)
        yield from (f"given: {name}" for name in probe.kwargs if probe.kwargs[name] is not None)
        given = {self._questions.name_of(probe, place): value for place, value in enumerate(values)}
        absent = (name for name in names if name in self._numbers and not given.get(name))
        yield from (f"{_WITHOUT}{name}" for name in absent)

    def simpler(self, wrong: Sequence[int], right: Sequence[int]) -> str | None:
        """The one argument that is missing, or zero, in all calls with a right answer, and in none with a wrong one."""
        if len(right) < LEAST_WRONG or len(wrong) < LEAST_WRONG:
            return None
        shared = set.intersection(*(self.of_probes[at] for at in right))
        found = shared.difference(*(self.of_probes[at] for at in wrong))
        names = [feature.removeprefix(_WITHOUT) for feature in found if feature.startswith(_WITHOUT)]
        return names[0] if len(names) == 1 else None

    def telling(self, wrong: Sequence[int], right: Sequence[int]) -> str | None:
        """The feature that all probes with a wrong answer have, and none with a right one; the plainest of several."""
        if len(right) < LEAST_RIGHT or not wrong:
            return None
        shared = set.intersection(*(self.of_probes[at] for at in wrong))
        others: set[str] = set().union(*(self.of_probes[at] for at in right))
        found = {feature for feature in shared - others if not feature.startswith(_WITHOUT)}
        checks = {self._questions.probes[at].check for at in wrong}
        if len(wrong) < LEAST_WRONG or len(checks) == 1:  # a few tables may have zeros or ties in common by chance
            found = {feature for feature in found if feature.partition(":")[0] in _PLAIN_TO_SEE}
        order = [*_PLAIN_TO_SEE, *_SORTS]
        ranked = sorted(found, key=lambda feature: (order.index(feature.partition(":")[0]), feature))
        return ranked[0] if ranked else None


def kind_in_common(probes: Sequence[Probe]) -> Kind | None:
    """The one kind of check that all of these probes are like; None if there are several, or the kind says nothing."""
    kinds = {probe.kind for probe in probes}
    if len(kinds) > 1:  # whether arguments are left alone is asked with inputs of any kind
        kinds.discard(Kind.SIDE_EFFECT)
    found = kinds.pop() if len(kinds) == 1 else None
    return found if found in SPECIAL else None


SPECIAL = (Kind.EDGE, Kind.STABILITY, Kind.SIZES, Kind.TYPE)
"""The kinds of checks that ask for more than ordinary numbers."""


def _plain(value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        return np.empty(0)
    return array if array.dtype.kind in "biuf" else np.empty(0)


def _magnitudes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    floats = np.abs(array.astype(float))
    found: np.ndarray[Any, Any] = floats[np.isfinite(floats) & (floats > 0)]
    return found


def _has_ties(array: np.ndarray[Any, Any]) -> bool:
    """Whether a row has its largest value twice."""
    if (
        array.dtype.kind not in "iuf"
        or array.ndim < 1
        or array.shape[-1] < 2
        or array.max(initial=0) <= 1 == array.ndim
    ):
        return False
    return bool(((array == array.max(axis=-1, keepdims=True)).sum(axis=-1) > 1).any())


_SORTS: dict[str, Callable[[np.ndarray[Any, Any]], bool]] = {
    "nothing": lambda array: array.ndim > 0 and array.size == 0,
    "one entry": lambda array: array.ndim > 0 and len(array) == 1,
    "infinity": lambda array: array.dtype.kind == "f" and bool(np.isinf(array).any()),
    "whole numbers": lambda array: array.ndim > 0 and array.dtype.kind in "iu",
    "more axes": lambda array: array.ndim > 2,
    "large numbers": lambda array: bool((_magnitudes(array) > 30).any()) and array.dtype.kind == "f",
    "small numbers": lambda array: bool((_magnitudes(array) < 1e-6).any()),
    "zeros": lambda array: array.dtype.kind in "iuf" and array.size > 0 and bool((array == 0).any()),
    "ties": _has_ties,
    "shares that do not add up": lambda array: (
        array.ndim == 1 and array.size > 1 and bool((array >= 0).all()) and not np.isclose(array.sum(), 1)
    ),
}
