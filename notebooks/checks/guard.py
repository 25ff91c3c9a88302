"""A process that ends when the one that wanted it does, however that ends.

`run` starts a module of this package; the module gets what it needs, and tells what it finds, through `attach`. Between
the two stands a watcher, which is this file run as a program. It waits for the end of the pipe that `run` holds, and
that ends with whoever holds it: a kill leaves no time to tidy up. Then it ends the module's process and all that it has
started. A thread beside a student's code could not do that: code in C may let no other thread run.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO

AT_MOST = 20.0  # seconds that ending a process may take


@dataclass(frozen=True)
class Ran:
    """The lines that a process told, and whether it came to an end by itself."""

    lines: tuple[str, ...]
    ended: bool


def run(
    module: str, given: object, *, folder: Path, environment: Mapping[str, str], seconds: float, grace: float = 0.0
) -> Ran:
    """Run a module in a process of its own until it ends, or for so many seconds; an OSError if there can be none.

    It gets `given`, which has to be JSON. If it is ended, it has `grace` seconds to tidy up. Nothing that it or its own
    processes do reaches the keyboard or the screen.
    """
    command = [sys.executable, "-P", "-S", __file__, str(grace), sys.executable, "-m", module]
    nowhere = subprocess.DEVNULL
    watcher = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=nowhere, **_apart()
    )
    assert watcher.stdin is not None and watcher.stdout is not None
    lines: list[bytes] = []
    reader = threading.Thread(target=lines.extend, args=(watcher.stdout,), daemon=True)
    ended = True
    try:
        reader.start()
        with contextlib.suppress(OSError):  # it is gone, and that shows below
            watcher.stdin.write(json.dumps(given).encode() + b"\n")
            watcher.stdin.flush()
        watcher.wait(seconds)
    except subprocess.TimeoutExpired:
        ended = False
    finally:
        with contextlib.suppress(OSError):
            watcher.stdin.close()
        _await(watcher, grace + AT_MOST)
        reader.join(AT_MOST)
    return Ran(tuple(line.decode("utf-8", "replace") for line in lines), ended)


def attach() -> tuple[Any, TextIO]:
    """What `run` gave to this process, and where to write what it finds. What it prints or asks goes nowhere."""
    lifeline, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    source = os.fdopen(lifeline, "rb")
    if not _is_killed_with_the_watcher():
        threading.Thread(target=_end_with, args=(source, given := source.readline()), daemon=True).start()
    else:
        given = source.readline()
    _OPEN.append(source)
    return json.loads(given), os.fdopen(answers, "w", encoding="utf-8")


_OPEN: list[BinaryIO] = []  # a pipe is closed with the last who knows it


def _is_killed_with_the_watcher() -> bool:
    """Whether the kernel sees to it that this process does not outlive its parent: Linux can be asked to."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0) == 0)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        return False


def _end_with(source: BinaryIO, given: bytes) -> None:
    source.read()
    os._exit(1)


def _apart() -> dict[str, Any]:
    """How the watcher is started: out of reach of an interrupt, which is for whoever started it to deal with."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _await(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# --- The watcher ------------------------------------------------------------------------------------------------------


def _watch(grace: float, command: Sequence[str]) -> None:
    given = sys.stdin.buffer.readline()
    if not given.endswith(b"\n"):
        return  # who wanted it is gone
    apart: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, **apart)
    threading.Thread(target=_hand_over, args=(process, given), daemon=True).start()
    threading.Thread(target=_leave_after, args=(process,), daemon=True).start()
    sys.stdin.buffer.read()  # until the other end is closed, or gone
    if grace:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    _end(process)
    os._exit(0)


def _hand_over(process: subprocess.Popen[bytes], given: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(given)
        process.stdin.flush()


def _leave_after(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    _end(process)
    os._exit(0)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and, where they form a group, those that it has started."""
    with contextlib.suppress(OSError):
        process.kill() if sys.platform == "win32" else os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    _watch(float(sys.argv[1]), sys.argv[2:])
