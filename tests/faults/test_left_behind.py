"""Commands that are killed: nothing of theirs stays where temporary files go, and what is there of others does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import minicourse
import psutil
import pytest
from faulty import START, Count, FaultyClass, killed_at, marks, run
from machines import eventually
from sandboxes import on_linux

from autograder.course import Course, files
from autograder.sandbox import temporary

pytestmark = on_linux

TWO = ["right-0", "wrong-0"]


@pytest.fixture(scope="module")
def submitted(faulty: FaultyClass) -> Path:
    faulty.plan({})
    return faulty.hand_in(TWO, "left")


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course that is quick to build."""
    return minicourse.make(tmp_path_factory.mktemp("mini") / "course")


def nothing_is_left(place: Path) -> int:
    """How many entries are left in a folder, once those who tidy up have had the time to."""
    eventually(lambda: not any(place.iterdir()))
    return len(list(place.iterdir()))


STAGES = {
    "local, as it starts workers": (
        "grade {class_} --out {out}",
        "autograder.grading.local.process:GradingProcess.isolate",
    ),
    "local, as it tries the isolation": ("grade {class_} --out {out}", "autograder.sandbox.process:Process.ask"),
    "local, as it writes a result": ("grade {class_} --out {out}", "autograder.grading.store:write"),
    "local, as it writes the table": ("grade {class_} --out {out}", "autograder.grading.store:table"),
    "check": (
        "check {class_}/right-0/01_bayes_rule/01_bayes_rule.ipynb",
        "autograder.grading.local.process:GradingProcess.send",
    ),
    "validate": ("validate --seeds 1", "autograder.grading.local.process:GradingProcess.send"),
    "doctor": ("doctor", "autograder.sandbox.isolation:_try"),
}
DASK = {
    "as it starts the cluster": "distributed:SpecCluster.__init__",
    "as it sends the course": "autograder.grading.cluster.archive:pack",
    "as workers get ready": "autograder.sandbox.process:Zygote.fork",
    "as it writes a result": "autograder.grading.store:write",
}
AUTHORS = {
    "release, before nbgrader": ("release --unvalidated", "autograder.nbgrader_bridge.generate:_generate"),
    "release, after nbgrader": ("release --unvalidated", "autograder.authoring.leaks:scan"),
    "refresh, as the kernel starts": ("refresh", "nbclient.client:NotebookClient.async_start_new_kernel_client"),
    "refresh, as the kernel has run": ("refresh", "autograder.authoring.refresh:normalised"),
}


def killed(course: Course, command: str, stage: str, temporary: Path, **places: Path) -> None:
    temporary.mkdir(exist_ok=True)
    arguments = [part.format(**places) for part in command.split()]
    done = run(course, *arguments, temporary=temporary, first=killed_at(stage))
    assert done.code == -signal.SIGKILL, done.words


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_run_leaves_nothing(
    faulty: FaultyClass, submitted: Path, tmp_path: Path, count: Count, stage: str
) -> None:
    command, where = STAGES[stage]
    killed(faulty.course, command, where, tmp_path / "temporary", class_=submitted, out=tmp_path / "out")
    count("killed", 1, left=nothing_is_left(tmp_path / "temporary"))


@pytest.mark.parametrize("stage", DASK)
def test_a_killed_run_on_a_cluster_of_its_own_leaves_nothing(
    faulty: FaultyClass, submitted: Path, tmp_path: Path, count: Count, stage: str
) -> None:
    pytest.importorskip("distributed")
    command = "grade {class_} --out {out} --executor dask --workers 1"
    killed(faulty.course, command, DASK[stage], tmp_path / "temporary", class_=submitted, out=tmp_path / "out")
    count("killed", 1, left=nothing_is_left(tmp_path / "temporary"))


@pytest.mark.parametrize("stage", AUTHORS)
def test_a_killed_command_of_an_author_leaves_nothing(
    mini: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count, stage: str
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    command, where = AUTHORS[stage]
    before = sorted(path for path in mini.root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    killed(mini, command, where, tmp_path / "temporary")
    left = nothing_is_left(tmp_path / "temporary") + len(list((tmp_path / "runtime").rglob("*.json")))
    assert sorted(path for path in mini.root.rglob("*") if path.is_file() and path.suffix != ".pyc") == before
    count("killed", 1, left=left)


# --- The second line: what is left when those who tidy up are killed as well -----------------------------------------

KILLS_KEEPERS = """
import os, signal
import psutil
from autograder.grading import store
def _all(*_):
    family = psutil.Process().children(recursive=True)
    for one in family:
        one.suspend()
    for one in family:
        one.kill()
    os.kill(os.getpid(), signal.SIGKILL)
store.write = _all
"""


def test_what_nobody_was_left_to_remove_goes_with_the_next_run(
    faulty: FaultyClass, submitted: Path, tmp_path: Path, count: Count
) -> None:
    pytest.importorskip("distributed")
    place, command = tmp_path / "temporary", ("grade", submitted, "--out", tmp_path / "out", "--workers", "1")
    place.mkdir()
    for executor in ("local", "dask"):
        done = run(faulty.course, *command, "--executor", executor, temporary=place, first=KILLS_KEEPERS)
        assert done.code == -signal.SIGKILL, done.words
        assert list(place.glob("autograder-sandbox-*")) != []
    assert len(list(place.glob("autograder-dask-*"))) == len(list(place.glob("autograder-*.rooms"))) == 1
    done = run(faulty.course, *command, temporary=place)
    assert (done.code, len(marks(tmp_path / "out"))) == (0, 2)
    count("killed, and who tidies up with it", 2, left=len(done.left))


def test_nothing_is_swept_that_is_alive_or_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    place, outside = tmp_path / "place", tmp_path / "outside"
    for folder in (place, outside):
        folder.mkdir()
    (outside / "kept").touch()
    names = {name: f"autograder-{name}-{'0123456789abcdef'}" for name in ("left", "alive", "link", "file", "others")}
    for name in ("left", "alive", "others"):
        (place / names[name]).mkdir()
        (place / names[name] / "inside").symlink_to(outside)
    (place / names["link"]).symlink_to(outside)
    (place / names["file"]).touch()
    (place / "autograder-0123456789abcdef.rooms").symlink_to(outside / "kept")
    for name in (
        "autograder-dask-a1b2c3d4",
        "autograder-left-0123456789abcdef.zip",
        "my-autograder-left-0123456789abcdef",
    ):
        (place / name).mkdir()
    alive = os.open(place / names["alive"], os.O_RDONLY)
    fcntl.flock(alive, fcntl.LOCK_EX)
    if os.getuid() == 0:
        os.chown(place / names["others"], 65534, 65534)
    kept = {path.name for path in place.iterdir()} - {names["left"]} - ({names["others"]} if os.getuid() else set())
    subprocess.run(
        [sys.executable, "-c", "from autograder.sandbox import temporary; temporary.sweep()"],
        env={**os.environ, "TMPDIR": str(place)},
        check=True,
    )
    os.close(alive)
    found = {path.name for path in place.iterdir()}
    count("what only looks like ours", len(kept), wrong=len(kept - found), left=len(found - kept))
    assert (outside / "kept").exists()


def test_a_folder_is_there_as_long_as_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary.sweep()  # it does so once: in the place that is used otherwise
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = os.umask(0o777)
    try:
        with temporary.folder("test") as folder:
            assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
            (folder / "inside").mkdir()
            keepers = psutil.Process().children()
        assert not folder.exists()
    finally:
        os.umask(before)
    assert [one for one in keepers if _keeps(one)] == []


def _keeps(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):  # it has ended in the meantime
        return "autograder.sandbox.temporary" in process.cmdline()
    return False


# --- Several at once --------------------------------------------------------------------------------------------------

WAITS = """
import os
from autograder.course import files
_ask = files.require_writable
def _together(folder):
    open({ready!r} + str(os.getpid()), "w").close()
    os.read(os.open({go!r}, os.O_RDONLY), 1)  # until there is one for each of them
    _ask(folder)
files.require_writable = _together
"""


def test_five_runs_that_start_at_once_into_one_folder_all_grade(
    faulty: FaultyClass, submitted: Path, tmp_path: Path, count: Count
) -> None:
    ready, go, out = tmp_path / "ready", tmp_path / "go", tmp_path / "out"
    for folder in (ready, tmp_path / "temporary"):
        folder.mkdir()
    os.mkfifo(go)
    gate = os.open(go, os.O_RDWR)
    first = WAITS.format(ready=f"{ready}/", go=str(go))
    command = [sys.executable, "-P", "-c", first + START, str(faulty.course.root)]
    command += ["grade", str(submitted / "right-0"), "--out", str(out), "--workers", "1"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    nowhere = subprocess.DEVNULL
    starts = [subprocess.Popen(command, env=environment, stdout=nowhere, stderr=subprocess.PIPE) for _ in range(5)]
    assert eventually(lambda: len(list(ready.iterdir())) == len(starts))
    os.write(gate, b"!" * len(starts))
    said = [start.communicate()[1].decode() for start in starts]
    os.close(gate)
    failed = [words for start, words in zip(starts, said, strict=True) if start.returncode]
    count("starts into one folder", len(starts), wrong=len(failed), left=nothing_is_left(tmp_path / "temporary"))
    assert [document["score"] for document in marks(out).values()] == [20]
    assert sorted(path.name for path in out.iterdir()) == ["grades.csv", "results"]


def test_any_number_may_ask_whether_a_folder_can_be_written_to(tmp_path: Path) -> None:
    together, errors = threading.Barrier(8), []

    def ask() -> None:
        together.wait()
        for _ in range(100):
            try:
                files.require_writable(tmp_path)
            except OSError as error:
                errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for some in threads:
        some.start()
    for some in threads:
        some.join()
    assert (errors, list(tmp_path.iterdir())) == ([], [])


SWEEPS = """
import sys
from pathlib import Path
from autograder.sandbox import temporary
sys.stdout.write("ready\\n"), sys.stdout.flush()
while not Path(sys.argv[1]).exists():
    temporary.sweep.__wrapped__()
"""


def test_folders_are_safe_from_those_who_sweep_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary.sweep()
    place, over = tmp_path / "place", tmp_path / "over"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        [sys.executable, "-c", SWEEPS, str(over)], env=environment, stdout=subprocess.PIPE, text=True
    ) as sweeper:
        assert sweeper.stdout is not None and sweeper.stdout.readline() == "ready\n"
        held = []
        for _ in range(300):
            path = temporary.name("test")
            held.append((path, temporary.hold(path)))
        there = [os.path.isdir(path) for path, _ in held]
        over.touch()
        assert sweeper.wait() == 0
    for _, handle in held:
        os.close(handle)
    assert there == [True] * len(held)
