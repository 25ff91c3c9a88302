"""How a run on a cluster is doing, for whoever watches it. Needs no Dask."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class ClusterStatus:
    """Workers that grade and all workers, submissions per second, batches that take long, and what went wrong."""

    able: int
    workers: int
    rate: float
    stragglers: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def caution(scheduler: str) -> str:
    """What to say of a scheduler's address before a run: who else can use the cluster; nothing if that is nobody."""
    if not scheduler.startswith("tcp://"):
        return ""
    who = "every user of this machine" if _is_loopback(urlsplit(scheduler).hostname or "") else "whoever can reach it"
    return (
        f"{scheduler} asks nobody for a certificate: {who} can run code on the cluster as its owner, read the hidden "
        "suites there, and change marks. docs/scale.md says how to use tls:// instead."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
