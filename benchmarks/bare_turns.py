"""The floor of a turn: a bare socket that sends as many bytes as our agent and reads the reply."""

from __future__ import annotations

import json
import socket
import sys
from urllib.parse import urlsplit

_FIRST = 4_800
_MORE = 590
"""Bytes of our first request, and how many each turn adds."""


def converse(url: str) -> None:
    parts = urlsplit(url)
    turns = int(parts.path.split("/")[3])
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        for turn in range(turns + 1):
            padding = "x" * (_FIRST + turn * _MORE)
            body = json.dumps({"stream": True, "messages": padding}).encode()
            head = f"POST {parts.path}/chat/completions HTTP/1.1\r\ncontent-length: {len(body)}"
            connection.sendall(head.encode() + b"\r\n\r\n" + body)
            _read(connection)


def _read(connection: socket.socket) -> None:
    received = connection.recv(65536)
    head, _, start = received.partition(b"\r\n\r\n")
    left = int(head.rpartition(b":")[2]) - len(start)
    while left > 0:
        left -= len(connection.recv(65536))


if __name__ == "__main__":
    for address in sys.argv[1:]:
        converse(address)
