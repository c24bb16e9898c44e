"""The hosts that programs in a sandbox may reach, as a user lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import NamedTuple

from roo_code.errors import ConfigError
from roo_code.sandbox.public_addresses import IpAddress, is_public

_PORTS = frozenset({80, 443})
_LAST_PORT = 65535
_ENTRY = re.compile(r"(?P<host>\[[^\[\]]+\]|[^:\[\]]+)(?::(?P<ports>\*|\d+(?:,\d+)*))?")
_NAME = re.compile(r"\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?")
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


class _Listed(NamedTuple):
    host: str
    """A name, `*.` and a name, `*` for all names, or an address as it is written shortest."""
    ports: frozenset[int] | None
    """None is any."""
    is_exact: bool
    """Whether nothing but this very service can be meant, so that it may be a private one."""

    def means(self, host: str, port: int) -> bool:
        if self.ports is not None and port not in self.ports:
            return False
        if not self.host.startswith("*"):
            return host == self.host
        return as_address(host) is None and host.endswith(self.host[1:])


class HostList:
    """A name leads to public addresses only, unless it is listed with its port."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Raises ConfigError for what is not a host."""
        self._listed = tuple(map(_parsed, entries))

    @property
    def of_this_machine(self) -> Sequence[tuple[str, int]]:
        """Services of this machine, as listed with their ports."""
        return [
            (listed.host, port)
            for listed in self._listed
            if listed.host in _THIS_MACHINE and listed.is_exact
            for port in sorted(listed.ports or ())
        ]

    def has(self, host: str, port: int) -> bool:
        return any(listed.means(host, port) for listed in self._listed)

    def reaches(self, host: str, port: int, address: IpAddress) -> bool:
        """Whether a host that is listed may be at this address."""
        exact = [listed for listed in self._listed if listed.is_exact]
        known = any(listed.means(name, port) for listed in exact for name in (host, str(address)))
        return known or is_public(address)


def normal_host(written: str) -> str | None:
    """A host as lists and requests may both write it, or None if it cannot be one."""
    host = written.removeprefix("[").removesuffix("]").lower().rstrip(".")
    if (address := as_address(host)) is not None:
        return str(address)
    return host if _NAME.fullmatch(host) and "*" not in host else None


def as_address(host: str) -> IpAddress | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _parsed(entry: str) -> _Listed:
    text = entry.strip()
    if as_address(text) is not None:
        text = f"[{text}]"
    found = _ENTRY.fullmatch(text)
    host = found and _listed_host(found["host"])
    if found is None or host is None:
        raise ConfigError(
            f"The setting sandboxHosts lists {entry!r}, which is not a host.",
            hint="Write pypi.org, *.pypi.org, pypi.org:8443 or an address such as 10.0.0.7:80.",
        )
    ports = found["ports"]
    is_exact = (ports is not None or as_address(host) is not None) and "*" not in host
    if ports == "*":
        return _Listed(host, None, is_exact)
    numbers = frozenset(map(int, ports.split(","))) if ports else _PORTS
    if not all(0 < number <= _LAST_PORT for number in numbers):
        raise ConfigError(f"The setting sandboxHosts lists {entry!r}, which has no possible port.")
    return _Listed(host, numbers, is_exact)


def _listed_host(written: str) -> str | None:
    before, name = ("*.", written[2:]) if written.startswith("*.") else ("", written)
    if name == "*" and not before:
        return "*"
    try:
        ascii_name = name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    host = normal_host(ascii_name)
    return None if host is None or (before and as_address(host)) else before + host
