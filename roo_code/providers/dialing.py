"""How a service is reached: its address, TLS, and the proxy that the environment names.

Not left to an HTTP library: loading one takes 45 ms of every start, and we need one request.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from base64 import b64encode
from functools import cache
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from roo_code.errors import ConfigError
from roo_code.providers.first_to_answer import open_first

_PORTS = {"http": 80, "https": 443}
_CERTIFICATE_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
)
"""Where systems keep them that a Python built elsewhere does not know of."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Address(Struct, frozen=True):
    """Where requests go. Nothing of it but `host` and `port` is fit to be shown."""

    secure: bool
    host: str
    port: int
    path: str = ""
    query: str = ""
    authorization: str = ""
    """Of a proxy: for the name and password that stand in its address."""

    def __repr__(self) -> str:
        return f"Address({self.shown})"

    @property
    def shown(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self._scheme] else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        return f"{self.path or '/'}?{self.query}" if self.query else self.path or "/"

    @property
    def whole(self) -> str:
        """For a proxy, which must be told all of it."""
        return f"{self._scheme}://{self.shown}{self.target}"

    @property
    def is_local(self) -> bool:
        return self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def _scheme(self) -> str:
        return "https" if self.secure else "http"


def parse_address(url: str) -> Address:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
        host = parts.hostname or ""
        host = host if host.isascii() else host.encode("idna").decode()
    except (KeyError, ValueError) as error:
        raise _impossible() from error
    if not host or not all(32 < ord(c) < 127 for c in host + parts.path + parts.query):
        raise _impossible()
    secure = parts.scheme == "https"
    return Address(secure, host, port, parts.path, parts.query, _basic(parts))


def _impossible() -> ConfigError:
    """Without the address itself, which may hold a password."""
    return ConfigError(
        "The base URL is not a possible address.", hint="Such as http://localhost:8000/v1."
    )


async def dial(address: Address, proxy: Address | None) -> Streams:
    """A connection over which requests to the address can be sent."""
    context = tls_context() if address.secure else None
    if proxy is None:
        return await open_first(address.host, address.port, context)
    via = tls_context() if proxy.secure else None
    reader, writer = await asyncio.open_connection(proxy.host, proxy.port, ssl=via)
    if context is not None:
        try:
            await _ask_for_tunnel(reader, writer, address, proxy)
            await writer.start_tls(context, server_hostname=address.host)
        except BaseException:
            writer.transport.abort()
            raise
    return reader, writer


async def _ask_for_tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address, proxy: Address
) -> None:
    target = f"{address.host}:{address.port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"host: {target}"]
    if proxy.authorization:
        lines.append(f"proxy-authorization: {proxy.authorization}")
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ConnectionError(f"the proxy {proxy.shown} gave no answer") from error
    status = head.split(None, 2)[1:2]
    if status != [b"200"]:
        said = head.partition(b"\r\n")[0].decode("latin-1")
        raise ConnectionError(f"the proxy {proxy.shown} refused: {said}")


def find_proxy(address: Address) -> Address | None:
    """The proxy of the environment; never for what runs on this machine."""
    names = ("https_proxy" if address.secure else "http_proxy", "all_proxy")
    values = (os.environ.get(name) or os.environ.get(name.upper()) for name in names)
    url = next((value for value in values if value), None)
    if url is None or address.is_local or _is_exempt(address):
        return None
    proxy = url if "://" in url else f"http://{url}"
    if not proxy.startswith(("http://", "https://")):
        raise ConfigError(
            f"The proxy of the environment is of a kind ({proxy.partition(':')[0]}) that is not "
            "supported.",
            hint="Name an HTTP proxy, or exempt the service with NO_PROXY.",
        )
    return parse_address(proxy)


def _is_exempt(address: Address) -> bool:
    entries = (os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or "").split(",")
    for entry in (entry.strip().lower().lstrip(".") for entry in entries):
        host = address.host.lower()
        if entry == "*" or (entry and entry in (host, f"{host}:{address.port}")):
            return True
        if entry and host.endswith(f".{entry}"):
            return True
    return False


@cache
def tls_context() -> ssl.SSLContext:
    if sys.platform in ("darwin", "win32"):
        import truststore  # noqa: PLC0415 - of these systems only

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"] and not _has_hashed_certificates():
        for file in filter(os.path.isfile, _CERTIFICATE_FILES):
            context.load_verify_locations(file)
            break
    return context


def _has_hashed_certificates() -> bool:
    """Whether there is a folder in which OpenSSL finds certificates by their names."""
    folder = ssl.get_default_verify_paths().capath
    return bool(folder) and any(Path(folder).glob("*.0"))


def _basic(parts: SplitResult) -> str:
    if parts.username is None:
        return ""
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
