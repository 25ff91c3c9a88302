"""Submissions that travel together: how they are packed, and how many go into one batch."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from distributed import Future

from autograder.course import codec
from autograder.engine.jobs import Outcome, Portfolio

_SECONDS = 0.5  # of work in a batch: much more than what a task costs Dask, and little to do again
_MOST = 100
_BYTES = 4 << 20


@dataclass(eq=False)
class Batch:
    """Submissions that travel together, as they travel."""

    payload: bytes
    count: int
    tries: int = 1
    sent: float = 0.0
    future: Future[bytes] | None = None

    @property
    def status(self) -> str:
        """What Dask says of it at this moment, such as "lost" or "cancelled"."""
        return str(self.future.status) if self.future is not None else ""


class Packer:
    """Makes batches of portfolios, each of about the same amount of work as far as it can be foreseen."""

    def __init__(self, portfolios: Iterable[Portfolio]) -> None:
        self._portfolios = iter(portfolios)
        self._pace: float | None = None

    def next(self) -> Batch | None:
        """The next batch; None when nothing is left."""
        wanted = 1 if not self._pace else min(_MOST, max(1, round(_SECONDS / self._pace)))
        batch: list[Portfolio] = []
        count = size = 0
        while count < wanted and size < _BYTES and (portfolio := next(self._portfolios, None)) is not None:
            batch.append(portfolio)
            count += len(portfolio)
            size += sum(len(job.content) for job in portfolio)
        return Batch(packed(batch), count) if batch else None

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Take into account how long submissions took."""
        taken = [sum(outcome.seconds.values()) for outcome in outcomes if outcome.seconds]
        if taken:
            latest = sum(taken) / len(taken)
            self._pace = latest if self._pace is None else 0.8 * self._pace + 0.2 * latest


def one_by_one(batch: Batch) -> list[Batch]:
    """The submissions of a batch, each in a batch of its own, for their next try.

    Hidden questions may have been asked by now, so nothing of what they say is quoted any more.
    """
    jobs = [replace(job, quoting=False) for portfolio in portfolios_in(batch.payload) for job in portfolio]
    return [Batch(packed([(job,)]), 1, batch.tries + 1) for job in jobs]


@dataclass(frozen=True)
class BatchReply:
    """What came of a batch: its outcomes, or why they are missing, and which worker says so."""

    worker: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    failure: str = ""
    """What is wrong with the course's own material."""
    error: str = ""
    """What went wrong on the worker."""
    by_machine: bool = False
    """Whether the worker's machine did it: another time, or elsewhere, it may not happen."""


def packed(value: Any) -> bytes:
    """A value ready to travel."""
    return zlib.compress(codec.encode(value), 1)


def portfolios_in(payload: bytes) -> list[Portfolio]:
    """The portfolios that were packed."""
    return codec.decode(zlib.decompress(payload), list[Portfolio])


def reply_in(payload: bytes) -> BatchReply:
    """The reply that was packed."""
    return codec.decode(zlib.decompress(payload), BatchReply)
