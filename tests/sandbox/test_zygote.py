"""Zygotes and their copies serve side by side, and leave nothing behind however they end."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import psutil
import pytest
from sample_class import need
from sandboxes import LIMITS, MODES, PATIENT, PLACES, printed, run

from autograder.course.errors import GraderError
from autograder.sandbox.process import Spawner, Zygote, control_sockets


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_left_when_a_zygote_is_closed_or_killed(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for end in ("close", "kill", "leave"):
        zygote = Zygote(need(mode), **PLACES, limits=LIMITS)
        process = zygote.spawn()
        run(process, "open('x', 'w').write('x')")
        family = [*psutil.Process(zygote.pid).children(recursive=True), psutil.Process(zygote.pid)]
        if end == "leave":
            zygote._control.close()  # as when the grader is killed: the zygote finds itself alone
            psutil.wait_procs(family, timeout=PATIENT)
            assert list(tmp_path.iterdir()) == []
        if end == "kill":
            os.kill(zygote.pid, signal.SIGKILL)
        zygote.close()
        assert psutil.wait_procs(family, timeout=PATIENT)[1] == []
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(GraderError):
            process.end()


def copy_of(zygote: Zygote, number: int) -> Spawner:
    """A copy of a zygote, as a worker gets it."""
    ours, theirs = control_sockets()
    zygote.fork(theirs, number)
    theirs.close()
    return Spawner(ours, zygote.mode, limits=LIMITS, figures=False)


@pytest.mark.parametrize("mode", [*MODES, "none"])
def test_copies_serve_side_by_side_and_end_with_their_socket_or_their_zygote(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    zygote = Zygote(mode if mode == "none" else need(mode), **PLACES, limits=LIMITS)
    zygote.spawn().end()  # as after a trial
    outermost = psutil.Process(zygote.pid)
    alone = set(outermost.children(recursive=True))
    copies = [copy_of(zygote, 0)]
    (first,) = set(outermost.children(recursive=True)) - alone
    copies += [copy_of(zygote, number) for number in (1, 2)]
    processes = [copy.spawn() for copy in copies]
    for number, process in enumerate(processes):
        run(process, f"mine = {number}; open('mine', 'w').write('x')")
    assert [printed(process, "mine") for process in processes] == ["0", "1", "2"]
    assert [printed(process, "__import__('os').listdir('.')") for process in processes] == ["['mine']"] * 3
    if os.getuid() == 0 and mode != "none":
        users = [int(printed(process, "__import__('os').getuid()")) for process in processes]
        assert users == [users[0], users[0] + 1, users[0] + 2]
    family = outermost.children(recursive=True)
    handle = os.pidfd_open(first.pid)
    copies[0].close()
    # It has ended, although the others were forked while its socket was open.
    assert select.select([handle], [], [], PATIENT)[0]
    os.close(handle)
    assert printed(processes[1], "mine") == "1"
    zygote.close()
    assert psutil.wait_procs(family, timeout=PATIENT)[1] == []
    assert list(tmp_path.iterdir()) == []
    for copy, process in zip(copies, processes, strict=True):
        with pytest.raises(GraderError):
            process.end()
        copy.close()
