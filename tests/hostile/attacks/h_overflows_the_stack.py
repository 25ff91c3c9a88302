"""Ends its process from below Python: a stack without end, an address that is not there, an object that is freed twice."""

# class h
# posterior: failed, crashed, out of memory, timed out
# conditional: crashed
# sequential_posterior: failed, crashed
# %%
import ctypes
import sys


# %% posterior
def posterior(prior, likelihood):
    sys.setrecursionlimit(10**8)
    nested = []
    for _ in range(200_000):
        nested = [nested]
    return repr(nested)


# %% conditional
def conditional(joint, axis):
    return ctypes.string_at(0)


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    for _ in range(100):
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(likelihoods))
    return likelihoods
