"""The Dask executor, the instructor's side: batches of submissions go out, outcomes come in, and every submission counts once.

Dask does the scheduling: it gives a batch to a worker that offers what the run needs, and to another one when that worker is gone. This
module joins a cluster, sends what grading needs, keeps a bounded number of batches under way, and watches over the workers.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import secrets
import statistics
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import dask
from distributed import Client, Future, KilledWorker, LocalCluster
from distributed.comm import get_address_host_port, parse_address
from distributed.security import Security

from autograder.course import Course
from autograder.course.errors import AuthorError, ClusterError, UsageError
from autograder.course.model import Whose
from autograder.engine.jobs import (
    Headway,
    Job,
    Outcome,
    Settings,
    job_from_json,
    job_to_json,
    outcome_from_json,
    settings_to_json,
    ungraded,
)
from autograder.grading import archive
from autograder.grading.cluster_worker import (
    Grading,
    Housekeeping,
    expel,
    grade_batch,
    look,
    pack_lines,
    resource,
    unpack_lines,
)
from autograder.grading.fingerprint import fingerprint
from autograder.sandbox.process import MODES

_BATCH_SECONDS = 0.5  # of work in a batch: much more than what a task costs Dask, and little to do again
_BATCH_MOST = 100
_BATCH_BYTES = 4 << 20
_AHEAD = 2  # batches under way per thread: one is being graded, the next one is there when it is done
_IN_FLIGHT_BYTES = 256 << 20
_TRIES = 3
_LOOK_SECONDS = 1.0
_ANSWER_SECONDS = 20.0
_SLOW_SECONDS = 10.0
_FAREWELL_SECONDS = 15.0

# May be set as any other of Dask's settings, in its files or as DASK_AUTOGRADER__SILENT_SECONDS.
_DEFAULTS = {"autograder.silent-seconds": 30.0, "autograder.wait-seconds": 60.0}

_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


@contextmanager
def joined(
    settings: Settings, stems: Sequence[str], *, scheduler: str | None, workers: int, watch: Callable[[Headway], None]
) -> Iterator[Team]:
    """A cluster whose workers are ready to grade these notebooks; everything that was sent there goes when it is left.

    Without the address of a scheduler, a cluster of `workers` processes is started on this machine. The settings name the
    isolation that workers must offer, which may be "auto".
    """
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({name: dask.config.get(name, value) for name, value in _DEFAULTS.items()}))
        stack.enter_context(dask.config.set(_SETTINGS))
        stack.enter_context(_quiet())
        if scheduler is None:
            scheduler = stack.enter_context(_cluster_here(workers or os.cpu_count() or 1)).scheduler_address
        client = stack.enter_context(_connected(scheduler))
        team = Team(client, scheduler, watch)
        stack.callback(team.leave)
        team.prepare(settings, stems)
        yield team


class Team:
    """The workers of a cluster that grade for one run."""

    def __init__(self, client: Client, address: str, watch: Callable[[Headway], None]) -> None:
        self.isolation = ""
        self._client, self._address, self._watch = client, address, watch
        self._run = f"autograder-{secrets.token_hex(8)}"
        self._silent = float(dask.config.get("autograder.silent-seconds"))
        self._wait = float(dask.config.get("autograder.wait-seconds"))
        self._inbox: queue.Queue[_Batch | dict[str, str]] = queue.Queue()
        self._workers: dict[str, dict[str, Any]] = {}
        self._reports: dict[str, dict[str, str]] = {}
        self._faults: list[str] = []
        self._looked = 0.0
        self._able_at = time.monotonic()
        self._finished: deque[float] = deque()
        self._turnarounds: deque[float] = deque(maxlen=50)

    # --- Coming and going -------------------------------------------------------------------------------------------

    def prepare(self, settings: Settings, stems: Sequence[str]) -> None:
        """Send the course to every worker, now and whenever one joins, and wait until those that are there have answered."""
        deadline = time.monotonic() + self._wait
        while not self._look():
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"No worker has joined the cluster at {self._address} within {self._wait:g} seconds. "
                    f"Start some: dask worker {self._address}"
                )
            time.sleep(0.1)
        self._client.subscribe_topic(self._run, lambda event: self._inbox.put(event[1]))
        self._client.register_plugin(Housekeeping(self._run, self._client.id))
        sent = archive.pack(Course(settings.course), stems)
        plugin = Grading(self._run, sent, settings_to_json(settings), stems, fingerprint())
        # Dask waits for every worker, also for one that hangs; the workers' own reports say when they are ready.
        _in_background(lambda: self._client.register_plugin(plugin))
        self._await_reports()
        modes = {report["isolation"] for report in self._reports.values() if "isolation" in report}
        if not modes:
            told = [f"  {address}: {self._problem_of(address)}" for address in self._workers]
            raise ClusterError("No worker of the cluster can grade:\n" + "\n".join(told))
        self.isolation = min(modes, key=MODES.index)
        for address, report in self._reports.items():
            if "isolation" in report:  # only now is it known which one the run has
                self._note_unable(address, report)
        self._look()
        self._tell()

    def leave(self) -> None:
        """Have every worker end its graders and remove the course's files."""
        if self._client.status != "running":
            return
        farewell = _in_background(
            lambda: self._client.unregister_worker_plugin(self._run),
            lambda: self._client.unregister_scheduler_plugin(f"{self._run}-housekeeping"),
        )
        farewell.join(_FAREWELL_SECONDS)

    def _await_reports(self) -> None:
        deadline = time.monotonic() + self._wait
        while set(self._workers) - set(self._reports) and time.monotonic() < deadline:
            self._receive(0.2)
            self._look_now_and_then()
        for address in set(self._workers) - set(self._reports):
            self._fault(address, "takes no work: it has not answered yet")

    def _problem_of(self, address: str) -> str:
        return self._reports.get(address, {}).get("problem", "it has not answered; is autograder installed there?")

    # --- Grading ----------------------------------------------------------------------------------------------------

    def grade(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """The outcomes of all jobs, as they come; what is under way at a time is bounded, in number and in bytes."""
        offer = resource(self._run, self.isolation)
        packer = _Packer(jobs)
        again: list[_Batch] = []
        under_way: set[_Batch] = set()
        while True:
            self._look_now_and_then(under_way, offer)
            while self._has_room(under_way, offer) and (batch := again.pop() if again else packer.next()):
                under_way.add(batch)
                batch.sent = time.monotonic()
                batch.future = self._client.submit(
                    grade_batch,
                    self._run,
                    batch.payload,
                    key=f"{self._run}-{secrets.token_hex(6)}",
                    resources={offer: 1},
                )
                batch.future.add_done_callback(lambda _, batch=batch: self._inbox.put(batch))
            if not under_way:
                return
            batch = self._receive(_LOOK_SECONDS)
            if batch is None or batch not in under_way:
                continue
            if (
                batch.future is not None and batch.future.status == "lost"
            ):  # graded, but the worker went before it was asked
                under_way.remove(batch)
                again.append(batch)
                continue
            lines = self._result_of(batch)
            if lines is None:
                continue  # the worker that had it is gone, and somebody else is at it
            under_way.remove(batch)
            self._turnarounds.append(time.monotonic() - batch.sent)
            head, outcomes = lines[0], [outcome_from_json(line) for line in lines[1:]]
            if "failure" in head:
                raise AuthorError(head["failure"])
            if len(outcomes) != batch.count:
                reason = head.get("error", "it sent too little")
                if "worker" in head:
                    self._ask(expel, [head["worker"]])  # or it would fail one batch after another
                    self._workers.pop(head["worker"], None)
                self._fault(head.get("worker", self._address), f"could not grade a batch and is out: {reason}")
                outcomes = self._next_try(batch, again, reason)
            packer.learn(outcomes)
            for outcome in outcomes:
                self._finished.append(time.monotonic())
                yield outcome

    def _has_room(self, under_way: set[_Batch], offer: str) -> bool:
        if not under_way:
            return True
        threads = sum(worker["threads"] for worker in self._workers.values() if offer in worker["offers"])
        return len(under_way) < _AHEAD * threads and sum(len(batch.payload) for batch in under_way) < _IN_FLIGHT_BYTES

    def _result_of(self, batch: _Batch) -> list[dict[str, Any]] | None:
        """What came back; only a head that says why when Dask has given up; None when it is not there after all."""
        assert batch.future is not None
        if batch.future.status == "cancelled":
            raise self._scheduler_gone()
        try:
            return unpack_lines(batch.future.result(timeout=_ANSWER_SECONDS))
        except TimeoutError:
            self._inbox.put(batch)
            return None
        except KilledWorker:
            return [{"error": "every worker that graded it was lost"}]
        except Exception as error:  # noqa: BLE001 - of Dask's many errors, none may cost anybody marks
            if self._client.status != "running" or batch.future.status == "cancelled":
                raise self._scheduler_gone() from None
            if batch.future.status == "lost":
                self._inbox.put(batch)
                return None
            return [{"error": f"{type(error).__name__}: {error}"}]

    def _next_try(self, batch: _Batch, again: list[_Batch], reason: str) -> list[Outcome]:
        """Have the submissions of a batch graded again, each on its own; the outcomes of those that had their tries."""
        jobs = unpack_lines(batch.payload)
        if batch.tries < _TRIES:
            again.extend(_Batch(pack_lines([job]), 1, batch.tries + 1) for job in jobs)
            return []
        known = [job_from_json(job) for job in jobs]
        words = f"the grader failed: {reason} ({batch.tries} times)"
        return [ungraded(job, self.isolation, words, Whose.GRADER) for job in known]

    # --- Watching ---------------------------------------------------------------------------------------------------

    def _receive(self, seconds: float) -> _Batch | None:
        """The next batch that is done, if there is one soon; what workers report is taken in on the way."""
        with contextlib.suppress(queue.Empty):
            item = self._inbox.get(timeout=seconds)
            if isinstance(item, _Batch):
                return item
            address = item["worker"]
            if "fault" in item:
                self._fault(address, item["fault"])
            else:
                self._reports[address] = item
                self._note_unable(address, item)
        return None

    def _note_unable(self, address: str, report: dict[str, str]) -> None:
        if "problem" in report:
            self._fault(address, f"takes no work: {report['problem']}")
        elif self.isolation and report["isolation"] != self.isolation:
            self._fault(
                address, f"takes no work: it offers {report['isolation']} isolation, and this run has {self.isolation}"
            )

    def _look_now_and_then(self, under_way: Iterable[_Batch] = (), offer: str = "") -> None:
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        before = self._workers
        self._look()
        for address in before.keys() - self._workers.keys():
            self._reports.pop(address, None)
            self._fault(address, "has left the cluster; what it had is graded elsewhere")
        silent = [address for address, worker in self._workers.items() if worker["silent"] > self._silent]
        if silent:
            self._ask(expel, silent)
            for address in silent:
                self._fault(
                    address,
                    f"was silent for {self._workers.pop(address)['silent']:.0f} seconds and is out; what it had is graded elsewhere",
                )
        self._require_workers(offer)
        self._tell(self._stragglers(under_way))

    def _require_workers(self, offer: str) -> None:
        now = time.monotonic()
        if not offer or any(offer in worker["offers"] for worker in self._workers.values()):
            self._able_at = now
        elif now - self._able_at > self._wait:
            raise ClusterError(
                f"No worker is left in the cluster at {self._address} that could grade. What was graded is kept; "
                "start workers and run the same command again: it goes on from there."
            )

    def _stragglers(self, under_way: Iterable[_Batch]) -> tuple[str, ...]:
        now = time.monotonic()
        usual = statistics.median(self._turnarounds) if self._turnarounds else _SLOW_SECONDS
        late = sorted(
            (batch for batch in under_way if now - batch.sent > max(_SLOW_SECONDS, 4 * usual)),
            key=lambda batch: batch.sent,
        )
        where = {key: address for address, worker in self._workers.items() for key in worker["batches"]}
        keys = [str(batch.future.key) for batch in late if batch.future is not None]
        return tuple(
            f"{where.get(key, 'nowhere yet')} ({now - batch.sent:.0f} s)" for key, batch in zip(keys, late, strict=True)
        )

    def _look(self) -> dict[str, dict[str, Any]]:
        self._workers = json.loads(self._ask(look, self._run))
        self._looked = time.monotonic()
        return self._workers

    def _ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function of ours says on the scheduler."""
        try:
            return self._client.run_on_scheduler(function, *args, callback_timeout=_ANSWER_SECONDS)
        except (OSError, RuntimeError):  # a TimeoutError among them
            raise self._scheduler_gone() from None
        except Exception as error:  # noqa: BLE001 - whatever a scheduler with other packages answers
            raise ClusterError(
                f"The scheduler at {self._address} does not know what it is asked ({error}). "
                "Install autograder there, too, in this version."
            ) from None

    def _scheduler_gone(self) -> ClusterError:
        return ClusterError(
            f"The scheduler at {self._address} is gone or does not answer. What was graded is kept; "
            "run the same command again when it is back: it goes on from there."
        )

    def _fault(self, address: str, words: str) -> None:
        self._faults.append(f"{address} {words}")
        self._tell()

    def _tell(self, stragglers: tuple[str, ...] = ()) -> None:
        now = time.monotonic()
        while self._finished and now - self._finished[0] > 10:
            self._finished.popleft()
        span = max(now - self._finished[0], 1.0) if self._finished else 1.0
        able = sum(resource(self._run, self.isolation) in worker["offers"] for worker in self._workers.values())
        self._watch(Headway(able, len(self._workers), len(self._finished) / span, stragglers, tuple(self._faults)))


@dataclass(eq=False)
class _Batch:
    """Submissions that travel together, as they travel."""

    payload: bytes
    count: int
    tries: int = 1
    sent: float = 0.0
    future: Future | None = None


class _Packer:
    """Makes batches of jobs, each of about the same amount of work as far as it can be foreseen."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)
        self._pace: float | None = None

    def next(self) -> _Batch | None:
        """The next batch; None when there is no job left."""
        wanted = 1 if not self._pace else min(_BATCH_MOST, max(1, round(_BATCH_SECONDS / self._pace)))
        batch: list[dict[str, Any]] = []
        size = 0
        while len(batch) < wanted and size < _BATCH_BYTES and (job := next(self._jobs, None)) is not None:
            batch.append(job_to_json(job))
            size += len(job.content)
        return _Batch(pack_lines(batch), len(batch)) if batch else None

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Take into account how long submissions took."""
        taken = [sum(outcome.seconds.values()) for outcome in outcomes if outcome.seconds]
        if taken:
            latest = sum(taken) / len(taken)
            self._pace = latest if self._pace is None else 0.8 * self._pace + 0.2 * latest


# --- Dask -------------------------------------------------------------------------------------------------------------


@contextmanager
def _cluster_here(workers: int) -> Iterator[LocalCluster]:
    with tempfile.TemporaryDirectory(prefix="autograder-dask-") as folder:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            memory_limit=0,
            worker_dashboard_address=None,
            # Even without a dashboard it serves HTTP, and another run may have the usual port.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        )
        try:
            yield cluster
        finally:
            cluster.close()


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    # Looked at first: a client that was given a wrong address takes a minute to close.
    try:
        known = parse_address(address, strict=True)[0] in ("tcp", "tls") and get_address_host_port(address, strict=True)
    except ValueError:
        known = False
    if not known:
        raise UsageError(
            f"{address!r} is no address of a scheduler. One looks like tcp://host:8786, or tls://host:8786."
        )
    loader = dask.config.get("distributed.client.security-loader", None)
    if address.startswith("tls:") and loader is None and not Security().get_tls_config_for_role("client").get("cert"):
        raise ClusterError(f"There is no certificate for {address}. docs/scale.md says how to tell Dask where it is.")
    try:
        # Results are bytes; what a worker would have unpickled here is refused.
        client = Client(address, set_as_default=False, name="autograder", deserializers=["dask", "msgpack", "error"])
    except OSError as error:
        raise ClusterError(f"There is no Dask scheduler at {address}: {error}. Start one: dask scheduler") from None
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own log would be written over the progress bar; what matters in it is told in our words."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _in_background(*steps: Callable[[], Any]) -> threading.Thread:
    """A thread that takes steps which may never end; what goes wrong in one is found out in other ways."""

    def run() -> None:
        for step in steps:
            with contextlib.suppress(Exception):
                step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
