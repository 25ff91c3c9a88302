"""The sandbox: every layer holds by itself, every limit has its verdict, and a machine without layers is refused."""

from __future__ import annotations

import os
import platform
import re
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sample_class import REPOSITORY, SHORT, need

from autograder.course.errors import GraderError, IsolationError
from autograder.course.limits import MIB, Limits
from autograder.course.model import Fault, Verdict
from autograder.engine.judging import judge
from autograder.engine.running import Cell, NotebookRun, StudentStopped
from autograder.engine.student import Student, StudentRaised
from autograder.sandbox import isolation, scratch, seccomp, wire
from autograder.sandbox.process import Process, ProcessGone, Spawner, Zygote, control_sockets

MODES = ["strong", "portable"]
PLACES = {"checks": REPOSITORY.checks, "data": REPOSITORY.data}
LIMITS = replace(SHORT, call_seconds=60.0, cell_seconds=60.0, submission_seconds=600.0)
PATIENT = 300.0  # seconds until a test gives up on something that should happen at once
on_linux = pytest.mark.skipif(sys.platform != "linux" or not seccomp.supported(), reason="the layers are Linux's")


@pytest.fixture(scope="module", params=MODES)
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    zygote = Zygote(need(request.param), **PLACES, limits=LIMITS)
    yield zygote
    zygote.close()


@pytest.fixture
def process(zygote: Zygote) -> Iterator[Process]:
    process = zygote.spawn()
    yield process
    process.end()


def run(process: Process, source: str, seconds: float = PATIENT) -> dict[str, Any]:
    return process.ask({"do": "cell", "id": "cell", "source": textwrap.dedent(source)}, seconds)


def printed(process: Process, expression: str) -> str:
    """What an expression is in the student's process, as text."""
    reply = run(process, f"print({expression})")
    assert reply["error"] is None, reply["error"]
    return "".join(output["text"] for output in reply["outputs"]).strip()


def error_of(process: Process, source: str) -> str:
    """The kind and the text of the error that a cell ends with."""
    error = run(process, source)["error"]
    assert error is not None, "nothing was raised"
    return f"{error['kind']}: {error['text']}"


@contextmanager
def zygote_with(mode: str, **settings: Any) -> Iterator[Zygote]:
    """A zygote with limits of its own."""
    zygote = Zygote(need(mode), **PLACES, limits=replace(LIMITS, **settings), figures=True)
    try:
        yield zygote
    finally:
        zygote.close()


@contextmanager
def ran(zygote: Zygote, *cells: str | Cell) -> Iterator[NotebookRun]:
    """A notebook that has been run."""
    named = [cell if isinstance(cell, Cell) else Cell(f"cell-{number}", cell) for number, cell in enumerate(cells)]
    run = NotebookRun(zygote, named)
    try:
        run.start()
        yield run
    finally:
        run.close()


def texts(faults: list[Fault]) -> list[str]:
    """What a student reads of each fault."""
    return [fault.text for fault in faults]


@contextmanager
def student_with(zygote: Zygote, *cells: str) -> Iterator[Student]:
    """The student of a notebook that has been run."""
    with ran(zygote, *cells) as finished:
        yield Student(finished)


# --- The walls, as seen from inside -----------------------------------------------------------------------------------


def test_a_student_sees_only_what_a_notebook_needs(process: Process, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    stem = "01_bayes_rule"
    for file in (secret, REPOSITORY.source(stem), REPOSITORY.suite(stem), Path("/etc/passwd"), Path("/etc/hostname")):
        assert error_of(process, f"open({str(file)!r})")
    for folder in (tmp_path, REPOSITORY.solutions, REPOSITORY.suites):
        assert error_of(process, f"import os; os.listdir({str(folder)!r})")
    assert printed(process, f"len(open({str(REPOSITORY.data / 'penguins.csv')!r}).read()) > 0") == "True"


def test_a_student_writes_only_in_a_folder_of_its_own(zygote: Zygote) -> None:
    first, second = zygote.spawn(), zygote.spawn()
    try:
        for process in (first, second):
            run(process, "import os; open('mine', 'w').write('x'); home = os.environ['HOME']")
        assert printed(first, "os.listdir(home)") == "['mine']"
        for folder in ("/tmp", "/dev/shm", "/var/tmp", "/", str(REPOSITORY.data)):
            assert error_of(second, f"open('{folder}/x', 'w')")
        if zygote.mode == "portable":
            assert "PermissionError" in error_of(second, f"open({printed(first, 'home') + '/mine'!r})")
    finally:
        first.end()
        second.end()


def test_a_student_is_alone(process: Process, zygote: Zygote) -> None:
    assert printed(process, "__import__('os').getpgrp() == __import__('os').getpid()") == "True"
    assert error_of(process, f"import os; os.kill({os.getpid()}, 0)")
    if zygote.mode == "strong":
        assert printed(process, "[name for name in os.listdir('/proc') if name.isdigit()]") == "['1']"
    else:
        assert "PermissionError" in error_of(process, "os.listdir('/proc')")


def test_a_student_has_no_descriptor_but_its_line(process: Process) -> None:
    run(
        process,
        """
        import os
        def _open(number):
            try:
                return bool(os.fstat(number))
            except OSError:
                return False
        """,
    )
    assert printed(process, "[number for number in range(3, 1024) if _open(number)]") == "[3]"


def test_a_student_knows_nothing_of_the_grader(process: Process) -> None:
    names = ["HOME", "IPYTHONDIR", "LANG", "MPLBACKEND", "MPLCONFIGDIR", "PATH", "TMPDIR"]
    assert printed(process, "sorted(__import__('os').environ)") == str(names)
    ours = "('pytest', 'autograder.course.suite', 'autograder.grading.grade', 'autograder.engine.diagnosis', 'autograder.grading.store')"
    assert printed(process, f"[name for name in __import__('sys').modules if name.startswith({ours})]") == "[]"


@on_linux
def test_a_student_has_lost_its_rights(process: Process, zygote: Zygote) -> None:
    run(process, "1")  # it answers only when it is contained
    family = psutil.Process(zygote.pid).children(recursive=True)
    status = Path(f"/proc/{max(family, key=lambda one: one.create_time()).pid}/status").read_text()
    facts = dict(re.findall(r"^(\w+):[ \t]*(.*)$", status, re.MULTILINE))
    assert facts["NoNewPrivs"] == "1" and facts["Seccomp"] == "2"
    allowed = {"strong": 0, "portable": 0b110}[zygote.mode]  # root's Python may lie where only root can look
    assert int(facts["CapEff"], 16) & ~allowed == 0 and int(facts["CapPrm"], 16) & ~allowed == 0
    if os.getuid() == 0:
        assert facts["Uid"].split() == ["64000"] * 4 and facts["Groups"].strip() == ""


# What a student may do at home, and in here as well.
HONEST = {
    "numbers": "import numpy as np; np.linalg.svd(np.random.default_rng(0).random((50, 50)))",
    "more packages": "import numpy.polynomial, matplotlib.animation, statistics, decimal, sqlite3, unittest",
    "files": "import numpy as np; np.save('x.npy', np.ones(3)); np.load('x.npy'); open('y', 'w').write('y')",
    "figures": "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.title(r'$\\alpha$'); plt.savefig('x.png'); plt.show()",
    "temporary files": "import tempfile\nwith tempfile.TemporaryDirectory() as folder: open(folder + '/x', 'w').close()",
    "deleting": "import os; open('z', 'w').close(); os.remove('z')",
    "pickles": "import pickle; pickle.dump([1], open('p', 'wb')); pickle.load(open('p', 'rb'))",
    "threads": "from concurrent.futures import ThreadPoolExecutor; list(ThreadPoolExecutor(4).map(abs, [-1, 2]))",
    "coroutines": "import asyncio\nasync def f(): await asyncio.sleep(0.01)\nasyncio.run(f())",
    "awaiting": "import asyncio\nawait asyncio.sleep(0.01)",
    "magic": "%timeit -n 2 -r 2 sum(range(10))",
    "databases": "import sqlite3; sqlite3.connect(':memory:').execute('create table a (b)')",
    "noise": "import logging, sys, warnings; logging.warning('x'); warnings.warn('y'); print('z', file=sys.stderr)",
    "random numbers": "import os, random, secrets; os.urandom(8); random.random(); secrets.token_hex()",
    "time": "import datetime, time; time.sleep(0.01); datetime.datetime.now()",
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_notices_nothing(process: Process, name: str) -> None:
    assert run(process, HONEST[name])["error"] is None


# --- Layer by layer ---------------------------------------------------------------------------------------------------


def alone(setup: str, attempt: str, tmp_path: Path) -> str:
    """What an attempt says in a process that has only one of the layers."""
    script = textwrap.dedent(
        """
        import os, sys
        from autograder.sandbox import kernel, seccomp
        exec(sys.argv[1])
        try:
            exec(f"print({sys.argv[2]})")
        except BaseException as error:
            print(type(error).__name__)
        """
    )
    command = [sys.executable, "-c", script, setup, attempt]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout.strip() or f"ended by {-done.returncode}: {done.stderr}"


FILTER = "kernel.forbid_new_privileges(); kernel.load_filter(seccomp.program({}))"
REFUSED_BY_THE_FILTER = {
    "network": "__import__('socket').socket()",
    "udp": "__import__('socket').socket(__import__('socket').AF_INET, __import__('socket').SOCK_DGRAM)",
    "unix socket": "__import__('socket').socket(__import__('socket').AF_UNIX)",
    "fork": "os.fork()",
    "exec": "os.execv('/bin/true', ['true'])",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "memory file": "os.memfd_create('x')",
    "pidfd": "os.pidfd_open(os.getppid())",
    "other user": "os.setresuid(1, 1, 1)",
    "session": "os.setsid()",
    "chroot": "os.chroot('.')",
    "chown": "os.chown('.', 0, 0)",
    "pipe with a name": "os.mkfifo('x')",
    "affinity": "os.sched_setaffinity(0, [0])",
    "attribute": "os.setxattr('.', 'user.x', b'x')",
    "lock": "__import__('fcntl').lockf(open('x', 'w'), 2)",
}


@on_linux
@pytest.mark.parametrize("name", REFUSED_BY_THE_FILTER)
@pytest.mark.parametrize("own_pid", ["", "os.getpid()"], ids=["own namespace", "shared namespace"])
def test_the_filter_alone_refuses_it(name: str, own_pid: str, tmp_path: Path) -> None:
    assert alone(FILTER.format(own_pid), REFUSED_BY_THE_FILTER[name], tmp_path) == "PermissionError"


@on_linux
def test_the_filter_alone_keeps_signals_and_files_of_others_safe(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    victim.chmod(0o640)
    shared = FILTER.format("os.getpid()")
    assert alone(shared, "os.kill(os.getppid(), 0)", tmp_path) == "PermissionError"
    assert alone(shared, "os.kill(0, 0)", tmp_path) == "PermissionError"
    assert alone(shared, "os.kill(os.getpid(), 0)", tmp_path) == "None"
    assert alone(shared, "os.rename('victim', 'x')", tmp_path) == "PermissionError"
    assert alone(shared, "os.truncate('victim', 0)", tmp_path) == "PermissionError"
    assert alone(shared, "os.open('victim', os.O_RDONLY | os.O_TRUNC)", tmp_path) == "PermissionError"
    assert alone(shared, "os.open('.', os.O_TMPFILE | os.O_RDWR)", tmp_path) == "OSError"
    for pretended in ("os.chmod('victim', 0o777)", "os.utime('victim', (1, 1))", "os.remove('victim')"):
        assert alone(shared, pretended, tmp_path) == "None"
    status = victim.stat()
    assert (status.st_mode & 0o777, status.st_mtime > 1, victim.read_text()) == (0o640, True, "x")


@on_linux
def test_the_filter_alone_leaves_honest_code_alone(tmp_path: Path) -> None:
    honest = """(
        __import__('threading').Thread(target=print).start(),
        __import__('tempfile').TemporaryFile().write(b'x'),
        __import__('asyncio').run(__import__('asyncio').sleep(0)),
        __import__('shutil').copy(__import__('os').__file__, 'copy'),
        __import__('numpy').random.default_rng().random(3) @ __import__('numpy').ones(3) > 0,
        open('x', 'w').write('x'), os.listdir('.'), os.stat('.'), os.getcwd(), __import__('time').sleep(0.01),
    ) and 'fine'"""
    for own_pid in ("", "os.getpid()"):
        assert alone("import numpy\n" + FILTER.format(own_pid), honest, tmp_path).endswith("fine")


@on_linux
@pytest.mark.skipif(platform.machine() != "x86_64", reason="only this architecture has others beside it")
def test_the_filter_alone_kills_what_speaks_for_another_architecture(tmp_path: Path) -> None:
    x32 = "__import__('ctypes').CDLL(None).syscall(0x40000000 + 39)"
    assert alone("import ctypes\n" + FILTER.format(""), x32, tmp_path).startswith(f"ended by {signal.SIGSYS}")


@on_linux
def test_landlock_alone_hides_files(tmp_path: Path) -> None:
    need("portable")
    for name in ("open", "closed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    readable, writable = ["/usr", "/lib", sys.base_prefix, sys.prefix], [str(tmp_path / "open")]
    setup = f"kernel.forbid_new_privileges(); kernel.restrict_files({readable}, {writable})"
    assert alone(setup, "open('open/file').read(), open('open/new', 'w').write('x')", tmp_path) == "x 1"
    for attempt in (
        "open('closed/file').read()",
        "os.listdir('closed')",
        "open('closed/new', 'w')",
        "os.remove('closed/file')",
        "os.mkdir('closed/folder')",
        "os.truncate('closed/file', 0)",
        "open('/proc/self/status').read()",
        "open('/etc/passwd').read()",
    ):
        assert alone(setup, attempt, tmp_path) == "PermissionError"
    for attempt in ("os.link('closed/file', 'open/link')", "os.rename('closed/file', 'open/moved')"):
        assert alone(setup, attempt, tmp_path) in ("PermissionError", "OSError")
    assert (
        alone(setup, "os.symlink('../closed/file', 'open/sym') or open('open/sym').read()", tmp_path)
        == "PermissionError"
    )


@on_linux
@pytest.mark.skipif(os.getuid() != 0, reason="only root can look at the namespaces of another process")
def test_namespaces_are_others_than_the_grader_s() -> None:
    zygote = Zygote(need("strong"), **PLACES, limits=LIMITS)
    process = zygote.spawn()
    try:
        run(process, "1")
        student = max(psutil.Process(zygote.pid).children(recursive=True), key=lambda one: one.create_time())
        for kind in ("mnt", "pid", "net", "ipc", "uts"):
            assert os.readlink(f"/proc/{student.pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")
        mounts = Path(f"/proc/{student.pid}/mounts").read_text().splitlines()
        writable = [line.split()[1] for line in mounts if "ro" not in line.split()[3].split(",")]
        assert set(writable) == {"/proc", "/scratch"}
    finally:
        process.end()
        zygote.close()


# --- Limits -----------------------------------------------------------------------------------------------------------


def ended(process: Process, source: str, seconds: float = PATIENT) -> str:
    """Why a process was ended while it ran a cell."""
    with pytest.raises(ProcessGone) as gone:
        run(process, source, seconds)
    assert not process.alive
    return f"{gone.value.reason}: {gone.value}"


def test_wall_time_of_a_cell(process: Process) -> None:
    assert ended(process, "while True: pass", 0.5) == "timed out: no answer within 0.5 seconds of wall time"


def test_wall_time_of_a_call() -> None:
    cell = "import time\ndef f():\n    time.sleep(60)\ndef g():\n    return 1"
    with zygote_with("portable", call_seconds=0.5) as zygote, student_with(zygote, cell) as student:
        with pytest.raises(StudentStopped, match="0.5 seconds of wall time") as stopped:
            student.f()
        assert stopped.value.verdict is Verdict.TIMED_OUT
        zygote.limits = LIMITS  # what can be answered has the time that it needs
        assert student.g() == 1  # in a process of its own


@pytest.mark.parametrize("timer", ["ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"])
def test_a_timer_ends_with_the_call_that_set_it(zygote: Zygote, timer: str) -> None:
    cell = f"import signal\ndef f():\n    signal.setitimer(signal.{timer}, 60, 60)\ndef g():\n    return signal.getitimer(signal.{timer})"
    with student_with(zygote, cell) as student:
        student.f()
        assert student.g() == (0, 0)


def test_what_an_earlier_call_has_left_behind_ends_no_later_one(zygote: Zygote) -> None:
    cell = "import os\nleft = []\ndef f():\n    left.append(1)\ndef g():\n    if left: os._exit(3)\n    return 2\ndef h():\n    os._exit(3)"
    with student_with(zygote, cell) as student:
        student.f()
        assert student.g() == 2  # in a process of its own
        with pytest.raises(StudentStopped, match="ended itself with exit code 3") as stopped:
            student.h()
        assert stopped.value.verdict is Verdict.CRASHED


def test_settings_that_a_call_has_changed_end_with_it(zygote: Zygote) -> None:
    cell = """
        import warnings
        import numpy as np
        def f():
            np.seterr(all="raise")
            warnings.simplefilter("error")
        def g():
            warnings.warn("careful")
            return float(np.log(np.zeros(1))[0])
    """
    with student_with(zygote, textwrap.dedent(cell)) as student:
        student.f()
        assert student.g() == -np.inf


def test_when_cells_run_again_after_a_hidden_call_their_faults_tell_nothing(zygote: Zygote) -> None:
    with ran(zygote, "import os", "def f(): os._exit(1)\ndef g(): return 1") as finished:
        # What the clock could have told the same cell to do.
        finished.cells[0] = Cell("cell-0", "import os\nos._exit(94)")
        with pytest.raises(StudentStopped):
            Student(finished).f()
        with pytest.raises(NameError):  # nothing that the first cell should have imported is there; `g` is
            Student(finished).f()
        assert Student(finished).g() == 1
        assert texts(finished.faults) == ["the notebook did not run to its end when it was started once more"]


def test_wall_time_of_a_submission() -> None:
    cells = ["import time\ntime.sleep(0.6)", "def f(): return 1"]
    with zygote_with("portable", submission_seconds=0.5) as zygote, student_with(zygote, *cells) as student:
        with pytest.raises(StudentStopped, match="used up its 0.5 seconds") as stopped:
            student.f()
        assert stopped.value.verdict is Verdict.TIMED_OUT


def test_wall_time_of_a_submission_bounds_many_short_cells_too() -> None:
    cells = ["import time", *["time.sleep(0.05)"] * 100]  # together longer than allowed, on any machine
    with zygote_with("portable", submission_seconds=1) as zygote, ran(zygote, *cells) as finished:
        assert [report.id for report in finished.reports] == [f"cell-{number}" for number in range(101)]
        late = [report for report in finished.reports if report.error]
        assert late == finished.reports[-len(late) :]
        assert {report.error["text"] for report in late if report.error} == {"the submission used up its 1 seconds"}
        *before, last = texts(finished.faults)
        assert last == f"cell '{late[0].id}' and those after it were not run: the submission used up its 1 seconds"
        assert all("timed out" in fault for fault in before) and len(before) <= 1  # one may run when the time is over


@pytest.mark.parametrize("threads", [0, 3])
def test_processor_time_of_all_threads_together(threads: int) -> None:
    spin = f"""
    import threading
    def spin():
        while True: pass
    for _ in range({threads}): threading.Thread(target=spin).start()
    spin()
    """
    with zygote_with("portable", cpu_seconds=1) as zygote:
        assert ended(zygote.spawn(), spin) == "timed out: more than 1 seconds of processor time"


def test_memory(process: Process) -> None:
    assert "MemoryError" in error_of(process, "bytearray(300 << 20)")
    assert printed(process, "1") == "1"  # nothing else is lost


def test_memory_when_nothing_is_left_to_say_so(process: Process) -> None:
    hoard = """
    hoard = []
    for size in (1 << 20, 1 << 10, 1):
        try:
            while True: hoard.append(bytearray(size))
        except MemoryError: pass
    raise MemoryError
    """
    try:
        assert error_of(process, hoard).startswith("MemoryError")
    except ProcessGone as gone:
        assert gone.reason == "out of memory"


def test_a_process_that_hangs_up_may_still_say_why(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.process.LAST_WORDS_SECONDS", PATIENT)
    last_words = f"import os, time\nos.close(3)\ntime.sleep(0.05)\nos._exit({wire.EXIT_OUT_OF_MEMORY})"
    assert ended(process, last_words).startswith("out of memory")


def test_memory_is_a_verdict(zygote: Zygote) -> None:
    with (
        student_with(zygote, "def f(): return bytearray(1 << 40)") as student,
        pytest.raises(StudentStopped) as stopped,
    ):
        student.f()
    assert stopped.value.verdict is Verdict.OUT_OF_MEMORY


def test_output(process: Process, zygote: Zygote) -> None:
    reply = run(process, "print('x' * 1_000_000)")
    assert reply["dropped"] == 1_000_001 - zygote.limits.output_bytes
    assert len(reply["outputs"][0]["text"]) == zygote.limits.output_bytes


def test_output_is_noted_but_no_fault(zygote: Zygote) -> None:
    with ran(zygote, Cell("loud", "print('ä\\N{PILE OF POO}\\x00' * 1_000_000)")) as finished:
        assert finished.faults == []
        assert texts(finished.notes) == ["cell 'loud' printed too much; the rest was dropped"]


def test_output_of_all_cells_together() -> None:
    cells = ["print('x' * 30_000)"] * 10
    with zygote_with("portable", outputs_bytes=100_000) as zygote, ran(zygote, *cells) as finished:
        assert sum(bool(report.outputs) for report in finished.reports) == 3


def test_output_that_is_no_text_takes_room_too() -> None:
    forge = "import sys\nsys.modules['autograder.sandbox.child']._Output.take = lambda self: [{'a': bytes(400_000)}]"
    with zygote_with("portable", outputs_bytes=1_000_000) as zygote, ran(zygote, forge, *["1"] * 5) as finished:
        assert sum(bool(report.outputs) for report in finished.reports) == 2


def test_size_of_a_file(process: Process) -> None:
    assert "File too large" in error_of(process, "open('x', 'wb').write(bytes(5 << 20))")


def test_size_of_all_files(process: Process, zygote: Zygote) -> None:
    fill = "import signal\nfor number in range(20): open(f'{number}', 'wb').write(bytes(2 << 20))\nsignal.pause()"
    if zygote.mode == "strong":
        assert "No space left" in error_of(process, fill)
    else:
        assert ended(process, fill).startswith("disk full: more than")


def test_number_of_files(process: Process, zygote: Zygote) -> None:
    fill = "for number in range(10_000):\n    open(f'{number}', 'w').close()"
    if zygote.mode == "strong":
        assert "No space left" in error_of(process, fill)
    else:
        assert ended(process, fill).endswith("or too many files")


def test_open_files(process: Process) -> None:
    assert "Too many open files" in error_of(process, "kept = [open('/dev/null') for _ in range(1000)]")


def test_threads(process: Process) -> None:
    many = "import threading\nend = threading.Event()\nfor _ in range(3000): threading.Thread(target=end.wait, daemon=True).start()"
    assert "can't start new thread" in error_of(process, many)


def test_size_of_a_reply(zygote: Zygote) -> None:
    cell = f"import numpy as np\ndef f(): return np.zeros({zygote.limits.reply_bytes // 8 + 1})"
    words = f"larger than {zygote.limits.reply_bytes} bytes"
    with student_with(zygote, cell) as student, pytest.raises(StudentStopped, match=words) as stopped:
        student.f()
    assert stopped.value.verdict is Verdict.CRASHED


def test_nesting_of_a_reply(zygote: Zygote) -> None:
    cell = "def f():\n    x = []\n    for _ in range(100): x = [x]\n    return x"
    with (
        student_with(zygote, cell) as student,
        pytest.raises(StudentStopped, match="nested more than 32 deep") as stopped,
    ):
        student.f()
    assert stopped.value.verdict is Verdict.CRASHED


def test_cells_that_end_their_process_are_skipped(zygote: Zygote) -> None:
    exits = "import os\nos._exit(3)"
    with ran(zygote, Cell("a", "x = 1"), Cell("same", exits), Cell("same", "y = x + 1"), Cell("c", exits)) as finished:
        assert Student(finished)["y"] == 2  # a cell with the same id as a deadly one is another cell
        assert texts(finished.faults) == [
            f"cell '{name}' crashed: the process ended itself with exit code 3" for name in ("same", "c")
        ]
        assert [report.id for report in finished.reports] == ["a", "same", "same", "c"]


def test_what_comes_back_is_not_hoarded(zygote: Zygote) -> None:
    large = zygote.limits.reply_bytes // 8 - 100_000
    cell = "import numpy as np\ndef f(n): return np.zeros(n)\ndef g(): return ['x' * 400_000] * 4"
    with ran(zygote, cell) as finished:
        student = Student(finished)
        assert [student.f(n).size for n in (3, large, large, 4)] == [3, large, large, 4]  # a check sees all of it
        student.g()
        kept = [call.value for call in finished.calls]
        assert [kept[0].size, kept[1].size, kept[3].size] == [3, large, 4]
        assert repr(kept[2]) == f"<ndarray of {8 * large + 64} bytes>" and "list of" in repr(kept[4])


# --- What a check sees ------------------------------------------------------------------------------------------------


def test_a_student_s_error_is_of_the_nearest_builtin_kind(zygote: Zygote) -> None:
    cell = "class Own(ValueError): pass\ndef f(): raise Own('x')\ndef g(): raise StopIteration\ndef h(): raise OSError(2, 'x')"
    with student_with(zygote, cell) as student:
        with pytest.raises(ValueError, match="x") as raised:
            student.f()
        assert isinstance(raised.value, StudentRaised)
        assert (raised.value.kind, raised.value.type_name) == ("ValueError", "Own")
        with pytest.raises(OSError, match="x"):
            student.h()
        with pytest.raises(StudentRaised):  # never a StopIteration: all(map(...)) would take it for the end
            assert all(map(lambda _: student.g(), range(3)))


def test_an_object_is_no_array(zygote: Zygote) -> None:
    cell = "class Model:\n    def fit(self, n): return n + 1\n    def sum(self): return 1.0\n    all = sum\ndef f(): return Model()"
    with student_with(zygote, cell) as student:
        model = student.f()
        assert model.fit(1) == 2
        for name in ("sum", "all", "shape", "mean", "dtype", "_secret", "__array__"):
            with pytest.raises(AttributeError):
                getattr(model, name)


def test_the_name_of_an_object_s_type_steers_no_terminal(zygote: Zygote) -> None:
    cell = "def f(): return [type('Kind\\x1b[2J\\x9b\\u202e', (), {})()]"
    with student_with(zygote, cell) as student:
        assert (
            repr(student.f()[0])
            == "<Kind\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER} in the student's process>"
        )


def test_a_check_that_needs_memory_without_end_for_what_came_back_fails() -> None:
    with pytest.raises(MemoryError) as huge:
        np.empty(1 << 45)
    assert judge(huge.value, answers=1).verdict is Verdict.FAILED
    assert judge(huge.value, answers=0).verdict is Verdict.GRADER_ERROR
    assert judge(MemoryError(), answers=1).verdict is Verdict.GRADER_ERROR


def test_lists_become_arrays_and_texts_stay(zygote: Zygote) -> None:
    with student_with(zygote, "def f(x): return x") as student:
        assert student.f([[1, 2], [3, 4]]).shape == (2, 2)
        assert student.f([[1, 2], [3]])[1].tolist() == [3]
        assert student.f(["a", 1]) == ["a", 1]
        assert student.f((1, [2.0]))[1].tolist() == [2.0]


def test_text_that_would_make_a_huge_table_is_refused(zygote: Zygote) -> None:
    cell = "def f(): return ['x' * 500_000] + ['y'] * 50_000"
    with student_with(zygote, cell) as student, pytest.raises(StudentStopped, match="too much"):
        student.f()


# --- Ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_left_when_a_zygote_is_closed_or_killed(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for end in ("close", "kill", "leave"):
        zygote = Zygote(need(mode), **PLACES, limits=LIMITS)
        process = zygote.spawn()
        run(process, "open('x', 'w').write('x')")
        family = psutil.Process(zygote.pid).children(recursive=True) + [psutil.Process(zygote.pid)]
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


# --- Twins ------------------------------------------------------------------------------------------------------------


def twin_of(zygote: Zygote, number: int) -> Spawner:
    """A copy of a zygote, as a worker gets it."""
    ours, theirs = control_sockets()
    zygote.fork(theirs, number)
    theirs.close()
    return Spawner(ours, zygote.mode, limits=LIMITS, figures=False)


@pytest.mark.parametrize("mode", [*MODES, "none"])
def test_twins_serve_side_by_side_and_end_with_their_socket_or_their_zygote(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    zygote = Zygote(mode if mode == "none" else need(mode), **PLACES, limits=LIMITS)
    zygote.spawn().end()  # as after a trial
    outermost = psutil.Process(zygote.pid)
    alone = set(outermost.children(recursive=True))
    twins = [twin_of(zygote, 0)]
    (first,) = set(outermost.children(recursive=True)) - alone
    twins += [twin_of(zygote, number) for number in (1, 2)]
    processes = [twin.spawn() for twin in twins]
    for number, process in enumerate(processes):
        run(process, f"mine = {number}; open('mine', 'w').write('x')")
    assert [printed(process, "mine") for process in processes] == ["0", "1", "2"]
    assert [printed(process, "__import__('os').listdir('.')") for process in processes] == ["['mine']"] * 3
    if os.getuid() == 0 and mode != "none":
        users = [int(printed(process, "__import__('os').getuid()")) for process in processes]
        assert users == [users[0], users[0] + 1, users[0] + 2]
    family = outermost.children(recursive=True)
    handle = os.pidfd_open(first.pid)
    twins[0].close()
    # It has ended, although the others were forked while its socket was open.
    assert select.select([handle], [], [], PATIENT)[0]
    os.close(handle)
    assert printed(processes[1], "mine") == "1"
    zygote.close()
    assert psutil.wait_procs(family, timeout=PATIENT)[1] == []
    assert list(tmp_path.iterdir()) == []
    for twin, process in zip(twins, processes, strict=True):
        with pytest.raises(GraderError):
            process.end()
        twin.close()


def test_a_killed_zygote_is_an_error_of_ours() -> None:
    zygote = Zygote(need("portable"), **PLACES, limits=LIMITS)
    process = zygote.spawn()
    os.kill(zygote.pid, signal.SIGKILL)
    os.waitid(os.P_PID, zygote.pid, os.WEXITED | os.WNOWAIT)  # its students have got their signal then
    with pytest.raises(GraderError, match="sandbox process"):
        run(process, "1")
    zygote.close()


def test_a_folder_is_removed_whatever_it_looks_like(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_text("x")
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "locked" / "inside").mkdir(parents=True)
    (folder / "locked" / "inside" / "file").write_text("x")
    for locked in (folder / "locked" / "inside", folder / "locked"):
        locked.chmod(0)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):  # deeper than a path can be long, and than functions can call each other
        os.mkdir("deeper", dir_fd=here)
        there = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(here)
    assert scratch.is_full(str(folder), 1 << 40)
    scratch.remove(str(folder))
    assert not folder.exists() and (outside / "keep").exists()
    scratch.remove(str(folder))  # not there: no error


# --- Machines that offer less -----------------------------------------------------------------------------------------

# What a container's profile would refuse, as a filter: (x86-64, 64-bit ARM).
UNSHARE, LANDLOCK = (272, 97), (444, 444)


def choose_without(calls: list[tuple[int, int]], wanted: str = "auto") -> str:
    """What is chosen on a machine that refuses some system calls."""
    script = textwrap.dedent(
        f"""
        import errno, platform, struct
        from autograder.course import Course
        from autograder.sandbox import isolation, kernel
        from autograder.course.errors import IsolationError

        column = ["x86_64", "aarch64"].index(platform.machine())
        code = [(0x20, 0, 0, 0)]
        for numbers in {calls}:
            code += [(0x15, 0, 1, numbers[column]), (0x06, 0, 0, 0x00050000 | errno.EPERM)]
        code.append((0x06, 0, 0, 0x7FFF0000))
        kernel.forbid_new_privileges()
        kernel.load_filter(b"".join(struct.pack("HBBI", *instruction) for instruction in code))
        course = Course.default()
        try:
            print(isolation.choose({wanted!r}, checks=course.checks, data=course.data, suites=course.suites))
        except IsolationError as error:
            print("refused:", error)
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    return done.stdout.strip() or done.stderr


@on_linux
def test_a_machine_without_namespaces_gets_portable_isolation() -> None:
    need("portable")
    assert choose_without([UNSHARE]) == "portable"


@on_linux
def test_a_machine_without_namespaces_and_landlock_is_refused() -> None:
    said = choose_without([UNSHARE, LANDLOCK])
    assert said.startswith("refused: This machine cannot contain untrusted code")
    assert "unshare" in said and "landlock: this kernel does not offer it" in said
    assert "autograder doctor" in said and "--isolation none" in said


@on_linux
def test_isolation_that_was_asked_for_is_not_exchanged_for_less() -> None:
    assert choose_without([UNSHARE], "strong").startswith("refused:")


def test_isolation_that_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    need("portable")
    monkeypatch.setitem(isolation.ESCAPES, "multiplies", "6 * 7")
    trial = isolation.attempt("portable", **PLACES, suites=REPOSITORY.suites)
    assert trial.problem == "it does not hold: a student's process multiplies"


def test_isolation_in_which_honest_notebooks_fail_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    need("portable")
    monkeypatch.setitem(isolation.NEEDS, "reach the network", "import socket; socket.socket()")
    trial = isolation.attempt("portable", **PLACES, suites=REPOSITORY.suites)
    assert trial.problem.startswith("it is too tight: a student's process cannot reach the network")


def test_isolation_that_shows_what_is_hidden_is_refused() -> None:
    need("portable")
    hidden = [REPOSITORY.data / "penguins.csv", REPOSITORY.solutions]
    trial = isolation.attempt("portable", **PLACES, suites=REPOSITORY.suites, hidden=hidden)
    assert "penguins.csv" in trial.problem and "solutions" not in trial.problem


def test_no_isolation_is_chosen_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mode: str, **_: object) -> Zygote:
        raise IsolationError("it is Tuesday")

    monkeypatch.setattr(isolation, "proven", refuse)
    places = {**PLACES, "suites": REPOSITORY.suites}
    assert isolation.choose("none", **places) == "none"
    for wanted in ("auto", "strong", "portable"):
        with pytest.raises(IsolationError, match="it is Tuesday"):
            isolation.choose(wanted, **places)


def test_a_zygote_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = need("strong")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(
        IsolationError, match="strong isolation cannot be set up here: .*No such file or directory.*gone"
    ):
        Zygote(mode, **PLACES, limits=LIMITS)


def test_an_unknown_isolation_is_refused() -> None:
    with pytest.raises(IsolationError, match="choose one of strong, portable, none"):
        Zygote("perfect", **PLACES, limits=Limits())


def test_limits_never_exceed_what_the_grader_itself_may() -> None:
    script = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    from autograder.course import Course
    from autograder.course.limits import Limits
    from autograder.sandbox.process import Zygote
    course = Course.default()
    zygote = Zygote({need("portable")!r}, checks=course.checks, data=course.data, limits=Limits())
    process = zygote.spawn()
    source = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    print(process.ask({{"do": "cell", "id": "x", "source": source}}, {PATIENT})["outputs"][0]["text"])
    process.end()
    zygote.close()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip() == "(40, 40)", done.stderr


def test_the_default_limits_bound_everything() -> None:
    limits = Limits()
    assert limits.call_seconds < limits.cell_seconds < limits.submission_seconds < limits.worker_seconds
    assert limits.file_bytes <= limits.disk_bytes <= limits.memory_bytes <= 2048 * MIB
