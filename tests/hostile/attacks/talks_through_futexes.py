"""Waits at an address of a library that others have mapped, too, until somebody wakes it, or a thread of theirs ends."""

# posterior: not attempted
# %%
import ctypes
import platform
import threading

library = ctypes.CDLL(None, use_errno=True)
word = ctypes.c_void_p(ctypes.cast(library.getpid, ctypes.c_void_p).value & ~3)
value = ctypes.c_uint32.from_address(word.value).value
within = (ctypes.c_long * 2)(1, 0)
x86 = platform.machine() == "x86_64"
futex, set_tid_address, get_robust_list, membarrier = (202, 218, 274, 324) if x86 else (98, 96, 100, 283)

for wait, wake in ((0, 1), (9, 10)):
    waiting = threading.Thread(target=lambda: library.syscall(futex, word, wait, value, ctypes.byref(within), None, -1))
    waiting.start()
    if any(library.syscall(futex, word, wake, 100, None, None, -1) for _ in range(20000)):
        won("woke a thread through a shared file")
    waiting.join()
for operation in (6, 7, 8, 11, 12, 13):  # locks with priority inheritance, whose owner may be anybody
    held = ctypes.c_uint32(@GRADER@)
    result = library.syscall(futex, ctypes.byref(held), operation | 128, 0, ctypes.byref(within), ctypes.byref(held), 0)
    if result >= 0 or ctypes.get_errno() != 38:
        won(f"futex {operation}: {result}, {ctypes.get_errno()}")
for number in (449, 454, 455, 456, membarrier):  # newer kinds of futexes, and fences for everybody
    if library.syscall(number, 0, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() != 38:
        won(f"system call {number}")
if library.syscall(set_tid_address, word) > 0:
    won("set_tid_address")
if library.syscall(get_robust_list, 0, ctypes.byref(within), ctypes.byref(within)) >= 0:
    won("get_robust_list")
