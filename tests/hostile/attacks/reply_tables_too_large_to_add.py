"""Gives back empty arrays with long sides and as much as a reply may hold, in one axis or the other, again and again."""

# posterior: failed
# conditional: failed, crashed
# sequential_posterior: failed, crashed
# %%
turns = iter(range(10**9))


# %% posterior
def posterior(prior, likelihood):
    return np.zeros((1 << 18, 1)) if next(turns) % 2 else np.zeros((1, 1 << 18))


# %% conditional
def conditional(joint, axis):
    return [np.zeros((1 << 20, 0))] * 500


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    return np.zeros((0, 1 << 20, 0, 1 << 30))
