"""Runs that end early, killed or without space: nothing is lost, nothing is left, and the next run continues."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from faulty import tiny_disk
from sample_class import SHORT, STEM, assert_same, copy_course, documents, hand_in, source_of, work
from whole_class import QUICK, hand_in_class, run

from autograder.course import Course
from autograder.course.errors import UsageError
from autograder.sandbox import kernel


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


@pytest.fixture(scope="module")
def expected(course: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the small class gets when nothing disturbs it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run(course, hand_in_class(course, folder / "in", QUICK), folder / "out", workers=2)
    return documents(folder / "out" / "results")


@pytest.fixture
def small(course: Course, tmp_path: Path) -> Path:
    """A class without those who make us wait."""
    return hand_in_class(course, tmp_path / "in", QUICK)


# --- Runs that are killed ---------------------------------------------------------------------------------------------

GRADE = """
import sys
from pathlib import Path
from autograder.course import Course
from autograder.course.limits import Limits
from autograder.grading.grade import Options, grade
course, submitted, out = map(Path, sys.argv[1:4])
grade(Course(course), submitted, Options(out, workers=2, limits=Limits(**eval(sys.argv[4]))))
"""


def start(
    course: Course, submitted: Path, out: Path, temporary: Path, cwd: Path | None = None, first: str = ""
) -> subprocess.Popen[bytes]:
    """A run in a process of its own, whose temporary files can be found again; it executes `first` before it grades."""
    temporary.mkdir(exist_ok=True)
    settings = repr({name: getattr(SHORT, name) for name in SHORT.__dataclass_fields__})
    command = [sys.executable, "-P", "-c", first + GRADE, str(course.root), str(submitted), str(out), settings]
    return subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, cwd=cwd, stderr=subprocess.DEVNULL)


def wait_for(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_run_that_is_killed_goes_on_where_it_stopped(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    for wanted in (0, 2, 5):  # early, in the middle, late: as soon as a sandbox and so many results are there
        running = start(course, small, out, temporary)
        family: list[psutil.Process] = []
        wait_for(lambda: any(temporary.iterdir()) or running.poll() is not None)
        wait_for(lambda: len(list(out.rglob("*.json"))) >= wanted or running.poll() is not None)
        if running.poll() is None:
            family = psutil.Process(running.pid).children(recursive=True)
        running.kill()
        running.wait()
        assert psutil.wait_procs(family, timeout=120)[1] == []  # nobody works on for nobody
        for path in out.rglob("*.json"):
            assert expected[str(path.relative_to(out / "results"))] == path.read_bytes()  # whole, or not there
    finished = start(course, small, out, temporary)
    assert finished.wait(600) == 0
    assert_same(documents(out / "results"), expected)
    wait_for(lambda: list(temporary.iterdir()) == [])


KILLED_WHILE_IT_WRITES = """
import os, signal
calls = []
def fsync(file):
    calls.append(file)
    if len(calls) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
"""


def test_what_a_killed_run_left_half_written_is_cleared_away(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    assert start(course, small, out, temporary, first=KILLED_WHILE_IT_WRITES).wait(600) == -signal.SIGKILL
    assert [path.suffix for path in (out / "results").rglob("*") if path.is_file()] == [".part"]
    assert start(course, small, out, temporary).wait(600) == 0
    assert_same(documents(out / "results"), expected)


WAITING_TRIAL = """
from autograder.sandbox import isolation
isolation.ESCAPES = {"waits": "import time; time.sleep(60)"}
"""


KILLED_AROUND_A_ZYGOTE = """
import os, signal, subprocess
begin = subprocess.Popen.__init__
def __init__(self, command, **rest):
    zygote = "autograder.sandbox.zygote" in command
    if zygote and {before}:
        os.kill(os.getpid(), signal.SIGKILL)
    begin(self, command, **rest)
    if zygote:
        os.kill(os.getpid(), signal.SIGKILL)
subprocess.Popen.__init__ = __init__
"""


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_run_that_is_killed_as_it_starts_a_zygote_leaves_nothing(
    course: Course, small: Path, tmp_path: Path, before: bool
) -> None:
    temporary = tmp_path / "temporary"
    running = start(course, small, tmp_path / "out", temporary, first=KILLED_AROUND_A_ZYGOTE.format(before=before))
    assert running.wait(300) == -signal.SIGKILL
    wait_for(
        lambda: (
            not any(str(temporary) in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"]))
        )
    )
    assert list(temporary.iterdir()) == []


def test_a_run_that_is_killed_while_the_isolation_is_tried_leaves_nothing(
    course: Course, small: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    running = start(course, small, tmp_path / "out", temporary, first=WAITING_TRIAL)
    wait_for(lambda: list(temporary.glob("*/secret.txt")) != [] or running.poll() is not None)
    assert running.poll() is None
    family = psutil.Process(running.pid).children(recursive=True)
    running.kill()
    running.wait()
    assert psutil.wait_procs(family, timeout=120)[1] == []
    wait_for(lambda: list(temporary.iterdir()) == [])


def test_killing_workers_and_zygotes_at_random_loses_nothing(
    course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    generator = random.Random("killing workers and zygotes")
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    running = start(course, small, out, temporary)
    wait_for(lambda: any(temporary.iterdir()) or running.poll() is not None)
    for wanted in range(4):  # each time that one more result is there
        wait_for(lambda: len(list(out.rglob("*.json"))) >= wanted or running.poll() is not None)
        with contextlib.suppress(psutil.NoSuchProcess, IndexError):  # it, or all of them, may just have ended
            generator.choice(psutil.Process(running.pid).children(recursive=True)).kill()
    running.wait(600)
    finished = start(course, small, out, temporary)  # what was left ungraded, or a run that was stopped, is made good
    assert finished.wait(600) == 0
    assert_same(documents(out / "results"), expected)


def test_nothing_beside_the_submissions_is_imported(course: Course, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "in", "eve", work(prob=None).notebook(source_of(course))).parent
    (folder / "autograder").mkdir()
    for name in (
        "numpy.py",
        "json.py",
        "pytest.py",
        "sitecustomize.py",
        "conftest.py",
        "autograder/__init__.py",
        "checks.py",
    ):
        (folder / name).write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\nraise SystemExit\n")
    started = start(
        course, tmp_path / "in", tmp_path / "out", tmp_path / "temporary", cwd=folder
    )  # where an instructor may stand
    assert started.wait(600) == 0
    assert json.loads((tmp_path / "out" / "results" / "eve" / f"{STEM}.json").read_text())["score"] == 4
    assert not (tmp_path / "imported").exists()


# --- Places that cannot be written ------------------------------------------------------------------------------------


def test_an_output_folder_that_cannot_be_written_is_a_mistake_of_the_caller(
    course: Course, small: Path, tmp_path: Path
) -> None:
    with tiny_disk(tmp_path / "disk", "size=1m"):
        kernel.make_read_only(str(tmp_path / "disk"))
        with pytest.raises(UsageError, match="cannot be written.*--out"):
            run(course, small, tmp_path / "disk" / "out")


def test_an_output_folder_that_is_a_file_is_a_mistake_of_the_caller(
    course: Course, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        run(course, small, tmp_path / "out")


def test_a_full_disk_loses_nothing(course: Course, small: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    with tiny_disk(tmp_path / "disk", "size=64k"):
        out = tmp_path / "disk" / "out"
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            run(course, small, out)
        kept = documents(out / "results")
        assert kept and kept.items() <= expected.items()  # what is there is whole, and right
        kernel.mount(None, str(tmp_path / "disk"), None, 32, "size=10m")  # MS_REMOUNT
        second = run(course, small, out)
        assert second.unchanged == len(kept)
        assert_same(documents(out / "results"), expected)
