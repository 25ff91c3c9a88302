"""Returns lists in lists without end, a list that contains itself, and an object array that does."""


# posterior: crashed
# conditional: crashed
# sequential_posterior: crashed
# bayes_classifier: crashed
# %% posterior
def posterior(prior, likelihood):
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested


# %% conditional
def conditional(joint, axis):
    loop = []
    loop.append(loop)
    return {"a": (loop, {"b": loop})}


# %% sequential_posterior
def sequential_posterior(prior, likelihoods):
    box = np.empty(2, object)
    box[:] = [box, box]
    return box


# %% bayes_classifier
def bayes_classifier(joint_xy):
    import os
    import struct

    header = b"[" * 500_000 + b"]" * 500_000
    os.write(3, struct.pack("<II", len(header), 0) + header)
