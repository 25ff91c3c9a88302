"""Returns little that would grow much: texts of very different length, huge integers, colliding keys, many keys."""


# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# bayes_classifier: failed
# %% posterior
def posterior(prior, likelihood):
    return ["x" * 500_000, *["y"] * 50_000]  # as an array of text: 100 GB


# %% conditional
def conditional(joint, axis):
    return 10**1_000_000


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    return {(i << 32): i for i in range(200_000)}


# %% bayes_classifier
def bayes_classifier(joint_xy):
    payload = np.frombuffer(
        np.arange(0x7FF0_0000_0000_0001, 0x7FF0_0000_0000_0001 + len(joint_xy), dtype=np.uint64).tobytes()
    )
    return payload, float("nan")
