"""What a program asks of an HTTP proxy."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from roo_code.sandbox.host_list import normal_host

_OF_THE_WAY = {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"host"}
"""Headers that are between the program and us, and the one that we write ourselves."""


class NotForProxy(Exception):
    """Somebody has asked for what a proxy cannot do."""


class ProxyRequest(NamedTuple):
    host: str
    port: int
    head: bytes | None
    """What to send to the host first, or None if all that follows is the program's own affair."""


def proxy_request(head: bytes) -> ProxyRequest:
    """The request that begins with these bytes, up to the empty line.

    Raises:
        NotForProxy: It names no host, or is not of HTTP at all.
    """
    first, *headers = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    try:
        method, target, version = first.decode("ascii").split(" ")
    except ValueError as error:
        raise NotForProxy from error
    if not version.startswith("HTTP/1."):
        raise NotForProxy
    if method == "CONNECT":
        return _tunnel(target)
    if not target.lower().startswith("http://"):
        raise NotForProxy
    host, port, path = _parts(target, 80)
    kept = [line for line in headers if line.partition(b":")[0].strip().lower() not in _OF_THE_WAY]
    # One request for each connection, so that no other host can be asked for in the second.
    lines = [
        f"{method} {path} {version}".encode(), f"Host: {_authority(host, port)}".encode(),
        b"Connection: close", *kept,
    ]  # fmt: skip
    return ProxyRequest(host, port, b"\r\n".join(lines) + b"\r\n\r\n")


def _tunnel(target: str) -> ProxyRequest:
    host, port, path = _parts(f"http://{target}", 0)
    if not port or path != "/":
        raise NotForProxy
    return ProxyRequest(host, port, None)


def _parts(url: str, default: int) -> tuple[str, int, str]:
    try:
        parts = urlsplit(url)
        host, port = normal_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise NotForProxy from error
    if host is None:
        raise NotForProxy
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return host, default if port is None else port, path


def _authority(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port == 80 else f"{name}:{port}"
