"""Clusters on machines that end processes: marks are right, who cannot be graded is named, and there are no traces."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dask")
pytest.importorskip("distributed")

from faulty import Count, FaultyClass, Kill, marks, run
from machines import Machines, eventually
from sandboxes import on_linux

pytestmark = on_linux

STUDENTS = ["right-0", "right-1", "wrong-0", "wrong-1"]
FOR_EVER = 1000
WORKER = (sys.executable, "-P", "-m", "distributed.cli.dask_worker")

# What a worker executes first: each is one that something happens to as it gets ready.
ENDS = """
import os, signal
from autograder.sandbox import isolation
isolation.start = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
"""
REFUSES = """
from autograder.course.errors import MachineError
from autograder.sandbox import isolation
def _refuse(mode, **_):
    raise MachineError("it is Tuesday")
isolation.proven, isolation.PAUSES = _refuse, ()
"""


@pytest.fixture(scope="module")
def submitted(faulty: FaultyClass) -> Path:
    faulty.plan({})
    return faulty.hand_in(STUDENTS, "cluster")


@pytest.fixture(scope="module")
def undisturbed(faulty: FaultyClass, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert faulty.run("grade", submitted, "--out", out).code == 0
    return marks(out)


def add(machines: Machines, first: str, name: str) -> str:
    """The address of one more worker, which executes something first."""
    preload = machines.folder / f"{name}.py"
    preload.write_text(first)
    return machines.add(*WORKER, "--preload", str(preload), TMPDIR=str(machines.folder / "temporary")).address


def test_processes_that_a_cluster_ends_cost_no_marks(
    faulty: FaultyClass, submitted: Path, undisturbed: dict[str, Any], tmp_path: Path, count: Count
) -> None:
    faulty.plan(
        {
            "right-0": Kill("call", 3, FOR_EVER),  # somebody whom no worker can grade today
            "right-1": Kill("cell", 2, victim="worker"),
            "wrong-0": Kill("call", 2, 4),
            "wrong-1": Kill("probes", 1),
        }
    )
    out = tmp_path / "out"
    done = faulty.run("grade", submitted, "--out", out, "--executor", "dask", "--workers", "2")
    kills, found = faulty.kills(), marks(out)
    wrong = [student for student in STUDENTS[1:] if found[student] != undisturbed[student]]
    lost = found["right-0"]
    with (out / "grades.csv").open(newline="") as file:
        rows = {row["student"]: row["status"] for row in csv.DictReader(file)}
    silent = [
        lost["ungraded_by"] != "machine",
        not str(lost["ungraded"]).startswith("the machine failed: "),
        rows["right-0"] != "ungraded",
        sorted(found) != STUDENTS,
    ]
    count("ended on a cluster", kills, wrong=len(wrong), silent=sum(silent), left=len(done.left))
    assert "Traceback" not in done.err

    faulty.plan({})
    again = faulty.run("grade", submitted, "--out", out)
    assert (again.code, marks(out)) == (0, undisturbed)


def test_a_cluster_on_which_nobody_can_grade_says_why_for_every_worker(
    faulty: FaultyClass, submitted: Path, lonely: Machines, tmp_path: Path, count: Count
) -> None:
    (lonely.folder / "temporary").mkdir(parents=True)
    ended, refuses = add(lonely, ENDS, "ends"), add(lonely, REFUSES, "refuses")
    out = tmp_path / "out"
    command = ("grade", submitted, "--out", out, "--executor", "dask", "--scheduler", lonely.address)
    done = faulty.run(*command, DASK_AUTOGRADER__WAIT_SECONDS="10")
    lines = [line.strip() for line in done.err.splitlines()]
    at = next(number for number, line in enumerate(lines) if line.endswith("No worker of the cluster can grade:"))
    assert done.code == 1 and "Traceback" not in done.err
    said = {address: [line for line in lines[at:] if line.startswith(f"{address}: ")] for address in (ended, refuses)}
    assert "it has" in said[ended][0]  # left the cluster, or not answered yet
    assert "it is Tuesday" in " ".join(lines[at:])
    assert "run the same command again" in done.words and "--isolation none" not in done.words
    assert list(out.glob("results/*")) == []
    count("a worker that cannot grade", 2, silent=sum(not words for words in said.values()), left=len(done.left))
    lonely.end()
    assert eventually(lambda: not lonely.left_behind() and not any((lonely.folder / "temporary").glob("autograder-*")))


def test_a_cluster_whose_workers_have_all_gone_says_so(
    faulty: FaultyClass, submitted: Path, lonely: Machines, tmp_path: Path, count: Count
) -> None:
    (lonely.folder / "temporary").mkdir(parents=True)
    ended = add(lonely, ENDS, "ends")
    command = ("grade", submitted, "--out", tmp_path / "out", "--executor", "dask", "--scheduler", lonely.address)
    done = faulty.run(*command, DASK_AUTOGRADER__WAIT_SECONDS="10")
    assert done.code == 1
    _, _, reasons = done.words.partition("No worker of the cluster can grade: ")
    count("a worker that cannot grade", 1, silent=not reasons.startswith(f"{ended}: it has"), left=len(done.left))


KILLS_SCHEDULER = """
import os, signal
from autograder.grading import store
_write = store.write
def _last(*arguments):
    _write(*arguments)
    if os.path.exists("/proc/{pid}"):
        os.kill({pid}, signal.SIGKILL)
store.write = _last
"""


def test_a_killed_scheduler_is_one_message_and_costs_nothing(
    faulty: FaultyClass,
    submitted: Path,
    undisturbed: dict[str, Any],
    lonely: Machines,
    tmp_path: Path,
    count: Count,
) -> None:
    lonely.add()
    out = tmp_path / "out"
    command = ("grade", submitted, "--out", out, "--executor", "dask", "--scheduler", lonely.address)
    done = faulty.run(*command, first=KILLS_SCHEDULER.format(pid=lonely.scheduler.process.pid))
    kept = marks(out)
    wrong = [student for student in kept if kept[student] != undisturbed[student]]
    said = [line for line in done.err.splitlines() if line.strip()]
    assert done.code == 1
    assert [line.startswith((f"{lonely.address} asks nobody", "autograder: The scheduler at")) for line in said] == [
        True,
        True,
    ]
    assert "run the same command again" in said[-1] and 0 < len(kept) < len(STUDENTS)
    again = run(faulty.course, "grade", submitted, "--out", out, temporary=tmp_path)
    assert (again.code, marks(out)) == (0, undisturbed)
    assert f"({len(kept)} unchanged since the last run)" in again.words
    count("a killed scheduler", 1, wrong=len(wrong), silent="Traceback" in done.err, left=len(done.left))


def test_a_killed_worker_takes_what_it_had_along(
    faulty: FaultyClass, submitted: Path, undisturbed: dict[str, Any], lonely: Machines, tmp_path: Path, count: Count
) -> None:
    place = lonely.folder / "temporary"
    place.mkdir(parents=True)
    killed = lonely.add(TMPDIR=str(place))
    lonely.add(TMPDIR=str(place))
    first = KILLS_SCHEDULER.format(pid=killed.process.pid)
    out = tmp_path / "out"
    done = faulty.run(
        "grade", submitted, "--out", out, "--executor", "dask", "--scheduler", lonely.address, first=first
    )
    found = marks(out)
    wrong = [student for student in STUDENTS if found.get(student) != undisturbed[student]]
    assert done.code == 0 and killed.process.wait() != 0
    assert eventually(lambda: not lonely.left_behind() and not any(place.glob("autograder-*")))
    count("a killed worker", 1, wrong=len(wrong), left=len(done.left))
