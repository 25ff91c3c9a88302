"""One grading process, as the process that started it sees it: what it has to do, what it has said, how it ended."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import codec
from autograder.course.errors import GraderError
from autograder.engine.jobs import Captured, Isolated, Outcome, Portfolio, Reply, Settings, Start, with_captured
from autograder.grading.lines import Lines
from autograder.grading.local.tasks import Task
from autograder.grading.seeds.secret import environment_without
from autograder.sandbox.process import Zygote, control_sockets
from autograder.sandbox.rooms import RoomFile
from autograder.sandbox.seccomp import FROM_OUTSIDE

_PACKAGE = str(Path(__file__).resolve().parents[3])


@dataclass(frozen=True)
class Finished:
    """The outcome of a job, and the task that another attempt would be."""

    outcome: Outcome
    again: Task


class GradingProcess:
    """A grading process and the task that it has."""

    def __init__(self, settings: Settings, stems: Sequence[str], number: int, rooms: RoomFile) -> None:
        self.number, self.isolation = number, ""
        self.task: Task | None = None
        self.since = 0.0
        """When it was given its task."""
        self.failure = self.last_words = ""
        self.ended_from_outside = self.relieved = False
        self.deadline = math.inf
        self._captured: tuple[Captured | None, ...] = ()
        self._seconds = settings.limits.worker_seconds
        self.channel, theirs = socket.socketpair()
        self._lines = Lines()
        control, self._control = control_sockets()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        environment = {
            **environment_without(),
            "PYTHONPATH": _PACKAGE,
            "TMPDIR": tempfile.gettempdir(),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        shared = rooms.another()
        descriptors = [theirs.fileno(), control.fileno(), *([] if shared is None else [shared])]
        self._process = subprocess.Popen(
            # -P: no module from the working folder
            [sys.executable, "-P", "-m", "autograder.grading.worker", *map(str, descriptors)],
            pass_fds=descriptors,
            env=environment,
            cwd="/",  # whatever becomes of the folder that this was called in
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
        )
        theirs.close()
        control.close()
        if shared is not None:
            os.close(shared)
        self._write(Start(settings, tuple(stems), number))

    def isolate(self, zygote: Zygote) -> None:
        """Let a copy of the zygote serve the process; if that fails, it notices and starts a zygote itself."""
        self.isolation = zygote.mode
        with contextlib.suppress(GraderError):
            zygote.fork(self._control, self.number)
        self._control.close()
        self._write(Isolated(zygote.mode))

    def send(self, task: Task) -> None:
        """Give it its next task; if it has died, `receive` will say so."""
        self.task, self._captured, self.since = task, (), time.monotonic()
        self._start_clock(task)
        self._write(task.jobs)

    def _start_clock(self, task: Task) -> None:
        self.deadline = time.monotonic() + self._seconds * len(task.jobs)

    def receive(self) -> tuple[tuple[Finished, ...], bool]:
        """What has come of its task if it is done, and whether the process lives.

        Whatever has come is taken in at once: a line that stayed in a buffer here would not wake anybody.
        """
        try:
            found = self.channel.recv(1 << 20)
        except OSError:
            found = b""
        if not found:
            return (), False
        replies = [codec.decode(line, Reply) for line in self._lines.complete(found)]
        finished = tuple(one for reply in replies for one in self._take(reply))
        return finished, not self.failure

    def _take(self, reply: Reply) -> tuple[Finished, ...]:
        self.failure = self.failure or reply.failure
        self._captured = reply.captured or self._captured
        if reply.waiting is not None:  # for others, each of which has a deadline of its own
            self.deadline = math.inf
            if not reply.waiting and self.task is not None:
                self._start_clock(self.task)
        if not reply.outcomes:
            return ()
        again = self.one_by_one()
        self.task, self.deadline = None, math.inf
        return tuple(Finished(outcome, task) for outcome, task in zip(reply.outcomes, again, strict=True))

    def one_by_one(self) -> list[Task]:
        """The tasks that another attempt at each of its jobs would be.

        If hidden questions have been asked meanwhile, they know what may be quoted; and each follows hidden questions
        to the one before it.
        """
        if self.task is None:
            return []
        jobs = self.task.jobs
        captured = self._captured or (None,) * len(jobs) if len(jobs) > 1 else self._captured
        return [Task((job,), self.task.tries + 1) for job in with_captured(jobs, captured)]

    def whole(self) -> Task:
        """The task that it has, for somebody else to do instead."""
        assert self.task is not None
        return Task(with_captured(self.task.jobs, self._captured), self.task.tries)

    def seconds_left(self) -> float:
        """How much time it has left for its task; as much as it likes while it has none, or waits for others."""
        return self.deadline - time.monotonic()

    def give_up(self) -> None:
        """End the process, which has not finished in time; `receive` will find that it has died."""
        self.last_words = f"it had not finished after {self._seconds:g} seconds"
        self._kill()

    def relieve(self) -> None:
        """End the process in the middle of its task, which somebody is to do again; `receive` will find that."""
        self.relieved = True
        self._kill()

    def _kill(self) -> None:
        self._process.kill()
        self.deadline = math.inf

    def close(self, *, at_once: bool = False) -> None:
        """End the process, which ends everything that it started; with `at_once`, even in the middle of a task."""
        if at_once:
            self._process.kill()
        self.channel.close()
        self._control.close()
        code = self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace").strip()
        self._errors.close()
        self.ended_from_outside = not self.last_words and -code in FROM_OUTSIDE
        self.last_words = self.last_words or (errors.splitlines()[-1] if errors else f"exit code {code}")

    def _write(self, message: Start | Isolated | Portfolio) -> None:
        with contextlib.suppress(OSError):  # it has died: the end of its stream says so
            self.channel.sendall(codec.encode(message) + b"\n")
