"""Watching over the workers of a cluster: who can grade, who has left or fallen silent, and how fast the work goes."""

from __future__ import annotations

import contextlib
import json
import queue
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dask
from distributed import Client

from autograder.course.errors import ClusterError
from autograder.grading.cluster.batches import Batch
from autograder.grading.cluster.scheduler import expel, look
from autograder.grading.cluster.status import ClusterStatus
from autograder.grading.cluster.worker import resource

ANSWER_SECONDS = 20.0  # how long the scheduler may take to answer
LOOK_SECONDS = 1.0  # between two looks at the workers
_SLOW_SECONDS = 10.0  # a batch that takes longer, and much longer than usual, is worth a remark
_LEFT = "it has left the cluster: it was ended before it had said whether it can grade"
_RATE_SECONDS = 10.0  # over how long the pace is averaged


class Monitor:
    """The workers of a cluster as one run sees them; `isolation` is what the run grades under, once that is known."""

    def __init__(self, client: Client, address: str, run: str, watch: Callable[[ClusterStatus], None]) -> None:
        self.isolation = self.reason = ""
        self.workers: dict[str, dict[str, Any]] = {}
        self.reports: dict[str, dict[str, str]] = {}
        self.wait_seconds = float(dask.config.get("autograder.wait-seconds"))
        self._silent_seconds = float(dask.config.get("autograder.silent-seconds"))
        self._client, self._address, self._run, self._watch = client, address, run, watch
        self._inbox: queue.Queue[Batch | dict[str, str]] = queue.Queue()
        self._faults: list[str] = []
        self._lost: dict[str, str] = {}  # by address: what is known of a worker that has left
        self._looked = 0.0
        self._able_at = time.monotonic()
        self._finished: deque[float] = deque()
        self._turnarounds: deque[float] = deque(maxlen=50)

    @property
    def offer(self) -> str:
        """What a worker that can grade for this run offers to Dask; nothing before the isolation is known."""
        return resource(self._run, self.isolation) if self.isolation else ""

    def listen(self) -> None:
        """Begin to receive what the workers report."""
        self._client.subscribe_topic(self._run, lambda event: self._inbox.put(event[1]))

    def threads(self) -> int:
        """How many batches can be graded at once."""
        return sum(worker["threads"] for worker in self._able())

    def done(self, batch: Batch) -> None:
        """Let `receive` return this batch: something has become of it."""
        self._inbox.put(batch)

    def receive(self, seconds: float) -> Batch | None:
        """The next batch that is done, if there is one soon; what workers report is taken in on the way."""
        with contextlib.suppress(queue.Empty):
            item = self._inbox.get(timeout=seconds)
            if isinstance(item, Batch):
                return item
            address = item["worker"]
            if "fault" in item:
                self.fault(address, item["fault"])
            else:
                self.reports[address] = item
                self._note_unable(address, item)
        return None

    def answered(self) -> bool:
        """Whether there are workers, and each of them has said whether it can grade."""
        return bool(self.workers) and not set(self.workers) - set(self.reports)

    def problems(self) -> list[str]:
        """A line for every worker that was there, why it cannot grade."""
        lines = {
            address: self.reports.get(address, {}).get("problem", "it has not answered; is autograder installed there?")
            for address in self.workers
        }
        return [f"{address}: {words}" for address, words in (self._lost | lines).items()]

    def choose_isolation(self, mode: str) -> None:
        """Grade under this isolation, and say which workers cannot."""
        self.isolation = mode
        reasons = [report.get("reason", "") for report in self.reports.values() if report.get("isolation") == mode]
        self.reason = next(filter(None, reasons), "")
        for address, report in self.reports.items():
            if "isolation" in report:  # what else was reported has been said
                self._note_unable(address, report)
        self.look()
        self._tell()

    def returned(self, batch: Batch) -> None:
        """Note how long a batch was away."""
        self._turnarounds.append(time.monotonic() - batch.sent)

    def graded(self) -> None:
        """Count an outcome."""
        self._finished.append(time.monotonic())

    def look(self) -> dict[str, dict[str, Any]]:
        """The workers that are there now, by address."""
        self.workers = json.loads(self._ask(look, self._run))
        self._looked = time.monotonic()
        return self.workers

    def look_now_and_then(self, under_way: Iterable[Batch] = ()) -> None:
        """Look again if it is time to; say who has left, expel who is silent, and give up when nobody is left."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        before = self.workers
        self.look()
        for address in before.keys() - self.workers.keys():
            problem = self.reports.pop(address, {}).get("problem")
            self._lost[address] = f"{problem}; it has left the cluster since" if problem else _LEFT
            elsewhere = "; what it had is graded elsewhere" if self.isolation else ""
            self.fault(address, f"has left the cluster{elsewhere}")
        silent = {
            address: worker["silent"]
            for address, worker in self.workers.items()
            if worker["silent"] > self._silent_seconds
        }
        if silent:
            self.expel(list(silent))
        for address, seconds in silent.items():
            self.fault(
                address, f"was silent for {seconds:.0f} seconds and is expelled; what it had is graded elsewhere"
            )
        self._require_workers()
        self._tell(self._stragglers(under_way))

    def expel(self, addresses: Sequence[str]) -> None:
        """Take workers out of the cluster."""
        self._ask(expel, addresses)
        for address in addresses:
            self.workers.pop(address, None)

    def fault(self, address: str, words: str) -> None:
        """Say what is wrong with a worker."""
        self._faults.append(f"{address} {words}")
        self._tell()

    def scheduler_gone(self) -> ClusterError:
        """The error to raise when there is nobody to ask."""
        return ClusterError(
            f"The scheduler at {self._address} is gone or does not answer. What was graded is kept; "
            "run the same command again when it is back: it continues from there."
        )

    def _able(self) -> list[dict[str, Any]]:
        return [worker for worker in self.workers.values() if self.offer in worker["offers"]]

    def _note_unable(self, address: str, report: dict[str, str]) -> None:
        if "problem" in report:
            self.fault(address, f"takes no work: {report['problem']}")
        elif self.isolation and report["isolation"] != self.isolation:
            why = f" ({report['reason']})" if report.get("reason") else ""
            self.fault(
                address,
                f"takes no work: it offers {report['isolation']} isolation{why}, and this run has {self.isolation}",
            )

    def _require_workers(self) -> None:
        now = time.monotonic()
        if not self.isolation or self._able():
            self._able_at = now
        elif now - self._able_at > self.wait_seconds:
            raise ClusterError(
                f"No worker is left in the cluster at {self._address} that could grade. What was graded is kept; "
                "start workers and run the same command again: it continues from there."
            )

    def _stragglers(self, under_way: Iterable[Batch]) -> tuple[str, ...]:
        """Where the batches are that take much longer than usual, the oldest first."""
        now = time.monotonic()
        usual = statistics.median(self._turnarounds) if self._turnarounds else _SLOW_SECONDS
        late = [batch for batch in under_way if now - batch.sent > max(_SLOW_SECONDS, 4 * usual)]
        where = {key: address for address, worker in self.workers.items() for key in worker["batches"]}
        return tuple(
            f"{where.get(str(batch.future.key), 'nowhere yet')} ({now - batch.sent:.0f} s)"
            for batch in sorted(late, key=lambda batch: batch.sent)
            if batch.future is not None
        )

    def _ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function of ours returns on the scheduler."""
        try:
            return self._client.run_on_scheduler(function, *args, callback_timeout=ANSWER_SECONDS)
        except (OSError, RuntimeError):  # a TimeoutError is an OSError
            raise self.scheduler_gone() from None
        except Exception as error:  # noqa: BLE001 - whatever a scheduler with other packages answers
            raise ClusterError(
                f"The scheduler at {self._address} does not understand what it is asked ({error}). "
                "Install this version of autograder there, too."
            ) from None

    def _tell(self, stragglers: tuple[str, ...] = ()) -> None:
        now = time.monotonic()
        while self._finished and now - self._finished[0] > _RATE_SECONDS:
            self._finished.popleft()
        span = max(now - self._finished[0], 1.0) if self._finished else 1.0
        rate = len(self._finished) / span
        self._watch(ClusterStatus(len(self._able()), len(self.workers), rate, stragglers, tuple(self._faults)))
