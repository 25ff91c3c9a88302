"""Leaves a process behind: fork, double fork with a new session, spawn, a shell, a pool."""
# class m
# posterior: not attempted
# %%
import ctypes
import multiprocessing
import os
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)


def double_fork():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time

            time.sleep(60)
        os._exit(0)


ways = {
    "fork": double_fork,
    "forkpty": os.forkpty,
    "posix_spawn": lambda: os.posix_spawn("/bin/sleep", ["sleep", "60"], {}),
    "subprocess": lambda: subprocess.Popen(["sleep", "60"], start_new_session=True),
    "shell": lambda: subprocess.run("sleep 60 & disown", shell=True, check=True),
    "python": lambda: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]),
    "pool": lambda: multiprocessing.get_context("fork").Process(target=print).start(),
    "exec": lambda: os.execv("/bin/sleep", ["sleep", "60"]),
    "setsid": os.setsid,
    "daemon": lambda: os.setpgid(0, 0),
}
for name, way in ways.items():
    try:
        way()
        won(f"started a process by {name}")
    except (OSError, RuntimeError):
        pass
for flags in (0, 17, 0x4000 | 0x100 | 17, 0x8000 | 17, 0x10000 | 0x100 | 0x800):  # the last: a thread with own files
    if libc.syscall(56, flags, 0, 0, 0, 0) > 0:
        won(f"cloned with {flags:x}")
if libc.syscall(435, ctypes.byref((ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)), 88) > 0 or libc.vfork() > 0:
    won("cloned")
# %%
!touch @LEFT@/shell
# %%
%system touch @LEFT@/system
