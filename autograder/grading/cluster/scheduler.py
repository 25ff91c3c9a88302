"""What runs on the scheduler: questions about its workers, and the end of a run whose client is gone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence

from distributed import Scheduler, SchedulerPlugin


class Housekeeping(SchedulerPlugin):
    """Ends a run on all workers when its client is gone, however that ended."""

    def __init__(self, run: str, client: str) -> None:
        self.name = housekeeping(run)
        self._run, self._client = run, client

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Begin to tidy up if it was ours."""
        if client == self._client:
            scheduler.loop.add_callback(self._tidy, scheduler)

    async def _tidy(self, scheduler: Scheduler) -> None:
        if self._run in scheduler.worker_plugins:
            await scheduler.unregister_worker_plugin(None, self._run)
        if self.name in scheduler.plugins:
            await scheduler.unregister_scheduler_plugin(self.name)


def housekeeping(run: str) -> str:
    """The name of a run's plugin on the scheduler."""
    return f"{run}-housekeeping"


def look(run: str, dask_scheduler: Scheduler | None = None) -> bytes:
    """The workers as JSON, by address: how long each has been silent, what it offers, which of our batches it has."""
    assert dask_scheduler is not None
    now = time.time()
    workers = {
        address: {
            "silent": now - state.last_seen,
            "threads": state.nthreads,
            "offers": [name for name, amount in state.resources.items() if amount and name.startswith(run)],
            "batches": [str(task.key) for task in state.processing if str(task.key).startswith(run)],
        }
        for address, state in dask_scheduler.workers.items()
    }
    return json.dumps(workers).encode()


async def expel(addresses: Sequence[str], dask_scheduler: Scheduler | None = None) -> bytes:
    """Take workers out of the cluster; Dask gives what they had to others."""
    assert dask_scheduler is not None
    for address in addresses:
        await dask_scheduler.remove_worker(
            address, stimulus_id=f"autograder-silent-{os.urandom(4).hex()}", expected=True
        )
    return b""
