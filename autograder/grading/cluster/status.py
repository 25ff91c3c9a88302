"""How a run on a cluster is doing, for whoever watches it. Needs no Dask."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClusterStatus:
    """Workers that grade and all workers, submissions per second, batches that take long, and what went wrong."""

    able: int
    workers: int
    rate: float
    stragglers: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
