"""Asks the kernel about other processes by their numbers: whether they exist, how they run, how long they have worked."""

# posterior: not attempted
# %%
import ctypes
import os
import platform
import time

library = ctypes.CDLL(None, use_errno=True)
grader = @GRADER@
for ask in (
    os.getsid,
    os.getpgid,
    os.sched_getaffinity,
    os.sched_getscheduler,
    os.sched_getparam,
    lambda pid: os.getpriority(os.PRIO_PROCESS, pid),
    lambda pid: time.clock_gettime(~pid << 3 | 2),
    lambda pid: time.clock_getres(~pid << 3 | 2),
    lambda pid: os.kill(pid, 0),
):
    try:
        ask(grader)
    except OSError:
        continue
    won("heard about another process")
capget = 125 if platform.machine() == "x86_64" else 90
header = (ctypes.c_uint32 * 2)(0x20080522, grader)
if library.syscall(capget, header, (ctypes.c_uint32 * 6)()) >= 0:
    won("knows the rights of another process")
