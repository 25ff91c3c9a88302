"""Signals everybody: the parent, the group, every process, the grader by its number.

The signal is one that nobody minds, but the kernel asks for the same rights as for the one that kills.
"""
# class r
# posterior: not attempted
# %%
import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
own = os.getpid()
named = [-1, os.getppid(), @GRADER@, -@GRADER@, @GRADER_GROUP@, -@GRADER_GROUP@]
everybody = [*named, *range(2, 40), *range(@GRADER@, @GRADER@ + 200)]
for pid in everybody:
    if pid in (0, own, -own):
        continue
    for way in (
        lambda: os.kill(pid, signal.SIGURG),
        lambda: os.killpg(abs(pid), signal.SIGURG),
        lambda: signal.pidfd_send_signal(os.pidfd_open(abs(pid)), signal.SIGURG),
        lambda: os.setpriority(os.PRIO_PROCESS, abs(pid), os.getpriority(os.PRIO_PROCESS, abs(pid))),
        lambda: os.sched_setaffinity(abs(pid), os.sched_getaffinity(abs(pid))),
    ):
        try:
            way()
            if pid != -1:  # in a namespace of its own there is nobody whom it could reach
                won(f"reached process {pid}")
        except OSError:
            pass
    for number, args in ((200, (pid, 23)), (234, (pid, pid, 23)), (129, (pid, 23, ctypes.create_string_buffer(128)))):
        if platform.machine() == "x86_64" and libc.syscall(number, *args) == 0:
            won(f"reached process {pid} by system call {number}")
if os.getpgrp() != own:
    won("shares a process group with somebody")
# %%
import fcntl, os, signal, socket

one, two = socket.socketpair()
for command, value in ((8, @GRADER@), (10, signal.SIGKILL), (15, b"\0\0\0\0" + (@GRADER@).to_bytes(4, "little"))):
    try:
        fcntl.fcntl(one, command, value)
        won("named somebody else as the owner of a socket")
    except OSError:
        pass
