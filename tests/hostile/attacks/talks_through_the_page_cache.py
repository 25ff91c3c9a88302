"""Asks which pages of a file are in memory because somebody has read them, evicts them, and goes past them to the disk."""

# posterior: not attempted
# %%
import ctypes
import fcntl
import mmap
import os
import platform

library = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
mincore, readahead, sync, syncfs, sync_range = (27, 187, 162, 306, 277) if x86 else (232, 213, 81, 267, 84)
path = checks.data("penguins.csv")
shared = os.open(path, os.O_RDONLY)
library.mmap.restype = ctypes.c_void_p
mapped = ctypes.c_void_p(library.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, shared, 0))
answer = (ctypes.c_uint64 * 8)()
attempts = {
    "mincore": (mincore, mapped, 4096, answer),
    "cachestat": (451, shared, (ctypes.c_uint64 * 2)(0, 4096), answer, 0),
    "readahead": (readahead, shared, 0, 4096),
    "sync": (sync,),
    "syncfs": (syncfs, shared),
    "sync_file_range": (sync_range, shared, 0, 4096, 7),
}
for name, arguments in attempts.items():
    if library.syscall(*arguments) >= 0:
        won(name)
for flags in (os.RWF_NOWAIT, os.RWF_HIPRI):
    try:
        os.preadv(shared, [bytearray(1)], 0, flags)
        won("reads without waiting")
    except BlockingIOError:
        won("is told that it would have to wait")
    except OSError:
        pass
for flags in (os.O_RDONLY | os.O_DIRECT, os.O_RDONLY | os.O_SYNC, os.O_RDONLY | os.O_DSYNC):
    try:
        os.open(path, flags)
        won(f"opens with {flags:o}")
    except OSError:
        pass
for flags in (os.O_WRONLY | os.O_CREAT | os.O_SYNC, os.O_WRONLY | os.O_CREAT | os.O_DIRECT):
    try:
        os.open("own", flags)
        won(f"writes with {flags:o}")
    except OSError:
        pass
try:
    fcntl.fcntl(shared, fcntl.F_SETFL, os.O_DIRECT)
    won("reads from the disk itself")
except OSError:
    pass
try:
    os.link(path, "link")
    won("adds to the number of a shared file's links")
except OSError:
    pass
