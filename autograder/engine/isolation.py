"""Which isolation this machine offers, found out by trying, and proven by a process that tries to break out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder.engine.limits import Limits
from autograder.engine.sandbox import ProcessGone, Zygote
from autograder.errors import GraderError, IsolationError

AUTO = "auto"

# Each is a cell that must fail in a sandbox: the words say what it would mean if it did not.
ESCAPES = {
    "reads a file of the grader": "open({secret!r}).read()",
    "lists the hidden suites": "import os; os.listdir({suites!r})",
    "writes outside its own folder": "open({secret!r} + '.new', 'w').close()",
    "opens a network socket": "import socket; socket.socket()",
    "starts another process": "import os; os.fork()",
    "runs a program": "import os; os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "signals the grader": "import os; os.kill(os.getppid() or {grader}, 0)",
    "maps memory outside its limit": "import os; os.memfd_create('x')",
}


@dataclass(frozen=True)
class Trial:
    """What came out of trying one kind of isolation: usable, or why not."""

    mode: str
    problem: str = ""

    @property
    def usable(self) -> bool:
        """Whether untrusted code may run under it."""
        return not self.problem


def choose(wanted: str, *, checks: Path, data: Path, suites: Path) -> str:
    """The isolation to use: the one that is wanted, or the strongest that holds; IsolationError when there is none."""
    if wanted == "none":
        return wanted
    problems = []
    for mode in ("strong", "portable") if wanted == AUTO else (wanted,):
        trial = attempt(mode, checks=checks, data=data, suites=suites)
        if trial.usable:
            return mode
        problems.append(f"  {mode}: {trial.problem}")
    raise IsolationError(
        "This machine cannot contain untrusted code as asked:\n" + "\n".join(problems) + "\n"
        "`autograder doctor` says what to do. `--isolation none` grades without protection, and marks every result."
    )


def attempt(mode: str, *, checks: Path, data: Path, suites: Path) -> Trial:
    """Set the isolation up and let a process try every escape."""
    try:
        with _zygote(mode, checks, data) as zygote, tempfile.TemporaryDirectory(prefix="autograder-") as folder:
            secret = Path(folder, "secret.txt")
            secret.write_text("not for students")
            escaped = _escapes(zygote, secret, suites)
    except (GraderError, ProcessGone) as error:
        return Trial(mode, str(error))
    return Trial(mode, f"it does not hold: a student's process {', '.join(escaped)}" if escaped else "")


def _escapes(zygote: Zygote, secret: Path, suites: Path) -> list[str]:
    process = zygote.spawn()
    succeeded = []
    try:
        for meaning, attack in ESCAPES.items():
            source = attack.format(secret=str(secret), suites=str(suites), grader=zygote.pid)
            reply = process.ask({"do": "cell", "id": "escape", "source": source}, 10.0)
            if reply.get("error") is None:
                succeeded.append(meaning)
    finally:
        process.end()
    return succeeded


@contextmanager
def _zygote(mode: str, checks: Path, data: Path) -> Iterator[Zygote]:
    zygote = Zygote(mode, checks=checks, data=data, limits=Limits())
    try:
        yield zygote
    finally:
        zygote.close()
