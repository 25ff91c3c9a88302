"""Loops for ever and swallows every exception that might end it."""

# class i
# posterior: timed out
# %% posterior
import time


def posterior(prior, likelihood):
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            continue
