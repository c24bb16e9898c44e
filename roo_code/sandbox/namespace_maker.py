"""Hands out a network namespace: a program of its own, started in a new one by its path.

It is given a socket to answer through and the ports to listen on. What it hands out lives on after
it. It imports nothing of ours, so that it starts as fast as it can.
"""

from __future__ import annotations

import fcntl
import os
import socket
import sys

_OWNER_OF_NAMESPACE = 0xB701


def main() -> None:
    answers, *ports = map(int, sys.argv[1:])
    listening = [socket.create_server(("127.0.0.1", port)) for port in ports]
    network = os.open("/proc/self/ns/net", os.O_RDONLY)
    owner = fcntl.ioctl(network, _OWNER_OF_NAMESPACE)
    handed = [owner, network, *(listener.fileno() for listener in listening)]
    socket.send_fds(socket.socket(fileno=answers), [b"."], handed)


if __name__ == "__main__":
    main()
