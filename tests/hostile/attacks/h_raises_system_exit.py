"""Raises SystemExit in a graded function, KeyboardInterrupt in another, GeneratorExit in a third."""

# class h
# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# %% posterior
import sys


def posterior(prior, likelihood):
    sys.exit(0)


# %% conditional
def conditional(joint, axis):
    raise KeyboardInterrupt


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    raise GeneratorExit
