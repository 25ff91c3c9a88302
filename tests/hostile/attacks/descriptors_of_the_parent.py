"""Looks through all descriptors for one that was inherited from the grader or from the process that was forked."""

# posterior: not attempted
# %%
import os
import stat

for descriptor in range(4096):
    try:
        kind = os.fstat(descriptor)
    except OSError:
        continue
    if (
        descriptor > 3
        and not stat.S_ISREG(kind.st_mode)
        or descriptor > 3
        and os.readlink(f"/proc/self/fd/{descriptor}").startswith("@REPOSITORY@/autograder")
    ):
        won(f"inherited descriptor {descriptor}")
    if descriptor < 3 and kind.st_rdev != os.stat("/dev/null").st_rdev:
        won(f"descriptor {descriptor} is not the null device")
