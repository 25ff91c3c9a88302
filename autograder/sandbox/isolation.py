"""Which isolation this machine offers, found out by trying, and proven by a process that tries to break out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import GraderError, IsolationError
from autograder.course.limits import Limits
from autograder.sandbox import permissions
from autograder.sandbox.process import ProcessGone, Zygote, needed_paths, student_user

AUTO = "auto"

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

    @property
    def usable(self) -> bool:
        """Whether untrusted code may run under it."""
        return not self.problem


def choose(wanted: str, *, checks: Path, data: Path, suites: Path, hidden: Sequence[Path] = ()) -> str:
    """The isolation to use: the one that is wanted, or the strongest that holds; IsolationError when there is none.

    `hidden` are further files and folders that student code must not see.
    """
    if wanted == "none":
        return wanted
    zygote = start(wanted, checks=checks, data=data, suites=suites, hidden=hidden, limits=Limits())
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
) -> Zygote:
    """A zygote with the isolation that `choose` would name: what was tried is what student code gets."""
    if wanted == "none":
        return Zygote(wanted, checks=checks, data=data, limits=limits, allowed=allowed, figures=figures)
    places = {"checks": checks, "data": data, "suites": suites}
    problems = []
    for mode in ("strong", "portable") if wanted == AUTO else (wanted,):
        try:
            return proven(mode, **places, hidden=hidden, limits=limits, allowed=allowed, figures=figures)
        except (GraderError, ProcessGone) as error:
            problems.append(f"  {mode}: {error}")
            if remedy := _let_read(mode, checks, data):
                problems.append(f"    {remedy}")
    raise IsolationError(
        "This machine cannot contain untrusted code as asked:\n" + "\n".join(problems) + "\n"
        "`autograder doctor` says what to do. `--isolation none` grades without protection, and marks every result."
    )


def attempt(mode: str, *, checks: Path, data: Path, suites: Path, hidden: Sequence[Path] = ()) -> Trial:
    """What comes out of trying one kind of isolation, which is then given up again."""
    try:
        proven(mode, checks=checks, data=data, suites=suites, hidden=hidden, limits=Limits()).close()
    except (GraderError, ProcessGone) as error:
        return Trial(mode, str(error), _let_read(mode, checks, data))
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
        secret.write_text("not for students")
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
