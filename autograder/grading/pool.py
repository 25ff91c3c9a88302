"""The grading processes of one Dask worker, kept warm from one batch to the next: as many as the worker has threads."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence

from autograder.course.errors import GraderError
from autograder.engine.jobs import Job, Outcome, Settings
from autograder.grading.local import Crew
from autograder.sandbox.process import Zygote

_SLOTS = 4096


class Pool:
    """Grades batches, each in the thread that brings it and with a process of its own."""

    def __init__(self, settings: Settings, stems: Sequence[str], size: int, tell: Callable[[str], None]) -> None:
        self._zygote: Zygote | None = None
        self._lock = threading.Lock()
        self._seats = [_Seat(settings, stems, tell) for _ in range(size)]
        self._free = list(self._seats)
        self._over = False

    def isolate(self, zygote: Zygote) -> None:
        """Give every process a twin of the zygote, which ends with the pool."""
        self._zygote = zygote
        for seat in self._seats:
            seat.isolate(zygote)

    def grade(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcomes of a batch, in order."""
        with self._lock:
            if self._over:
                raise GraderError("the run has ended")
            seat = self._free.pop()
        try:
            return [seat.grade(job) for job in jobs]
        finally:
            with self._lock:
                self._free.append(seat)
                if self._over:
                    seat.close()

    def close(self) -> None:
        """End all processes, in the middle of a job if need be; whoever waits for one gets an error."""
        with self._lock:
            self._over = True
            free = list(self._free)
        for seat in self._seats:
            seat.close() if seat in free else seat.stop()
        if self._zygote is not None:
            self._zygote.close()


class _Seat:
    """A crew of one, which gets its jobs one by one, and its number among all such processes of this machine."""

    def __init__(self, settings: Settings, stems: Sequence[str], tell: Callable[[str], None]) -> None:
        number, self._slot = _take_slot()
        self._crew = Crew(settings, workers=1, stems=stems, first=number, tell=tell)
        self._waiting: deque[Job] = deque()
        self._outcomes = self._crew.grade(iter(self._waiting.popleft, None))

    def isolate(self, zygote: Zygote) -> None:
        self._crew.isolate(zygote)

    def grade(self, job: Job) -> Outcome:
        self._waiting.append(job)  # the crew asks for it when the outcome of the last one has been taken
        return next(self._outcomes)

    def stop(self) -> None:
        self._crew.stop()

    def close(self) -> None:
        with contextlib.closing(self._slot), self._crew:
            pass


def _take_slot() -> tuple[int, socket.socket]:
    """The lowest number that nobody else on this machine has, and what holds it as long as this process lives.

    By its number a grading process chooses the processor and the user that student code gets.
    """
    slot = socket.socket(socket.AF_UNIX)
    for number in range(_SLOTS):
        with contextlib.suppress(OSError):
            slot.bind(f"\0autograder-slot-{number}")  # a name without a file: nothing to remove, whoever dies
            return number, slot
    return 0, slot
