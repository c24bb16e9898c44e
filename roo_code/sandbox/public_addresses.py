"""Which addresses are those of the public internet."""

from __future__ import annotations

import ipaddress
from typing import TypeAlias

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""What networks without IPv4 write for an IPv4 address."""


def is_public(address: IpAddress) -> bool:
    """Not this machine, its network, a cloud's metadata service, or anything else reserved."""
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def _embedded(address: IpAddress) -> IpAddress | None:
    """The IPv4 address that an IPv6 address leads to."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
