"""Writes small files without end, and folders in folders."""

# posterior: failed, crashed, timed out
# conditional: failed, crashed
# %% posterior
import os


def posterior(prior, likelihood):
    for number in range(1_000_000):
        open(f"{number}", "w").write("x")


# %% conditional
def conditional(joint, axis):
    for _ in range(100_000):
        os.mkdir("a")
        os.chdir("a")
