"""The system calls that student code may make, as a seccomp filter built without any library.

A call that is not listed fails with ENOSYS, so a newer kernel opens no hole and C libraries fall back; calls that only
an attack or a mistake would make fail with EPERM. Nothing kills but the calls of another architecture: an honest
notebook that tries gets an exception.

Without namespaces, files have to be guarded against what Landlock does not see: changing the mode or the times of any
file of the same user, or deleting a file that is still open, whose blocks then escape every count. The scratch folder
is thrown away anyway, so these calls are answered with success and not carried out.

Two submissions that are graded at the same time must not be able to talk. So whatever one process could change and
another could see is closed here as far as a filter can: locks, futexes on files that both have mapped, the page cache
as far as it can be asked about or emptied, counters of the whole machine or of a user, ids that count up, other
processes' clocks. `docs/security.md` lists what two submissions share, and measures what cannot be closed.

The tables give each call's number on x86-64 and on 64-bit ARM (`-`: not there). `tests/sandbox/test_seccomp.py`
compares them with libseccomp.
"""

from __future__ import annotations

import errno
import platform
import signal
import struct
from collections.abc import Iterable, Sequence

_ALLOWED = """
    read:0:63 write:1:64 close:3:57 stat:4:- fstat:5:80 lstat:6:- poll:7:- lseek:8:62 mprotect:10:226 munmap:11:215
    brk:12:214 rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136
    rt_sigtimedwait:128:137 rt_sigsuspend:130:133 pread64:17:67 pwrite64:18:68 readv:19:65 writev:20:66 access:21:-
    pipe:22:- select:23:- sched_yield:24:124 mremap:25:216 dup:32:23 dup2:33:- pause:34:- nanosleep:35:101
    getitimer:36:102 alarm:37:- setitimer:38:103 getpid:39:172 sendfile:40:71 shutdown:48:210 getsockname:51:204
    getpeername:52:205 exit:60:93 wait4:61:260 uname:63:160 ftruncate:77:46 getdents:78:- getcwd:79:17 chdir:80:49
    fchdir:81:50 mkdir:83:- creat:85:- link:86:- symlink:88:- readlink:89:- umask:95:166 gettimeofday:96:169
    getrlimit:97:163 getrusage:98:165 times:100:153 getuid:102:174 getgid:104:176 geteuid:107:175 getegid:108:177
    getppid:110:173 getpgrp:111:- getgroups:115:158 getresuid:118:148 getresgid:120:150 sigaltstack:131:132
    sched_get_priority_max:146:125 sched_get_priority_min:147:126 arch_prctl:158:- gettid:186:178
    time:201:- epoll_create:213:- getdents64:217:61 restart_syscall:219:128 exit_group:231:94 epoll_wait:232:-
    epoll_ctl:233:21 waitid:247:95 mkdirat:258:34 newfstatat:262:79 linkat:265:37 symlinkat:266:36 readlinkat:267:78
    faccessat:269:48 pselect6:270:72 ppoll:271:73 epoll_pwait:281:22 timerfd_create:283:85 timerfd_settime:286:86
    timerfd_gettime:287:87 eventfd:284:- signalfd4:289:74 eventfd2:290:19 epoll_create1:291:20 dup3:292:24 pipe2:293:59
    preadv:295:69 pwritev:296:70 getcpu:309:168 getrandom:318:278 copy_file_range:326:285 rseq:334:293 statx:332:291
    faccessat2:439:439 close_range:436:436 epoll_pwait2:441:441
"""

_SPECIAL = """
    socketpair:53:199 prctl:157:167 clone:56:220 clone3:435:435 kill:62:129 tgkill:234:131 setrlimit:160:164
    prlimit64:302:261 fcntl:72:25 ioctl:16:29 open:2:- openat:257:56 sendto:44:206 recvfrom:45:207 futex:202:98
    mmap:9:222 madvise:28:233 clock_gettime:228:113 clock_getres:229:114 clock_nanosleep:230:115 getsockopt:55:209
    preadv2:327:286 pwritev2:328:287
"""

# About one process, which without a namespace could be anybody's: only this one may be asked about.
_ABOUT_A_PROCESS = """
    getpgid:121:155 getsid:124:156 sched_getparam:143:121 sched_getscheduler:145:120 sched_getaffinity:204:123
    getpriority:140:141
"""

# Answered with success and not carried out, everywhere: they reach the disk or the page cache, which all share, or
# (set_robust_list, which C libraries call for every thread) let the kernel wake others when a thread ends.
_ADVICE = """
    fsync:74:82 fdatasync:75:83 msync:26:227 fadvise64:221:223 set_robust_list:273:99
"""

# Carried out in a file system of one's own; elsewhere only answered, or refused.
_ANSWERED = """
    chmod:90:- fchmod:91:52 fchmodat:268:53 utime:132:- utimes:235:- utimensat:280:88 unlink:87:- unlinkat:263:35
    rmdir:84:-
"""
_PRIVATE = """
    rename:82:- renameat:264:38 renameat2:316:276 truncate:76:45
"""

_REFUSED = """
    sendmsg:46:211 recvmsg:47:212 setsockopt:54:208 socket:41:198 connect:42:203 accept:43:202 accept4:288:242
    bind:49:200 listen:50:201 fork:57:- vfork:58:- execve:59:221 execveat:322:281 ptrace:101:117
    process_vm_readv:310:270 process_vm_writev:311:271 tkill:200:130 rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240
    mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 setns:308:268 unshare:272:97 bpf:321:280
    perf_event_open:298:241 userfaultfd:323:282 keyctl:250:219 add_key:248:217 request_key:249:218
    open_by_handle_at:304:265 name_to_handle_at:303:264 personality:135:92 syslog:103:116 pidfd_open:434:434
    pidfd_getfd:438:438 pidfd_send_signal:424:424 io_uring_setup:425:425 io_uring_enter:426:426
    io_uring_register:427:427 memfd_create:319:279 memfd_secret:447:447 shmget:29:194 msgget:68:186 semget:64:190
    mq_open:240:180 setuid:105:146 setgid:106:144 setreuid:113:145 setregid:114:143 setresuid:117:147 setresgid:119:149
    setgroups:116:159 setsid:112:157 setpgid:109:154 setpriority:141:140 sched_setaffinity:203:122 capset:126:91
    seccomp:317:277 chown:92:- fchown:93:55 lchown:94:- fchownat:260:54 mknod:133:- mknodat:259:33 setxattr:188:5
    lsetxattr:189:6 fsetxattr:190:7 mlock:149:228 mlockall:151:230 mlock2:325:284 inotify_init:253:-
    inotify_init1:294:26 fanotify_init:300:262 kcmp:312:272 process_madvise:440:440 landlock_create_ruleset:444:444
    flock:73:32 mincore:27:232 sysinfo:99:179 statfs:137:43 fstatfs:138:44 capget:125:90 get_robust_list:274:100
    set_tid_address:218:96 timer_create:222:107 timer_settime:223:110 timer_gettime:224:108 timer_getoverrun:225:109
    timer_delete:226:111 readahead:187:213 sync:162:81 syncfs:306:267 sync_file_range:277:84
"""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24, 32, 40, 48, 56)
_X32_BIT = 0x40000000
# What every thread of a C library has in common with its process, descriptors included; and the flags for namespaces.
_THREAD, _CLONE_NEW = 0x00010F00, 0x7E020080
_AF_UNIX, _MSG_OOB = 1, 1
_O_TRUNC, _O_TMPFILE, _O_ACCESS = 0o1000, 0o20000000, 3
# Past the page cache, to the disk itself: how long that takes depends on everybody else. The first one differs.
_O_DIRECT, _O_DSYNC = {"x86_64": 0o40000, "aarch64": 0o200000}, 0o10000
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_SET_VMA (glibc names its memory), PR_GET_NO_NEW_PRIVS
_PRCTL = (3, 15, 16, 0x53564D41, 39)
# F_DUPFD to F_GETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not: owners, signals, leases, or locks, which cost kernel memory.
_FCNTL = (0, 1, 2, 3, 1030, 1032)
_F_SETFL = 4
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not: typing into a terminal, attributes of files.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET and WAKE_BITSET, all with the flag PRIVATE: the kernel then
# takes an address for this process's own. Without it, a word of a file that two processes have mapped, if only to read
# it, lets one wait and the other wake it. Not: priority inheritance, which tells about anybody's thread by its id.
_FUTEX_PRIVATE, _FUTEX_REALTIME = 128, 256
_FUTEX = (128, 129, 131, 132, 133, 137, 138)
# NORMAL, DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE, GUARD_INSTALL, GUARD_REMOVE: what allocators and C libraries say about
# their own memory. Not: what reads ahead, evicts from the page cache, or merges equal pages of different processes.
_MADVISE = (0, 4, 8, 14, 15, 102, 103)
_MAP_HUGETLB = 0x40000  # from a pool of the whole machine: who gets none knows that somebody else has them
# SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. Not: SO_COOKIE, which counts up.
_SOCKET_OPTIONS = (3, 4, 7, 8, 30, 38, 39)
_OTHER_CLOCKS = 0x80000000  # set in the ids of other processes' clocks
# Who is ended by one of these did not do it: no student process may send them, not even to itself.
FROM_OUTSIDE = (signal.SIGHUP, signal.SIGKILL, signal.SIGTERM)
_RLIMIT_CPU = 0  # the one limit that the kernel enforces with SIGKILL: it stays as we have set it
_FIRST_QUEUED_SIGNAL = 32  # they are counted per user, and the count has a limit; so are timers

Instruction = tuple[int, int, int, int]


def supported() -> bool:
    """Whether there is a table for this machine's processor."""
    return platform.machine() in _ARCHITECTURES


def numbers(machine: str) -> dict[str, int | None]:
    """The number on this processor of every system call that the filter names; None for those that it does not have."""
    column, _ = _ARCHITECTURES[machine]
    tables = (_ALLOWED, _SPECIAL, _ABOUT_A_PROCESS, _ADVICE, _ANSWERED, _PRIVATE, _REFUSED)
    named = dict.fromkeys(entry.partition(":")[0] for table in tables for entry in table.split())
    return named | {name: number for table in tables for name, number in _numbers(table, column).items()}


def program(own_pid: int | None = None) -> bytes:
    """The filter for a student process, ready to be loaded.

    In namespaces of its own a student process sees nobody else and nobody else's files. Without them, pass its
    `own_pid`: signals then reach no other process, and calls that could change a file outside do nothing.
    """
    column, architecture = _ARCHITECTURES[platform.machine()]
    allowed, special, about, advice, answered, private, refused = (
        _numbers(table, column)
        for table in (_ALLOWED, _SPECIAL, _ABOUT_A_PROCESS, _ADVICE, _ANSWERED, _PRIVATE, _REFUSED)
    )

    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if platform.machine() == "x86_64":
        code += [(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    code += _when(special["futex"], _own_futexes())  # the most frequent ones first
    code += _when(special["mmap"], _without_bits(3, _MAP_HUGETLB, errno.ENOMEM))
    code += _when(special["madvise"], _argument_in(2, _MADVISE, otherwise=0))
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        code += _when(special[name], _without_bits(0, _OTHER_CLOCKS, errno.EINVAL))
    code += _when(special["clone"], _threads_only())
    code += _when(special["clone3"], [_fail(errno.ENOSYS)])
    code += _when(special["socketpair"], _argument_in(0, [_AF_UNIX]))
    code += _when(special["getsockopt"], _argument_in(2, _SOCKET_OPTIONS))
    code += _when(special["prctl"], _argument_in(0, _PRCTL))
    for name, argument in (("kill", 1), ("tgkill", 2)):
        code += _when(special[name], _plain_signals(argument, own_pid))
    code += _when(special["setrlimit"], [(_LOAD, 0, 0, _ARGUMENTS[0]), *_not(_RLIMIT_CPU), _PASS])
    code += _when(special["prlimit64"], _own_limits())
    direct = _O_DIRECT[platform.machine()]
    code += _when(special["fcntl"], _descriptors_only(direct))
    code += _when(special["ioctl"], _argument_in(1, _IOCTL))
    for name in ("sendto", "recvfrom"):
        code += _when(special[name], _without_bits(3, _MSG_OOB, errno.EPERM))
    for name in ("preadv2", "pwritev2"):  # a flag would say whether a page is in memory, or go to the disk
        code += _when(special[name], _argument_in(5, [0], otherwise=errno.EOPNOTSUPP))
    for name, argument in (("open", 1), ("openat", 2)):
        if name in special:
            rest = [_PASS] if own_pid is None else _open_named_files(argument)
            code += _when(special[name], _without_bits(argument, direct | _O_DSYNC, errno.EINVAL, rest))
    for name, number in about.items():
        place = 1 if name == "getpriority" else 0
        code += _when(number, [_PASS] if own_pid is None else _argument_in(place, [0, own_pid]))
    code += _each(allowed.values(), _PASS)
    code += _each(advice.values(), _fail(0))
    code += _each(answered.values(), _PASS if own_pid is None else _fail(0))
    code += _each(private.values(), _PASS if own_pid is None else _fail(errno.EPERM))
    code += _each(refused.values(), _fail(errno.EPERM))
    code.append(_fail(errno.ENOSYS))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


SOME_PID = 0x7FFF_FFF1  # stands for one that is not known yet; the kernel gives none so high


def for_pid(prepared: bytes, pid: int) -> bytes:
    """A program that was prepared for `SOME_PID`, for the process that it is: building one takes longer than this."""
    return prepared.replace(struct.pack("I", SOME_PID), struct.pack("I", pid))


_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)


def _fail(number: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | number)


def _numbers(table: str, column: int) -> dict[str, int]:
    rows = (entry.split(":") for entry in table.split())
    return {row[0]: int(row[1 + column]) for row in rows if row[1 + column] != "-"}


def _when(number: int, block: list[Instruction]) -> list[Instruction]:
    return [(_JUMP_EQUAL, 0, len(block), number), *block]


def _each(numbers: Iterable[int], answer: Instruction) -> list[Instruction]:
    code: list[Instruction] = []
    for first, last in _ranges(numbers):
        code += [(_JUMP_GREATER_EQUAL, 0, 2, first), (_JUMP_GREATER_EQUAL, 1, 0, last + 1), answer]
    return code


def _argument_in(place: int, values: Sequence[int], *, otherwise: int = errno.EPERM) -> list[Instruction]:
    code: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS[place])]
    for value in values:
        code += [(_JUMP_EQUAL, 0, 1, value & 0xFFFFFFFF), _PASS]
    return [*code, _fail(otherwise)]


def _without_bits(place: int, bits: int, error: int, rest: Sequence[Instruction] = ()) -> list[Instruction]:
    """Refuse an argument that has one of these bits; what follows decides about the others."""
    return [(_LOAD, 0, 0, _ARGUMENTS[place]), (_JUMP_ANY_BIT, 0, 1, bits), _fail(error), *(rest or [_PASS])]


def _own_futexes() -> list[Instruction]:
    """Wait for and wake threads of this process only.

    To others, waiting says "woken" at once and waking says "nobody was waiting": both may happen at any time, and
    whoever waits looks again. So joining a thread, for which C libraries do not set the flag, still works.
    """
    operation = [(_LOAD, 0, 0, _ARGUMENTS[1]), (_AND, 0, 0, 0xFFFFFFFF ^ _FUTEX_REALTIME)]
    code = [jump for value in _FUTEX for jump in ((_JUMP_EQUAL, 0, 1, value), _PASS)]
    return [*operation, *code, (_JUMP_ANY_BIT, 0, 1, _FUTEX_PRIVATE), _fail(errno.ENOSYS), _fail(0)]


def _plain_signals(place: int, own_pid: int | None) -> list[Instruction]:
    """No signals that queue up, none to others, and none that mean that others have sent them."""
    code = [(_LOAD, 0, 0, _ARGUMENTS[place]), (_JUMP_GREATER_EQUAL, 0, 1, _FIRST_QUEUED_SIGNAL), _fail(errno.EPERM)]
    for number in FROM_OUTSIDE:
        code += _not(number)
    return [*code, *([_PASS] if own_pid is None else _argument_in(0, [own_pid]))]


def _not(value: int) -> list[Instruction]:
    return [(_JUMP_EQUAL, 0, 1, value), _fail(errno.EPERM)]


def _own_limits() -> list[Instruction]:
    """Read one's own limits, and set them, but for processor time. What is to be set is an address of two words."""
    own = [(_LOAD, 0, 0, _ARGUMENTS[0]), (_JUMP_EQUAL, 1, 0, 0), _fail(errno.EPERM)]
    another = [(_LOAD, 0, 0, _ARGUMENTS[1]), (_JUMP_EQUAL, 1, 0, _RLIMIT_CPU), _PASS]
    only_read = [(_LOAD, 0, 0, _ARGUMENTS[2]), (_JUMP_EQUAL, 1, 0, 0), _fail(errno.EPERM)]
    only_read += [(_LOAD, 0, 0, _ARGUMENTS[2] + 4), (_JUMP_EQUAL, 1, 0, 0), _fail(errno.EPERM)]
    return [*own, *another, *only_read, _PASS]


def _descriptors_only(direct: int) -> list[Instruction]:
    """What can be said about a descriptor, and nothing about its file."""
    setting = _without_bits(2, direct, errno.EINVAL)
    return [(_LOAD, 0, 0, _ARGUMENTS[1]), *_when(_F_SETFL, setting), *_argument_in(1, _FCNTL)]


def _threads_only() -> list[Instruction]:
    flags = (_LOAD, 0, 0, _ARGUMENTS[0])
    no_namespace: list[Instruction] = [flags, (_JUMP_ANY_BIT, 0, 1, _CLONE_NEW), _fail(errno.EPERM)]
    return [*no_namespace, (_AND, 0, 0, _THREAD), (_JUMP_EQUAL, 1, 0, _THREAD), _fail(errno.EPERM), _PASS]


def _open_named_files(place: int) -> list[Instruction]:
    """No files without a name, which no count would see; no truncation in passing, which older Landlocks do not see."""
    code = [(_LOAD, 0, 0, _ARGUMENTS[place]), (_JUMP_ANY_BIT, 0, 1, _O_TMPFILE), _fail(errno.EOPNOTSUPP)]
    code.append((_AND, 0, 0, _O_TRUNC | _O_ACCESS))
    for mixture in (_O_TRUNC, _O_ACCESS, _O_TRUNC | _O_ACCESS):
        code += [(_JUMP_EQUAL, 0, 1, mixture), _fail(errno.EPERM)]
    return [*code, _PASS]


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
