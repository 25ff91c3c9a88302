"""Machines on which strong isolation fails for a moment, or for good: nobody gets less protection in silence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from faulty import Count, FaultyClass, marks, run, tiny_disk
from sample_class import REPOSITORY, need
from sandboxes import LIMITS, PLACES, on_linux

from autograder.course.errors import MachineError
from autograder.sandbox import isolation
from autograder.sandbox.process import Process, Zygote

pytestmark = on_linux

# The kernel of a machine without memory would do it to the first so many zygotes of a run.
ENDS_ZYGOTES = """
import subprocess
from autograder.sandbox import isolation
isolation.PAUSES = (0.0, 0.0)
_begin, _left = subprocess.Popen.__init__, [{times}]
def _ended(process, command, **rest):
    _begin(process, command, **rest)
    if "autograder.sandbox.zygote" in command and _left[0]:
        _left[0] -= 1
        process.kill()
subprocess.Popen.__init__ = _ended
"""
NO_NAMESPACES = """
import errno, platform, struct
from autograder.sandbox import kernel, seccomp
_number = seccomp.numbers(platform.machine())["unshare"]
_code = [(0x20, 0, 0, 0), (0x15, 0, 1, _number), (0x06, 0, 0, 0x50000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)]
kernel.forbid_new_privileges()
kernel.load_filter(b"".join(struct.pack("HBBI", *instruction) for instruction in _code))
"""


class Told(list[Any]):
    """What somebody was told, or how long they were to wait."""

    def __call__(self, value: Any) -> None:
        self.append(value)


def start(wanted: str, told: Told, pauses: Told) -> Zygote:
    return isolation.start(wanted, **PLACES, suites=REPOSITORY.suites, limits=LIMITS, tell=told, pause=pauses)


def end_zygotes(monkeypatch: pytest.MonkeyPatch, times: int) -> Told:
    """End the first zygotes that are started from now on; the processes that were."""
    ended, begin = Told(), subprocess.Popen.__init__

    def begin_and_end(process: Any, command: Any, **rest: Any) -> None:
        begin(process, command, **rest)
        if "autograder.sandbox.zygote" in command and len(ended) < times:
            process.kill()
            ended(process.pid)

    monkeypatch.setattr(subprocess.Popen, "__init__", begin_and_end)
    return ended


@pytest.mark.parametrize("times", [1, 2])
def test_a_zygote_that_dies_as_it_starts_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, count: Count, times: int
) -> None:
    need("strong")
    ended, told, pauses = end_zygotes(monkeypatch, times), Told(), Told()
    zygote = start("auto", told, pauses)
    zygote.close()
    assert (zygote.mode, zygote.reason, told) == ("strong", "", [])
    assert pauses == list(isolation.PAUSES[:times])
    count("a zygote ended as it starts", len(ended), wrong=zygote.mode != "strong")


def test_weaker_isolation_is_said_at_once_and_why(monkeypatch: pytest.MonkeyPatch, count: Count) -> None:
    need("strong"), need("portable")
    ended, told, pauses = end_zygotes(monkeypatch, 3), Told(), Told()
    zygote = start("auto", told, pauses)
    zygote.close()
    assert zygote.mode == "portable"
    assert zygote.reason == "strong is not possible: the sandbox process ended unexpectedly (3 times)"
    assert [zygote.reason in words and "student code gets portable isolation" in words for words in told] == [True]
    count("a zygote ended as it starts", len(ended), silent=not told)


@pytest.mark.parametrize(("wanted", "times"), [("auto", 6), ("strong", 3), ("portable", 3)])
def test_a_machine_that_ends_every_zygote_is_named_and_nothing_is_graded(
    monkeypatch: pytest.MonkeyPatch, count: Count, wanted: str, times: int
) -> None:
    need("strong"), need("portable")
    ended, told = end_zygotes(monkeypatch, times), Told()
    with pytest.raises(MachineError, match="Nothing was graded") as caught:
        start(wanted, told, Told())
    said = str(caught.value)
    assert "ended unexpectedly (3 times)" in said and "run the same command again" in said
    assert "--isolation none" not in said and told == []
    count("a zygote ended as it starts", len(ended), silent=len(ended) != times)


@pytest.mark.parametrize("mode", ["strong", "portable"])
def test_a_trial_that_is_ended_from_outside_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, count: Count, mode: str
) -> None:
    need(mode)
    ended, ask = Told(), Process.ask

    def ask_the_dead(process: Process, *rest: Any) -> dict[str, Any]:
        if len(ended) < 2:
            ended(process)
            signal.pidfd_send_signal(process._handle, signal.SIGKILL)
        return ask(process, *rest)

    monkeypatch.setattr(Process, "ask", ask_the_dead)
    told = Told()
    zygote = start(mode, told, Told())
    zygote.close()
    assert (zygote.mode, zygote.reason, told) == (mode, "", [])
    count("a trial ended from outside", len(ended))


UMASKS = (0o077, 0o027, 0o777, 0o277)


def test_strong_isolation_holds_under_any_umask(tmp_path: Path, count: Count) -> None:
    need("strong")
    script = f"""
import os
from autograder.course import Course
from autograder.sandbox import isolation
course = Course.default()
for umask in {UMASKS}:
    os.umask(umask)
    print(isolation.choose("auto", checks=course.checks, data=course.data, suites=course.suites))
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    found = done.stdout.split()
    count("a umask that closes what is made", len(UMASKS), wrong=len(UMASKS) - found.count("strong"))
    assert (done.stderr, list(tmp_path.iterdir())) == ("", [])


# --- Whole runs -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def submitted(faulty: FaultyClass) -> Path:
    return faulty.hand_in(["right-0", "wrong-0"], "fallback")


@pytest.fixture(scope="module")
def undisturbed(faulty: FaultyClass, submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What strong isolation gives."""
    need("strong")
    faulty.plan({})
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    done = faulty.run("grade", submitted, "--out", out)
    assert (done.code, done.left) == (0, ())
    return marks(out)


def without_isolation(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents but for what must differ."""
    return [
        {name: value for name, value in one.items() if name not in ("isolation", "isolation_reason", "key")}
        for one in found.values()
    ]


def test_a_run_under_a_umask_that_closes_everything_is_strong(
    faulty: FaultyClass, submitted: Path, undisturbed: dict[str, Any], tmp_path: Path, count: Count
) -> None:
    done = faulty.run("grade", submitted, "--out", tmp_path / "out", first="import os; os.umask(0o077)\n")
    found = marks(tmp_path / "out")
    count("a umask that closes what is made", 1, wrong=found != undisturbed, left=len(done.left))
    assert (done.code, {one["isolation"] for one in found.values()}) == (0, {"strong"})


@pytest.mark.parametrize(
    ("first", "faults", "why"),
    [
        (ENDS_ZYGOTES.format(times=3), 3, "strong is not possible: the sandbox process ended unexpectedly (3 times)"),
        (NO_NAMESPACES, 1, "strong is not possible: strong isolation cannot be set up here: [Errno 1] unshare"),
    ],
    ids=["zygotes end", "no namespaces"],
)
def test_a_run_with_weaker_isolation_says_so_first_and_on_record_and_the_next_one_grades_again(
    faulty: FaultyClass,
    submitted: Path,
    undisturbed: dict[str, Any],
    tmp_path: Path,
    count: Count,
    first: str,
    faults: int,
    why: str,
) -> None:
    need("portable")
    out = tmp_path / "out"
    done = faulty.run("grade", submitted, "--out", out, first=first)
    found = marks(out)
    reasons = [one["isolation_reason"] for one in found.values()]
    silent = sum(why not in reason for reason in reasons)
    count(
        "weaker isolation",
        faults,
        wrong=without_isolation(found) != without_isolation(undisturbed),
        silent=silent + (why not in " ".join(done.err.split())),
        left=len(done.left),
    )
    assert (done.code, {one["isolation"] for one in found.values()}) == (0, {"portable"})
    assert done.err.splitlines()[0].startswith("student code gets portable isolation; strong is not possible")
    assert "--isolation none" not in done.words

    again = faulty.run("grade", submitted, "--out", out)
    assert (again.code, marks(out)) == (0, undisturbed)
    assert "student code gets" not in again.words and "unchanged" not in again.words


def test_doctor_says_why_it_would_not_be_strong(faulty: FaultyClass, count: Count) -> None:
    need("portable")
    done = faulty.run("doctor", first=ENDS_ZYGOTES.format(times=3))
    last = done.out.splitlines()[-1]
    assert last == (
        "`autograder grade` will use portable isolation. "
        "Not strong isolation: the sandbox process ended unexpectedly (3 times)."
    )
    count("weaker isolation", 3, left=len(done.left))


# --- No room ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "mode", "words"),
    [
        ("size=512k", "auto", "0 MiB are free, 1 MiB are needed"),
        ("size=8m", "portable", "8 MiB are free, 65 MiB are needed"),
        ("nr_inodes=1", "auto", "no more files can be made there"),
        ("nr_inodes=1", "strong", "no more files can be made there"),
    ],
)
def test_a_place_for_temporary_files_without_room_is_named(
    faulty: FaultyClass, submitted: Path, tmp_path: Path, count: Count, options: str, mode: str, words: str
) -> None:
    out = tmp_path / "out"
    with tiny_disk(tmp_path / "disk", options) as disk:
        command = ("grade", submitted, "--out", out, "--isolation", mode)
        done = run(faulty.course, *command, temporary=disk)
    wanted = f"there is no room for temporary files in {disk}: {words}. Free some, or set TMPDIR"
    count("no room for temporary files", 1, silent=wanted not in done.words, left=len(done.left))
    assert done.code == 1 and "Traceback" not in done.err
    assert "--isolation none" not in done.words
    assert list(out.glob("results/*")) == []


def test_a_document_without_a_reason_is_still_read(undisturbed: dict[str, Any]) -> None:
    from autograder.grading import store

    old = json.loads(json.dumps({**next(iter(undisturbed.values())), "pressure": ""}))
    del old["isolation_reason"]
    assert store.from_json(old).isolation_reason == ""
