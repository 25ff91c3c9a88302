"""Handing in on a machine that fails: all or nothing, said in a sentence, and nothing is left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from faulty import Count
from faulty_hand_in import ANSWER, OTHER, SETUP, STEM, Desk, finished, reached, wait_for

KIND = "hand-in faults"
MAKING = ("open", "os.mkdir", "os.rename", "fsync", "subprocess.Popen")


Counts = dict[str, int]
Moment = tuple[bool, int]  # whether something was handed in before, and the number of the step
Found = tuple[bool, bool, list[str]]  # whether it is right, whether it was said, what was left


@dataclass(frozen=True)
class Steps:
    """The steps of a hand-in, by moment; a folder in which nothing was handed in, and one in which something was."""

    moments: dict[Moment, str]
    desks: dict[bool, Desk]
    earlier: bytes

    def at_each(self, chosen: list[Moment], root: Path, case: Callable[[Desk, bytes | None, int], Found]) -> Counts:
        """How many cases went wrong, said nothing, or left something; each has a folder of its own."""

        def one(moment: Moment) -> tuple[Moment, Found]:
            again, at = moment
            return moment, case(self.desks[again].copy(root / f"{at} {again}"), self.earlier if again else None, at)

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(one, chosen))
        print(*(f"{moment}: {result}" for moment, result in found), sep="\n")  # for whoever has to look into it
        return {
            "wrong": sum(not right for _, (right, _, _) in found),
            "silent": sum(not said for _, (_, said, _) in found),
            "left": sum(bool(left) for _, (_, _, left) in found),
        }


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Steps:
    """The steps of a hand-in, where there was one before and where there was none."""
    root = tmp_path_factory.mktemp("steps")
    desk, log = Desk(root / "once"), root / "log"
    desks = {False: desk.copy(root / "never"), True: desk}
    moments: dict[Moment, str] = {}
    earlier = desk.work(note="earlier")
    for again in (False, True):
        one = desk if not again else desk.copy(root / "again")
        assert one.hand_in(first=one.hook(0, log=log)).code == 0
        taken = log.read_text().split()
        log.unlink()
        assert taken.count("fsync") >= 3 and taken.count("os.rename") == 2 and taken.count("subprocess.Popen") == 2
        moments |= {(again, number): step for number, step in enumerate(taken, start=1)}
    del moments[True, min(number for (again, number), step in moments.items() if again and step == "os.mkdir")]
    return Steps(moments, desks, earlier)  # the folder is not made a second time


def test_whoever_is_killed_at_any_moment_has_handed_in_as_a_whole_or_not_at_all(
    steps: Steps, tmp_path: Path, count: Count
) -> None:
    halves = []

    def case(desk: Desk, earlier: bytes | None, at: int) -> Found:
        new = desk.work(note="new")
        done = desk.hand_in(first=desk.hook(at, "kill"))
        copy = desk.shelf / f"{STEM}.ipynb"
        expected = new if copy.exists() and copy.read_bytes() == new else earlier
        if not desk.is_whole(expected):
            halves.append(at)
        running = [str(process) for process in desk.running()]
        desk.work('import checks\ncheck = checks.start("00_start_here")', "x = unknown", stem=OTHER)
        after = desk.hand_in(stem=OTHER)  # of another notebook: it removes what is left, and leaves what is whole
        right = desk.is_whole(expected) and after.code == 0
        return right, done.code == -signal.SIGKILL, desk.left() + running

    chosen = [(again, at) for again, at in steps.moments if again or at % 4 == 0]
    found = steps.at_each(chosen, tmp_path, case)
    # Between two names that are given one after the other, the copy is still the earlier one.
    assert len(halves) <= 2
    count(KIND, len(chosen), **found)


def test_a_step_that_fails_leaves_what_was_there_and_says_so(steps: Steps, tmp_path: Path, count: Count) -> None:
    def case(desk: Desk, earlier: bytes | None, at: int) -> Found:
        new = desk.work(note="new")
        done = desk.hand_in(first=desk.hook(at, "ENOSPC"))
        if done.code == 0:  # it failed after all had been handed in: when it was sent, or tidied up
            said = "nothing was sent. The file to upload is" in done.words
            return desk.is_whole(new), said or steps.moments[bool(earlier), at] == "open", desk.left()
        cannot_run = "not even its first cell: no process could be started: No space left on device" in done.words
        cannot_write = "hand_in cannot be written to (No space left on device)." in done.words
        told = ("What was handed in before is still there." in done.words) == bool(earlier)
        said = cannot_run or (cannot_write and told and "make room on the disk, then hand in again." in done.words)
        return desk.is_whole(earlier) and done.code == 1, said and "Not handed in: " in done.words, desk.left()

    making = [moment for moment, step in steps.moments.items() if step in MAKING]
    chosen = [(again, at) for again, at in making if again or at % 2]
    count(KIND, len(chosen), **steps.at_each(chosen, tmp_path, case))


def test_an_interrupt_at_any_step_is_an_end(steps: Steps, tmp_path: Path, count: Count) -> None:
    def case(desk: Desk, earlier: bytes | None, at: int) -> Found:
        new = desk.work(note="new")
        done = desk.hand_in(first=desk.hook(at, "interrupt"))
        said = ("Not handed in: it was interrupted." if done.code else "The file to upload is") in done.words
        return desk.is_whole(earlier if done.code else new), said and "Traceback" not in done.words, desk.left()

    chosen = [moment for moment, step in steps.moments.items() if step in MAKING][::3]
    count(KIND, len(chosen), **steps.at_each(chosen, tmp_path, case))


# --- While the notebook runs ------------------------------------------------------------------------------------------

RUNS_ON = {
    "loops": "while True: pass",
    "loops in C": "sum(range(10**15))",
    "waits": "import time\ntime.sleep(10**6)",
    "ignores": (
        "import signal\nfor number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_IGN)\nwhile True: pass"
    ),
    "starts a program": (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(10**6)'], pass_fds=[_reached]).wait()"
    ),
    "forks": "os.fork()\nwhile True: pass",
}
ENDS = {
    "killed": (signal.SIGKILL, -signal.SIGKILL),
    "terminated": (signal.SIGTERM, -signal.SIGTERM),
    "hung up": (signal.SIGHUP, -signal.SIGHUP),
    "interrupted": (signal.SIGINT, 1),
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("runs", RUNS_ON)
def test_a_notebook_ends_with_the_hand_in_that_runs_it(tmp_path: Path, count: Count, runs: str, how: str) -> None:
    desk, (number, code) = Desk(tmp_path), ENDS[how]
    with reached(desk) as (line, pipe):
        new = desk.work(SETUP, ANSWER, f"{line}\n{RUNS_ON[runs]}")
        process = desk.start()
        assert wait_for(pipe, b"!")
        os.killpg(process.pid, number)  # all that a terminal would reach
        has_ended = wait_for(pipe, b"")
    done = finished(process)
    said = code < 0 or done.words.endswith(
        "Not handed in: it was interrupted. What was handed in before, if anything, is as it was; "
        "to hand in, run it again."
    )
    assert (done.code, has_ended, new != b"") == (code, True, True)
    count(KIND, 1, wrong=not desk.is_whole(None), silent=not said, left=len(desk.left()))


def test_without_its_watcher_a_notebook_ends_too(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    with reached(desk) as (line, pipe):
        new = desk.work(SETUP, ANSWER, f"{line}\nsum(range(10**15))")
        process = desk.start()
        assert wait_for(pipe, b"!")
        [watcher] = psutil.Process(process.pid).children()
        watcher.kill()
        assert wait_for(pipe, b"")
    done = finished(process)
    said = "0 of 6 exercises pass" in done.words and "Python ended in the middle of it." in done.words
    assert done.code == 0
    count(KIND, 1, wrong=not desk.is_whole(new), silent=not said, left=len(desk.left()))


AFTER_THE_START = """
import os, signal, subprocess
_begin = subprocess.Popen.__init__
def _begin_and_end(self, *args, **named):
    _begin(self, *args, **named)
    os.kill(os.getpid(), signal.SIGKILL)
subprocess.Popen.__init__ = _begin_and_end
"""


def test_a_watcher_that_is_given_nothing_ends(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    desk.work()
    done = desk.hand_in(first=AFTER_THE_START)
    count(KIND, 1, wrong=done.code != -signal.SIGKILL or not desk.is_whole(None), left=len(desk.left()))


ENDS_AT_ONCE = "import os, sys\nif sys.argv[0] == '-m' and 'checks.fresh' in sys.orig_argv: os._exit(3)\n"


def test_a_notebook_that_cannot_even_begin_is_not_handed_in_as_none_of_none(tmp_path: Path, count: Count) -> None:
    desk = Desk(tmp_path)
    desk.work()
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(ENDS_AT_ONCE)
    done = desk.hand_in(PYTHONPATH=str(tmp_path / "hook"))
    said = "could not be run from a fresh start, not even its first cell: Python ended in the middle" in done.words
    assert (done.code, "0 of 0" in done.words) == (1, False)
    count(KIND, 1, wrong=not desk.is_whole(None), silent=not said, left=len(desk.left()))
