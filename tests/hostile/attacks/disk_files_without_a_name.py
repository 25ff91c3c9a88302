"""Fills the disk with files that are deleted but still open, or never had a name, which no folder shows."""

# posterior: failed, crashed
# %% posterior
import mmap
import os


def posterior(prior, likelihood):
    hidden = 0
    for number in range(40):
        descriptor = os.open(f"{number}", os.O_CREAT | os.O_RDWR)
        os.write(descriptor, b"x" * (1 << 20))
        os.remove(f"{number}")
        mmap.mmap(descriptor, 4096)
        hidden += not os.path.exists(f"{number}")
    if hidden == 40:
        won("hid 40 MB")
    try:
        os.open(".", os.O_TMPFILE | os.O_RDWR)
    except OSError:
        return WON
    return WON
