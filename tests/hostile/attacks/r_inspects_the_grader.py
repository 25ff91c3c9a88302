"""Attaches to the grader, reads and writes its memory, takes its descriptors."""
# class r
# posterior: not attempted
# %%
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
word = ctypes.create_string_buffer(8)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(word), 8)
for pid in (os.getppid(), @GRADER@, 1, 2):
    calls = {
        "ptrace": lambda: libc.ptrace(16, pid, 0, 0),
        "traceme": lambda: libc.ptrace(0, 0, 0, 0),
        "process_vm_readv": lambda: libc.process_vm_readv(pid, vector, 1, vector, 1, 0),
        "process_vm_writev": lambda: libc.process_vm_writev(pid, vector, 1, vector, 1, 0),
        "pidfd_getfd": lambda: libc.syscall(438, libc.syscall(434, pid, 0), 0, 0),
        "kcmp": lambda: libc.syscall(312, pid, pid, 0, 0, 0),
        "prlimit": lambda: libc.prlimit(pid, 7, 0, ctypes.byref((ctypes.c_ulong * 2)())) if pid > 1 else -1,
    }
    for name, call in calls.items():
        if call() >= 0:
            won(f"{name} on process {pid}")
    if pid != os.getpid():
        for name, mode in (("mem", "r+b"), ("mem", "rb"), ("maps", "r"), ("fd/0", "rb"), ("root/etc/passwd", "r")):
            try:
                open(f"/proc/{pid}/{name}", mode).close()
                won(f"opened /proc/{pid}/{name}")
            except OSError:
                pass
