"""Stops its own process, so that it neither answers nor ends."""

# class i
# posterior: timed out
# %% posterior
import os
import signal


def posterior(prior, likelihood):
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    while True:
        signal.sigtimedwait([], 1)
