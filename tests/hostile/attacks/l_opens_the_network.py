"""Calls home: TCP, UDP, raw and Unix sockets, abstract ones, and name look-ups."""
# class l
# posterior: not attempted
# %%
import socket
import urllib.request

ways = {
    "tcp": lambda: socket.create_connection(("127.0.0.1", @TCP@), 1).send(b"loot"),
    "tcp6": lambda: socket.create_connection(("::1", @TCP@), 1).send(b"loot"),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"loot", ("127.0.0.1", @UDP@)),
    "unix": lambda: socket.socket(socket.AF_UNIX).connect("@UNIX@"),
    "abstract": lambda: socket.socket(socket.AF_UNIX).connect("\0@ABSTRACT@"),
    "pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"loot", "@UNIX@"),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "packet": lambda: socket.socket(17, socket.SOCK_RAW, 0),
    "netlink": lambda: socket.socket(16, socket.SOCK_RAW, 0),
    "vsock": lambda: socket.socket(40, socket.SOCK_STREAM, 0),
    "http": lambda: urllib.request.urlopen("http://127.0.0.1:@TCP@/", timeout=1),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "name": lambda: socket.getaddrinfo("example.org", 80),
}
for name, way in ways.items():
    try:
        way()
        won(f"the network by {name}")
    except OSError:
        pass
