"""The way to a Dask cluster: a scheduler that runs already, or a cluster inside this process."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import dask
import psutil
from distributed import Client, Scheduler, SpecCluster, Worker
from distributed.comm.addressing import get_address_host_port, parse_address
from distributed.security import Security

from autograder.course.errors import ClusterError, UsageError
from autograder.sandbox import temporary

# May be set like any other setting of Dask, in its files or as DASK_AUTOGRADER__SILENT_SECONDS.
_DEFAULTS = {"autograder.silent-seconds": 30.0, "autograder.wait-seconds": 60.0}

_TALKATIVE = ("distributed", "tornado", "asyncio")

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
    """A client and the address of its scheduler: the given one, or one in this process that has `workers` workers."""
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({name: dask.config.get(name, value) for name, value in _DEFAULTS.items()}))
        stack.enter_context(dask.config.set(_SETTINGS))
        stack.enter_context(_quiet())
        if scheduler is None:
            scheduler = stack.enter_context(_cluster_here(workers)).scheduler_address
        else:
            _require_address(scheduler)
        yield stack.enter_context(_client(scheduler)), scheduler


class _ServesNoHttp:
    """What Dask would tell everybody over HTTP, with or without a dashboard, is told to nobody."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open no port."""


class _Scheduler(_ServesNoHttp, Scheduler):
    pass


class _Worker(_ServesNoHttp, Worker):
    pass


@contextmanager
def _cluster_here(workers: int) -> Iterator[SpecCluster]:
    """A cluster whose parts are threads of this process and talk through its memory.

    Whoever can connect to a part of a cluster can run code there. Here is nothing to connect to: other users of this
    machine cannot tell that there is a cluster. Student code runs in processes of their own, as on any worker.
    """
    before = _open_ports()
    open_to_nobody = {"protocol": "inproc://", "security": Security(require_encryption=False)}
    of_one = {"nthreads": 1, "memory_limit": 0, **open_to_nobody}
    with (
        temporary.folder("dask") as folder,
        # Dask imports modules from its folders, and would share the one around them with all users.
        dask.config.set({"temporary-directory": str(folder)}),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # without a network there is no address to put into a name
            cluster = SpecCluster(
                scheduler={"cls": _Scheduler, "options": {"dashboard": False, **open_to_nobody}},
                workers={number: {"cls": _Worker, "options": of_one} for number in range(workers)},
                silence_logs=logging.CRITICAL,
            )
        try:
            if opened := _open_ports() - before:
                raise ClusterError(
                    f"This version of Dask opens ports ({', '.join(sorted(opened))}) in a cluster that is for this "
                    "process alone. Omit --executor dask, or install the version in requirements.txt."
                )
            yield cluster
        finally:
            cluster.close()
            # Dask leaves some of its folders there, and when they are gone, anybody could make them again.
            sys.path[:] = [entry for entry in sys.path if not entry.startswith(str(folder))]


def _open_ports() -> set[str]:
    """Where this process waits for connections."""
    return {
        f"{connection.laddr.ip} port {connection.laddr.port}"
        for connection in psutil.Process().net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }


@contextmanager
def _client(address: str) -> Iterator[Client]:
    try:
        # Results are bytes; what a worker would have unpickled here is refused.
        client = Client(address, set_as_default=False, name="autograder", deserializers=["dask", "msgpack", "error"])
    except OSError as error:
        raise ClusterError(f"There is no Dask scheduler at {address}: {error}. Start one: dask scheduler") from None
    try:
        yield client
    finally:
        client.close()


def _require_address(address: str) -> None:
    """An error in words for what is no address, or one that we cannot use; Dask's client would need a minute for it."""
    if not _is_address(address):
        raise UsageError(
            f"{address!r} is not the address of a scheduler. One looks like tcp://host:8786, or tls://host:8786."
        )
    loader = dask.config.get("distributed.client.security-loader", None)
    if address.startswith("tls:") and loader is None and not Security().get_tls_config_for_role("client").get("cert"):
        raise ClusterError(f"There is no certificate for {address}. docs/scale.md says how to tell Dask where it is.")


def _is_address(text: str) -> bool:
    try:
        return parse_address(text, strict=True)[0] in ("tcp", "tls") and bool(get_address_host_port(text, strict=True))
    except ValueError:
        return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own log would be written over the progress bar; what matters in it is said in our words.

    Dask gives several of its loggers a level and a place of their own, so each of them is asked to be quiet.
    """
    talking = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _TALKATIVE]
    loggers = [logging.getLogger(name) for name in {*talking, *_TALKATIVE}]
    levels = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)
