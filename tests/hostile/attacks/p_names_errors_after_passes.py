"""Raises what a checker might take for success: skips, expected failures, warnings, StopIteration, groups."""

# class p
# posterior: failed
# conditional: failed
# sequential_posterior: failed
# bayes_classifier: failed
# %% posterior
import unittest


def posterior(prior, likelihood):
    raise unittest.SkipTest("nothing to see here")


# %% conditional
def conditional(joint, axis):
    raise StopIteration(joint)


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    raise ExceptionGroup("skipped", [ValueError("x")])


# %% bayes_classifier
def bayes_classifier(joint_xy):
    raise type("Skipped", (UnicodeDecodeError,), {})("utf-8", b"x", 0, 1, "passed")
