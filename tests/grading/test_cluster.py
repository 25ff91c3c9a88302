"""Grading on a Dask cluster of real processes: the same bytes as here, nothing lost whoever dies, nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

import psutil  # noqa: E402
from sample_class import REPOSITORY, SHORT, STEM, assert_same, copy_course, documents, hand_in, need, source_of, work  # noqa: E402

from autograder.course import (
    Course,
    notebook,
)
from autograder.course.errors import ClusterError, GraderError, UsageError  # noqa: E402
from autograder.engine.jobs import Job, Settings  # noqa: E402
from autograder.grading.cluster import archive  # noqa: E402
from autograder.grading.cluster.instructor import joined  # noqa: E402
from autograder.grading.cluster.status import ClusterStatus  # noqa: E402
from autograder.grading.grade import Options, Run, grade  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

EXERCISES = ["bayes_binary", "posterior", "sequential_posterior", "prob", "conditional", "bayes_classifier"]
RIGHT = work(**dict.fromkeys(EXERCISES))
SLOW = work({"posterior": ["import time\ntime.sleep(0.4)"]}, posterior=None)
WRONG = work(posterior="def posterior(prior, likelihood):\n    return likelihood / likelihood.sum()")
ENDS = work({"posterior": ["import os\nos._exit(3)"]}, posterior=None)
LIMITS = replace(
    SHORT, cell_seconds=60.0, call_seconds=60.0, submission_seconds=300.0
)  # nothing here loops, and verdicts are compared
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
            if name.startswith("course-")
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


def _as_dask_names(variable: str) -> str:
    return variable.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A cluster of two workers that talk TLS, where there is a program to make a certificate."""
    security = certificate(tmp_path_factory.mktemp("tls"))
    machines = Machines(tmp_path_factory.mktemp("machines"), security=security)
    try:
        machines.add()
        machines.add()
        with dask.config.set({_as_dask_names(name): value for name, value in security.items()}):
            yield machines
    finally:
        machines.end()


@pytest.fixture
def lonely(tmp_path: Path) -> Iterator[Machines]:
    """A scheduler without workers, for a test of its own."""
    machines = Machines(tmp_path / "machines")
    try:
        yield machines
    finally:
        machines.end()


@pytest.fixture
def submitted(course: Course, tmp_path: Path) -> Path:
    for student, done in {"ada": RIGHT, "bob": WRONG, "cy": work(), "dee": ENDS, "eve": SLOW}.items():
        hand_in(tmp_path / "submitted", student, done.notebook(source_of(course)))
    hand_in(tmp_path / "submitted", "fay", b"{")
    return tmp_path / "submitted"


def run(course: Course, submitted: Path, out: Path, **options: object) -> Run:
    return grade(course, submitted, Options(out, **{"workers": 1, "limits": LIMITS, "isolation": "none", **options}))  # type: ignore[arg-type]


def slow_class(course: Course, folder: Path, size: int) -> Path:
    for number in range(size):
        hand_in(folder, f"student-{number:02}", SLOW.notebook(source_of(course)))
    return folder


@pytest.fixture(scope="module", autouse=True)
def _busy_machine() -> Iterator[None]:
    """A worker may need long to get ready beside other tests."""
    with dask.config.set({"autograder.wait-seconds": PATIENT}):
        yield


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


# --- The same as here -------------------------------------------------------------------------------------------------


def test_a_cluster_writes_the_same_bytes_as_this_machine_and_keeps_nothing(
    course: Course, machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    here, there, watch = tmp_path / "here", tmp_path / "there", Watch()
    run(course, submitted, here, full=True)
    done = run(course, submitted, there, full=True, executor="dask", scheduler=machines.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert len(done.results) == 6 and watch.last.faults == () and watch.last.able == 2
    assert any(name.startswith("autograded/ada") for name in documents(there))
    assert machines.left_behind() == [] and machines.processes() == []


def test_changes_are_shown_and_taken_over_as_on_this_machine(
    course: Course, machines: Machines, submitted: Path, tmp_path: Path
) -> None:
    out, other = tmp_path / "out", {"executor": "dask", "scheduler": machines.address}
    for student in ("dee", "eve", "fay"):
        shutil.rmtree(submitted / student)
    run(course, submitted, out)
    before = documents(out)
    (submitted / "bob" / STEM / f"{STEM}.ipynb").write_bytes(notebook.dumps(RIGHT.notebook(source_of(course))))
    shown = run(course, submitted, out, changes=True, **other)
    assert [(change.student, change.before, change.after) for change in shown.changes] == [("bob", 0, 20)]
    assert_same({name: data for name, data in documents(out).items() if not name.startswith(".pending")}, before)
    taken = run(course, submitted, out, **other)
    assert taken.unchanged == len(taken.results) == 3
    assert {result.student: result.score for result in taken.results}["bob"] == 20


def test_a_cluster_of_its_own_is_started_on_this_machine(submitted: Path, tmp_path: Path) -> None:
    shutil.rmtree(submitted / "dee")
    command = [sys.executable, "-m", "autograder", "grade", str(submitted), "--out", str(tmp_path / "out"), "--json"]
    command += ["--executor", "dask", "--workers", "1", "--isolation", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    scores = {result["student"]: result["score"] for result in json.loads(done.stdout)["results"]}
    assert scores["ada"] == 20 and scores["cy"] == 0 and 0 < scores["eve"] < 20
    assert "Traceback" not in done.stderr


def listening() -> set[tuple[str, int]]:
    """Addresses and ports at which this process and what it has started can be reached."""
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    found = [one for process in family for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN]
    return {(one.laddr.ip, one.laddr.port) for one in found}


def test_clusters_of_their_own_listen_to_this_machine_alone_and_leave_each_other_the_ports(course: Course) -> None:
    before, settings = listening(), Settings(course.root, "none", LIMITS)
    with (
        joined(settings, [STEM], scheduler=None, workers=1, watch=Watch()),
        joined(settings, [STEM], scheduler=None, workers=1, watch=Watch()),
    ):
        assert {address for address, _ in listening() - before} == {"127.0.0.1"}


# --- Losing machines --------------------------------------------------------------------------------------------------


def test_nothing_is_lost_when_a_worker_dies_and_another_hangs(course: Course, lonely: Machines, tmp_path: Path) -> None:
    dies, hangs, _ = lonely.add(), lonely.add(), lonely.add()
    content, watch = notebook.dumps(SLOW.notebook(source_of(course))), Watch()
    names = [f"student-{number:02}" for number in range(24)]
    taken, seen, ahead, modes = 0, [], [], set()

    def jobs() -> Iterator[Job]:
        nonlocal taken
        for name in names:
            taken += 1
            yield Job(name, STEM, content)

    with (
        dask.config.set({"autograder.silent-seconds": 6}),
        joined(
            Settings(course.root, "none", LIMITS), [STEM], scheduler=lonely.address, workers=0, watch=watch
        ) as cluster,
    ):
        for outcome in cluster.grade(jobs()):
            seen.append(outcome.result.student)
            ahead.append(taken - len(seen))
            if len(seen) == 1:
                modes = {stat.S_IMODE(os.stat(folder).st_mode) for folder in lonely.left_behind()}
                dies.signal(signal.SIGKILL)
            elif len(seen) == 3:
                hangs.signal(signal.SIGSTOP)
            assert outcome.result.ungraded is None and outcome.result.score > 0
    assert sorted(seen) == names
    assert max(ahead) <= 16  # of 24: no more is read from the disk than is soon graded
    assert modes == {0o700}
    assert watch.faults(dies) == ["has left the cluster; what it had is graded elsewhere"]
    assert [words.startswith("was silent for") for words in watch.faults(hangs)] == [True]
    assert watch.last.able == watch.last.workers == 1
    hangs.signal(signal.SIGCONT)
    assert eventually(lambda: not lonely.left_behind())


def test_a_run_goes_on_when_the_scheduler_is_back(course: Course, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    submitted, out = slow_class(course, tmp_path / "submitted", 8), tmp_path / "out"
    first, second = Machines(tmp_path / "first", port=port), None
    try:
        first.add()
        other = {"executor": "dask", "scheduler": first.address}

        def progress(done: int, total: int) -> None:
            if done == 2:
                first.scheduler.signal(signal.SIGKILL)

        options = Options(out, isolation="none", limits=LIMITS, executor="dask", scheduler=first.address)
        with pytest.raises(ClusterError, match="What was graded is kept; run the same command again when it is back"):
            grade(course, submitted, options, progress)
        kept = documents(out)
        assert 2 <= len(kept) < 8
        first.end()
        second = Machines(tmp_path / "second", port=port)
        second.add()
        done = run(course, submitted, out, **other)
        assert (len(done.results), done.unchanged) == (8, len(kept))
        assert kept.items() <= documents(out).items()
    finally:
        first.end()
        if second is not None:
            second.end()


@pytest.fixture
def other_host() -> Iterator[tuple[str, str, str]]:
    """A network namespace at the other end of a cable: its name, our address, its address. The cable is `autograder0`."""
    name, ours, theirs = f"autograder-{os.getpid()}", "198.18.93.1", "198.18.93.2"
    steps = [
        f"netns add {name}",
        f"link add autograder0 type veth peer name eth0 netns {name}",
        f"addr add {ours}/30 dev autograder0",
        "link set autograder0 up",
        f"-n {name} addr add {theirs}/30 dev eth0",
        f"-n {name} link set eth0 up",
        f"-n {name} link set lo up",
    ]
    try:
        for step in steps:
            try:
                subprocess.run(["ip", *step.split()], check=True, capture_output=True, text=True)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine cannot make a second host: {getattr(error, 'stderr', '') or error}")
        yield name, ours, theirs
    finally:
        with contextlib.suppress(OSError):
            subprocess.run(["ip", "link", "delete", "autograder0"], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def test_nothing_is_lost_when_a_cable_is_cut(course: Course, other_host: tuple[str, str, str], tmp_path: Path) -> None:
    name, ours, theirs = other_host
    submitted, watch = slow_class(course, tmp_path / "submitted", 12), Watch()
    machines = Machines(tmp_path / "machines", host=ours)
    try:
        machines.add()
        far = machines.add(
            "ip", "netns", "exec", name, sys.executable, "-m", "distributed.cli.dask_worker", host=theirs
        )

        def progress(done: int, total: int) -> None:
            if done == 2:
                assert watch.last.able == 2
                subprocess.run(["ip", "link", "set", "autograder0", "down"], check=True)

        # The side on which scheduler and first worker are keeps its address: what is cut is the way to the other host.
        with dask.config.set({"autograder.silent-seconds": 6}):
            options = Options(
                tmp_path / "out",
                isolation="none",
                limits=LIMITS,
                executor="dask",
                scheduler=machines.address,
                watch=watch,
            )
            done = grade(course, submitted, options, progress)
    finally:
        machines.end()
    assert {result.score > 0 for result in done.results} == {True} and len(done.results) == 12
    assert [words.startswith("was silent for") for words in watch.faults(far)] == [True]


# --- Workers that must not grade --------------------------------------------------------------------------------------

WITHOUT_CALLS = """
import errno, platform, struct, sys
from autograder.sandbox import kernel
from distributed.cli.dask_worker import main

column = ["x86_64", "aarch64"].index(platform.machine())
code = [(0x20, 0, 0, 0)]
for numbers in CALLS:
    code += [(0x15, 0, 1, numbers[column]), (0x06, 0, 0, 0x00050000 | errno.EPERM)]
code.append((0x06, 0, 0, 0x7FFF0000))
kernel.forbid_new_privileges()
kernel.load_filter(b"".join(struct.pack("HBBI", *instruction) for instruction in code))
main()
"""
UNSHARE, LANDLOCK = (272, 97), (444, 444)  # their numbers on both kinds of processor


def without(*calls: tuple[int, int]) -> tuple[str, str, str]:
    """The beginning of a worker's command, on a kernel that refuses some calls."""
    return sys.executable, "-c", WITHOUT_CALLS.replace("CALLS", repr(calls))


def test_a_worker_that_cannot_isolate_or_has_another_version_takes_no_work(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    need("portable")
    other = tmp_path / "elsewhere"
    shutil.copytree(REPOSITORY.root / "autograder", other / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    (other / "autograder" / "__init__.py").write_text('"""Another version."""\n\n__version__ = "0.0.1"\n')
    able, weak, stranger = lonely.add(), lonely.add(*without(UNSHARE, LANDLOCK)), lonely.add(PYTHONPATH=str(other))
    submitted, here, there, watch = (
        slow_class(course, tmp_path / "submitted", 2),
        tmp_path / "here",
        tmp_path / "there",
        Watch(),
    )
    run(course, submitted, here, isolation="auto")
    run(course, submitted, there, isolation="auto", executor="dask", scheduler=lonely.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert watch.faults(able) == [] and (watch.last.able, watch.last.workers) == (1, 3)
    (weakness,), (strangeness,) = watch.faults(weak), watch.faults(stranger)
    assert weakness.startswith("takes no work: This machine cannot contain untrusted code as asked")
    assert "unshare" in weakness and "landlock: this kernel does not offer it" in weakness
    assert strangeness.startswith("takes no work: other versions than the instructor's: autograder 0.0.1 (")
    able.end()
    with pytest.raises(
        ClusterError, match=f"No worker of the cluster can grade:\n(.*\n)*  {stranger.address}: other versions"
    ):
        run(course, submitted, there, force=True, isolation="auto", executor="dask", scheduler=lonely.address)


def test_all_grade_under_one_isolation_and_who_offers_another_says_so(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    need("strong")
    need("portable")
    strong, portable = lonely.add(), lonely.add(*without(UNSHARE))
    watch = Watch()
    options = {"isolation": "auto", "executor": "dask", "scheduler": lonely.address, "watch": watch}
    done = run(course, slow_class(course, tmp_path / "submitted", 3), tmp_path / "out", **options)
    assert {result.isolation for result in done.results} == {"strong"} and len(done.results) == 3
    assert watch.faults(strong) == []
    assert watch.faults(portable) == ["takes no work: it offers portable isolation, and this run has strong"]
    assert (watch.last.able, watch.last.workers) == (1, 2)


WITHOUT_SPACE = """
from autograder.grading.cluster.pool import Pool
from distributed.cli.dask_worker import main

def grade(pool, jobs):
    raise OSError(28, "No space left on device")

Pool.grade = grade
main()
"""


def test_a_worker_that_fails_at_a_batch_is_expelled_and_costs_nobody_anything(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    well, ill = lonely.add(), lonely.add(sys.executable, "-c", WITHOUT_SPACE)
    submitted, here, there, watch = (
        slow_class(course, tmp_path / "submitted", 6),
        tmp_path / "here",
        tmp_path / "there",
        Watch(),
    )
    run(course, submitted, here)
    run(course, submitted, there, executor="dask", scheduler=lonely.address, watch=watch)
    assert_same(documents(there), documents(here))
    assert watch.faults(ill)[0] == "could not grade a batch and is expelled: OSError: [Errno 28] No space left on device"
    assert watch.faults(well) == []


def test_a_submission_that_fails_on_every_worker_is_ungraded_and_says_why(
    course: Course, lonely: Machines, tmp_path: Path
) -> None:
    for _ in range(3):
        lonely.add(sys.executable, "-c", WITHOUT_SPACE)
    done = run(
        course,
        slow_class(course, tmp_path / "submitted", 1),
        tmp_path / "out",
        executor="dask",
        scheduler=lonely.address,
    )
    (result,) = done.results
    assert result.ungraded == "the grader failed: OSError: [Errno 28] No space left on device (3 times)"


# --- Clusters that are not there --------------------------------------------------------------------------------------


def test_a_scheduler_that_is_not_there_is_named(course: Course, submitted: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}),
        pytest.raises(ClusterError, match=f"no Dask scheduler at {address}"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=address)


@pytest.mark.parametrize("address", ["host", "host:8786:1", "gopher://host:8786", "tcp://host"])
def test_what_is_not_an_address_is_refused(course: Course, submitted: Path, tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="One looks like tcp://host:8786"):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=address)


def test_tls_without_a_certificate_is_refused_with_a_remedy(course: Course, submitted: Path, tmp_path: Path) -> None:
    nothing = {f"distributed.comm.tls.client.{part}": None for part in ("cert", "key")}
    with (
        dask.config.set(nothing),
        pytest.raises(ClusterError, match="no certificate for tls://host:8786. docs/scale.md says"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler="tls://host:8786")


def test_a_cluster_without_workers_is_reported_after_a_while(
    course: Course, lonely: Machines, submitted: Path, tmp_path: Path
) -> None:
    with (
        dask.config.set({"autograder.wait-seconds": 0.5}),
        pytest.raises(ClusterError, match="No worker has joined .* dask worker tcp"),
    ):
        run(course, submitted, tmp_path / "out", executor="dask", scheduler=lonely.address)


WITHOUT_AUTOGRADER = """
import sys
sys.modules["autograder"] = None
from distributed.cli.dask_scheduler import main
main()
"""


def test_a_scheduler_without_autograder_is_told_apart_from_one_that_is_gone(
    course: Course, submitted: Path, tmp_path: Path
) -> None:
    machines = Machines(tmp_path / "machines", sys.executable, "-c", WITHOUT_AUTOGRADER)
    try:
        with pytest.raises(
            ClusterError, match=r"does not understand what it is asked \(.*\). Install this version of autograder"
        ):
            run(course, submitted, tmp_path / "out", executor="dask", scheduler=machines.address)
    finally:
        machines.end()


def test_without_dask_the_command_says_what_to_install(submitted: Path, tmp_path: Path) -> None:
    script = """
    import sys
    sys.modules["distributed"] = None
    from autograder.cli import main
    sys.exit(main(sys.argv[1:]))
    """
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(script),
        "grade",
        str(submitted),
        "--out",
        str(tmp_path / "out"),
        "--executor",
        "dask",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2 and "pip install '.[dask]'" in done.stderr


def test_a_scheduler_goes_with_its_executor_and_its_own_workers(capsys: pytest.CaptureFixture[str]) -> None:
    from autograder.cli import main

    assert main(["grade", "x", "--out", "y", "--scheduler", "tcp://host:8786"]) == 2
    assert "--executor dask" in capsys.readouterr().err
    assert (
        main(["grade", "x", "--out", "y", "--executor", "dask", "--scheduler", "tcp://host:8786", "--workers", "2"])
        == 2
    )
    assert "omit --workers" in capsys.readouterr().err


# --- What is sent -----------------------------------------------------------------------------------------------------


def test_an_archive_holds_what_grading_needs_and_nothing_of_other_notebooks(tmp_path: Path) -> None:
    sent = archive.pack(REPOSITORY, [STEM])
    assert sent == archive.pack(REPOSITORY, [STEM])
    unpacked = archive.unpack(sent, tmp_path)
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        f"solutions/{STEM}.ipynb",
        f"autograder/suites/test_{STEM}.py",
        f"autograder/misconceptions/{STEM}.py",
    } <= names
    assert unpacked.stems() == (STEM,) and len(list(unpacked.suites.iterdir())) == 1
    assert (unpacked.data / "penguins.csv").read_bytes() == (REPOSITORY.data / "penguins.csv").read_bytes()


def test_a_damaged_archive_is_not_unpacked(tmp_path: Path) -> None:
    sent = archive.pack(REPOSITORY, [STEM])
    with pytest.raises(GraderError, match="arrived damaged"):
        archive.unpack(archive.Archive(sent.data[:-1] + b"x", sent.digest), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_workers_tidy_up_when_the_instructors_process_is_killed(
    course: Course, machines: Machines, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        str(slow_class(course, tmp_path / "submitted", 30)),
        "--out",
        str(tmp_path / "out"),
    ]
    command += ["--executor", "dask", "--scheduler", machines.address, "--isolation", "none"]
    environment = {**os.environ, **machines.security}
    instructor = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: list((tmp_path / "out" / "results").glob("*/*.json")))
        assert machines.left_behind() != [] and machines.processes() != []
    finally:
        instructor.kill()
        instructor.wait()
    assert eventually(lambda: not machines.left_behind() and not machines.processes())
