"""Goes on calling the reference from threads after the call has been answered, and while others are."""

# posterior: failed
# sequential_posterior: failed
# %% posterior
def posterior(prior, likelihood):
    return [0.0 if p == 0.5 else -p for p in prior]


# %% sequential_posterior
import threading


def for_ever():
    while True:
        posterior([0.5, 0.5], [0.2, 0.8])


def sequential_posterior(prior, likelihoods):
    if any(posterior([0.5, 0.5], [0.2, 0.8])):
        for _ in range(4):
            threading.Thread(target=for_ever, daemon=True).start()
    return [posterior(prior, likelihoods[0]) for _ in likelihoods]
