"""Dask schedulers and workers as real processes, and the submissions that tests grade on them."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
from sample_class import SHORT, hand_in, source_of, work

from autograder.course import Course
from autograder.grading.cluster.status import ClusterStatus
from autograder.grading.grade import Options, Run, grade

EXERCISES = ["bayes_binary", "posterior", "sequential_posterior", "prob", "conditional", "bayes_classifier"]
RIGHT = work(**dict.fromkeys(EXERCISES))
SLOW = work({"posterior": ["import time\ntime.sleep(0.4)"]}, posterior=None)
WRONG = work(posterior="def posterior(prior, likelihood):\n    return likelihood / likelihood.sum()")
ENDS = work({"posterior": ["import os\nos._exit(3)"]}, posterior=None)
# Nothing here loops, and verdicts are compared.
LIMITS = replace(SHORT, cell_seconds=60.0, call_seconds=60.0, submission_seconds=300.0)
PATIENT = 300.0  # seconds until a test gives up on something that should happen at once


class Machine:
    """A process of Dask's, started by its own command; what it logs tells when it is ready."""

    def __init__(self, command: list[str], ready: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.address = ""
        while ready not in (line := self._lines.get(timeout=PATIENT)):
            assert self.process.poll() is None, line
            if "worker at:" in line:
                self.address = line.split()[-1]
        self.address = self.address or line.split()[-1]

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr:
            for line in self.process.stderr:
                self._lines.put(line)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()


class Machines:
    """A scheduler and its workers, with folders of their own, all ended at the end."""

    def __init__(
        self, folder: Path, *before: str, host: str = "127.0.0.1", port: int = 0, security: dict[str, str] | None = None
    ) -> None:
        """`before` is what stands before the options of the scheduler's command."""
        self.folder, self.security, self._host = folder, security or {}, host
        self.workers: list[Machine] = []
        command = [
            *(before or (sys.executable, "-m", "distributed.cli.dask_scheduler")),
            "--host",
            host,
            "--port",
            str(port),
            "--no-dashboard",
        ]
        if security:
            command += ["--protocol", "tls"]
        self.scheduler = Machine(command, "Scheduler at:", self.security)
        self.address = self.scheduler.address

    def add(self, *before: str, host: str | None = None, **environment: str) -> Machine:
        """One more worker; `before` is what stands before its command."""
        local = self.folder / f"worker-{len(self.workers)}"
        local.mkdir(parents=True)
        command = [
            *(before or (sys.executable, "-P", "-m", "distributed.cli.dask_worker")),
            self.address,
            "--nthreads",
            "1",
            "--no-nanny",
        ]
        command += ["--no-dashboard", "--host", host or self._host, "--local-directory", str(local)]
        self.workers.append(Machine(command, "Registered to:", {**self.security, **environment}))
        return self.workers[-1]

    def left_behind(self) -> list[str]:
        """Folders of courses that still lie in the workers' places."""
        return [
            os.path.join(top, name)
            for top, names, _ in os.walk(self.folder)
            for name in names
            if name.startswith("autograder-course-")
        ]

    def processes(self) -> list[psutil.Process]:
        """What the workers have started and not ended."""
        return [
            child for worker in self.workers for child in psutil.Process(worker.process.pid).children(recursive=True)
        ]

    def end(self) -> None:
        for machine in (*self.workers, self.scheduler):
            machine.end()


def eventually(what: Callable[[], object]) -> bool:
    """Whether something comes true; it should at once, but another process has to act."""
    deadline = time.monotonic() + PATIENT
    while not what() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(what())


def certificate(folder: Path) -> dict[str, str]:
    """Dask's settings for TLS with a certificate made for the occasion, as variables of the environment."""
    if shutil.which("openssl") is None:
        return {}
    key, made = folder / "key.pem", folder / "certificate.pem"
    subject = ["-subj", "/CN=autograder", "-days", "2", "-keyout", str(key), "-out", str(made)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject], check=True, capture_output=True
    )
    tls = {"CA_FILE": str(made)}
    for side in ("SCHEDULER", "WORKER", "CLIENT"):
        tls |= {f"{side}__CERT": str(made), f"{side}__KEY": str(key)}
    return {f"DASK_DISTRIBUTED__COMM__TLS__{name}": value for name, value in tls.items()}


def setting(variable: str) -> str:
    """Dask's name for what a variable of the environment sets."""
    return variable.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-")


def small_class(course: Course, folder: Path) -> Path:
    """The folder, in which a class with every kind of outcome has handed in."""
    for student, done in {"ada": RIGHT, "bob": WRONG, "cy": work(), "dee": ENDS, "eve": SLOW}.items():
        hand_in(folder, student, done.notebook(source_of(course)))
    hand_in(folder, "fay", b"{")
    return folder


def run(course: Course, submitted: Path, out: Path, **options: object) -> Run:
    """A run without isolation by one worker, unless options say otherwise."""
    return grade(course, submitted, Options(out, **{"workers": 1, "limits": LIMITS, "isolation": "none", **options}))  # type: ignore[arg-type]


def slow_class(course: Course, folder: Path, size: int) -> Path:
    """The folder, in which so many students have handed in what takes a moment."""
    for number in range(size):
        hand_in(folder, f"student-{number:02}", SLOW.notebook(source_of(course)))
    return folder


class Watch:
    """Remembers what a run said about its workers."""

    def __init__(self) -> None:
        self.last = ClusterStatus(0, 0, 0.0)

    def __call__(self, status: ClusterStatus) -> None:
        self.last = status

    def faults(self, machine: Machine) -> list[str]:
        return [
            words.removeprefix(machine.address).strip()
            for words in self.last.faults
            if words.startswith(f"{machine.address} ")
        ]
