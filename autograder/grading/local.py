"""The local executor: grading processes on this machine, each replaced when it dies."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from autograder.course import Course, codec
from autograder.course.errors import AuthorError, GraderError
from autograder.course.model import Whose
from autograder.engine.jobs import (
    Captured,
    Isolated,
    Job,
    Outcome,
    Portfolio,
    Reply,
    Settings,
    Start,
    ungraded,
    with_captured,
)
from autograder.grading.lines import Lines
from autograder.grading.seeds.secret import environment_without
from autograder.sandbox.process import Zygote, control_sockets
from autograder.sandbox.rooms import RoomFile

_TRIES = 2


def grade_locally(jobs: Iterable[Job], settings: Settings, *, workers: int, stems: Sequence[str]) -> Iterator[Outcome]:
    """The outcomes of all jobs, as they come, each graded by itself under the isolation that the settings name.

    A worker's next job is asked for only after the outcome of its last one has been taken.
    """
    waiting = ((job,) for job in jobs)
    first = list(itertools.islice(waiting, workers))
    if not first:
        return
    with Workers(settings, workers=len(first), stems=stems) as processes:
        processes.isolate(zygote_for(settings))
        yield from processes.grade(itertools.chain(first, waiting))


def zygote_for(settings: Settings) -> Zygote:
    """A zygote in the isolation that the settings name, which has been tried before."""
    course = Course(settings.course)
    return Zygote(
        settings.isolation,
        checks=course.checks,
        data=course.data,
        limits=settings.limits,
        allowed=settings.allowed,
        figures=settings.full,
    )


class Workers:
    """Grading processes that collect the suites while a zygote is warmed up and tried, then grade with copies of it."""

    def __init__(
        self,
        settings: Settings,
        *,
        workers: int,
        stems: Sequence[str],
        first: int = 0,
        tell: Callable[[str], None] = lambda words: None,
        rooms: RoomFile | None = None,
    ) -> None:
        """Processes are numbered from `first` on; `tell` is called, with words, when one has died during a job.

        `rooms`, if given, are shared with processes that others have started, and stay open.
        """
        self._settings, self._stems, self._tell, self._stopped = settings, stems, tell, False
        self._rooms, self._rooms_are_shared = rooms or RoomFile(), rooms is not None
        self._workers = [_Worker(settings, stems, first + number, self._rooms) for number in range(workers)]
        self._selector = selectors.DefaultSelector()
        self._zygote: Zygote | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, and the zygote."""
        while self._workers:  # still there only when there was nothing to do, or the run is being given up
            self._workers.pop().close(at_once=True)
        self._selector.close()
        if self._zygote is not None:
            self._zygote.close()
        if not self._rooms_are_shared:
            self._rooms.close()

    def isolate(self, zygote: Zygote) -> None:
        """Give every process a copy of the zygote, which ends with the processes."""
        self._zygote = zygote
        for worker in self._workers:
            worker.isolate(zygote)

    def stop(self) -> None:
        """End all processes in the middle of their jobs, from another thread: `grade` then raises."""
        self._stopped = True
        for worker in list(self._workers):
            worker.kill()

    def grade(self, portfolios: Iterable[Portfolio], *, ahead: bool = False) -> Iterator[Outcome]:
        """The outcomes of all jobs, as they come. At most one portfolio per worker is in memory at a time.

        A worker that dies, or does not finish in time, is replaced and its jobs graded again, each by itself; a job
        whose worker dies twice is ungraded. With `ahead`, a worker gets its next portfolio before the outcomes of its
        last one are handed over, so that it works on while they are being written; then `portfolios` must not depend on
        what has come out so far.
        """
        waiting = iter(portfolios)
        again: list[tuple[Portfolio, int]] = []
        for worker in list(self._workers):
            self._selector.register(worker.channel, selectors.EVENT_READ, worker)
            self._give_jobs(worker, waiting, again)
        while self._workers:
            for key, _ in self._selector.select(_end_overdue(self._workers)):
                worker = key.data
                outcomes, worker_lives = worker.receive()
                if not ahead:
                    yield from outcomes
                if not worker_lives:
                    if self._stopped:
                        raise GraderError("the run has ended")
                    self._remove(worker)
                    if worker.jobs and not worker.failure:
                        self._tell(f"a grading process died ({worker.last_words})")
                    if worker.jobs:
                        yield from _after_death(worker, again)
                    worker = self._replacement(worker.number)
                if not worker.jobs:
                    self._give_jobs(worker, waiting, again)
                if ahead:
                    yield from outcomes

    def _give_jobs(self, worker: _Worker, waiting: Iterator[Portfolio], again: list[tuple[Portfolio, int]]) -> None:
        """Give a worker its next portfolio, or end it if there is none."""
        jobs, tries = again.pop() if again else (next(waiting, ()), 0)
        if jobs:
            worker.send(jobs, tries + 1)
        else:
            self._remove(worker)

    def _replacement(self, number: int) -> _Worker:
        assert self._zygote is not None
        if self._stopped:  # from another thread, which cannot know of this one
            raise GraderError("the run has ended")
        worker = _Worker(self._settings, self._stems, number, self._rooms)
        self._workers.append(worker)
        worker.isolate(self._zygote)
        self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        return worker

    def _remove(self, worker: _Worker) -> None:
        self._selector.unregister(worker.channel)
        self._workers.remove(worker)
        worker.close()


def _end_overdue(workers: list[_Worker]) -> float:
    """How many seconds to wait before looking again; workers whose time is over are killed."""
    now = time.monotonic()
    for worker in workers:
        if worker.deadline <= now:
            worker.kill()
    return min(60.0, max(0.1, min(worker.deadline for worker in workers) - now))


def _after_death(worker: _Worker, again: list[tuple[Portfolio, int]]) -> Iterator[Outcome]:
    if worker.failure:
        raise AuthorError(worker.failure)
    if worker.tries < _TRIES:
        # One by one, so that whichever it was costs the others nothing; the second one then follows hidden questions.
        captured = worker.captured or (None,) * len(worker.jobs) if len(worker.jobs) > 1 else worker.captured
        again += [((job,), worker.tries) for job in reversed(with_captured(worker.jobs, captured))]
        return
    reason = f"the grader failed: its process died {worker.tries} times on this submission ({worker.last_words})"
    yield from (ungraded(job, worker.isolation, reason, Whose.GRADER) for job in worker.jobs)


class _Worker:
    """A grading process and the jobs that it has."""

    def __init__(self, settings: Settings, stems: Sequence[str], number: int, rooms: RoomFile) -> None:
        self.number, self.isolation = number, ""
        self.jobs: Portfolio = ()
        self.captured: tuple[Captured | None, ...] = ()
        self.tries = 0
        self.failure = self.last_words = ""
        self.deadline = math.inf
        self._seconds = settings.limits.worker_seconds
        self.channel, theirs = socket.socketpair()
        self._lines = Lines()
        control, self._control = control_sockets()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        package = str(Path(__file__).resolve().parents[2])
        environment = {
            **environment_without(),
            "PYTHONPATH": package,
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
        """Let a copy of the zygote serve the worker; if that fails, the worker notices and starts a zygote itself."""
        self.isolation = zygote.mode
        with contextlib.suppress(GraderError):
            zygote.fork(self._control, self.number)
        self._control.close()
        self._write(Isolated(zygote.mode))

    def send(self, jobs: Portfolio, tries: int) -> None:
        """Give the worker its next portfolio; if it has died, `receive` will say so."""
        self.jobs, self.captured, self.tries = jobs, (), tries
        self._start_clock()
        self._write(jobs)

    def _start_clock(self) -> None:
        self.deadline = time.monotonic() + self._seconds * len(self.jobs)

    def receive(self) -> tuple[tuple[Outcome, ...], bool]:
        """The outcomes of its portfolio if it is done, and whether the worker lives.

        Whatever has come is taken in at once: a line that stayed in a buffer here would not wake anybody.
        """
        try:
            found = self.channel.recv(1 << 20)
        except OSError:
            found = b""
        if not found:
            return (), False
        replies = [codec.decode(line, Reply) for line in self._lines.complete(found)]
        outcomes = tuple(outcome for reply in replies for outcome in self._take(reply))
        return outcomes, not self.failure

    def _take(self, reply: Reply) -> tuple[Outcome, ...]:
        self.failure = self.failure or reply.failure
        self.captured = reply.captured or self.captured
        if reply.waiting is not None:  # for others, each of which has a deadline of its own
            self.deadline = math.inf
            if not reply.waiting:
                self._start_clock()
        if reply.outcomes:
            self.jobs, self.deadline = (), math.inf
        return reply.outcomes

    def kill(self) -> None:
        """End the process in the middle of its job; `receive` will find that it has died."""
        self._process.kill()
        self.deadline = math.inf
        self.last_words = f"it had not finished after {self._seconds:g} seconds"

    def close(self, *, at_once: bool = False) -> None:
        """End the process, which ends everything that it started; with `at_once`, even in the middle of a job."""
        if at_once:
            self._process.kill()
        self.channel.close()
        self._control.close()
        self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace").strip()
        self._errors.close()
        self.last_words = self.last_words or (
            errors.splitlines()[-1] if errors else f"exit code {self._process.returncode}"
        )

    def _write(self, message: Start | Isolated | Portfolio) -> None:
        with contextlib.suppress(OSError):  # it has died: the end of its stream says so
            self.channel.sendall(codec.encode(message) + b"\n")
