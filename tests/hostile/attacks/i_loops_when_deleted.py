"""Leaves objects behind that loop when they are deleted, and a finaliser that raises."""


# class i
# posterior: timed out
# %% posterior
class Undead:
    def __del__(self):
        while True:
            pass


def posterior(prior, likelihood):
    Undead()
    return prior
