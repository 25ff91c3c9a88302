"""Clusters that are not there, or not as they should be: the message says so, and what to do."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

from machines import Machines, run, small_class  # noqa: E402
from sample_class import copy_course  # noqa: E402

from autograder.cli import main  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.course.errors import ClusterError, UsageError  # noqa: E402
from autograder.grading.cluster.status import caution  # noqa: E402

EXECUTOR = ("--executor", "dask")

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.usefixtures("patient"),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def submitted(course: Course, tmp_path: Path) -> Path:
    return small_class(course, tmp_path / "submitted")


def test_a_scheduler_that_is_not_there_is_named(course: Course, submitted: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}),
        pytest.raises(ClusterError, match=f"no Dask scheduler at {address}"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=address)


@pytest.mark.parametrize("address", ["host", "host:8786:1", "gopher://host:8786", "tcp://host"])
def test_what_is_not_an_address_is_refused(course: Course, submitted: Path, tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="One looks like tcp://host:8786"):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=address)


def test_tls_without_a_certificate_is_refused_with_a_remedy(course: Course, submitted: Path, tmp_path: Path) -> None:
    nothing = {f"distributed.comm.tls.client.{part}": None for part in ("cert", "key")}
    with (
        dask.config.set(nothing),
        pytest.raises(ClusterError, match="no certificate for tls://host:8786. docs/scale.md says"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler="tls://host:8786")


def test_a_cluster_without_workers_is_reported_after_a_while(
    course: Course, lonely: Machines, submitted: Path, tmp_path: Path
) -> None:
    with (
        dask.config.set({"autograder.wait-seconds": 0.5}),
        pytest.raises(ClusterError, match="No worker has joined .* dask worker tcp"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=lonely.address)


WITHOUT_AUTOGRADER = """
import sys
sys.modules["autograder"] = None
from distributed.cli.dask_scheduler import main
main()
"""


def test_a_scheduler_without_autograder_is_told_apart_from_one_that_is_gone(
    course: Course, submitted: Path, tmp_path: Path
) -> None:
    machines = Machines(tmp_path / "machines", sys.executable, "-c", WITHOUT_AUTOGRADER)
    try:
        with pytest.raises(
            ClusterError, match=r"does not understand what it is asked \(.*\). Install this version of autograder"
        ):
            run(course, submitted, tmp_path / "out", executor="dask", scheduler=machines.address)
    finally:
        machines.end()


def test_without_dask_the_command_says_what_to_install(submitted: Path, tmp_path: Path) -> None:
    script = """
    import sys
    sys.modules["distributed"] = None
    from autograder.cli import main
    sys.exit(main(sys.argv[1:]))
    """
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(script),
        "grade",
        str(submitted),
        "--out",
        str(tmp_path / "out"),
        "--executor",
        "dask",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2 and "pip install '.[dask]'" in done.stderr


def test_a_scheduler_on_plain_tcp_is_used_and_the_command_says_once_who_else_can_use_it(
    lonely: Machines, submitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lonely.add()
    address = lonely.address
    assert main(["grade", str(submitted), "--out", str(tmp_path / "out"), *EXECUTOR, "--scheduler", address]) == 0
    said = f"{address} asks nobody for a certificate: every user of this machine can run code on the cluster"
    assert capsys.readouterr().err.count(said) == 1


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("tcp://first:8786", "whoever can reach it can run code on the cluster as its owner"),
        ("tcp://192.0.2.7:8786", "whoever can reach it"),
        ("tcp://localhost:8786", "every user of this machine"),
        ("tcp://[::1]:8786", "every user of this machine"),
    ],
)
def test_the_caution_names_those_who_can_reach_the_scheduler(address: str, who: str) -> None:
    assert who in caution(address) and "docs/scale.md says how to use tls://" in caution(address)


def test_there_is_nothing_to_say_of_tls() -> None:
    assert caution("tls://first:8786") == ""


def test_a_scheduler_goes_with_its_executor_and_its_own_workers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "x", "--out", "y", "--scheduler", "tcp://host:8786"]) == 2
    assert "--executor dask" in capsys.readouterr().err
    assert (
        main(["grade", "x", "--out", "y", "--executor", "dask", "--scheduler", "tcp://host:8786", "--workers", "2"])
        == 2
    )
    assert "omit --workers" in capsys.readouterr().err
