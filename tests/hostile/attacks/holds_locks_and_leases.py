"""Locks and leases files that the grader and other submissions read, so that they would have to wait; locks without end."""

# posterior: not attempted
# %%
import fcntl

held = open(checks.data("penguins.csv"))
for command, value in ((1024, fcntl.F_WRLCK), (1024, fcntl.F_RDLCK), (1026, 0xFFFFFFF), (1033, 15)):
    try:
        fcntl.fcntl(held, command, value)
        won(f"fcntl {command}")
    except OSError:
        pass
own = open("own", "w")
for place in range(1000):  # each lock would cost the kernel memory that nobody counts
    try:
        fcntl.lockf(own, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 2 * place)
        won("a lock without end")
        break
    except OSError:
        pass
for request in (0x40086602, 0x401C5820, 0x5412, 0x8901, 0x8902, 0x5414):
    try:
        fcntl.ioctl(held, request, bytes(64))
        won(f"ioctl {request:x}")
    except OSError:
        pass
