"""The numbers that the sandbox tells the kernel are the kernel's own."""

from __future__ import annotations

import ctypes
import ctypes.util
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.sandbox import kernel, seccomp

HEADERS = Path("/usr/include/linux")
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


@pytest.mark.parametrize(
    ("header", "prefix"), [("sched.h", "CLONE_"), ("mount.h", "MS_"), ("prctl.h", "PR_"), ("fcntl.h", "AT_")]
)
def test_every_flag_is_the_one_in_the_kernel_s_headers(header: str, prefix: str) -> None:
    if not HEADERS.exists():
        pytest.skip("the kernel's headers are not installed (Debian: linux-libc-dev)")
    text = (HEADERS / header).read_text()
    theirs = dict(re.findall(rf"^#\s*define\s+({prefix}\w+)\s+(\S+(?: *<< *\d+\))?)", text, re.MULTILINE))
    ours = {name: value for name, value in vars(kernel).items() if name.startswith(prefix)}
    assert ours == {name: flag(theirs[name]) for name in ours}
    assert ours


def flag(text: str) -> int:
    """The value of a C expression such as `0x20`, `22` or `(1<<18)`."""
    value, _, shift = text.strip("()").partition("<<")
    return int(value, 0) << int(shift or 0)
