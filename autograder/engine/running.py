"""A notebook that is run in a process of its own, which then answers calls, and is replaced when it dies."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.errors import GraderError, MachineError, WireError
from autograder.course.model import Fault, FaultKind, Verdict
from autograder.course.text import printable
from autograder.sandbox import wire
from autograder.sandbox.process import CRASHED, OUT_OF_MEMORY, TIMED_OUT, Process, ProcessGone, Spawner


class StudentStopped(BaseException):
    """A call that has no outcome: timed out, crashed, out of memory. No check can mistake it for an exception."""

    def __init__(self, verdict: Verdict, text: str) -> None:
        super().__init__(text)
        self.verdict = verdict


_INTERRUPTIONS = 1  # after which a notebook goes on in a new process; after more, all of it is graded again, or later
_AGAIN = Fault("the notebook did not run to its end when it was started once more", FaultKind.NOT_RUN)
_CELL_FILE = re.compile(r" \(<ipython-input[^>]*>, line \d+\)")  # what IPython calls a cell: nobody else does
_CHECK_FAILED = "CheckFailed"  # what a check cell raises where an answer is not right
_VERDICTS = {
    TIMED_OUT: Verdict.TIMED_OUT,
    CRASHED: Verdict.CRASHED,
    OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}


@dataclass(frozen=True)
class Cell:
    """A code cell to run: the id it is known by, and its text."""

    id: str
    source: str


@dataclass(frozen=True)
class CellReport:
    """What running one cell gave: outputs in nbformat's words, and the error that it ended with, if any."""

    id: str
    outputs: list[dict[str, Any]]
    error: dict[str, Any] | None
    dropped: int = 0


@dataclass(frozen=True)
class Call:
    """One call as it was made and answered: for explanations to instructors, and for diagnosis."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any
    error: str | None
    seconds: float
    refused: bool = False
    """Whether there is no such function, or it raised the error by a `raise` of its own."""


@dataclass(frozen=True)
class Large:
    """What is remembered of a value that was too large to be kept."""

    kind: str
    size: int

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.size} bytes>"


@dataclass
class NotebookRun:
    """A notebook in a process of its own: `start` runs its cells, `ask` then asks it something.

    With `stand_ins` its process has functions of these names that call back here, where `call_back` answers them.
    `patience` is the time in seconds that a call may take, if that is less than the limits allow. With
    `quoting=False`, faults are told in one fixed sentence, whatever the cells say.
    """

    zygote: Spawner
    cells: list[Cell]
    until: float | None = None
    stand_ins: tuple[str, ...] = ()
    call_back: Callable[[dict[str, Any], float], dict[str, Any]] | None = None
    patience: float | None = None
    quoting: bool = True
    calls: list[Call] = field(default_factory=list)
    reports: list[CellReport] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)
    answers: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"spawn": 0.0, "cells": 0.0, "calls": 0.0, "close": 0.0})

    def __post_init__(self) -> None:
        limits = self.zygote.limits
        self._process: Process | None = None
        self._used = False  # whether the process has answered anything since it ran the cells
        self._paused = 0.0
        self._deadly: dict[Cell, CellReport] = {}
        self.deadline = time.monotonic() + limits.submission_seconds if self.until is None else self.until
        self.interruptions: list[str] = []
        """How its process was ended from outside, each time."""
        self.failure: MachineError | None = None
        """What the machine did that nothing said about this submission from then on can be relied on."""
        self._room_for_calls = limits.reply_bytes  # for all values together: each of them may be as large as that
        # Without figures nobody looks at any output, and what was made with stand-ins nobody may see.
        self._room = limits.outputs_bytes if self.zygote.figures and not self.stand_ins else 0

    def pause(self) -> None:
        """Let the submission's time stand still until `resume`: others of the same student are run meanwhile."""
        self._paused = time.monotonic()

    def resume(self) -> None:
        """Let its time go on."""
        self.deadline += time.monotonic() - self._paused

    def start(self) -> None:
        """Run the notebook; a cell that kills its process is noted, and skipped in the next one."""
        while (reports := self._run_all(self._spawn())) is None:
            if len(self._deadly) > self.zygote.limits.deadly_cells:
                self.cells = []
                self._note("too many cells ended their process: the notebook was not run", FaultKind.NOT_RUN)
        if not self.reports:
            self.reports = reports
            self.faults += [_fault(report) for report in reports if report.error and report.error["kind"]]
            self.notes += [_cut(report) for report in reports if report.dropped]
            if not self.quoting and self.faults:
                self.faults = [_AGAIN]

    def _run_all(self, process: Process) -> list[CellReport] | None:
        """The reports of all cells, or None when one of them has ended the process."""
        reports = []
        started = time.monotonic()
        try:
            for cell in self.cells:
                if time.monotonic() > self.deadline:  # a thousand short cells are as long as one that never ends
                    reports.append(self._too_late(cell))
                else:
                    reports.append(self._deadly[cell] if cell in self._deadly else self._run(process, cell))
        except ProcessGone as gone:
            if self._was_interrupted(gone):
                return None
            error = {"kind": "", "type": gone.reason, "text": str(gone), "lines": []}
            self._note(f"cell {cell.id!r} {gone.reason}: {gone}", FaultKind.STOPPED)
            self._deadly[cell] = CellReport(cell.id, [], error)
            return None
        finally:
            self.seconds["cells"] += time.monotonic() - started
        return reports

    def _too_late(self, cell: Cell) -> CellReport:
        text = self._used_up()
        if not any(fault.text.endswith(text) for fault in self.faults if fault.kind is FaultKind.NOT_RUN):
            self._note(f"cell {cell.id!r} and those after it were not run: {text}", FaultKind.NOT_RUN)
        return CellReport(cell.id, [], {"kind": "", "type": TIMED_OUT, "text": text, "lines": []})

    def _note(self, text: str, kind: FaultKind) -> None:
        """Remember a fault of the first run.

        Of a later one the student reads no more than that: it follows hidden calls, and could tell of them.
        """
        if not self.reports:
            self.faults.append(Fault(text, kind))
        elif _AGAIN not in self.faults:
            self.faults.append(_AGAIN)

    def _used_up(self) -> str:
        return f"the submission used up its {self.zygote.limits.submission_seconds:g} seconds"

    def _run(self, process: Process, cell: Cell) -> CellReport:
        request = {"do": "cell", "id": cell.id, "source": cell.source, "stand_ins": self.stand_ins}
        reply = process.ask(request, self._allowed(self.zygote.limits.cell_seconds), self.call_back)
        outputs, error, dropped = reply.get("outputs"), reply.get("error"), reply.get("dropped")
        return CellReport(
            cell.id,
            self._within_room(outputs) if type(outputs) is list else [],
            None if error is None else plain_error(error),
            dropped if type(dropped) is int else 0,
        )

    def _within_room(self, outputs: list[Any]) -> list[dict[str, Any]]:
        kept = []
        for output in outputs:
            self._room -= 100 + size_of(output)
            if type(output) is dict and self._room > 0:
                kept.append(output)
        return kept

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The reply of the student's process, started anew if it has died.

        A failure of the machine is kept as well as raised: a check may take any error for an answer.
        """
        try:
            return self._ask(request, seconds)
        except MachineError as error:
            self.failure = error
            raise

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if time.monotonic() > self.deadline:
            raise StudentStopped(Verdict.TIMED_OUT, self._used_up())
        if self._process is None or not self._process.alive:
            self.start()
        assert self._process is not None
        started = time.monotonic()
        try:
            reply = self._process.ask(request, self._allowed(min(seconds, self.patience or seconds)), self.call_back)
            self._used = True
            self.answers += reply.get("error") is None
            return reply
        except ProcessGone as gone:
            # What an earlier call left behind, a thread or a timer, may have ended it: this one is asked again alone.
            if self._was_interrupted(gone) or (gone.reason == CRASHED and self._used):
                return self._ask(request, seconds)
            raise StudentStopped(_VERDICTS.get(gone.reason, Verdict.CRASHED), str(gone)) from None
        finally:
            self.seconds["calls"] += time.monotonic() - started

    def add(self, cell: Cell) -> None:
        """Run one more cell, now and whenever the process has to be started anew; its faults are the caller's."""
        if self._process is None or not self._process.alive:
            self.start()
        assert self._process is not None
        self.cells = [*self.cells, cell]
        try:
            self._run(self._process, cell)
        except ProcessGone as gone:
            raise GraderError(f"cell {cell.id!r} of the reference {gone.reason}: {gone}") from None

    def kept(self, value: Any) -> Any:
        """The value of a call as it is remembered: only what it was, where there is no room for it any more."""
        size = size_of(value)
        if size > self._room_for_calls:
            return Large(type(value).__name__, size)
        self._room_for_calls -= size
        return value

    def _was_interrupted(self, gone: ProcessGone) -> bool:
        """Whether the process was ended from outside; a MachineError if that has happened too often to go on."""
        if not gone.from_outside:
            return False
        self.interruptions.append(str(gone))
        if len(self.interruptions) > _INTERRUPTIONS:
            raise MachineError(str(gone))
        return True

    def close(self) -> None:
        """End the process; if what it was forked from is gone, so is it."""
        started = time.monotonic()
        if self._process is not None:
            with contextlib.suppress(MachineError):
                self._process.end()
        self.seconds["close"] += time.monotonic() - started

    def _spawn(self) -> Process:
        self.close()
        started = time.monotonic()
        self._process = self.zygote.spawn()
        self._used = False
        self.seconds["spawn"] += time.monotonic() - started
        return self._process

    def _allowed(self, seconds: float) -> float:
        return max(0.1, min(seconds, self.deadline - time.monotonic()))

    @property
    def deadly(self) -> list[Cell]:
        """The cells that ended their process."""
        return list(self._deadly)


def size_of(value: Any, *, objects: bool = True) -> int:
    """About how many bytes plain data take; WireError for an object that stayed elsewhere, unless `objects`."""
    waiting, size = [value], 0
    while waiting:
        item = waiting.pop()
        size += 64
        if type(item) is wire.Handle and not objects:
            raise WireError("an object is not plain data")
        if isinstance(item, np.ndarray):
            size += item.nbytes
        elif type(item) in (str, bytes):
            size += len(item)
        elif type(item) in (list, tuple):
            waiting += item
        elif type(item) is dict:
            waiting += [*item.keys(), *item.values()]
    return size


def plain_error(error: Any) -> dict[str, Any]:
    """An error as the child tells it, reduced to text of bounded length."""
    told = error if type(error) is dict else {}

    def text(key: str, length: int) -> str:
        value = told.get(key)
        return printable(value[:length]) if type(value) is str else ""

    lines = told.get("lines")
    return {
        "kind": text("kind", 80) or "Exception",
        "type": text("type", 80),
        "text": text("text", 2000),
        "name": text("name", 80),
        "lines": [printable(line[:400]) for line in lines[:20] if type(line) is str] if type(lines) is list else [],
        "unreadable": told.get("unreadable") is True,
    }


def _fault(report: CellReport) -> Fault:
    assert report.error is not None
    where = f" ({report.error['lines'][-1]})" if report.error["lines"] else ""
    said = _CELL_FILE.sub("", report.error["text"])[:200]
    text = f"cell {report.id!r} raised {report.error['type']}: {said}{where}"
    return Fault(text, FaultKind.CHECK_CELL if report.error["type"] == _CHECK_FAILED else FaultKind.RAISED)


def _cut(report: CellReport) -> Fault:
    return Fault(f"cell {report.id!r} printed too much; the rest was dropped", FaultKind.CUT)
