"""Hand-ins that are disturbed: at chosen moments, by a hook in their process, and what they leave."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import psutil

ROOT = Path(__file__).resolve().parents[2]
STEM, OTHER = "01_bayes_rule", "00_start_here"
PATIENT = 120.0  # seconds until a test gives up
MARK = "DISTURBED_HAND_IN"  # in the environment of all processes of one hand-in
SETUP = f'import numpy as np\nimport checks\n\ncheck = checks.start("{STEM}")'
ANSWER = (
    "def bayes_binary(p_a, hit, alarm):\n    p_a = np.asarray(p_a)\n"
    "    return hit * p_a / (hit * p_a + alarm * (1 - p_a))"
)

# Every step that is taken in the folder, and every process that is started, is a moment; Python tells its audit hooks.
HOOK = """
import errno, os, signal, sys
PLACE, AT, DO, LOG = {place!r}, {at!r}, {do!r}, {log!r}
_EVENTS = {{"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir"}}
_seen = [0]

def _look(event, args):
    named = [os.fsdecode(one) for one in args if isinstance(one, (str, bytes, os.PathLike))]
    if (event in _EVENTS and any(PLACE in one for one in named)) or event in ("fsync", "subprocess.Popen"):
        _seen[0] += 1
        moment = _seen[0]
        if AT == 0:
            with open(LOG, "a") as log:
                making = event != "open" or not (isinstance(args[1], str) and "r" in args[1])
                print(event if making else "read", file=log)
        if moment == AT:
            if DO == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if DO == "interrupt":
                raise KeyboardInterrupt
            raise OSError(getattr(errno, DO), os.strerror(getattr(errno, DO)))

_fsync = os.fsync
def _look_and_sync(handle):
    _look("fsync", ())
    _fsync(handle)
os.fsync = _look_and_sync
sys.addaudithook(_look)
"""
START = "\nimport sys\nfrom checks.__main__ import main\nsys.exit(main(sys.argv[1:]))\n"


@dataclass(frozen=True)
class Done:
    """What a hand-in said, and its exit code."""

    code: int
    words: str


@dataclass
class Desk:
    """A student's folder of notebooks: work is handed in from here, and something goes wrong."""

    root: Path
    folder: Path = field(init=False)
    mark: str = field(init=False)

    def __post_init__(self) -> None:
        self.folder, self.mark = self.root / "notebooks", uuid.uuid4().hex
        if not self.folder.exists():
            shutil.copytree(
                ROOT / "notebooks" / "checks", self.folder / "checks", ignore=shutil.ignore_patterns("__pycache__")
            )

    def copy(self, root: Path) -> Desk:
        """Another one, with all that is here by now."""
        shutil.copytree(self.folder, root / "notebooks")
        return Desk(root)

    @property
    def shelf(self) -> Path:
        """Where it is handed in."""
        return self.folder / "hand_in"

    def work(self, *cells: str, stem: str = STEM, note: str = "") -> bytes:
        """The notebook in the folder, with these cells, or an answer; another `note` makes another file."""
        sources = cells or (SETUP, ANSWER)
        made: list[dict[str, Any]] = [
            {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
            for source in sources
        ]
        content = {"cells": made, "metadata": {"course": {"stem": stem}, "note": note}, "nbformat": 4}
        data = json.dumps(content | {"nbformat_minor": 4}).encode()
        (self.folder / f"{stem}.ipynb").write_bytes(data)
        return data

    def start(self, *, stem: str = STEM, first: str = "", **environment: str) -> subprocess.Popen[str]:
        """A hand-in in a process of its own, at the head of a group, that executes `first` before."""
        none = str(self.folder / "none")
        clean = {"JUPYTER_CONFIG_DIR": none, "JUPYTER_CONFIG_PATH": none, "HOME": str(self.root)}
        return subprocess.Popen(
            [sys.executable, "-c", first + START, "hand-in", f"{stem}.ipynb"],
            cwd=self.folder,
            env={**os.environ, **clean, MARK: self.mark, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def hand_in(self, *, stem: str = STEM, first: str = "", **environment: str) -> Done:
        """Hand in, and wait for the end of it."""
        return finished(self.start(stem=stem, first=first, **environment))

    def hook(self, at: int, do: str = "", log: Path | None = None) -> str:
        """What to execute first, for something to happen at a moment; at 0, moments are written into the log."""
        return HOOK.format(place=f"{os.sep}hand_in", at=at, do=do, log=str(log))

    def is_whole(self, data: bytes | None) -> bool:
        """Whether the file is handed in together with its receipt; with None, whether neither is there."""
        copy, receipt = self.shelf / f"{STEM}.ipynb", self.shelf / f"{STEM}.receipt.json"
        if data is None:
            return not copy.exists() and not receipt.exists()
        with contextlib.suppress(FileNotFoundError):
            sha256 = hashlib.sha256(data).hexdigest()
            return copy.read_bytes() == data and json.loads(receipt.read_text())["sha256"] == sha256
        return False

    def left(self) -> list[str]:
        """What is there beside the notebooks, the checks, copies and receipts; and processes that are still running."""
        kept = {f"{stem}{end}" for stem in (STEM, OTHER) for end in (".ipynb", ".receipt.json")}
        files = [path.name for path in self.folder.iterdir() if path.name not in {*kept, "checks", "hand_in"}]
        if self.shelf.exists():
            inside = [path.name for path in self.shelf.iterdir()]
            files += [name for name in inside if name not in kept] if inside else ["an empty folder"]
        return files + [str(process) for process in self.running()]

    def running(self) -> list[psutil.Process]:
        """The processes of hand-ins from here that have not ended when they have been waited for."""
        found = [process for process in psutil.process_iter() if self._is_of_here(process)]
        return list(psutil.wait_procs(found, timeout=PATIENT)[1]) if found else []

    def _is_of_here(self, process: psutil.Process) -> bool:
        try:
            return bool(process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE)
        except psutil.Error:
            return False


def finished(process: subprocess.Popen[str]) -> Done:
    """What a hand-in came to."""
    out, _ = process.communicate(timeout=PATIENT)
    return Done(process.returncode, " ".join(out.split()))


@contextlib.contextmanager
def reached(desk: Desk) -> Iterator[tuple[str, BinaryIO]]:
    """A line of code that says it has been reached, and the pipe that ends with all who have executed it."""
    pipe = desk.root / "reached"
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as end:
        yield f"import os\n_reached = os.open({str(pipe)!r}, os.O_WRONLY)\nos.write(_reached, b'!')", end


def wait_for(pipe: BinaryIO, expected: bytes) -> bool:
    """Whether the next that comes through the pipe is this; b"" is its end."""
    ready, _, _ = select.select([pipe], [], [], PATIENT)
    return bool(ready) and pipe.read(1) == expected


def in_a_small_place(script: str, *arguments: str) -> Any:
    """What a program prints as JSON that may mount file systems which nobody else sees; None where that is refused."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        return None
    command: Sequence[str] = ["unshare", "-m", sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENT, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
