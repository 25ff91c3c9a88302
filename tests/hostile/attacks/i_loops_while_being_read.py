"""Returns at once, but what it returned loops while it is turned into data, and so does the error's own text."""


# class i
# posterior: timed out, out of memory
# conditional: timed out
# %% posterior
class Endless(list):
    def __iter__(self):
        while True:
            yield 0.5


def posterior(prior, likelihood):
    return Endless()


# %% conditional
class Silent(Exception):
    def __str__(self):
        while True:
            pass


def conditional(joint, axis):
    raise Silent
