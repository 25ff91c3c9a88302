"""Which isolation this machine offers, found out by trying, and proven by a process that tries to break out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.errors import GraderError, IsolationError, MachineError
from autograder.course.limits import Limits
from autograder.sandbox import permissions, temporary
from autograder.sandbox.process import ProcessGone, Zygote, lack_of_room, needed_paths, student_user

AUTO = "auto"
PAUSES = (0.5, 2.0)
"""Seconds before each further try, where a machine ended or refused what it may allow a moment later."""

_READ_FOLDER = "import pathlib; [path.open('rb').read(1) for path in pathlib.Path({}).iterdir() if path.is_file()]"

# Each is a cell that must fail in a sandbox: the words say what it would mean if it did not.
ESCAPES = {
    "reads a file of the grader": "open({secret!r}).read()",
    "lists the hidden suites": "import os; os.listdir({suites!r})",
    "writes outside its own folder": "open({secret!r} + '.new', 'w').close()",
    "changes a file of the grader": (
        "import os; os.chmod({secret!r}, 0o640); assert os.stat({secret!r}).st_mode & 0o777 == 0o640"
    ),
    "opens a network socket": "import socket; socket.socket()",
    "starts another process": "import os; os.fork()",
    "runs a program": "import os; os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "signals the grader": "import os; os.kill(os.getppid() or {grader}, 0)",
    "signals the grader's group": "import os; assert os.getpgrp() != os.getpid(); os.kill(0, 0)",
    "maps memory outside its limit": "import os; os.memfd_create('x')",
}

# Each is a cell that must succeed: an isolation in which honest notebooks fail would cost everyone marks.
NEEDS = {
    "read the visible checks": _READ_FOLDER.format("{checks!r}"),
    "read the data": _READ_FOLDER.format("{data!r}"),
    "import more of the installed packages": "import matplotlib.animation, numpy.testing",
    "write a file in its own folder": "open('x', 'w').write('x')",
}


@dataclass(frozen=True)
class Trial:
    """What came out of trying one kind of isolation: usable, or why not."""

    mode: str
    problem: str = ""
    remedy: str = ""
    """What to do, if files that student code needs cannot be read."""
    by_machine: bool = False
    """Whether the machine ended or refused what it may allow another time."""

    @property
    def usable(self) -> bool:
        """Whether untrusted code may run under it."""
        return not self.problem


def warn(words: str) -> None:
    """Say it on standard error: weaker isolation is never silent, whoever forgets to ask for the words."""
    print(f"autograder: {words}", file=sys.stderr)


def choose(
    wanted: str,
    *,
    checks: Path,
    data: Path,
    suites: Path,
    hidden: Sequence[Path] = (),
    tell: Callable[[str], None] = warn,
) -> str:
    """The isolation to use: the one that is wanted, or the strongest that holds; IsolationError when there is none.

    `hidden` are further files and folders that student code must not see. `tell` is told, if it is to be weaker, why.
    """
    if wanted == "none":
        return wanted
    zygote = start(wanted, checks=checks, data=data, suites=suites, hidden=hidden, limits=Limits(), tell=tell)
    zygote.close()
    return zygote.mode


def start(
    wanted: str,
    *,
    checks: Path,
    data: Path,
    suites: Path,
    hidden: Sequence[Path] = (),
    limits: Limits,
    allowed: Sequence[str] = (),
    figures: bool = False,
    tell: Callable[[str], None] = warn,
    pause: Callable[[float], None] = time.sleep,
) -> Zygote:
    """A zygote with the isolation that `choose` would name: what was tried is what student code gets.

    What the machine ends or refuses is tried again, after a `pause`, before a weaker kind is; then the zygote has the
    `reason`, and `tell` is told at once.
    """
    if wanted == "none":
        return Zygote(wanted, checks=checks, data=data, limits=limits, allowed=allowed, figures=figures)
    how = {"checks": checks, "data": data, "suites": suites, "hidden": hidden, "limits": limits}
    temporary.sweep()
    trials: list[Trial] = []
    for mode in ("strong", "portable") if wanted == AUTO else (wanted,):
        try:
            zygote = _proven_at_last(mode, pause, **how, allowed=allowed, figures=figures)
        except (GraderError, ProcessGone) as error:
            trials.append(_failed(mode, error, checks, data))
        else:
            zygote.reason = "; ".join(f"{trial.mode} is not possible: {trial.problem}" for trial in trials)
            if zygote.reason:
                tell(remark(mode, zygote.reason))
            return zygote
    raise _refusal(trials)


def remark(mode: str, reason: str) -> str:
    """What whoever grades is to know when student code gets a weaker isolation than it could."""
    return (
        f"student code gets {mode} isolation; {reason}. It may read and write no more than otherwise, but shares more "
        "with the rest of the machine: docs/security.md says what. Every result of this run has the reason. When a "
        "stronger kind is possible again, which `autograder doctor` tells, the same command grades them again."
    )


def _failed(mode: str, error: Exception, checks: Path, data: Path) -> Trial:
    by_machine = isinstance(error, MachineError | ProcessGone)
    return Trial(mode, str(error), "" if by_machine else _let_read(mode, checks, data), by_machine)


def _refusal(trials: Sequence[Trial]) -> GraderError:
    """The error to raise when no kind of isolation was possible: nothing is ever graded without."""
    lines = [f"  {trial.mode}: {trial.problem}" + (f"\n    {trial.remedy}" if trial.remedy else "") for trial in trials]
    if any(trial.by_machine for trial in trials):
        what = "The machine fails to start the processes that contain untrusted code"
        return MachineError(f"{what}:\n" + "\n".join(lines) + f"\nNothing was graded. {ROOM}")
    what = "This machine cannot contain untrusted code as asked"
    return IsolationError(f"{what}:\n" + "\n".join(lines) + "\n`autograder doctor` says what to do.")


ROOM = (
    "Make room where there is none, or end what needs much memory or many processes; then run the same command again."
)
"""What to do about a machine that refuses what it may allow another time."""


def _proven_at_last(mode: str, pause: Callable[[float], None], **how: Any) -> Zygote:
    """What `proven` returns, if not at the first try; an IsolationError is this machine's last word."""
    for seconds in PAUSES:
        try:
            return proven(mode, **how)
        except (MachineError, ProcessGone):
            if lack_of_room(mode, how["limits"]):
                raise
        pause(seconds)
    try:
        return proven(mode, **how)
    except (MachineError, ProcessGone) as error:
        raise MachineError(f"{error} ({len(PAUSES) + 1} times)") from None


def attempt(
    mode: str,
    *,
    checks: Path,
    data: Path,
    suites: Path,
    hidden: Sequence[Path] = (),
    pause: Callable[[float], None] = time.sleep,
) -> Trial:
    """What comes out of trying one kind of isolation as `start` does; it is then given up again."""
    how = {"checks": checks, "data": data, "suites": suites, "hidden": hidden, "limits": Limits()}
    try:
        _proven_at_last(mode, pause, **how).close()
    except (GraderError, ProcessGone) as error:
        return _failed(mode, error, checks, data)
    return Trial(mode)


def proven(
    mode: str,
    *,
    checks: Path,
    data: Path,
    suites: Path,
    hidden: Sequence[Path] = (),
    limits: Limits,
    allowed: Sequence[str] = (),
    figures: bool = False,
) -> Zygote:
    """A zygote from which a process has tried every escape in vain, and can do what honest notebooks need."""
    zygote = Zygote(mode, checks=checks, data=data, limits=limits, allowed=allowed, figures=figures)
    try:
        secret = zygote.folder / "secret.txt"  # wherever this ends, the zygote takes it along
        try:
            secret.write_text("not for students")
        except OSError as error:
            raise MachineError(f"a file could not be written: {error}") from None
        words = {
            "secret": str(secret),
            "suites": str(suites),
            "grader": zygote.pid,
            "checks": str(checks),
            "data": str(data),
        }
        escapes = {meaning: attack.format(**words) for meaning, attack in ESCAPES.items()}
        escapes |= {f"reads {path}": _look_at(path.resolve()) for path in hidden if path.exists()}
        escaped = [meaning for meaning, error in _try(zygote, escapes) if not error]
        if escaped:
            raise IsolationError(f"it does not hold: a student's process {', '.join(escaped)}")
        needs = {meaning: need.format(**words) for meaning, need in NEEDS.items()}
        needs |= {f"import {name}, which is allowed": f"import {name}" for name in allowed}
        lacking = [f"{meaning} ({error})" for meaning, error in _try(zygote, needs) if error]
        if lacking:
            raise IsolationError(f"it is too tight: a student's process cannot {', '.join(lacking)}")
        secret.unlink()
    except BaseException:
        zygote.close()
        raise
    return zygote


def _let_read(mode: str, checks: Path, data: Path) -> str:
    """How to let student code read what it needs; nothing where no file's permissions are in the way."""
    user, capability = student_user(mode, 0, [checks, data])
    if capability:
        return ""  # it may look anywhere
    for path in needed_paths(checks, data):
        # As root, the folders around are made anew for student code where it has a root of its own.
        on_the_way = None if mode == "strong" and user is not None else permissions.on_the_way(path, user)
        if obstacle := on_the_way or permissions.within(path, user):
            return (
                f"{obstacle}. Let {obstacle.owner} run `{obstacle.command}`, or install Python and the course where "
                "all users can read them, such as in /opt; for yourself alone, in your own home."
            )
    return ""


def _look_at(path: Path) -> str:
    return f"import os; os.listdir({str(path)!r})" if path.is_dir() else f"open({str(path)!r}).read(1)"


def _try(zygote: Zygote, cells: dict[str, str]) -> list[tuple[str, str]]:
    """What each cell means, and the error that it ended with, if any, in one process."""
    process = zygote.spawn()
    outcomes = []
    try:
        for meaning, source in cells.items():
            error = process.ask({"do": "cell", "id": "trial", "source": source}, 30.0).get("error")
            told = error.get("text") if type(error) is dict else error
            outcomes.append((meaning, "" if error is None else str(told or "an error without a text")))
    finally:
        process.end()
    return outcomes
