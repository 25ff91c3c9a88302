"""Reads what is counted for the whole machine or for a user, where everybody's doings show."""

# posterior: not attempted
# %%
import ctypes
import mmap
import os
import platform
import signal
import socket

library = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
sysinfo, timer_create, sigqueue = (99, 222, 129) if x86 else (179, 107, 138)
room = (ctypes.c_uint64 * 64)()
if library.syscall(sysinfo, room) >= 0:
    won("counts the machine's processes and memory")
if library.syscall(timer_create, 1, None, room) >= 0:
    won("has a timer, of which a user has only so many")
if library.syscall(sigqueue, os.getpid(), 34, room) >= 0:
    won("queues a signal")
for attempt in (
    lambda: os.statvfs("."),
    lambda: os.statvfs(checks.data("penguins.csv")),
    lambda: os.fstatvfs(0),
    os.getloadavg,
    lambda: open("/proc/stat"),
    lambda: open("/proc/self/mountinfo"),
    lambda: open("/proc/self/sched"),
    lambda: open("/proc/loadavg"),
    lambda: os.kill(os.getpid(), 34),
    lambda: signal.pthread_kill(__import__("threading").get_ident(), 35),
    lambda: socket.socketpair()[0].getsockopt(socket.SOL_SOCKET, 57, 8),
    lambda: mmap.mmap(-1, 1 << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000),
):
    try:
        attempt()
    except OSError:
        continue
    won("reads a counter that others move")
