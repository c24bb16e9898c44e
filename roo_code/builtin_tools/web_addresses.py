"""Which addresses of the web may be reached: public ones, judged after their names are resolved."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from roo_code.errors import ConfigError, NotAllowed, ToolError
from roo_code.providers.connection import Connection
from roo_code.providers.dialing import Address, find_proxy, parse_address, tls_context
from roo_code.sandbox.public_addresses import IpAddress, is_public

CONNECT_SECONDS = 10.0
_HOME_NAMES = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".corp")
_KEPT_IN_PATH = "/%:@!$&'()*+,;=~-._"
_KEPT_IN_QUERY = _KEPT_IN_PATH + "?[]"


async def look_up(host: str, port: int) -> Sequence[str]:
    """All addresses of a name, by the system's resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Reach(NamedTuple):
    """How far a fetch may go; tests put their own machine within it."""

    allows: Callable[[IpAddress], bool] = is_public
    resolve: Callable[[str, int], Awaitable[Sequence[str]]] = look_up

    async def connect(self, address: Address) -> Connection:
        """A connection to an address that was checked, and not to what its name means later."""
        try:
            proxy = find_proxy(address)
        except ConfigError as error:
            raise ToolError(f"{error} {error.hint}") from error
        if proxy is not None:
            await self._check_for_proxy(address)
            return await Connection.open(address, proxy, CONNECT_SECONDS)
        return await self._open_first(address, await self._checked(address))

    async def _checked(self, address: Address) -> Sequence[str]:
        try:
            found = await self.resolve(address.host, address.port)
        except OSError as error:
            raise ToolError(f"There is no host {address.host!r}, or it cannot be found.") from error
        for number in found:
            if not self.allows(ipaddress.ip_address(number)):
                raise NotAllowed(
                    f"{address.host!r} is at {number}, which is not a public address. Only the "
                    "public web can be fetched; for a server on this machine or network use "
                    "execute_command."
                )
        return found

    async def _check_for_proxy(self, address: Address) -> None:
        """The proxy looks the name up: what is known here to be private is not asked of it.

        Where the name has no address here, as behind many proxies, it must at least look public.
        """
        host = f".{address.host.lower().rstrip('.')}"
        try:
            await self._checked(address)
        except NotAllowed:
            raise
        except ToolError as error:
            if "." not in host[1:] or host.endswith(_HOME_NAMES):
                raise NotAllowed(f"{address.host!r} is not a name of the public web.") from error

    async def _open_first(self, address: Address, found: Sequence[str]) -> Connection:
        failure: OSError | None = None
        for number in found:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    reader, writer = await asyncio.open_connection(
                        number,
                        address.port,
                        ssl=tls_context() if address.secure else None,
                        server_hostname=address.host if address.secure else None,
                    )
            except OSError as error:
                failure = error
                continue
            return Connection(reader, writer, None)
        raise failure or OSError(f"{address.host} has no address")


def web_url(written: str) -> str:
    """The URL that is meant, as it can be sent, or an error the model reads."""
    text = written.strip()
    text = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ToolError(f"{written!r} is not a URL: {error}.") from error
    if parts.scheme not in {"http", "https"}:
        raise ToolError(f"Only http and https pages can be fetched, not {parts.scheme}:.")
    if parts.username is not None or parts.password is not None:
        raise ToolError("A URL with a user name or password in it is not fetched.")
    path, query = quote(parts.path, _KEPT_IN_PATH), quote(parts.query, _KEPT_IN_QUERY)
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def web_address(url: str) -> Address:
    """Where a URL from `web_url` leads."""
    try:
        return parse_address(url)
    except ConfigError as error:
        raise ToolError(f"{url!r} is not a possible address.") from error
