"""What signs single requests, for services that a fixed key does not satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from roo_code.providers.dialing import Address


class Signer(Protocol):
    async def sign(self, address: Address, body: bytes) -> dict[str, str]:
        """The headers that make this request good, names in lower case.

        Raises:
            ConfigError: There is nothing to sign with; the message says how to get it.
            AuthenticationFailed: The service that hands out tokens refused.
            TransportError: It could not be reached.
        """
        ...


@runtime_checkable
class RenewingSigner(Signer, Protocol):
    """Signs with what may be withdrawn at any time, such as a token."""

    def distrusted(self, signature: Mapping[str, str]) -> bool:
        """The service did not believe these headers; True where new ones may be believed."""
        ...
