"""Locks, leases and watches files that another submission sees, too: whoever finds one taken has received a bit."""

# posterior: not attempted
# %%
import ctypes
import fcntl
import struct

shared = open(checks.data("penguins.csv"))
own = open("own", "w")
for file in (shared, own):
    for operation in (fcntl.LOCK_SH, fcntl.LOCK_EX, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN):
        try:
            fcntl.flock(file, operation)
            won(f"flock {operation}")
        except OSError:
            pass
    for command in (fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW, 36, 37, 38):
        try:
            fcntl.fcntl(file, command, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0))
            won(f"fcntl {command}")
        except OSError:
            pass
    for command in (fcntl.F_SETLEASE, fcntl.F_GETLEASE, fcntl.F_NOTIFY, 8, 9, 10, 11, 1031, 1033, 1034):
        try:
            fcntl.fcntl(file, command, 0)
            won(f"fcntl {command}")
        except OSError:
            pass
library = ctypes.CDLL(None)
for watch in (library.inotify_init, lambda: library.inotify_init1(0), lambda: library.fanotify_init(0, 0)):
    if watch() >= 0:
        won("watches files")
