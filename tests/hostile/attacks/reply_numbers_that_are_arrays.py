"""Repeats the number of the question as an array, so that the grader's comparison has no truth value and fails itself."""

# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# fault: crashed
# %%
import os
import sys

from autograder.sandbox import wire


def question():
    frame = sys._getframe()
    while "number" not in frame.f_locals or "operation" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["number"]


# %%
os.write(3, wire.encode({"number": np.array([1, 2]), "error": None}))
os.close(3)


# %% posterior
def posterior(prior, likelihood):
    os.write(3, wire.encode({"number": np.array([question()] * 2), "value": prior}))
    os.close(3)


# %% conditional
def conditional(joint, axis):
    os.write(3, wire.encode({"number": np.array([]), "value": joint}))
    os.close(3)


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    message = {"number": question(), "stand_in": np.array(["posterior"] * 2), "args": np.zeros(2), "kwargs": np.zeros(2)}
    os.write(3, wire.encode(message))
    os.close(3)
