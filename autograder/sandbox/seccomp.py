"""The system calls that student code may make, as a seccomp filter built without any library.

A call that is not listed fails with ENOSYS, so a newer kernel opens no hole and C libraries fall back; calls that only
an attack or a mistake would make fail with EPERM. Nothing kills but the calls of another architecture: an honest
notebook that tries gets an exception.

Without namespaces, files have to be guarded against what Landlock does not see: changing the mode or the times of any
file of the same user, or deleting a file that is still open, whose blocks then escape every count. The scratch folder
is thrown away anyway, so these calls are answered with success and not carried out.

The tables give each call's number on x86-64 and on 64-bit ARM (`-`: not there). `tests/sandbox/test_seccomp.py`
compares them with libseccomp.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Sequence

_ALLOWED = """
    read:0:63 write:1:64 close:3:57 stat:4:- fstat:5:80 lstat:6:- poll:7:- lseek:8:62 mmap:9:222 mprotect:10:226
    munmap:11:215 brk:12:214 rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136
    rt_sigtimedwait:128:137 rt_sigsuspend:130:133 pread64:17:67 pwrite64:18:68 readv:19:65 writev:20:66 access:21:-
    pipe:22:- select:23:- sched_yield:24:124 mremap:25:216 msync:26:227 mincore:27:232 madvise:28:233 dup:32:23
    dup2:33:- pause:34:- nanosleep:35:101 getitimer:36:102 alarm:37:- setitimer:38:103 getpid:39:172 sendfile:40:71
    shutdown:48:210 getsockname:51:204 getpeername:52:205 getsockopt:55:209 exit:60:93 wait4:61:260 uname:63:160
    flock:73:32 fsync:74:82 fdatasync:75:83 ftruncate:77:46 getdents:78:- getcwd:79:17 chdir:80:49 fchdir:81:50
    mkdir:83:- creat:85:- link:86:- symlink:88:- readlink:89:- umask:95:166 gettimeofday:96:169 getrlimit:97:163
    getrusage:98:165 sysinfo:99:179 times:100:153 getuid:102:174 getgid:104:176 geteuid:107:175 getegid:108:177
    getppid:110:173 getpgrp:111:- getgroups:115:158 getresuid:118:148 getresgid:120:150 getpgid:121:155 getsid:124:156
    capget:125:90 sigaltstack:131:132 statfs:137:43 fstatfs:138:44 getpriority:140:141 sched_getparam:143:121
    sched_getscheduler:145:120 sched_get_priority_max:146:125 sched_get_priority_min:147:126 arch_prctl:158:-
    setrlimit:160:164 gettid:186:178 time:201:- futex:202:98 sched_getaffinity:204:123 epoll_create:213:-
    getdents64:217:61 set_tid_address:218:96 restart_syscall:219:128 fadvise64:221:223 timer_create:222:107
    timer_settime:223:110 timer_gettime:224:108 timer_getoverrun:225:109 timer_delete:226:111 clock_gettime:228:113
    clock_getres:229:114 clock_nanosleep:230:115 exit_group:231:94 epoll_wait:232:- epoll_ctl:233:21 waitid:247:95
    mkdirat:258:34 newfstatat:262:79 linkat:265:37 symlinkat:266:36 readlinkat:267:78 faccessat:269:48 pselect6:270:72
    ppoll:271:73 set_robust_list:273:99 get_robust_list:274:100 epoll_pwait:281:22 timerfd_create:283:85
    timerfd_settime:286:86 timerfd_gettime:287:87 eventfd:284:- signalfd4:289:74 eventfd2:290:19 epoll_create1:291:20
    dup3:292:24 pipe2:293:59 preadv:295:69 pwritev:296:70 getcpu:309:168 getrandom:318:278 membarrier:324:283
    copy_file_range:326:285 preadv2:327:286 pwritev2:328:287 rseq:334:293 statx:332:291 faccessat2:439:439
    close_range:436:436 epoll_pwait2:441:441 futex_waitv:449:449
"""

_SPECIAL = """
    socketpair:53:199 prctl:157:167 clone:56:220 clone3:435:435 kill:62:129 tgkill:234:131 prlimit64:302:261 fcntl:72:25
    ioctl:16:29 open:2:- openat:257:56 sendto:44:206 recvfrom:45:207
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
"""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24, 32, 40)
_X32_BIT = 0x40000000
# What every thread of a C library has in common with its process, descriptors included; and the flags for namespaces.
_THREAD, _CLONE_NEW = 0x00010F00, 0x7E020080
_AF_UNIX, _MSG_OOB = 1, 1
_O_TRUNC, _O_TMPFILE, _O_ACCESS = 0o1000, 0o20000000, 3
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_SET_VMA (glibc names its memory), PR_GET_NO_NEW_PRIVS
_PRCTL = (3, 15, 16, 0x53564D41, 39)
# F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not: owners, signals, leases, or locks, which cost kernel memory.
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not: typing into a terminal, attributes of files.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

Instruction = tuple[int, int, int, int]


def supported() -> bool:
    """Whether there is a table for this machine's processor."""
    return platform.machine() in _ARCHITECTURES


def numbers(machine: str) -> dict[str, int | None]:
    """The number on this processor of every system call that the filter names; None for those that it does not have."""
    column, _ = _ARCHITECTURES[machine]
    tables = (_ALLOWED, _SPECIAL, _ANSWERED, _PRIVATE, _REFUSED)
    named = dict.fromkeys(entry.partition(":")[0] for table in tables for entry in table.split())
    return named | {name: number for table in tables for name, number in _numbers(table, column).items()}


def program(own_pid: int | None = None) -> bytes:
    """The filter for a student process, ready to be loaded.

    In namespaces of its own a student process sees nobody else and nobody else's files. Without them, pass its
    `own_pid`: signals then reach no other process, and calls that could change a file outside do nothing.
    """
    column, architecture = _ARCHITECTURES[platform.machine()]
    allowed, special, refused = (_numbers(table, column) for table in (_ALLOWED, _SPECIAL, _REFUSED))
    answered, private = (_numbers(table, column) for table in (_ANSWERED, _PRIVATE))
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if platform.machine() == "x86_64":
        code += [(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    code += _when(special["clone"], _threads_only())
    code += _when(special["clone3"], [_fail(errno.ENOSYS)])
    code += _when(special["socketpair"], _argument_in(0, [_AF_UNIX]))
    code += _when(special["prctl"], _argument_in(0, _PRCTL))
    for name in ("kill", "tgkill"):
        code += _when(special[name], [_PASS] if own_pid is None else _argument_in(0, [own_pid]))
    code += _when(special["prlimit64"], _argument_in(0, [0]))
    code += _when(special["fcntl"], _argument_in(1, _FCNTL))
    code += _when(special["ioctl"], _argument_in(1, _IOCTL))
    for name in ("sendto", "recvfrom"):
        code += _when(special[name], _without_bit(3, _MSG_OOB))
    for name, argument in (("open", 1), ("openat", 2)):
        if name in special:
            code += _when(special[name], [_PASS] if own_pid is None else _open_named_files(argument))
    code += _each(allowed.values(), _PASS)
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


def _argument_in(place: int, values: Sequence[int]) -> list[Instruction]:
    code: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS[place])]
    for value in values:
        code += [(_JUMP_EQUAL, 0, 1, value & 0xFFFFFFFF), _PASS]
    return [*code, _fail(errno.EPERM)]


def _without_bit(place: int, bit: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, _ARGUMENTS[place]), (_JUMP_ANY_BIT, 0, 1, bit), _fail(errno.EPERM), _PASS]


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
