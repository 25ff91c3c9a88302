"""Takes 8 GiB, at once and bit by bit."""


# class j
# posterior: out of memory
# conditional: out of memory
# %% posterior
def posterior(prior, likelihood):
    return np.ones(1 << 30)


# %% conditional
def conditional(joint, axis):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))
