"""Returns arrays that are no arrays of numbers: records, raw bytes, dates, masked ones, foreign byte orders, views of nothing."""

# class c
# posterior: failed
# conditional: failed
# sequential_posterior: failed, out of memory
# bayes_classifier: failed, out of memory


# %% posterior
def posterior(prior, likelihood):
    return np.zeros(len(prior), dtype=[("share", "f8"), ("anything", "O")])


# %% conditional
def conditional(joint, axis):
    return np.array([np.void(b"12345678"), np.ma.masked, np.datetime64("NaT"), memoryview(b"12345678").cast("d")], dtype=object)


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    return np.broadcast_to(np.array(0.5, dtype=">f8"), (1 << 40,))


# %% bayes_classifier
def bayes_classifier(joint_xy):
    return np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20, 1 << 20), (0, 0)), np.longdouble("1e4000")
