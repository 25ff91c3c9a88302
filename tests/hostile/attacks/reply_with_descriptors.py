"""Sends open files, credentials and urgent bytes along with its replies."""

# posterior: failed
# %% posterior
import socket


def posterior(prior, likelihood):
    line = socket.socket(fileno=3)
    for way in (
        lambda: socket.send_fds(line, [b""], [0, 1, 2]),
        lambda: line.sendmsg([b""], [(socket.SOL_SOCKET, 2, bytes(12))]),
        lambda: line.send(b"!", socket.MSG_OOB),
        lambda: line.recv(1, socket.MSG_OOB),
        lambda: line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30),
        lambda: line.setsockopt(socket.SOL_SOCKET, 26, bytes(16)),
    ):
        try:
            way()
            won("sent more than data")
        except OSError:
            pass
    line.detach()
    return WON
