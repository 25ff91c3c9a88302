"""The numbers in the filter are the kernel's own, and the filter alone refuses what it should."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from sandboxes import alone, on_linux

from autograder.sandbox import kernel, seccomp

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64


@pytest.fixture(scope="module")
def number_of() -> Callable[[str, str], int | None]:
    """The number of a system call on an architecture, as libseccomp knows it; None where the architecture lacks it."""
    found = ctypes.util.find_library("seccomp")
    if found is None:
        pytest.skip("libseccomp, which knows the numbers of all system calls, is not installed (Debian: libseccomp2)")
    resolve = ctypes.CDLL(found).seccomp_syscall_resolve_name_arch
    resolve.argtypes, resolve.restype = [ctypes.c_uint32, ctypes.c_char_p], ctypes.c_int

    def number_of(machine: str, name: str) -> int | None:
        number: int = resolve(ARCHITECTURES[machine], name.encode())
        assert number != -1, f"libseccomp does not know the system call {name}"
        return None if number < 0 else number  # below -1: other architectures have it

    return number_of


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_number_of_the_filter_is_the_one_that_libseccomp_knows(
    machine: str, number_of: Callable[[str, str], int | None]
) -> None:
    ours = seccomp.numbers(machine)
    assert ours == {name: number_of(machine, name) for name in ours}
    assert len(ours) > 200


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_number_of_the_other_layers_is_the_one_that_libseccomp_knows(
    machine: str, number_of: Callable[[str, str], int | None]
) -> None:
    ours = {**kernel.NUMBERS, "pivot_root": kernel.PIVOT_ROOT[machine]}
    assert ours == {name: number_of(machine, name) for name in ours}


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
