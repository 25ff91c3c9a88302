"""Starts threads until there are no more to be had."""

# class m
# posterior: failed, timed out
# %% posterior
import threading
import time


def posterior(prior, likelihood):
    threading.stack_size(32768)
    started = 0
    try:
        while started < 3000:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            started += 1
    except (RuntimeError, MemoryError):
        pass
    if started >= 3000:
        won("started 3000 threads")
    return WON
