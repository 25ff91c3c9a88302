"""What this machine offers to contain student code, layer by layer, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course
from autograder.course.errors import AuthorError, UsageError
from autograder.grading.seeds import secret
from autograder.sandbox import isolation, kernel, matplotlib_version, permissions, seccomp


@dataclass(frozen=True)
class Finding:
    """One layer: whether it is there, in words, and what to do when it is not."""

    layer: str
    good: bool
    words: str
    remedy: str = ""


def examine(course: Course) -> list[Finding]:
    """The findings of this machine, from the system up to the two kinds of isolation, each of them tried."""
    findings = [_system(), _seccomp(), _landlock(), _user(), _files(course), _secret(course), _figures()]
    if sys.platform == "linux":
        for mode in ("strong", "portable"):
            trial = isolation.attempt(mode, checks=course.checks, data=course.data, suites=course.suites)
            words = f"held against {len(isolation.ESCAPES)} escapes" if trial.usable else trial.problem
            findings.append(Finding(f"{mode} isolation", trial.usable, words, "" if trial.usable else _remedy(trial)))
    return findings


def verdict(findings: list[Finding]) -> str:
    """What the findings mean for `grade`."""
    kinds = [finding for finding in findings if finding.layer.endswith("isolation")]  # the strongest first
    if any(finding.layer == "files" and not finding.good for finding in findings):
        return "`autograder grade` cannot read all of the course."
    if any(finding.layer == "secret" and not finding.good for finding in findings):
        return "`autograder grade` will refuse until the secret can be used, see above."
    for number, kind in enumerate(kinds):
        if kind.good:
            why = "".join(f" Not {stronger.layer}: {stronger.words}." for stronger in kinds[:number])
            return f"`autograder grade` will use {kind.layer}.{why}"
    return "`autograder grade` will refuse to run student code here: nothing above contains it."


def _system() -> Finding:
    words = f"{platform.system()} {platform.release()} on {platform.machine()}, Python {platform.python_version()}"
    good = sys.platform == "linux" and seccomp.supported()
    return Finding(
        "system", good, words, "" if good else "Grade in a Linux virtual machine or container on x86-64 or 64-bit ARM."
    )


def _seccomp() -> Finding:
    status = Path("/proc/self/status")
    good = status.exists() and "Seccomp:" in status.read_text()
    remedy = "" if good else "The kernel needs CONFIG_SECCOMP_FILTER; every distribution's kernel has it."
    return Finding("seccomp filter", good, "offered by the kernel" if good else "not offered", remedy)


def _landlock() -> Finding:
    version = kernel.landlock_version() if sys.platform == "linux" else 0
    if version:
        return Finding("Landlock", True, f"version {version}")
    return Finding(
        "Landlock", False, "not offered", "Needs Linux 5.13 or newer with `landlock` in the boot parameter lsm=."
    )


def _user() -> Finding:
    if not hasattr(os, "getuid"):
        return Finding("user", False, "this system has no user ids", "Grade on Linux.")
    if os.getuid() == 0:
        return Finding("user", True, "root: student code gets a user id of its own in strong isolation")
    return Finding(
        "user", True, f"user {os.getuid()}: student code runs in a user namespace of its own, or under Landlock"
    )


def _files(course: Course) -> Finding:
    """Whether we ourselves can read the course; what student code has to read is tried below."""
    for path in (course.solutions, course.notebooks, course.data, course.suites, course.catalogue):
        if obstacle := permissions.on_the_way(path) or permissions.within(path):
            # Not `chmod`: who may read the course may read its solutions.
            remedy = f"Grade as {obstacle.owner}, or with a copy of the course that is yours."
            return Finding("files", False, str(obstacle), remedy)
    return Finding("files", True, "the course can be read")


def _secret(course: Course) -> Finding:
    """Where the secret lies that hidden numbers are drawn with; what it is, nobody needs to read."""
    try:
        found = secret.find(course)
    except (AuthorError, UsageError) as error:
        return Finding("secret", False, "cannot be used", str(error))
    if found is not None:
        words = f"in the variable {found.where}" if found.where == secret.VARIABLE else f"in {found.where}"
        remark = f"; {found.remark}" if found.remark else ""
        return Finding("secret", True, f"{words}, fingerprint {found.fingerprint}{remark}")
    if secret.in_ci():
        return Finding(
            "secret", True, f"none, and in CI none is made: hidden numbers are fixed without {secret.VARIABLE}"
        )
    return Finding("secret", True, f"none yet: the first `autograder grade` makes one in {secret.place(course)}")


def _figures() -> Finding:
    remark = matplotlib_version.remark()
    if not remark:
        return Finding("figures", True, "drawn with shortcuts, which this version of matplotlib was tried with")
    return Finding("figures", False, remark, "`autograder grade --full` takes longer here; nothing else changes.")


def _remedy(trial: isolation.Trial) -> str:
    if trial.remedy:
        return trial.remedy
    if trial.by_machine:
        return isolation.ROOM
    if trial.mode == "portable":
        return "Needs Landlock and seccomp, see above."
    limit = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if limit.exists() and limit.read_text().strip() == "1" and os.getuid() != 0:
        return (
            "AppArmor keeps ordinary users from making namespaces (Ubuntu 23.10 and newer). Once, as root: "
            "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, "
            "or an AppArmor profile for this Python with `userns,`."
        )
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "A container's default profile forbids namespaces: run it with "
            "`--security-opt seccomp=unconfined --cap-add SYS_ADMIN`, or accept portable isolation."
        )
    return "Needs namespaces: as an ordinary user check `sysctl user.max_user_namespaces` (not 0), or run as root."
