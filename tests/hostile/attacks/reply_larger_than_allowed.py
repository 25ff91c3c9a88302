"""Announces 2**63 bytes, a million buffers, a header of 4 GB; and returns an array above the limit."""

# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# bayes_classifier: crashed
# %% posterior
import os
import struct


def posterior(prior, likelihood):
    os.write(3, struct.pack("<IIQ", 10, 1, 1 << 63))


# %% conditional
def conditional(joint, axis):
    os.write(3, struct.pack("<II", 10, 1 << 20))


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    os.write(3, struct.pack("<II", 0xFFFFFFFF, 0))


# %% bayes_classifier
def bayes_classifier(joint_xy):
    return np.zeros((1 << 20) * 5)
