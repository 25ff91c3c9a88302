"""The grading processes of one Dask worker, kept warm from one batch to the next: as many as the worker has threads."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.course.errors import GraderError
from autograder.engine.jobs import Outcome, Portfolio, Settings
from autograder.grading.single import SingleWorker
from autograder.sandbox import temporary
from autograder.sandbox.process import Zygote
from autograder.sandbox.rooms import RoomFile

_SLOTS = 4096


class Pool:
    """Grades batches, each in the thread that brings it and with a process of its own."""

    def __init__(
        self, settings: Settings, stems: Sequence[str], size: int, tell: Callable[[str], None], *, run: str
    ) -> None:
        """Pools of the same `run` on one machine share its rooms, by a file that is known by the run's name."""
        self._place = Path(tempfile.gettempdir(), f"{run}.rooms")
        temporary.keep(self._place)
        self._rooms = RoomFile(self._place)
        self._zygote: Zygote | None = None
        self._lock = threading.Lock()
        self._slots: dict[SingleWorker, socket.socket] = {}
        for _ in range(size):
            number, slot = _take_slot()
            self._slots[SingleWorker(settings, stems, number=number, tell=tell, rooms=self._rooms)] = slot
        self._free = list(self._slots)
        self._over = False

    def isolate(self, zygote: Zygote) -> None:
        """Give every process a copy of the zygote, which ends with the pool."""
        self._zygote = zygote
        for worker in self._slots:
            worker.isolate(zygote)

    def grade(self, portfolios: Sequence[Portfolio]) -> list[Outcome]:
        """The outcomes of a batch."""
        with self._lock:
            if self._over:
                raise GraderError("the run has ended")
            worker = self._free.pop()
        try:
            return [outcome for portfolio in portfolios for outcome in worker.grade(portfolio)]
        finally:
            with self._lock:
                self._free.append(worker)
                if self._over:
                    self._end(worker)

    def close(self) -> None:
        """End all processes, in the middle of a job if need be; whoever waits for one gets an error."""
        with self._lock:
            self._over = True
            free, busy = list(self._free), [worker for worker in self._slots if worker not in self._free]
        for worker in free:
            self._end(worker)
        for worker in busy:
            worker.stop()  # the thread that waits for it ends it
        if self._zygote is not None:
            self._zygote.close()
        self._rooms.close()
        temporary.release(self._place)

    def _end(self, worker: SingleWorker) -> None:
        worker.close()
        self._slots[worker].close()


def _take_slot() -> tuple[int, socket.socket]:
    """The lowest number that no other grading process of this machine has, and what holds it until it is closed.

    By its number a grading process chooses the processor and the user that student code gets.
    """
    slot = socket.socket(socket.AF_UNIX)
    for number in range(_SLOTS):
        with contextlib.suppress(OSError):
            slot.bind(f"\0autograder-slot-{number}")  # a name without a file: nothing is left behind by who dies
            return number, slot
    return 0, slot
