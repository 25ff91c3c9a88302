"""Machines that fail: classes whose processes are ended at chosen moments, and commands whose effects are counted.

A moment is chosen by a hook, not by a clock: the copy of the course that is graded has, at the end of its hidden suite,
code that looks at every question on its way to a student's process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sample_class import STEM, Work, copy_course, hand_in, source_of
from whole_class import EXERCISES

from autograder.course import Course
from autograder.sandbox import kernel

Count = Callable[
    ..., None
]  # takes a kind, how many were injected, and how many were `wrong`, `silent` or `left` something
PATIENT = 900.0  # seconds until a test gives up on a command


@dataclass(frozen=True)
class Kill:
    """Who is ended, and when: before the `number`-th question of a kind to a process, so many `times`."""

    question: str
    number: int = 1
    times: int = 1
    victim: str = "student"
    """The process that is asked; all `sandbox` processes of the run; or the grading process, the `worker`."""
    signal: int = signal.SIGKILL


HOOK = '''

import json as _json
import os as _os
import re as _re
import signal as _signal
from collections import Counter as _Counter
from contextlib import suppress as _suppress
from pathlib import Path as _Path

import psutil as _psutil

from autograder.sandbox.process import Process as _Process

_FOLDER = _Path({folder!r})
_ask, _who, _asked = _Process.ask, [""], _Counter()


def _is_to_be_killed(question):
    """Whether it is the moment, and there have been fewer than were wanted, whichever process of the run counts."""
    plan = _json.loads((_FOLDER / "plan.json").read_text()).get(_who[0])
    if plan is None or (question, _asked[question]) != (plan["question"], plan["number"]):
        return None
    for number in range(plan["times"]):
        try:
            (_FOLDER / f"{{_who[0]}}-{{number}}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return plan
    return None


def _disturbed(process, request, *rest):
    found = _re.search(r"WHO = '([^']*)'", request.get("source", ""))
    if found:
        _who[0] = found[1]
        _asked.clear()
    _asked[request["do"]] += 1
    plan = _is_to_be_killed(request["do"])
    if plan is not None and plan["victim"] == "worker":
        _os.kill(_os.getpid(), plan["signal"])
        _signal.pause()
    elif plan is not None and plan["victim"] == "sandbox":
        for one in _psutil.Process().parent().children(recursive=True):
            with _suppress(_psutil.Error):  # it has ended in the meantime
                if "autograder.sandbox.zygote" in one.cmdline():
                    one.send_signal(plan["signal"])
    elif plan is not None:
        _signal.pidfd_send_signal(process._handle, plan["signal"])
    return _ask(process, request, *rest)


_Process.ask = _disturbed
'''

WRONG = "def posterior(prior, likelihood):\n    return np.asarray(likelihood) / np.sum(likelihood)"
USES_IT = """
def sequential_posterior(prior, likelihoods):
    rows = [posterior(prior, [1.0 for _ in prior])]
    for likelihood in likelihoods:
        rows.append(posterior(rows[-1], likelihood))
    return np.array(rows)
"""
# Who is right; who is asked probes, and followed through with the reference, because one mistake spoils two exercises.
KINDS = {
    "right": dict.fromkeys(EXERCISES),
    "wrong": {**dict.fromkeys(EXERCISES), "posterior": WRONG, "sequential_posterior": USES_IT},
}
QUESTIONS = {"right": ("cell", "call"), "wrong": ("cell", "call", "probes", "refer")}


@dataclass(frozen=True)
class Done:
    """What a command did: its exit code, its words, and what it left in the folder for temporary files."""

    code: int
    out: str
    err: str
    left: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All that it said, in one line."""
        return " ".join(f"{self.out} {self.err}".split())


@dataclass
class FaultyClass:
    """A class, the copy of the course that it is graded with, and the plan of what is to go wrong."""

    root: Path
    course: Course = field(init=False)

    def __post_init__(self) -> None:
        self.course = copy_course(self.root / "course")
        (self.root / "hook").mkdir()
        (self.root / "temporary").mkdir()
        with self.course.suite(STEM).open("a") as suite:
            suite.write(HOOK.format(folder=str(self.root / "hook")))
        self.plan({})

    def plan(self, kills: Mapping[str, Kill]) -> None:
        """From now on, this happens to these students."""
        for flag in (self.root / "hook").iterdir():
            flag.unlink()
        (self.root / "hook" / "plan.json").write_text(json.dumps({who: asdict(kill) for who, kill in kills.items()}))

    def kills(self) -> int:
        """How many kills of the plan were carried out."""
        return len(list((self.root / "hook").iterdir())) - 1

    def hand_in(self, students: Iterable[str], name: str = "in") -> Path:
        """The folder of this name in which they have handed in; the first word of a student's name is a kind."""
        place = self.root / name
        for student in students:
            some = Work(KINDS[student.partition("-")[0]], {}).notebook(source_of(self.course))
            setup = next(cell for cell in some.cells if cell.id == "setup")
            setup.source = f"WHO = {student!r}\n{setup.source}"
            hand_in(place, student, some)
        return place

    def run(self, *arguments: str | Path, first: str = "", **environment: str) -> Done:
        """Run the command as people do, in a process of its own that executes `first` before."""
        return run(self.course, *arguments, temporary=self.root / "temporary", first=first, **environment)


START = """
import sys
from pathlib import Path
from autograder.cli import command
from autograder.course import Course
sys.exit(command.main(sys.argv[2:], Course(Path(sys.argv[1]))))
"""


def run(course: Course, *arguments: str | Path, temporary: Path, first: str = "", **environment: str) -> Done:
    """Run a command about a course as people do, with a folder for temporary files that is looked at afterwards."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", first + START, str(course.root), *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(temporary), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENT,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, tuple(sorted(one.name for one in temporary.iterdir())))


def marks(out: Path) -> dict[str, dict[str, Any]]:
    """The result documents of a folder, by student, without what was said of the machine."""
    found = {path.parent.name: json.loads(path.read_text()) for path in sorted((out / "results").glob("*/*.json"))}
    for document in found.values():
        document.pop("pressure")
    return found


# What a command executes first, to be killed at a stage: when it is about to call this, it is gone.
KILLED_AT = """
import importlib, os, signal
_module, _, _names = {stage!r}.partition(":")
_owner = importlib.import_module(_module)
*_path, _last = _names.split(".")
for _name in _path:
    _owner = getattr(_owner, _name)
setattr(_owner, _last, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
"""


def killed_at(stage: str) -> str:
    """What kills a command as it is about to call a function, such as `package.module:Class.method`."""
    return KILLED_AT.format(stage=stage)


@contextmanager
def tiny_disk(place: Path, options: str) -> Iterator[Path]:
    """A file system of its own, which only root can make."""
    if os.getuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can make a file system that is full")
    place.mkdir()
    try:
        kernel.mount("tmpfs", str(place), "tmpfs", kernel.MS_NOSUID, options)
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    try:
        yield place
    finally:
        kernel.unmount(str(place))
