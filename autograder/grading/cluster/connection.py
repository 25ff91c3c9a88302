"""The way to a Dask cluster: a scheduler that runs already, or a cluster started on this machine."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import dask
from distributed import Client, LocalCluster
from distributed.comm.addressing import get_address_host_port, parse_address
from distributed.security import Security

from autograder.course.errors import ClusterError, UsageError

# May be set like any other setting of Dask, in its files or as DASK_AUTOGRADER__SILENT_SECONDS.
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
def connected(scheduler: str | None, *, workers: int) -> Iterator[tuple[Client, str]]:
    """A client and the address of its scheduler: the given one, or that of `workers` processes started here."""
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({name: dask.config.get(name, value) for name, value in _DEFAULTS.items()}))
        stack.enter_context(dask.config.set(_SETTINGS))
        stack.enter_context(_quiet())
        if scheduler is None:
            scheduler = stack.enter_context(_cluster_here(workers)).scheduler_address
        yield stack.enter_context(_client(scheduler)), scheduler


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
def _client(address: str) -> Iterator[Client]:
    # Looked at first: a client that was given a wrong address takes a minute to close.
    if not _is_address(address):
        raise UsageError(
            f"{address!r} is not the address of a scheduler. One looks like tcp://host:8786, or tls://host:8786."
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


def _is_address(text: str) -> bool:
    try:
        return parse_address(text, strict=True)[0] in ("tcp", "tls") and bool(get_address_host_port(text, strict=True))
    except ValueError:
        return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own log would be written over the progress bar; what matters in it is said in our words."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
