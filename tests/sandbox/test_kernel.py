"""The flags in system calls are the kernel's own, and Landlock alone hides files."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from sample_class import need
from sandboxes import alone, on_linux

from autograder.sandbox import kernel

HEADERS = Path("/usr/include/linux")


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
