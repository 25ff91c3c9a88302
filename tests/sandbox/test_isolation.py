"""What isolation means to student code, and which isolation a machine gets: one that holds, or none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest
import sandboxes
from sample_class import REPOSITORY, need
from sandboxes import LIMITS, PLACES, error_of, on_linux, printed, run

from autograder.course.errors import IsolationError
from autograder.sandbox import isolation
from autograder.sandbox.process import Process, Zygote

zygote, process = sandboxes.zygote, sandboxes.process


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
        assert printed(process, "os.getpid(), os.listdir('/proc')") == "1 []"
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
    ours = ("pytest", "autograder.course.suite", "autograder.engine", "autograder.grading")
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
        assert set(writable) == {"/scratch"}
    finally:
        process.end()
        zygote.close()


# What a student may do at home, and in here as well.
HONEST = {
    "numbers": "import numpy as np; np.linalg.svd(np.random.default_rng(0).random((50, 50)))",
    "more packages": "import numpy.polynomial, matplotlib.animation, statistics, decimal, sqlite3, unittest",
    "files": "import numpy as np; np.save('x.npy', np.ones(3)); np.load('x.npy'); open('y', 'w').write('y')",
    "figures": (
        "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.title(r'$\\alpha$'); plt.savefig('x.png'); plt.show()"
    ),
    "temporary files": (
        "import tempfile\nwith tempfile.TemporaryDirectory() as folder: open(folder + '/x', 'w').close()"
    ),
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


# --- Machines that offer less -----------------------------------------------------------------------------------------

# What a container's profile would refuse, as a filter.
UNSHARE, LANDLOCK = "unshare", "landlock_create_ruleset"


def choose_without(calls: list[str], wanted: str = "auto") -> str:
    """What is chosen on a machine that refuses some system calls."""
    script = textwrap.dedent(
        f"""
        import errno, platform, struct
        from autograder.course import Course
        from autograder.sandbox import isolation, kernel, seccomp
        from autograder.course.errors import IsolationError

        numbers = seccomp.numbers(platform.machine())
        code = [(0x20, 0, 0, 0)]
        for call in {calls}:
            code += [(0x15, 0, 1, numbers[call]), (0x06, 0, 0, 0x00050000 | errno.EPERM)]
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
    assert "autograder doctor" in said and "--isolation none" not in said


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
    assert isolation.choose("none", **PLACES, suites=REPOSITORY.suites) == "none"
    for wanted in ("auto", "strong", "portable"):
        with pytest.raises(IsolationError, match="it is Tuesday"):
            isolation.choose(wanted, **PLACES, suites=REPOSITORY.suites)
