"""Changes the working folder, the locale, the signal handlers, the trace function and the garbage collector."""

# posterior: failed
# earns at most 7
# %%
import gc
import locale
import os
import signal
import sys
import threading
import warnings

os.chdir("/")
gc.disable()
gc.set_threshold(1)
locale.setlocale(locale.LC_ALL, "C")
for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGINT, signal.SIGCHLD):
    signal.signal(number, lambda *args: None)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
sys.settrace(lambda *args: None)
threading.settrace(lambda *args: None)
sys.setswitchinterval(1e-6)
sys.stdout = sys.stderr = sys.stdin = None
sys.excepthook = sys.unraisablehook = sys.displayhook = None
warnings.simplefilter("error")
np.seterr(all="raise")


# %% posterior
def posterior(prior, likelihood):
    import warnings

    warnings.warn("now")
    return prior
