"""Raises an error with a text of 100 MB, a name of 1 MB, and notes and causes without end."""

# class k
# posterior: failed
# fault: raised
# %%
error = type("E" * 1_000_000, (ValueError,), {})("y" * 50_000_000)
error.__cause__ = error.__context__ = error
for _ in range(1000):
    error.add_note("z" * 1000)
raise error


# %% posterior
def posterior(prior, likelihood):
    raise type("E" * 1_000_000, (ValueError,), {})("y" * 50_000_000)
