"""Prints for ever in a graded function: the time limit ends it."""


# class k
# posterior: timed out
# %% posterior
def posterior(prior, likelihood):
    while True:
        print("a line of text that goes on " * 100)
