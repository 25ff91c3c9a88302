"""Takes memory that no limit of the address space counts: memory files, shared memory, pipes, sockets."""

# class j
# posterior: not attempted
# %%
import ctypes
import mmap
import os
import platform
import resource
import socket

for way in (
    lambda: os.memfd_create("x"),
    lambda: mmap.mmap(-1, 8 << 30),
    lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2),
    lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)),
    lambda: open("/dev/shm/x", "wb").write(b"x"),
    lambda: open("/dev/zero", "r+b").write(b"x" * 4096) and mmap.mmap(os.open("/dev/zero", os.O_RDWR), 8 << 30),
):
    try:
        way()
        won("took memory beyond the limit")
    except (OSError, ValueError, MemoryError):
        pass
for number, args in ((29, (0, 1 << 30, 0o1600)), (447, (0,)), (323, (0,))):  # shmget, memfd_secret, userfaultfd
    if platform.machine() == "x86_64" and ctypes.CDLL(None).syscall(number, *args) >= 0:
        won(f"system call {number}")
kept = []
try:
    while True:
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        while kept[-1][0].send(b"x" * 65536):
            pass
except BlockingIOError:
    pass
except OSError:
    pass
