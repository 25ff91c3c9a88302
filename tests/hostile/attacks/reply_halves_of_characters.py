"""Returns, raises and prints halves of characters and signs that steer a terminal, which no file can hold."""

# posterior: failed
# fault: raised
# %%
import sys

print("\ud800", file=sys.stderr)
raise ValueError("\ud800\x1b[2J\x00\u202e")


# %% posterior
def posterior(prior, likelihood):
    return "\udfff\x1b]0;owned\x07"


# %% conditional
def conditional(joint, axis):
    raise type("\u202eE", (ValueError,), {})("\ud800\x1b[31m")
