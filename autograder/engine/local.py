"""The local executor: a few grading processes on this machine, each replaced when it dies."""

from __future__ import annotations

import itertools
import json
import math
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.engine.grading import Job, Outcome, Settings
from autograder.engine.worker import job_to_json, outcome_from_json, settings_to_json
from autograder.errors import AuthorError
from autograder.model import Result

_TRIES = 2


def grade_locally(jobs: Iterable[Job], settings: Settings, *, workers: int, stems: Sequence[str]) -> Iterator[Outcome]:
    """The outcomes of all jobs, as they come. At most one job per worker is in memory at a time.

    A worker that dies, or does not finish in time, is replaced and its job graded again; a job whose worker dies
    twice is ungraded.
    """
    waiting = iter(jobs)
    again: list[tuple[Job, int]] = []
    with selectors.DefaultSelector() as selector:
        team: list[_Worker] = []
        try:
            for number, job in enumerate(itertools.islice(waiting, workers)):
                team.append(worker := _Worker(settings, stems, number))
                worker.send(job, 1)
                selector.register(worker.channel, selectors.EVENT_READ, worker)
            while team:
                for key, _ in selector.select(_end_overdue(team)):
                    worker = key.data
                    outcome, worker_lives = worker.receive()
                    if outcome is not None:
                        yield outcome
                    if not worker_lives:
                        selector.unregister(worker.channel)
                        team.remove(worker)
                        worker.close()
                        if worker.job is not None:
                            yield from _after_death(worker, again)
                        worker = _Worker(settings, stems, worker.number)
                        team.append(worker)
                        selector.register(worker.channel, selectors.EVENT_READ, worker)
                    if worker.job is None and not _give(worker, waiting, again):
                        selector.unregister(worker.channel)
                        team.remove(worker)
                        worker.close()
        finally:
            for worker in team:  # still at work only when the run is being given up
                worker.close(at_once=True)


def _give(worker: _Worker, waiting: Iterator[Job], again: list[tuple[Job, int]]) -> bool:
    job, tries = again.pop() if again else (next(waiting, None), 0)
    if job is not None:
        worker.send(job, tries + 1)
    return job is not None


def _end_overdue(team: list[_Worker]) -> float:
    """Kill the workers whose time is over; how many seconds to wait before looking again."""
    now = time.monotonic()
    for worker in team:
        if worker.deadline <= now:
            worker.kill()
    return min(60.0, max(0.1, min(worker.deadline for worker in team) - now))


def _after_death(worker: _Worker, again: list[tuple[Job, int]]) -> Iterator[Outcome]:
    assert worker.job is not None
    if worker.failure:
        raise AuthorError(worker.failure)
    if worker.tries < _TRIES:
        again.append((worker.job, worker.tries))
        return
    job = worker.job
    reason = f"the grader failed: its process died {worker.tries} times on this submission ({worker.last_words})"
    yield Outcome(Result(job.student, job.assignment, worker.isolation, (), repairs=job.repairs, key=job.key, ungraded=reason))


class _Worker:
    """A grading process and the job that it is at."""

    def __init__(self, settings: Settings, stems: Sequence[str], number: int) -> None:
        self.number, self.isolation = number, settings.isolation
        self.job: Job | None = None
        self.tries = 0
        self.failure = self.last_words = ""
        self.deadline = math.inf
        self._seconds = settings.limits.worker_seconds
        self.channel, theirs = socket.socketpair()
        self._stream = self.channel.makefile("rwb")
        self._errors = tempfile.TemporaryFile()
        package = str(Path(__file__).resolve().parents[2])
        environment = {**os.environ, "PYTHONPATH": package, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.engine.worker", str(theirs.fileno())],  # no module from the working folder
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
        )
        theirs.close()
        self._write({"settings": settings_to_json(settings), "stems": list(stems), "number": number})

    def send(self, job: Job, tries: int) -> None:
        """Give the worker its next job; if it has died, `receive` will tell."""
        self.job, self.tries = job, tries
        self.deadline = time.monotonic() + self._seconds
        self._write(job_to_json(job))

    def receive(self) -> tuple[Outcome | None, bool]:
        """An outcome if there is one, and whether the worker lives."""
        try:
            line = self._stream.readline()
        except OSError:
            line = b""
        message = json.loads(line) if line.endswith(b"\n") else {}
        self.failure = message.get("failure", "")
        if not message or self.failure:
            return None, False
        self.job, self.deadline = None, math.inf
        return outcome_from_json(message), True

    def kill(self) -> None:
        """End the process in the middle of its job; `receive` will find that it has died."""
        self._process.kill()
        self.deadline = math.inf
        self.last_words = f"it had not finished after {self._seconds:g} seconds"

    def close(self, *, at_once: bool = False) -> None:
        """End the process, which ends everything that it started; `at_once`, even in the middle of a job."""
        if at_once:
            self._process.kill()
        try:
            self._stream.close()
        except OSError:
            pass
        self.channel.close()
        self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace").strip()
        self._errors.close()
        self.last_words = self.last_words or (errors.splitlines()[-1] if errors else f"exit code {self._process.returncode}")

    def _write(self, message: dict[str, Any]) -> None:
        try:
            self._stream.write(json.dumps(message).encode() + b"\n")
            self._stream.flush()
        except OSError:
            pass  # it has died: the end of its stream says so
