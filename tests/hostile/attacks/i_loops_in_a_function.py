"""Loops for ever in a graded function; the other exercises are still graded."""


# class i
# posterior: timed out
# %% posterior
def posterior(prior, likelihood):
    while True:
        pass
