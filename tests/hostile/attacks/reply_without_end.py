"""Announces a large reply and sends it byte by byte."""

# posterior: timed out
# %% posterior
import os
import struct
import time


def posterior(prior, likelihood):
    os.write(3, struct.pack("<IIQ", 1000, 1, 1 << 20))
    while True:
        os.write(3, b" ")
        time.sleep(0.001)
