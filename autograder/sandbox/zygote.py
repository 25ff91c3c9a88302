"""The zygote: a warm interpreter that forks one contained process per submission, and never runs student code itself.

It is started by exec, so it holds none of the grader's memory: no suite, no expected value, no gradebook. It answers
three requests on its control socket, one JSON packet each: `spawn` (with the student's end of a socket), `reap`, and
`fork` (with a control socket), which makes a copy of it that serves another grading process in the same way.
It ends when that socket closes, its students, its copies and its folder with it, however the grader itself came to its
end. A copy ends when its own socket closes, or with the zygote that it comes from.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import json
import os
import re
import resource
import select
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from autograder.course.errors import MachineError
from autograder.course.limits import Limits
from autograder.sandbox import child, kernel, scratch, seccomp, temporary, warm, wire

_SHARED = kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWNET | kernel.CLONE_NEWPID
_ROOT = "/sys"  # exists everywhere, holds nothing that is bound; the new root is mounted over it, unseen by others
_SCRATCH = "/scratch"
_FOLDERS = {"/proc": 0o555, _SCRATCH: 0o777, "/tmp": 0o555}  # noqa: S108 - of the new root, where nobody writes to it
_DEVICES = ("null", "zero", "urandom", "random", "full")
_RPC, _CONTAINED = 3, 4  # descriptors of a student process: its socket, and a pipe that is closed before its code runs
_OTHER_PROCESSES = 256  # that the grader's own user may start meanwhile
# Refusals that may be over in a moment; any other one is what this machine always says.
_PASSING = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


@dataclass(frozen=True)
class Settings:
    """What the grader tells a zygote once, when it starts it."""

    mode: str
    readable: list[str]
    hidden: list[str]
    number: int
    student_uid: int | None
    kept_capability: int
    checks: str
    folder: str
    figures: bool
    allowed: list[str]
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that the grader wrote as JSON."""
        values = json.loads(text)
        return cls(**{**values, "limits": Limits(**values["limits"])})


def main() -> NoReturn:
    """Isolate, warm up, report ready, and serve until the control socket closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = Settings.from_json(sys.argv[2])
    code = 1
    # Whatever umask the grader has: student code, as another user, must be able to enter and read what is made for it
    # here. Nothing that is made here is a secret.
    os.umask(0o022)
    try:
        held = temporary.hold(settings.folder)  # removed from here, too: the grader may be killed at any moment
        os.chmod(settings.folder, 0o711)  # noqa: S103 - another user must be able to reach its own folder inside
        with contextlib.suppress(OSError):
            _write("/proc/self/oom_score_adj", "1000")  # if the machine runs out of memory, students go first
        processes = _own_processes()
        if settings.mode == "strong":
            # Before warming up: it fails in a process with threads.
            _leave_shared_namespaces(control, settings.folder, held)
        shell = warm.warm(settings.checks, figures=settings.figures, allowed=settings.allowed)
        if settings.mode == "strong":
            _build_root(settings.readable, settings.hidden)
            kernel.make_read_only("/", recursive=False)
        elif settings.mode == "portable":
            if not kernel.landlock_version():
                raise OSError(errno.ENOSYS, "landlock: this kernel does not offer it")
            kernel.forbid_inspection()
        zygote = _Zygote(settings, shell, processes)
        gc.collect()
        gc.freeze()  # children then share these pages for ever
        control.send(json.dumps({"ready": True}).encode())
        zygote.serve(control)
        code = 0
    except Exception as error:  # noqa: BLE001 - the grader should hear of it, whatever it is
        with contextlib.suppress(OSError):  # perhaps nobody is there any more
            passing = isinstance(error, OSError) and error.errno in _PASSING
            control.send(json.dumps({"error": str(error) or type(error).__name__, "passing": passing}).encode())
    finally:
        scratch.remove(settings.folder)  # in the strong mode it is out of sight here, and left to the outer half
        os._exit(code)


class _Zygote:
    def __init__(self, settings: Settings, shell: Any, processes: int) -> None:
        self._settings = settings
        self._shell = shell
        self._pid = os.getpid()
        self._bounds = _bounds(settings, _address_space(), processes)
        self._filter = b""
        if settings.mode != "none":
            self._filter = seccomp.program(seccomp.SOME_PID if settings.mode == "portable" else None)
        self._scratch: dict[int, str] = {}
        self._contained: dict[int, int] = {}  # by process id: the pipe that a student process writes to when it is
        self._copies: dict[int, int] = {}  # by process id: our end of the pipe that each watches, and ends with
        self._namespace: int | None = None
        if settings.mode == "strong":
            self._namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def serve(self, control: socket.socket, watched: int | None = None) -> None:
        """Answer requests until the control socket closes, or the other end of the pipe `watched`."""
        poll = select.poll()
        poll.register(control, select.POLLIN)
        if watched is not None:
            poll.register(watched, 0)  # nothing is ever written to it: only its end is seen
        while watched not in [descriptor for descriptor, _ in poll.poll()]:
            packet, descriptors, _, _ = socket.recv_fds(control, 4096, 1)
            if not packet:
                break
            request = json.loads(packet)
            if "spawn" in request:
                self._answer_spawn(control, descriptors[0])
            elif "fork" in request:
                self._answer_fork(control, descriptors[0], request["fork"])
            else:
                control.send(json.dumps(self._reap(request["reap"])).encode())
        for pid in list(self._scratch):
            self._reap(pid)
        for held in self._copies.values():
            os.close(held)
        for pid in self._copies:
            os.waitpid(pid, 0)

    def _answer_fork(self, control: socket.socket, theirs: int, number: int) -> None:
        for ended in [pid for pid in self._copies if os.waitpid(pid, os.WNOHANG)[0]]:
            os.close(self._copies.pop(ended))
        watched, held = os.pipe()
        try:
            if self._namespace is not None:
                kernel.setns(self._namespace, kernel.CLONE_NEWPID)  # beside this process, not inside the last student's
            pid = os.fork()
        except OSError as error:
            for descriptor in (theirs, watched, held):
                os.close(descriptor)
            control.send(json.dumps({"error": str(error)}).encode())
            return
        if pid == 0:
            for descriptor in (control.detach(), held, *self._copies.values()):
                os.close(descriptor)
            self._become_copy(socket.socket(fileno=theirs), watched, number)
        os.close(theirs)
        os.close(watched)
        self._copies[pid] = held
        control.send(json.dumps({"ready": True}).encode())

    def _become_copy(self, control: socket.socket, watched: int, number: int) -> NoReturn:
        code = 1
        try:
            user = self._settings.student_uid
            self._settings = replace(
                self._settings,
                number=number,
                student_uid=None if user is None else user - self._settings.number + number,
            )
            self._pid, self._scratch, self._contained, self._copies = os.getpid(), {}, {}, {}
            control.send(json.dumps({"ready": True}).encode())
            self.serve(control, watched)
            code = 0
        finally:
            os._exit(code)  # whatever it is, this process must not live on as the zygote that it comes from

    def _answer_spawn(self, control: socket.socket, rpc: int) -> None:
        try:
            pid = self._spawn(rpc)
        except (OSError, MachineError) as error:
            control.send(json.dumps({"error": str(error)}).encode())
            return
        finally:
            os.close(rpc)
        handle = os.pidfd_open(pid)
        packet = json.dumps({"pid": pid, "scratch": self._scratch[pid]}).encode()
        socket.send_fds(control, [packet], [handle])
        os.close(handle)

    def _spawn(self, rpc: int) -> int:
        folder = _SCRATCH
        if self._namespace is None:
            folder = tempfile.mkdtemp(prefix="student-", dir=self._settings.folder)
            around = os.path.dirname(self._settings.folder)
            if room := scratch.lack_of_room(around, self._settings.limits.disk_bytes):
                os.rmdir(folder)
                raise MachineError(room)
            if self._settings.student_uid is not None:
                os.chown(folder, self._settings.student_uid, self._settings.student_uid)
        else:
            kernel.setns(self._namespace, kernel.CLONE_NEWPID)
            kernel.unshare(kernel.CLONE_NEWPID)
        told, telling = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(told)
            raise
        else:
            if pid == 0:
                self._become_student(rpc, telling, folder)
            self._scratch[pid], self._contained[pid] = folder, told
            return pid
        finally:
            os.close(telling)

    def _become_student(self, rpc: int, telling: int, folder: str) -> NoReturn:
        code = wire.EXIT_FAILED
        try:
            self._contain(rpc, telling, folder)
            os.write(_CONTAINED, b"!")
            os.close(_CONTAINED)
            child.serve(socket.socket(fileno=_RPC), self._shell, self._settings.limits)
        except MemoryError:
            code = wire.EXIT_OUT_OF_MEMORY
        except BaseException as error:  # noqa: BLE001 - whatever it is, this process must not live on as a zygote
            if os.environ.get("AUTOGRADER_DEBUG"):
                print(f"student process: {error!r}", file=sys.__stderr__)
        finally:
            os._exit(code)

    def _contain(self, rpc: int, telling: int, folder: str) -> None:
        """Give up, in this order: group, mounts, open files, resources, user, capabilities, files, system calls."""
        settings, limits = self._settings, self._settings.limits
        os.setsid()  # kill(0) reaches a whole process group, across every process-id namespace
        if self._namespace is not None:
            kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC)
            flags = kernel.MS_NOSUID | kernel.MS_NODEV
            size = f"size={limits.disk_bytes},nr_inodes={scratch.MAX_ENTRIES},mode=777"
            kernel.mount("tmpfs", _SCRATCH, "tmpfs", flags | kernel.MS_NOEXEC, size)
            about_itself = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY)  # closed below, with all the others
            kernel.unmount("/proc")  # full of numbers that others change
            if settings.student_uid is None:
                # Threads and signals are counted per user and user namespace: a count of its own tells about nobody.
                _leave_user_namespace(kernel.CLONE_NEWUSER, about_itself)
        os.chdir(folder)
        # Either may have the number that the other one is to get.
        rpc, telling = (fcntl.fcntl(descriptor, fcntl.F_DUPFD, _CONTAINED + 1) for descriptor in (rpc, telling))
        os.dup2(rpc, _RPC)
        os.dup2(telling, _CONTAINED)
        null = os.open("/dev/null", os.O_RDWR)
        debug = os.environ.get("AUTOGRADER_DEBUG")
        for descriptor in (0, 1) if debug else (0, 1, 2):
            os.dup2(null, descriptor)
        os.closerange(_CONTAINED + 1, 4096)
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, [processors[settings.number % len(processors)]])  # many threads slow nobody else down
        for kind, bound in self._bounds.items():
            resource.setrlimit(kind, (bound, bound))
        if settings.student_uid is not None:
            kernel.become(settings.student_uid, keep=settings.kept_capability)
        kernel.die_with_parent()  # after the change of user, which would clear it
        if self._namespace is None and os.getppid() != self._pid:
            raise ProcessLookupError("the zygote has ended meanwhile")
        os.environ.clear()
        os.environ.update(dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR"), folder))
        os.environ.update(MPLBACKEND="Agg", PATH="/usr/bin:/bin", LANG="C.UTF-8")
        tempfile.tempdir = None
        if settings.mode == "none":
            return
        kernel.forbid_inspection()  # not even by itself
        kernel.forbid_new_privileges()
        kernel.drop_capabilities(keep=settings.kept_capability)
        if settings.mode == "portable":
            kernel.restrict_files(
                [*settings.readable, "/dev/urandom", "/dev/zero", "/dev/random"], [folder, "/dev/null"]
            )
        kernel.load_filter(seccomp.for_pid(self._filter, os.getpid()))

    def _reap(self, pid: int) -> dict[str, Any]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        told = self._contained.pop(pid)
        contained = bool(os.read(told, 1))
        os.close(told)
        if self._settings.mode == "none":  # the other modes forbid to fork; here at least the family goes
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        folder = self._scratch.pop(pid)
        if self._namespace is None:
            scratch.remove(folder)
        return {
            "status": status,
            "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024,
            "contained": contained,
        }


def _leave_shared_namespaces(control: socket.socket, folder: str, held: int) -> None:
    if os.getuid() == 0:
        kernel.unshare(_SHARED)
    else:
        about_itself = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY)
        _leave_user_namespace(_SHARED | kernel.CLONE_NEWUSER, about_itself)
        os.close(about_itself)
    inner = os.fork()
    if inner:  # the outer half only waits, so that whoever started it can wait for the inner one, and tidies up
        control.close()
        os.waitpid(inner, 0)
        scratch.remove(folder)
        os._exit(0)
    os.close(held)  # a way out of the root that is to be; the outer half goes on to hold it
    kernel.die_with_parent()
    kernel.unshare(kernel.CLONE_NEWNS)


def _leave_user_namespace(flags: int, about_itself: int) -> None:
    """Go into a new user namespace, and into others that `flags` name, as the same user; takes an open /proc/self."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(name, os.O_WRONLY, dir_fd=about_itself)
        os.write(descriptor, text.encode())
        os.close(descriptor)


def _build_root(readable: list[str], hidden: list[str]) -> None:
    """Exchange the root for an empty one in which only `readable` appears, read-only, without `hidden`."""
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", _ROOT, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=4m,nr_inodes=8192,mode=755")
    for path in readable:
        target = _ROOT + path
        if os.path.islink(path):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.lexists(target):
                os.symlink(os.readlink(path), target)
        elif os.path.exists(path):
            _make_mount_point(path, target)
            kernel.mount(path, target, None, kernel.MS_BIND | kernel.MS_REC)
            kernel.make_read_only(target)
    for path in hidden:
        if os.path.isdir(_ROOT + path):
            kernel.mount("tmpfs", _ROOT + path, "tmpfs", kernel.MS_RDONLY, "size=4k")
    os.makedirs(_ROOT + "/dev", exist_ok=True)
    for device in _DEVICES:
        _make_mount_point(f"/dev/{device}", f"{_ROOT}/dev/{device}")
        kernel.mount(f"/dev/{device}", f"{_ROOT}/dev/{device}", None, kernel.MS_BIND)
        kernel.make_read_only(f"{_ROOT}/dev/{device}")  # the node, not what is written to the device
    for folder, mode in _FOLDERS.items():
        os.makedirs(_ROOT + folder, exist_ok=True)
        os.chmod(_ROOT + folder, mode)
    kernel.mount("proc", _ROOT + "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    os.chdir(_ROOT)
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")


def _make_mount_point(path: str, target: str) -> None:
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w"):
            pass


def _bounds(settings: Settings, address_space: int, processes: int) -> dict[int, int]:
    """The resource limits of a student process; none is above what this process may give."""
    limits = settings.limits
    # Processes and threads are counted per user, and only a user whom nobody else is starts from none: one with a
    # number of its own, or in a user namespace of its own.
    own = settings.student_uid is not None or (settings.mode == "strong" and _counts_per_namespace())
    already = 0 if own else processes + _OTHER_PROCESSES
    wanted = {
        resource.RLIMIT_AS: address_space + limits.memory_bytes,
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: already + limits.threads,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_CORE: 0,
    }
    hard = {kind: resource.getrlimit(kind)[1] for kind in wanted}
    return {
        kind: bound if hard[kind] == resource.RLIM_INFINITY else min(bound, hard[kind])
        for kind, bound in wanted.items()
    }


def _counts_per_namespace() -> bool:
    """Whether this kernel counts threads per user namespace, as it does since 5.14, and not only per user."""
    version = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    return version >= (5, 14)


def _own_processes() -> int:
    """How many threads the user of this process has, as far as /proc tells."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == os.getuid():
                count += os.stat(f"/proc/{name}/task").st_nlink - 2
    return count


def _address_space() -> int:
    with open("/proc/self/statm") as statistics:
        return int(statistics.read().split()[0]) * resource.getpagesize()


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
