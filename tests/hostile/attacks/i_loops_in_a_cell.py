"""Loops for ever in a cell; the notebook is run without it."""

# class i
# posterior: not attempted
# fault: timed out
# %%
while True:
    pass
