"""The instructor's side of a cluster: joins it, sends what grading needs, and keeps some batches under way.

Dask does the scheduling: it gives a batch to a worker that offers what the run needs, and to another one when that
worker is gone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from distributed import Client, KilledWorker

from autograder.course import Course, codec
from autograder.course.errors import AuthorError, ClusterError
from autograder.course.model import Result, Whose
from autograder.engine.jobs import Job, Outcome, Portfolio, Settings, ungraded
from autograder.grading.cluster import archive
from autograder.grading.cluster.batches import Batch, BatchReply, Packer, one_by_one, portfolios_in, reply_in
from autograder.grading.cluster.connection import connected
from autograder.grading.cluster.monitor import ANSWER_SECONDS, LOOK_SECONDS, Monitor
from autograder.grading.cluster.scheduler import Housekeeping, housekeeping
from autograder.grading.cluster.status import ClusterStatus
from autograder.grading.cluster.worker import Grading, grade_batch
from autograder.grading.fingerprint import fingerprint
from autograder.sandbox.process import MODES

_AHEAD = 2  # batches under way per thread: one is being graded, the next one is there when it is done
_IN_FLIGHT_BYTES = 256 << 20
_TRIES = 3
_TRIES_ON_MACHINES = 2  # of what a machine let down: its worker has tried several times by then
_FAREWELL_SECONDS = 15.0


@contextmanager
def joined(
    settings: Settings,
    stems: Sequence[str],
    *,
    scheduler: str | None,
    workers: int,
    watch: Callable[[ClusterStatus], None],
) -> Iterator[Cluster]:
    """A cluster whose workers are ready to grade these notebooks; everything that was sent there goes when it is left.

    Without the address of a scheduler, a cluster of `workers` workers is started in this process. The settings name
    the isolation that workers must offer, which may be "auto".
    """
    with connected(scheduler, workers=workers or os.cpu_count() or 1) as (client, address):
        cluster = Cluster(client, address, watch)
        try:
            cluster.prepare(settings, stems)
            yield cluster
        finally:
            cluster.leave()


class Cluster:
    """The workers of a cluster that grade for one run."""

    def __init__(self, client: Client, address: str, watch: Callable[[ClusterStatus], None]) -> None:
        self._client, self._address = client, address
        self._run = f"autograder-{secrets.token_hex(8)}"
        self._monitor = Monitor(client, address, self._run, watch)

    @property
    def isolation(self) -> str:
        """The isolation under which this run grades."""
        return self._monitor.isolation

    @property
    def isolation_reason(self) -> str:
        """Why it is not a stronger one, where none was asked for."""
        return self._monitor.reason

    def prepare(self, settings: Settings, stems: Sequence[str]) -> None:
        """Send the course to every worker, now and whenever one joins, and wait for the answers of those present."""
        monitor = self._monitor
        self._await_workers()
        monitor.listen()
        self._client.register_plugin(Housekeeping(self._run, self._client.id))
        sent = archive.pack(Course(settings.course), stems)
        plugin = Grading(self._run, sent, codec.encode(settings), stems, fingerprint(settings.allowed))
        # Dask waits for every worker, even for one that hangs; the workers' own reports say when they are ready.
        _in_background(lambda: self._client.register_plugin(plugin))
        self._await_reports()
        modes = {report["isolation"] for report in monitor.reports.values() if "isolation" in report}
        if not modes:
            problems = "\n".join(f"  {line}" for line in monitor.problems())
            raise ClusterError(
                f"No worker of the cluster can grade:\n{problems}\nPut right what they say, or start other workers "
                f"(dask worker {self._address}), then run the same command again."
            )
        monitor.choose_isolation(min(modes, key=MODES.index))

    def leave(self) -> None:
        """Have every worker end its grading processes and remove the course's files."""
        if self._client.status != "running":
            return
        farewell = _in_background(
            lambda: self._client.unregister_worker_plugin(self._run),
            lambda: self._client.unregister_scheduler_plugin(housekeeping(self._run)),
        )
        farewell.join(_FAREWELL_SECONDS)

    def grade(self, portfolios: Iterable[Portfolio]) -> Iterator[Outcome]:
        """The outcomes of all jobs, as they come; what is under way at a time is bounded, in number and in bytes."""
        monitor, packer = self._monitor, Packer(portfolios)
        again: list[Batch] = []
        later: list[Batch] = []
        under_way: set[Batch] = set()
        while True:
            monitor.look_now_and_then(under_way)
            while self._has_room(under_way) and (batch := _next(again, packer, later)):
                under_way.add(batch)
                self._send(batch)
            if not under_way:
                return
            batch = monitor.receive(LOOK_SECONDS)
            if batch is None or batch not in under_way:
                continue
            if batch.status == "lost":
                under_way.remove(batch)
                again.append(batch)  # graded, but the worker went before it was asked
                continue
            reply = self._reply_to(batch)
            if reply is None:
                continue  # the worker that had it is gone, and another one has it now
            under_way.remove(batch)
            monitor.returned(batch)
            outcomes = self._settled(batch, self._outcomes_of(batch, reply, again), later)
            packer.learn(outcomes)
            for outcome in outcomes:
                monitor.graded()
                yield outcome

    def _await_workers(self) -> None:
        deadline = time.monotonic() + self._monitor.wait_seconds
        while not self._monitor.look():
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"No worker has joined the cluster at {self._address} "
                    f"within {self._monitor.wait_seconds:g} seconds. Start some: dask worker {self._address}"
                )
            time.sleep(0.1)

    def _await_reports(self) -> None:
        monitor = self._monitor
        deadline = time.monotonic() + monitor.wait_seconds
        while not monitor.answered() and time.monotonic() < deadline:  # who has left may be replaced
            monitor.receive(0.2)
            monitor.look_now_and_then()
        for address in set(monitor.workers) - set(monitor.reports):
            monitor.fault(address, "takes no work: it has not answered yet")

    def _has_room(self, under_way: set[Batch]) -> bool:
        if not under_way:
            return True
        size = sum(len(batch.payload) for batch in under_way)
        return len(under_way) < _AHEAD * self._monitor.threads() and size < _IN_FLIGHT_BYTES

    def _send(self, batch: Batch) -> None:
        batch.sent = time.monotonic()
        batch.future = self._client.submit(
            grade_batch,
            self._run,
            batch.payload,
            key=f"{self._run}-{secrets.token_hex(6)}",
            resources={self._monitor.offer: 1},
        )
        batch.future.add_done_callback(lambda _: self._monitor.done(batch))

    def _reply_to(self, batch: Batch) -> BatchReply | None:
        """What came back; an error in words when Dask has given up; None when it is not there after all."""
        assert batch.future is not None
        if batch.status == "cancelled":
            raise self._monitor.scheduler_gone()
        try:
            return reply_in(batch.future.result(timeout=ANSWER_SECONDS))
        except TimeoutError:
            self._monitor.done(batch)
            return None
        except KilledWorker:
            return BatchReply(error="every worker that graded it was lost", by_machine=True)
        except Exception as error:  # noqa: BLE001 - of Dask's many errors, none may cost anybody marks
            if self._client.status != "running" or batch.status == "cancelled":
                raise self._monitor.scheduler_gone() from None
            if batch.status == "lost":
                self._monitor.done(batch)
                return None
            return BatchReply(error=f"{type(error).__name__}: {error}")

    def _outcomes_of(self, batch: Batch, reply: BatchReply, again: list[Batch]) -> list[Outcome]:
        """The outcomes of a batch that came back; if some are missing, its submissions are graded again."""
        if reply.failure:
            raise AuthorError(reply.failure)
        if len(reply.outcomes) == batch.count:
            return list(reply.outcomes)
        reason = reply.error or "it sent too few outcomes"
        if reply.worker is not None:
            self._monitor.expel([reply.worker])  # or it would fail one batch after another
        self._monitor.fault(reply.worker or self._address, f"could not grade a batch and is expelled: {reason}")
        if batch.tries < _TRIES:
            again.extend(one_by_one(batch))
            return []
        whose, who = (Whose.MACHINE, "machine") if reply.by_machine else (Whose.GRADER, "grader")
        words = f"the {who} failed: {reason} ({batch.tries} times)"
        return [ungraded(job, self.isolation, words, whose) for job in chain(*portfolios_in(batch.payload))]

    def _settled(self, batch: Batch, outcomes: list[Outcome], later: list[Batch]) -> list[Outcome]:
        """The outcomes that stand; what a machine has kept from being graded is tried again, perhaps on another one."""
        failed = {_of(outcome.result) for outcome in outcomes if outcome.result.ungraded_by is Whose.MACHINE}
        if not failed or batch.tries >= _TRIES_ON_MACHINES:
            return outcomes
        later += (one for one in one_by_one(batch) if _of(portfolios_in(one.payload)[0][0]) in failed)
        return [outcome for outcome in outcomes if _of(outcome.result) not in failed]


def _of(some: Job | Result) -> tuple[str, str]:
    """Whose it is, and of which assignment."""
    return some.student, some.assignment


def _next(again: list[Batch], packer: Packer, later: list[Batch]) -> Batch | None:
    """The next batch to send: what has to be sent once more, then what is new, then what a machine let down."""
    return again.pop() if again else packer.next() or (later.pop(0) if later else None)


def _in_background(*steps: Callable[[], Any]) -> threading.Thread:
    """A thread that takes steps which may never end; what goes wrong in one is found out in other ways."""

    def run() -> None:
        for step in steps:
            with contextlib.suppress(Exception):
                step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
