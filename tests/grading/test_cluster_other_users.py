"""Other users of the same machine: one of them tries to get something from a cluster of ours during a run."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

import psutil  # noqa: E402
from machines import PATIENT, Machines, certificate, run, small_class  # noqa: E402
from sample_class import assert_same, copy_course, documents  # noqa: E402

from autograder.course import Course  # noqa: E402
from autograder.grading.cluster.connection import connected  # noqa: E402
from autograder.grading.cluster.status import ClusterStatus  # noqa: E402

SOMEBODY = 12345

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as another user"),
    pytest.mark.usefixtures("patient"),
]

# Becomes the other user when all is imported, for its Python may be where only root can look. Prints what it got.
INTRUDER = """
import asyncio, http.client, json, os, pickle, sys
import distributed.comm.tcp, distributed.protocol
from distributed import Security, rpc

user, seconds, tls, folders, targets = json.loads(sys.argv[1])
without = Security(require_encryption=False).get_connection_args("client")
ways = [("tcp", without), ("tls", without)]
if tls:
    ways.append(("tls", Security(require_encryption=True, **tls).get_connection_args("client")))
os.setgroups([])
os.setgid(user)
os.setuid(user)
got = {}

def get(name, what):
    try:
        got[name] = str(what())
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)

async def ask(address, connection, question, **words):
    async with rpc(address, timeout=seconds, connection_args=connection) as other:
        return await asyncio.wait_for(getattr(other, question)(**words), seconds)

def run_there(*args):
    answer = asyncio.run(ask(*args, function=pickle.dumps(os.getuid), args=pickle.dumps(()), kwargs=pickle.dumps({})))
    assert answer["status"] == "OK", answer
    return answer["result"]

def over_http(host, port, path):
    connection = http.client.HTTPConnection(host, port, timeout=seconds)
    connection.request("GET", path)
    return connection.getresponse().status

for host, port in targets:
    for protocol, connection in ways:
        address = f"{protocol}://{host}:{port}"
        get(f"what is at {address}", lambda: asyncio.run(ask(address, connection, "identity"))["type"])
        for question in ("run", "run_function"):  # so it is called by a worker or its nanny, and by a scheduler
            get(f"the user that I am at {address}", lambda: run_there(address, connection, question))
        if f"the user that I am at {address}" in got:
            break  # there is no more to get
    for path in ("/", "/health", "/metrics", "/info/main/workers.html", "/json/counts.json"):
        get(f"http://{host}:{port}{path}", lambda: over_http(host, port, path))
for folder in folders:
    get(f"names in {folder}", lambda: os.listdir(folder))
print(json.dumps(got))
"""


def intrude(
    targets: Iterable[tuple[str, int]], tls: dict[str, str], seconds: float, folders: Iterable[str] = ()
) -> dict[str, str]:
    """What another user gets from these ports and folders, by what it is."""
    sent = json.dumps([SOMEBODY, seconds, tls, list(folders), list(targets)])
    done = subprocess.run(
        [sys.executable, "-c", INTRUDER, sent], capture_output=True, text=True, timeout=PATIENT, check=True
    )
    got: dict[str, str] = json.loads(done.stdout)
    return got


def ports() -> list[tuple[str, int]]:
    """Where this process and what it has started wait for connections."""
    me = psutil.Process()
    return [
        ("127.0.0.1" if ip_address(connection.laddr.ip).is_unspecified else connection.laddr.ip, connection.laddr.port)
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]


def local_sockets() -> set[str]:
    """Names of Unix sockets at which this process and what it has started wait for connections."""
    me = psutil.Process()
    held = set()
    for process in (me, *me.children(recursive=True)):
        for entry in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                held.add(os.readlink(entry))
    rows = [row.split() for row in Path("/proc/net/unix").read_text().splitlines()[1:]]
    return {row[-1] for row in rows if row[3] == "00010000" and f"socket:[{row[6]}]" in held}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A certificate that somebody made, as Dask's security takes it; nothing where no program makes one."""
    made = certificate(tmp_path_factory.mktemp("forged"))
    if not made:
        return {}
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    return {
        "tls_ca_file": made[f"{prefix}CA_FILE"],
        "tls_client_cert": made[f"{prefix}CLIENT__CERT"],
        "tls_client_key": made[f"{prefix}CLIENT__KEY"],
    }


def test_another_user_gets_nothing_from_a_run_on_a_cluster_of_its_own(
    course: Course, forged: dict[str, str], tmp_path: Path
) -> None:
    submitted = small_class(course, tmp_path / "submitted")
    seen: list[object] = []

    def watch(status: ClusterStatus) -> None:
        if status.able and not seen:  # in the middle of the run, before the first submission is graded
            seen.extend([intrude(ports(), forged, 5.0), ports(), local_sockets()])

    run(course, submitted, tmp_path / "here")
    run(course, submitted, tmp_path / "there", executor="dask", workers=2, watch=watch)
    assert seen == [{}, [], set()]
    assert_same(documents(tmp_path / "there"), documents(tmp_path / "here"))


def test_the_same_user_gets_everything_from_a_cluster_on_plain_tcp(lonely: Machines, forged: dict[str, str]) -> None:
    """Which docs/scale.md and the command warn of; and it shows that the test above tries something."""
    kinds = {lonely.address: "Scheduler", lonely.add().address: "Worker"}
    targets = [address.removeprefix("tcp://").split(":") for address in kinds]
    got = intrude([(host, int(port)) for host, port in targets], forged, 60.0)
    for address, kind in kinds.items():
        assert got[f"what is at {address}"] == kind and got[f"the user that I am at {address}"] == "0"


def test_a_cluster_of_ours_imports_nothing_from_a_folder_that_others_can_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Dask puts its folders on the path of modules, in one that whoever comes first makes for all users."""
    before = list(sys.path)
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o1777)
        prepared = Path(temporary, "dask-scratch-space")
        prepared.mkdir()
        os.chown(prepared, SOMEBODY, SOMEBODY)
        os.chmod(prepared, 0o777)
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        with connected(None, workers=2):
            added = [Path(entry) for entry in sys.path if entry not in before]
            assert added and list(prepared.iterdir()) == []
            private = [next(folder for folder in path.parents if folder.parent == Path(temporary)) for path in added]
            assert all(folder.stat().st_uid == 0 and folder.stat().st_mode & 0o077 == 0 for folder in private)
            assert intrude([], {}, 5.0, map(str, [*added, *private])) == {}
        assert sys.path == before
