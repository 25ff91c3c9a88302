"""Writes a file without end, and one that is large without being written."""

# posterior: failed
# %% posterior
import ctypes
import os


def posterior(prior, likelihood):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open("reserved", os.O_CREAT | os.O_RDWR)
    if libc.fallocate(descriptor, 1, ctypes.c_long(0), ctypes.c_long(1 << 30)) == 0:
        won("reserved a gigabyte")
    with open("big", "wb") as file:
        while True:
            file.write(b"x" * (1 << 20))
