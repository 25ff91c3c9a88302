"""One pytest session for many submissions: the hidden suites are collected once, their items run again for each."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard

import pytest

from autograder.course.draw import FIXED, Draw
from autograder.course.errors import SuiteError
from autograder.course.kinds import Place
from autograder.engine.student import Student


@dataclass(frozen=True)
class HiddenCheck:
    """A collected check: its exercise, name, words for the student, and its place in the marks."""

    exercise: str
    name: str
    description: str
    place: Place
    item: pytest.Item

    @property
    def gate(self) -> bool:
        """Whether the exercise's other checks are asked only if this one passes."""
        return self.place.gate

    @property
    def draws(self) -> bool:
        """Whether its numbers depend on the seed."""
        return isinstance(self.item, pytest.Function) and "draw" in self.item.fixturenames


# What pytest would do for every check, and nobody looks at here: it doubled the time of a check.
_NOT_NEEDED = [
    "cacheprovider",
    "capture",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "nose",
    "pastebin",
    "setuponly",
    "setupplan",
    "skipping",
    "stepwise",
    "subtests",
    "terminal",
    "threadexception",
    "unittest",
    "unraisableexception",
    "warnings",
]


class SuiteSession:
    """A pytest plugin that hands the collected checks to `work`, and runs one when asked."""

    def __init__(self, work: Callable[[SuiteSession], None]) -> None:
        self._work = work
        self._student: Student | None = None
        self._draw: Draw | None = None
        self._error: BaseException | None = None
        self.checks: dict[str, list[HiddenCheck]] = {}
        self._failure: BaseException | None = None
        self._done = False

    def run(self, check: HiddenCheck, student: Student, seed: str = FIXED) -> BaseException | None:
        """Run a check on a student, with numbers of that seed; what it raised, or None when it passed."""
        draw = Draw(seed, check.name)
        if _asks_only_for_ours(check.item):
            return _run_alone(check.item, {"student": student, "draw": draw})
        self._student, self._draw, self._error = student, draw, None
        check.item.config.hook.pytest_runtest_protocol(item=check.item, nextitem=None)
        return self._error

    def main(self, suites: Iterable[Path]) -> None:
        """Collect the suites, do the work, and raise what went wrong."""
        suites = list(suites)
        arguments = ["--noconftest", "-c", os.devnull, "--rootdir", str(Path(__file__).parent)]
        # Or pytest would list the folders around, among them homes of others and the one for temporary files.
        arguments += ["--confcutdir", os.path.commonpath([suite.parent for suite in suites])] if suites else []
        plugins = [part for name in _NOT_NEEDED for part in ("-p", f"no:{name}")]
        said = io.StringIO()
        before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # other plugins cost time and could change results
        bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(said),
                warnings.catch_warnings(action="ignore"),
            ):
                pytest.main([*arguments, *plugins, *map(str, suites)], plugins=[self])
        finally:
            sys.dont_write_bytecode = bytecode
            if before is None:
                del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
            else:
                os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before
        if self._failure is not None:
            raise self._failure
        if not self._done:
            raise SuiteError(f"The hidden suites cannot be run: {said.getvalue().strip()}")

    # --- pytest's hooks -------------------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "exercise(name, place): the exercise that a check belongs to")

    @pytest.fixture
    def student(self) -> Student | None:
        """The student whose submission is being graded."""
        return self._student

    @pytest.fixture
    def draw(self) -> Draw | None:
        """Numbers for this check and this submission."""
        return self._draw

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self._failure is None:
            self._failure = SuiteError(f"The suite {report.nodeid} cannot be collected:\n{report.longreprtext}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self._failure is None:
            try:
                for item in session.items:
                    self.checks.setdefault(item.path.stem.removeprefix("test_"), []).append(_check(item))
                self._work(self)
                self._done = True
            except BaseException as error:  # noqa: BLE001 - pytest would only count it; main() raises it
                self._failure = error
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> pytest.TestReport:
        if call.excinfo is not None and self._error is None:
            self._error = call.excinfo.value
        # pytest's own report would come with the traceback as text, which takes long and which nobody reads
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "passed" if call.excinfo is None else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)


_OURS = {"student", "draw"}


def _asks_only_for_ours(item: pytest.Item) -> TypeGuard[pytest.Function]:
    return isinstance(item, pytest.Function) and _OURS.issuperset(item.fixturenames)


def _run_alone(item: pytest.Function, values: dict[str, Any]) -> BaseException | None:
    """What the check raised. Without fixtures to set up and tear down there is nothing for the rest of pytest to do."""
    item.funcargs = {name: values[name] for name in item.fixturenames}
    try:
        item.runtest()
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException as error:  # noqa: BLE001 - StudentStopped among them
        return error
    finally:
        item.funcargs = {}
    return None


def _check(item: pytest.Item) -> HiddenCheck:
    mark = item.get_closest_marker("exercise")
    description = " ".join((getattr(item, "obj", None).__doc__ or "").split())
    if mark is None or not description:
        raise SuiteError(
            f"{item.nodeid}: a hidden check needs @exercise(...) and a docstring that the student may read."
        )
    return HiddenCheck(mark.args[0], item.name, description, mark.kwargs["place"], item)
