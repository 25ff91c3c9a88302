"""Writes noise to the line; ends a frame in the middle; closes the line; puts another file in its place."""

# posterior: crashed
# conditional: timed out
# sequential_posterior: crashed
# bayes_classifier: crashed
# %% posterior
import os
import struct


def posterior(prior, likelihood):
    os.write(3, np.random.default_rng(0).bytes(100_000))
    return prior


# %% conditional
def conditional(joint, axis):
    os.write(3, struct.pack("<II", 100, 0) + b'{"m": [["number", 1]')
    import time

    time.sleep(60)


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    os.close(3)
    return prior


# %% bayes_classifier
def bayes_classifier(joint_xy):
    os.dup2(os.open("/dev/null", os.O_RDWR), 3)
    return joint_xy
