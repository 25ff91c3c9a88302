"""Opens files and sockets without end."""

# posterior: failed
# %% posterior
import socket


def posterior(prior, likelihood):
    kept = []
    while len(kept) < 5000:
        kept.append(open("/dev/null"))
        kept.append(socket.socketpair())
    return won("opened 5000 files")
