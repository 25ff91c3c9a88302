"""Sends arrays whose shape, type or buffer is not what was announced."""

# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# bayes_classifier: crashed
# %% posterior
import os
import struct
import sys


def reply(value, *buffers):
    import json

    frame = sys._getframe()
    while "number" not in frame.f_locals or "operation" not in frame.f_locals:
        frame = frame.f_back
    header = json.dumps({"m": [["number", frame.f_locals["number"]], ["value", value]]}).encode()
    lengths = struct.pack(f"<{len(buffers)}Q", *map(len, buffers))
    os.write(3, struct.pack("<II", len(header), len(buffers)) + lengths + header + b"".join(buffers))


def posterior(prior, likelihood):
    reply({"a": 0, "d": "<f8", "s": [1 << 40]}, bytes(16))


# %% conditional
def conditional(joint, axis):
    reply({"a": 0, "d": "|O", "s": [2]}, bytes(16))


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    reply({"a": 0, "d": "<f8", "s": [0, 1 << 30]}, b"")  # nothing, along a side of a billion


# %% bayes_classifier
def bayes_classifier(joint_xy):
    reply([{"a": 0, "d": "|u1", "s": [1 << 20]}] * 20_000, bytes(1 << 20))  # 1 MiB that becomes 20 GB
