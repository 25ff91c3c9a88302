"""The grader's handle on contained processes: start a zygote, get a process from it, talk to it, end it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import select
import signal
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from autograder.course.errors import GraderError, IsolationError, MachineError, WireError
from autograder.course.limits import Limits
from autograder.sandbox import kernel, machine, scratch, seccomp, temporary, wire

MODES = ("strong", "portable", "none")
_START_SECONDS = 120.0
LAST_WORDS_SECONDS = 1.0
_SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/lib32", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]
_PACKAGE = Path(__file__).resolve().parents[1]
_FIRST_STUDENT_UID = 64_000
_ROOM = 1 << 20  # bytes for what a zygote itself writes


class ProcessGone(Exception):
    """The student's process ended, or had to be ended; `reason` is one of the words below.

    `from_outside` says that neither the student's code nor a limit of ours did it, but the kernel of a machine without
    memory, or a person: this is no evidence about the code.
    """

    def __init__(self, reason: str, text: str, *, from_outside: bool = False) -> None:
        super().__init__(text)
        self.reason, self.from_outside = reason, from_outside


TIMED_OUT, CRASHED, OUT_OF_MEMORY, DISK_FULL = "timed out", "crashed", "out of memory", "disk full"


class Spawner:
    """What forks student processes at the other end of a control socket: a zygote, or a copy of one."""

    def __init__(self, control: socket.socket, mode: str, *, limits: Limits, figures: bool) -> None:
        self.mode, self.limits, self.figures = mode, limits, figures
        self._control = control
        self._control.settimeout(_START_SECONDS)
        self._memory_kills = machine.memory_kills()
        try:
            answer = self._receive()[0]
        except GraderError:
            self.close()
            raise
        if "error" in answer:
            self.close()
            kind = MachineError if answer.get("passing") else IsolationError
            raise kind(f"{mode} isolation cannot be set up here: {answer['error']}")

    def spawn(self) -> Process:
        """A fresh student process."""
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self._control, [b'{"spawn": true}'], [theirs.fileno()])
        except OSError as error:
            ours.close()
            raise MachineError(f"the sandbox process is gone: {error}") from None
        finally:
            theirs.close()
        try:
            answer, descriptors = self._receive()
        except GraderError:
            ours.close()
            raise
        if "error" in answer:
            ours.close()
            raise MachineError(f"no student process could be started: {answer['error']}")
        return Process(self, ours, answer["pid"], descriptors[0], answer["scratch"])

    def reap(self, pid: int) -> dict[str, Any]:
        """End a student process for good and tell what it used."""
        try:
            self._control.send(json.dumps({"reap": pid}).encode())
        except OSError as error:
            raise MachineError(f"the sandbox process is gone: {error}") from None
        return self._receive()[0]

    def lacked_memory(self) -> bool:
        """Whether the kernel has ended any process for want of memory since this was asked last."""
        before, self._memory_kills = self._memory_kills, machine.memory_kills()
        return self._memory_kills > before

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            packet, descriptors, _, _ = socket.recv_fds(self._control, 4096, 1)
        except OSError as error:
            raise MachineError(f"the sandbox process does not answer: {error}") from None
        if not packet:
            raise MachineError("the sandbox process ended unexpectedly")
        return json.loads(packet), descriptors

    def close(self) -> None:
        """Let it end, and everything that it started."""
        self._control.close()


class Zygote(Spawner):
    """A warm interpreter in a sandbox of the given mode, from which student processes are forked, and copies."""

    def __init__(
        self,
        mode: str,
        *,
        checks: Path,
        data: Path,
        limits: Limits,
        allowed: Sequence[str] = (),
        figures: bool = False,
        number: int = 0,
    ) -> None:
        """Packages that are `allowed` can be imported although the course does without them."""
        self.reason = ""
        """Why it is not in a stronger mode, where that was wanted."""
        if mode not in MODES:
            raise IsolationError(f"there is no isolation called {mode!r}; choose one of {', '.join(MODES)}")
        if mode != "none" and not (sys.platform == "linux" and seccomp.supported()):
            raise IsolationError(f"{mode} isolation needs Linux on x86-64 or 64-bit ARM")
        if room := lack_of_room(mode, limits):
            raise MachineError(room)
        self._folder = temporary.name("sandbox")  # the zygote makes it
        user, capability = student_user(mode, number, [checks, data])
        ours, theirs = control_sockets()
        settings = {
            "mode": mode,
            "readable": readable_paths(checks, data, portable=mode == "portable"),
            "hidden": [str(_PACKAGE)],
            "number": number,
            "student_uid": user,
            "kept_capability": capability,
            "checks": str(checks.parent),
            "folder": self._folder,
            "figures": figures,
            "allowed": list(allowed),
            "limits": dataclasses.asdict(limits),
        }
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-s",
                "-P",
                "-B",
                "-m",
                "autograder.sandbox.zygote",
                str(theirs.fileno()),
                json.dumps(settings),
            ],
            pass_fds=[theirs.fileno()],
            env=_environment(checks.parent, self._folder),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("AUTOGRADER_DEBUG") else subprocess.DEVNULL,
            start_new_session=True,  # what ends the grader and its group leaves the zygote the time to tidy up
        )
        theirs.close()
        self._forking = threading.Lock()
        super().__init__(ours, mode, limits=limits, figures=figures)

    def fork(self, control: socket.socket, number: int) -> None:
        """Let a copy of this zygote serve a control socket; student code gets the number's user and processor there."""
        with self._forking:  # several threads may want one
            try:
                socket.send_fds(self._control, [json.dumps({"fork": number}).encode()], [control.fileno()])
            except OSError as error:
                raise MachineError(f"the sandbox process is gone: {error}") from None
            answer = self._receive()[0]
        if "error" in answer:
            raise MachineError(f"the sandbox process could not be copied: {answer['error']}")

    @property
    def folder(self) -> Path:
        """The zygote's own folder: student code cannot look into it, and it is gone when the zygote is."""
        return Path(self._folder)

    @property
    def pid(self) -> int:
        """The process id of the zygote's outermost process."""
        return self._process.pid

    def close(self) -> None:
        """End the zygote and everything that it started."""
        super().close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        scratch.remove(self._folder)


class Process:
    """One student process: send a request, get a reply or learn why there is none."""

    def __init__(self, zygote: Spawner, channel: socket.socket, pid: int, handle: int, folder: str) -> None:
        self._zygote, self._channel, self._pid, self._handle = zygote, channel, pid, handle
        self._folder = folder if zygote.mode != "strong" else None  # a private file system has a size of its own
        self.usage: dict[str, Any] | None = None

    @property
    def alive(self) -> bool:
        """Whether requests can still be made."""
        return self.usage is None

    def ask(
        self,
        request: dict[str, Any],
        seconds: float,
        call_back: Callable[[dict[str, Any], float], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """The reply to a request; ProcessGone when there is none in time, or not a proper one.

        Until it replies, the process may ask `call_back`, if there is one: it gets the question and the seconds left,
        and raises WireError for what it refuses, TimeoutError when it cannot answer in time or has answered for long
        enough.
        """
        number = secrets.randbelow(2**53)  # not to be guessed: no answer can be sent before its question
        frame = wire.encode({"number": number, **request})
        deadline = time.monotonic() + seconds
        try:
            wire.send(self._channel, frame, deadline)
            reply = self._receive(number, deadline)
            while "stand_in" in reply:
                if call_back is None:
                    raise WireError("it calls back without permission")
                asked = time.monotonic()
                answer = call_back(reply, deadline - asked)
                deadline += 2 * (time.monotonic() - asked)  # not the process's own time, nor is the way there and back
                wire.send(self._channel, wire.encode({"number": number, **answer}), deadline)
                reply = self._receive(number, deadline)
        except TimeoutError:
            self.end()
            raise ProcessGone(TIMED_OUT, f"no answer within {seconds:g} seconds of wall time") from None
        except WireError as error:
            self.end()
            raise ProcessGone(CRASHED, f"the reply cannot be read: {error}") from None
        except (EOFError, OSError):
            raise self._explain_end() from None
        return reply

    def _receive(self, number: int, deadline: float) -> dict[str, Any]:
        limits = self._zygote.limits
        message = wire.receive(
            self._channel, limit=limits.reply_bytes, nesting=limits.nesting, deadline=deadline, tick=self._watch_disk
        )
        self._watch_disk()
        repeated = message.get("number") if type(message) is dict else None
        if type(repeated) is not int or repeated != number:  # an array would answer the comparison with an array
            self.end()
            raise ProcessGone(CRASHED, "a reply came that answers no question")
        reply: dict[str, Any] = message
        return reply

    def end(self) -> dict[str, Any]:
        """Kill the process, clean up after it, and tell what it used."""
        if self.usage is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            self._channel.close()
            os.close(self._handle)
            self.usage = {}
            self.usage = self._zygote.reap(self._pid)
        return self.usage

    def _explain_end(self) -> ProcessGone:
        ending = select.poll()
        ending.register(self._handle, select.POLLIN)
        # It has hung up and is about to end: its own exit code says more than our signal.
        ending.poll(1000 * LAST_WORDS_SECONDS)
        usage = self.end()
        if not usage["contained"]:
            raise MachineError("a student process could not be contained: it ended before it ran anything")
        status, most = usage["status"], self._zygote.limits.cpu_seconds
        if usage["cpu"] >= most - 1:
            return ProcessGone(TIMED_OUT, f"more than {most} seconds of processor time")
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            said = f"the process was ended by {_signal_name(number)}"
            if number not in seccomp.FROM_OUTSIDE:
                return ProcessGone(CRASHED, said)
            why = ", because the machine was out of memory" if self._zygote.lacked_memory() else ""
            return ProcessGone(CRASHED, f"{said} from outside{why}", from_outside=True)
        if os.WEXITSTATUS(status) == wire.EXIT_OUT_OF_MEMORY:
            return ProcessGone(OUT_OF_MEMORY, f"more than {self._zygote.limits.memory_bytes} bytes of memory")
        return ProcessGone(CRASHED, f"the process ended itself with exit code {os.WEXITSTATUS(status)}")

    def _watch_disk(self) -> None:
        if self._folder is not None and scratch.is_full(self._folder, self._zygote.limits.disk_bytes):
            self.end()
            raise ProcessGone(
                DISK_FULL, f"more than {self._zygote.limits.disk_bytes} bytes of files, or too many files"
            )


def lack_of_room(mode: str, limits: Limits) -> str:
    """What is wrong, and what to do, if a zygote and its students have no room for temporary files; else nothing."""
    # In strong isolation, student code writes to a file system in memory.
    return temporary.lack_of_room(_ROOM + (0 if mode == "strong" else limits.disk_bytes))


def control_sockets() -> tuple[socket.socket, socket.socket]:
    """The grader's end of a control socket, and the one for a zygote or a copy."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"signal {number}"


def student_user(mode: str, number: int, needed: list[Path]) -> tuple[int | None, int]:
    """The user that student code runs as, if not our own, and the capability that it has to keep.

    Root's Python often lies where only root may look. Another user then needs the right to look anywhere; Landlock
    decides all the same what is seen, and a user of its own can neither change nor signal what is root's.
    """
    if os.getuid() != 0 or mode == "none":
        return None, 0
    user = _FIRST_STUDENT_UID + number
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(tempfile.gettempdir()), *needed]
    if mode == "strong" or all(map(_readable_by_anyone, needed)):
        return user, 0
    for capability in (kernel.CAP_DAC_READ_SEARCH, kernel.CAP_DAC_OVERRIDE):
        if kernel.permitted_capabilities() & capability:
            return user, capability
    return None, 0


def needed_paths(checks: Path, data: Path) -> list[str]:
    """What a student process reads beside the system: Python, its packages, the visible checks, the data."""
    prefixes = {sys.prefix, sys.base_prefix, *site.getsitepackages(), sysconfig.get_path("stdlib")}
    python = sorted({str(Path(prefix)) for prefix in prefixes} | {str(Path(prefix).resolve()) for prefix in prefixes})
    python = [path for path in python if path not in _SYSTEM and not _inside_any(path, _SYSTEM)]
    return [*python, str(checks.resolve()), str(data.resolve())]


def readable_paths(checks: Path, data: Path, *, portable: bool) -> list[str]:
    """What a student process may read: the system's libraries, Python, its packages, the visible checks, the data.

    The package that holds the hidden suites is left out; where a rule can only add and never hide (Landlock),
    the folder around it is replaced by its other entries.
    """
    paths = [*_SYSTEM, *needed_paths(checks, data)]
    matplotlibrc = checks.parent / "matplotlibrc"
    if matplotlibrc.exists():
        paths.append(str(matplotlibrc.resolve()))
    paths = [path for path in dict.fromkeys(paths) if os.path.exists(path)]
    outermost = [
        path for path in paths if not any(path != other and Path(other) in Path(path).parents for other in paths)
    ]
    if not portable:
        return outermost
    return [kept for path in outermost for kept in _without(Path(path), _PACKAGE)]


def _without(path: Path, secret: Path) -> list[str]:
    if path == secret:
        return []
    if path not in secret.parents:
        return [str(path)]
    return [kept for entry in path.iterdir() for kept in _without(entry, secret)]


def _inside_any(path: str, folders: list[str]) -> bool:
    return any(Path(folder) in Path(path).parents for folder in folders)


def _readable_by_anyone(path: Path) -> bool:
    path = path.resolve()
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def _font_cache() -> str | None:
    """This user's folder for matplotlib's list of fonts, which takes long to make; None without a home.

    Only zygotes write there, before they fork: student code gets another folder, and cannot reach this one.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "autograder", "matplotlib")
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return str(cache) if os.access(cache, os.W_OK) else None


def _environment(notebooks: Path, folder: str) -> dict[str, str]:
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {
        **threads,
        "MALLOC_ARENA_MAX": "1",  # an arena per thread would use up the address space that a student may have
        "PATH": "/usr/bin:/bin",
        "HOME": folder,
        "MPLCONFIGDIR": _font_cache() or folder,
        "IPYTHONDIR": folder,
        "MPLBACKEND": "Agg",
        "PYTHONPATH": str(_PACKAGE.parent),
        "PYTHONHASHSEED": "0",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    if (notebooks / "matplotlibrc").exists():
        environment["MATPLOTLIBRC"] = str(notebooks / "matplotlibrc")
    if "AUTOGRADER_DEBUG" in os.environ:
        environment["AUTOGRADER_DEBUG"] = "1"
    return environment
