"""No table is square by luck: to mix up its rows and columns would be right with some numbers and wrong with others."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograder.course import Course, notebook, sources
from autograder.course.draw import Draw
from autograder.course.kinds import Kind
from autograder.course.suite import Code

COURSE = Course.default()
SEEDS = 20


class Recorder:
    """The reference as a student; `tables` says of each array with two axes, given or come back, if it is square."""

    def __init__(self, reference: dict[str, Any]) -> None:
        self._reference = reference
        self.tables: list[tuple[str, bool]] = []

    def __getattr__(self, name: str) -> Any:
        function = self._reference[name]

        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = tuple(map(self._made, args)), {key: self._made(value) for key, value in kwargs.items()}
            result = function(*args, **kwargs)
            self._note(f"{name} is given", (*args, *kwargs.values()))
            self._note(f"{name} gives", result if isinstance(result, tuple) else (result,))
            return result

        call.with_arguments = lambda *args, **kwargs: (call(*args, **kwargs), [*args, *kwargs.values()])  # type: ignore[attr-defined]
        return call if callable(function) else function

    def _made(self, value: Any) -> Any:
        return eval(value, self._reference) if isinstance(value, Code) else value  # noqa: S307  (a suite's own code)

    def _note(self, where: str, values: tuple[Any, ...]) -> None:
        for place, value in enumerate(values):
            if isinstance(value, np.ndarray) and value.ndim == 2:
                self.tables.append((f"{where} {place}", value.shape[0] == value.shape[1]))


def reference(stem: str) -> dict[str, Any]:
    """What the source notebook defines, demonstrations apart."""
    source = sources.read(COURSE.source(stem))
    skipped = sources.demo_cells(source) | sources.check_cells(source)
    names: dict[str, Any] = {}
    for _, code in notebook.code_cells(source):
        if code.strip() not in skipped:
            exec("\n".join(line for line in code.splitlines() if not line.startswith("%")), names)
    return names


def drawing_checks(stem: str) -> Iterator[tuple[str, Any]]:
    """The checks of a suite that draw their numbers, by name; those of speed take long, and ask for nothing else."""
    spec = importlib.util.spec_from_file_location(f"shapes_{stem}", COURSE.suite(stem))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for name, check in vars(module).items():
        if name.startswith("test_") and "draw" in inspect.signature(check).parameters:
            [mark] = check.pytestmark
            if mark.kwargs["place"].kind is not Kind.SPEED:
                yield name, check


@pytest.mark.parametrize("stem", COURSE.stems())
def test_a_table_is_square_with_all_numbers_or_with_none(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(COURSE.notebooks)
    monkeypatch.syspath_prepend(COURSE.notebooks)
    right = reference(stem)
    found: dict[tuple[str, int, str], set[bool]] = defaultdict(set)
    for name, check in drawing_checks(stem):
        for seed in range(SEEDS):
            student = Recorder(right)
            check(student, Draw(str(seed), name))
            for number, (where, square) in enumerate(student.tables):
                found[name, number, where].add(square)
    assert found
    by_luck = {(name, where) for (name, _, where), squares in found.items() if len(squares) > 1}
    assert sorted(by_luck) == []
