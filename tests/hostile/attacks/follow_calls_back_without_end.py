"""Calls the reference for ever, and takes no error for an answer."""

# posterior: failed
# sequential_posterior: failed
# %% posterior
def posterior(prior, likelihood):
    return [0.0 if p == 0.5 else -p for p in prior]


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    while any(posterior([0.5, 0.5], [0.2, 0.8])):
        try:
            posterior("no", "numbers")
        except BaseException:
            pass
