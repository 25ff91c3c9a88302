"""Sets timers that interrupt it every millisecond, for ever; that end it; that are left to go off in the engine's own code."""

# class i
# posterior: failed, crashed
# conditional: timed out, crashed
# sequential_posterior: failed, crashed
# %%
import faulthandler
import signal


def interrupt(*_):
    raise TimeoutError("mine")


signal.signal(signal.SIGALRM, interrupt)


# %% posterior
def posterior(prior, likelihood):
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return prior


# %% conditional
def conditional(joint, axis):
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
    while True:
        pass


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    with open("dump", "w") as dump:
        faulthandler.dump_traceback_later(0.01, exit=True, file=dump)
        while True:
            pass
