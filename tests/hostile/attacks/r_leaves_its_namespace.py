"""Asks the kernel for more: mounts, namespaces, another root, capabilities, another user, new filters, devices."""

# class r
# posterior: not attempted
# %%
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
room = ctypes.create_string_buffer(4096)
functions = {
    "mount": lambda: libc.mount(b"tmpfs", os.getcwd().encode(), b"tmpfs", 0, None),
    "bind": lambda: libc.mount(b"/", os.getcwd().encode(), None, 4096, None),
    "umount": lambda: libc.umount2(os.getcwd().encode(), 2),
    "unshare": lambda: libc.unshare(0x10000000),
    "unshare files": lambda: libc.unshare(0x400),
    "chroot": lambda: libc.chroot(b"."),
    "setns": lambda: (
        libc.setns(os.open("/proc/self/ns/mnt", os.O_RDONLY), 0) if os.path.exists("/proc/self/ns/mnt") else -1
    ),
    "setuid": lambda: libc.setuid(0) if os.getuid() else -1,
    "setgid": lambda: libc.setgid(0) if os.getgid() else -1,
    "personality": lambda: libc.personality(0x0040000),
    "dumpable": lambda: libc.prctl(4, 1, 0, 0, 0),
    "no death signal": lambda: libc.prctl(1, 0, 0, 0, 0),
    "keep capabilities": lambda: libc.prctl(8, 1, 0, 0, 0),
    "filter": lambda: libc.prctl(22, 1, 0, 0, 0),
    "mlockall": lambda: libc.mlockall(3),
    "mknod": lambda: libc.mknod(b"device", 0o60600, 0x800),
    "fifo": lambda: libc.mkfifo(b"fifo", 0o600),
    "chown": lambda: libc.chown(b".", 0, 0),
    "setxattr": lambda: libc.setxattr(b".", b"user.x", b"x", 1, 0),
    "inotify": lambda: libc.inotify_init(),
    "nice": lambda: libc.setpriority(0, 0, -20),
}
for name, function in functions.items():
    try:
        if function() >= 0:
            won(name)
    except (OSError, AttributeError):
        pass
if platform.machine() == "x86_64":  # bpf, perf, io_uring, memfd, keys, handles, new mounts, ...
    numbers = "321 298 425 426 427 319 248 249 250 323 303 304 428 429 430 431 432 442 "
    numbers += "444 446 317 172 173 256 237 238 312 424 434 438 448 451 457 458 459 460 461"
    for number in map(int, numbers.split()):
        if libc.syscall(number, 0, room, room, 0, 0, 0) >= 0:
            won(f"system call {number}")
