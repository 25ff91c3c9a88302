"""Grading on a Dask cluster of real processes: the same bytes as on this machine, and nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

import psutil  # noqa: E402
from machines import (  # noqa: E402
    LIMITS,
    RIGHT,
    Machines,
    Watch,
    certificate,
    eventually,
    run,
    setting,
    slow_class,
    small_class,
)
from sample_class import STEM, Work, assert_same, copy_course, documents, hand_in, source_of, work  # noqa: E402

from autograder.classroom import replying  # noqa: E402
from autograder.course import Course, notebook  # noqa: E402
from autograder.engine.jobs import Settings  # noqa: E402
from autograder.grading.cluster.instructor import joined  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
    pytest.mark.usefixtures("patient"),
]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A cluster of two workers that talk TLS, where there is a program to make a certificate."""
    security = certificate(tmp_path_factory.mktemp("tls"))
    machines = Machines(tmp_path_factory.mktemp("machines"), security=security)
    try:
        machines.add()
        machines.add()
        with dask.config.set({setting(name): value for name, value in security.items()}):
            yield machines
    finally:
        machines.end()


@pytest.fixture
def submitted(course: Course, tmp_path: Path) -> Path:
    return small_class(course, tmp_path / "submitted")


def test_a_cluster_writes_the_same_bytes_as_this_machine_and_keeps_nothing(
    course: Course, machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    here, there, watch = tmp_path / "here", tmp_path / "there", Watch()
    run(course, submitted, here, full=True)
    done = run(course, submitted, there, full=True, executor="dask", scheduler=machines.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert len(done.results) == 6 and watch.last.faults == () and watch.last.able == 2
    assert any(name.startswith("autograded/ada") for name in documents(there))
    assert machines.left_behind() == [] and machines.processes() == []


def test_workers_are_told_which_packages_are_allowed(course: Course, machines: Machines, tmp_path: Path) -> None:
    use = "from scipy.linalg import norm\nassert norm([3, 4]) == 5"
    hand_in(tmp_path / "in", "ada", work({"setup": [use]}, **RIGHT.answers).notebook(source_of(course)))
    other = {"executor": "dask", "scheduler": machines.address}
    (without,) = run(course, tmp_path / "in", tmp_path / "out", **other).results
    (allowed,) = run(course, tmp_path / "in", tmp_path / "out", allowed=("scipy",), **other).results
    assert "scipy.linalg.norm is not there" in str(without.faults)
    assert allowed.faults == () and allowed.key != without.key


def test_changes_are_shown_and_taken_over_as_on_this_machine(
    course: Course, machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    out, other = tmp_path / "out", {"executor": "dask", "scheduler": machines.address}
    for student in ("dee", "eve", "fay"):
        shutil.rmtree(submitted / student)
    run(course, submitted, out)
    before = documents(out)
    (submitted / "bob" / STEM / f"{STEM}.ipynb").write_bytes(notebook.dumps(RIGHT.notebook(source_of(course))))
    shown = run(course, submitted, out, changes=True, **other)
    assert [(change.student, change.before, change.after) for change in shown.changes] == [("bob", 0, 20)]
    assert_same({name: data for name, data in documents(out).items() if not name.startswith(".pending")}, before)
    taken = run(course, submitted, out, **other)
    assert taken.unchanged == len(taken.results) == 3
    assert {result.student: result.score for result in taken.results}["bob"] == 20


def test_what_was_replied_to_a_group_survives_grading_again_on_a_cluster(
    course: Course, machines: Machines, tmp_path: Path
) -> None:
    out, other = tmp_path / "out", {"executor": "dask", "scheduler": machines.address}
    wrong = "def posterior(prior, likelihood):\n    return np.asarray(prior, float)"
    for student in ("ada", "bob"):
        submission = Work({**RIGHT.answers, "posterior": wrong}, {}).notebook(source_of(course))
        hand_in(tmp_path / "in", student, submission)
    run(course, tmp_path / "in", out)
    (group,) = replying.look(out).groups
    stanza = f'[[reply]]\nassignment = "{STEM}"\nexercise = "posterior"\ngroup = "{group.name}"\npoints = 2\n'
    (tmp_path / "given.toml").write_text(stanza)
    replying.reply(out, course, tmp_path / "given.toml")
    before = documents(out)
    again = run(course, tmp_path / "in", out, force=True, **other)
    assert [result.score for result in again.results] == [19, 19] and again.changes == ()
    assert_same(documents(out), before)


def test_a_cluster_of_its_own_is_started_on_this_machine(submitted: Path, tmp_path: Path) -> None:
    shutil.rmtree(submitted / "dee")
    command = [sys.executable, "-m", "autograder", "grade", str(submitted), "--out", str(tmp_path / "out"), "--json"]
    command += ["--executor", "dask", "--workers", "1", "--isolation", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    scores = {result["student"]: result["score"] for result in json.loads(done.stdout)["results"]}
    assert scores["ada"] == 20 and scores["cy"] == 0 and 0 < scores["eve"] < 20
    assert "Traceback" not in done.stderr


def listening() -> set[tuple[str, int]]:
    """Addresses and ports at which this process and what it has started can be reached."""
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    found = [one for process in family for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN]
    return {(one.laddr.ip, one.laddr.port) for one in found}


def test_two_clusters_of_their_own_are_there_at_once_and_listen_to_nobody(course: Course) -> None:
    before, settings = listening(), Settings(course.root, "none", LIMITS)
    with (
        joined(settings, [STEM], scheduler=None, workers=1, watch=Watch()),
        joined(settings, [STEM], scheduler=None, workers=1, watch=Watch()),
    ):
        assert listening() == before


def test_workers_tidy_up_when_the_instructors_process_is_killed(
    course: Course, machines: Machines, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        str(slow_class(course, tmp_path / "submitted", 30)),
        "--out",
        str(tmp_path / "out"),
    ]
    command += ["--executor", "dask", "--scheduler", machines.address, "--isolation", "none"]
    environment = {**os.environ, **machines.security}
    instructor = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: list((tmp_path / "out" / "results").glob("*/*.json")))
        assert machines.left_behind() != [] and machines.processes() != []
    finally:
        instructor.kill()
        instructor.wait()
    assert eventually(lambda: not machines.left_behind() and not machines.processes())
