"""Blocks and ignores every signal, then waits."""

# class i
# posterior: timed out
# %% posterior
import signal


def posterior(prior, likelihood):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    while True:
        signal.pause() if False else sum(range(10**6))
