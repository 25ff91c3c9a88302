"""Crashes the interpreter: a null pointer, an abort, a stack without end."""

# class h
# posterior: crashed
# conditional: crashed
# bayes_classifier: crashed, failed
# %% posterior
import ctypes
import os
import sys


def posterior(prior, likelihood):
    return ctypes.string_at(0)


# %% conditional
def conditional(joint, axis):
    os.abort()


# %% bayes_classifier
def bayes_classifier(joint_xy):
    class Mirror:
        def __repr__(self):
            return repr(self)

    sys.setrecursionlimit(10**9)
    return repr(Mirror())
