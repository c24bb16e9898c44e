"""GoogleSigner: requests to Vertex carry an access token, renewed before it expires."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError, TimedOut
from roo_code.json_text import from_json
from roo_code.providers.dialing import Address
from roo_code.providers.own_thread import in_own_thread

if TYPE_CHECKING:
    from roo_code.providers.google_tokens import Token

_RENEWAL_SECONDS = 60.0


class GoogleSigner:
    """However many requests wait for a token, it is fetched once, and not in vain if one leaves."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._account = given_account(settings)
        self._token: Token | None = None
        self._renewal: asyncio.Task[None] | None = None

    async def sign(self, address: Address, body: bytes) -> dict[str, str]:
        if self._token is None or not self._token.valid:
            await self._renewed()
        assert self._token is not None
        headers: dict[str, str] = {}
        self._token.apply(headers)
        return headers

    def distrusted(self, signature: Mapping[str, str]) -> bool:
        current: dict[str, str] = {}
        if self._token is not None and self._token.valid:
            self._token.apply(current)
            if current == signature:  # else another request has had it renewed
                self._token.token = None
        return True

    async def _renewed(self) -> None:
        loop = asyncio.get_running_loop()
        renewal = self._renewal
        if renewal is None or renewal.done() or renewal.get_loop() is not loop:
            renewal = self._renewal = loop.create_task(self._renew())
            renewal.add_done_callback(_notice)
        await asyncio.shield(renewal)

    async def _renew(self) -> None:
        try:
            work = partial(_renewed_token, self._token, self._account)
            self._token = await in_own_thread(work, _RENEWAL_SECONDS)
        except TimeoutError as error:
            raise TimedOut(f"Google gave no access token in {_RENEWAL_SECONDS:g} s.") from error


def given_account(settings: ProviderSettings) -> dict[str, Any] | None:
    """The key that the settings hold or name; None means what Google's tools find by themselves."""
    text = settings.options.get("vertexJsonCredentials")
    where = "The setting vertexJsonCredentials"
    if not text and (file := settings.options.get("vertexKeyFile")):
        where = f"The file {str(file)!r} (setting vertexKeyFile)"
        try:
            text = Path(str(file)).expanduser().read_text(encoding="utf-8")
        except (OSError, RuntimeError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise ConfigError(f"{where} cannot be read: {reason}.") from None
    if not text:
        return None
    try:
        account: Any = from_json(str(text))
    except ValueError:
        account = None
    if not isinstance(account, dict):  # nothing of it is shown: it may be the key itself
        raise ConfigError(
            f"{where} does not hold a key as Google hands it out, which is a JSON object."
        )
    return cast("dict[str, Any]", account)


def _renewed_token(token: Token | None, account: dict[str, Any] | None) -> Token:
    try:
        from roo_code.providers.google_tokens import load, renew  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("google"):
            raise
        raise ConfigError(
            "Vertex needs Google's library for credentials, which is not installed.",
            hint="Install it with: pip install 'roo-code[vertex]'",
        ) from error
    token = token or load(account)
    renew(token)
    return token


def _notice(renewal: asyncio.Task[None]) -> None:
    """An error that nobody waits for any more is no event of its own."""
    if not renewal.cancelled():
        renewal.exception()
