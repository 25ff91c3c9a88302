"""Linux system calls that Python's library lacks, one function each; failures are OSErrors that name the call."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from typing import Any

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 4096, 16384, 1 << 18, 2
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1 << 1, 1 << 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
AT_RECURSIVE, AT_FDCWD = 0x8000, -100

# The system calls for which C libraries have no function. Newer calls have one number on all architectures.
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
NUMBERS = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the shared namespaces that `flags` name."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """Join the namespace behind an open file."""
    _check(_libc.setns(descriptor, ctypes.c_int(kind)), "setns")


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """mount(2)."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _check(
        _libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]),
        f"mount {kind or source} on {target}",
    )


def unmount(target: str) -> None:
    """Detach a mount at once, even while it is in use."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root; the old one appears at `old`."""
    number = PIVOT_ROOT[platform.machine()]
    _check(_libc.syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace")]


def make_read_only(path: str, *, recursive: bool = True) -> None:
    """Make a mount read-only and without set-uid programs, keeping the flags that a user namespace has locked."""
    attributes = _MountAttributes(MS_RDONLY | MS_NOSUID, 0, 0, 0)
    _check(
        _libc.syscall(
            NUMBERS["mount_setattr"],
            AT_FDCWD,
            os.fsencode(path),
            AT_RECURSIVE if recursive else 0,
            ctypes.byref(attributes),
            ctypes.c_size_t(ctypes.sizeof(attributes)),
        ),
        f"mount_setattr {path}",
    )


def _prctl(option: int, argument: int | ctypes.c_void_p = 0, second: int | ctypes.c_void_p = 0) -> None:
    values = [value if isinstance(value, ctypes.c_void_p) else ctypes.c_ulong(value) for value in (argument, second)]
    _check(_libc.prctl(option, *values, ctypes.c_ulong(0), ctypes.c_ulong(0)), f"prctl {option}")


def die_with_parent() -> None:
    """Ask for SIGKILL when the parent ends; only sound while the parent is single-threaded."""
    _prctl(PR_SET_PDEATHSIG, 9)


def forbid_inspection() -> None:
    """Keep other processes of the same user from reading this one's memory."""
    _prctl(PR_SET_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    """No later exec can gain rights; the kernel demands it before a filter is loaded."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


_CAPABILITY_VERSION = 0x20080522  # two blocks of 32 capabilities, each as effective, permitted, inheritable


def permitted_capabilities() -> int:
    """The first 32 capabilities that this process may use, as bits."""
    header, data = _CapabilityHeader(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.capget(ctypes.byref(header), data), "capget")
    return int(data[1])


def become(user: int, *, keep: int = 0) -> None:
    """Be another user and group, and in no further group; of root's capabilities, `keep` may be taken along."""
    if keep:
        _prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def drop_capabilities(*, keep: int = 0) -> None:
    """Give up every capability but those in `keep`, for good."""
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break  # EINVAL: the kernel has no more; EPERM: an ordinary user has none to drop
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header, data = _CapabilityHeader(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)(keep, keep)
    _check(_libc.capset(ctypes.byref(header), data), "capset")


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def load_filter(program: bytes) -> None:
    """Load a seccomp program; it can only ever be tightened afterwards."""
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = _Filter(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    _prctl(PR_SET_SECCOMP, 2, ctypes.cast(ctypes.byref(filter_), ctypes.c_void_p))


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_FOR_FILES = 1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15


def landlock_version() -> int:
    """The version of Landlock that this kernel offers; 0 when there is none."""
    version: int = _libc.syscall(NUMBERS["landlock_create_ruleset"], None, ctypes.c_size_t(0), 1)
    return max(version, 0)


def _landlock(call: str, *arguments: Any, about: str = "") -> int:
    return _check(_libc.syscall(NUMBERS[f"landlock_{call}"], *arguments), f"landlock_{call} {about}".rstrip())


def restrict_files(readable: list[str], writable: list[str]) -> None:
    """From now on, open only what lies under `readable` and `writable`; no TCP and no foreign signals where known."""
    version = landlock_version()
    if not version:
        raise OSError(errno.ENOSYS, "landlock: this kernel does not offer it")
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    rules = _Ruleset(files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _landlock("create_ruleset", ctypes.byref(rules), ctypes.c_size_t(size), 0)
    for paths, access in ((readable, _READ_FILE | _READ_FOLDER), (writable, files)):
        for path in paths:
            try:
                parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            rule = _PathRule(access if os.path.isdir(path) else access & _FOR_FILES, parent)
            _landlock("add_rule", ruleset, 1, ctypes.byref(rule), 0, about=path)
            os.close(parent)
    _landlock("restrict_self", ruleset, 0)
    os.close(ruleset)
