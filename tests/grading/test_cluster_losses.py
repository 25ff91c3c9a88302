"""Clusters that lose a worker, a scheduler or a cable: every submission is graded, and once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

from machines import LIMITS, SLOW, Machines, Watch, eventually, run, slow_class  # noqa: E402
from sample_class import STEM, copy_course, documents, source_of  # noqa: E402

from autograder.course import Course, notebook  # noqa: E402
from autograder.course.errors import ClusterError  # noqa: E402
from autograder.engine.jobs import Job, Settings, portfolios  # noqa: E402
from autograder.grading.cluster.instructor import joined  # noqa: E402
from autograder.grading.grade import Options, grade  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.usefixtures("patient"),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


def test_nothing_is_lost_when_a_worker_dies_and_another_hangs(course: Course, lonely: Machines, tmp_path: Path) -> None:
    dies, hangs, _ = lonely.add(), lonely.add(), lonely.add()
    content, watch = notebook.dumps(SLOW.notebook(source_of(course))), Watch()
    names = [f"student-{number:02}" for number in range(24)]
    taken, seen, ahead, modes = 0, [], [], set()

    def jobs() -> Iterator[Job]:
        nonlocal taken
        for name in names:
            taken += 1
            yield Job(name, STEM, content)

    with (
        dask.config.set({"autograder.silent-seconds": 6}),
        joined(
            Settings(course.root, "none", LIMITS), [STEM], scheduler=lonely.address, workers=0, watch=watch
        ) as cluster,
    ):
        for outcome in cluster.grade(portfolios(jobs())):
            seen.append(outcome.result.student)
            ahead.append(taken - len(seen))
            if len(seen) == 1:
                modes = {stat.S_IMODE(os.stat(folder).st_mode) for folder in lonely.left_behind()}
                dies.signal(signal.SIGKILL)
            elif len(seen) == 3:
                hangs.signal(signal.SIGSTOP)
            assert outcome.result.ungraded is None and outcome.result.score > 0
    assert sorted(seen) == names
    assert max(ahead) <= 16  # of 24: no more is read from the disk than is soon graded
    assert modes == {0o700}
    assert watch.faults(dies) == ["has left the cluster; what it had is graded elsewhere"]
    assert [words.startswith("was silent for") for words in watch.faults(hangs)] == [True]
    assert watch.last.able == watch.last.workers == 1
    hangs.signal(signal.SIGCONT)
    assert eventually(lambda: not lonely.left_behind())


def test_a_run_goes_on_when_the_scheduler_is_back(course: Course, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    submitted, out = slow_class(course, tmp_path / "submitted", 8), tmp_path / "out"
    first, second = Machines(tmp_path / "first", port=port), None
    try:
        first.add()
        other = {"executor": "dask", "scheduler": first.address}

        def progress(done: int, total: int) -> None:
            if done == 2:
                first.scheduler.signal(signal.SIGKILL)

        options = Options(out, isolation="none", limits=LIMITS, executor="dask", scheduler=first.address)
        with pytest.raises(ClusterError, match="What was graded is kept; run the same command again when it is back"):
            grade(course, submitted, options, progress)
        kept = documents(out)
        assert 2 <= len(kept) < 8
        first.end()
        second = Machines(tmp_path / "second", port=port)
        second.add()
        done = run(course, submitted, out, **other)
        assert (len(done.results), done.unchanged) == (8, len(kept))
        assert kept.items() <= documents(out).items()
    finally:
        first.end()
        if second is not None:
            second.end()


@pytest.fixture
def other_host() -> Iterator[tuple[str, str, str]]:
    """A network namespace at the end of the cable `autograder0`: its name, our address, its address."""
    name, ours, theirs = f"autograder-{os.getpid()}", "198.18.93.1", "198.18.93.2"
    steps = [
        f"netns add {name}",
        f"link add autograder0 type veth peer name eth0 netns {name}",
        f"addr add {ours}/30 dev autograder0",
        "link set autograder0 up",
        f"-n {name} addr add {theirs}/30 dev eth0",
        f"-n {name} link set eth0 up",
        f"-n {name} link set lo up",
    ]
    try:
        for step in steps:
            try:
                subprocess.run(["ip", *step.split()], check=True, capture_output=True, text=True)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine cannot make a second host: {getattr(error, 'stderr', '') or error}")
        yield name, ours, theirs
    finally:
        with contextlib.suppress(OSError):
            subprocess.run(["ip", "link", "delete", "autograder0"], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def test_nothing_is_lost_when_a_cable_is_cut(course: Course, other_host: tuple[str, str, str], tmp_path: Path) -> None:
    name, ours, theirs = other_host
    submitted, watch = slow_class(course, tmp_path / "submitted", 12), Watch()
    machines = Machines(tmp_path / "machines", host=ours)
    try:
        machines.add()
        far = machines.add(
            "ip", "netns", "exec", name, sys.executable, "-m", "distributed.cli.dask_worker", host=theirs
        )

        def progress(done: int, total: int) -> None:
            if done == 2:
                assert watch.last.able == 2
                subprocess.run(["ip", "link", "set", "autograder0", "down"], check=True)

        # The side on which scheduler and first worker are keeps its address: what is cut is the way to the other host.
        with dask.config.set({"autograder.silent-seconds": 6}):
            options = Options(
                tmp_path / "out",
                isolation="none",
                limits=LIMITS,
                executor="dask",
                scheduler=machines.address,
                watch=watch,
            )
            done = grade(course, submitted, options, progress)
    finally:
        machines.end()
    assert {result.score > 0 for result in done.results} == {True} and len(done.results) == 12
    assert [words.startswith("was silent for") for words in watch.faults(far)] == [True]
