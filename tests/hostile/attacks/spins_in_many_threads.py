"""Burns processor time in many threads without waiting for any: the limit of the processor time, or of the wall, ends it."""

# posterior: timed out
# %% posterior
import threading


def spin():
    while True:
        pass


def posterior(prior, likelihood):
    for _ in range(3):
        threading.Thread(target=spin, daemon=True).start()
    spin()
