"""Logins at servers by OAuth 2.1: authorisation code with PKCE, tokens among the user's secrets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TypeVar

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from msgspec import Struct, convert
from pydantic import AnyUrl, BaseModel, ValidationError

from roo_code.json_text import from_json, to_json
from roo_code.mcp_client.breaks import LoginNeeded
from roo_code.mcp_client.circumstances import Secrets
from roo_code.mcp_client.entry import ServerEntry

M = TypeVar("M", bound=BaseModel)

_ANY_LOOPBACK = "http://127.0.0.1/callback"


class _Stored(Struct):
    tokens: str = ""
    client: str = ""
    expires: float = 0.0
    """Seconds since 1970; 0 where the server did not say."""


def secret_name(entry: ServerEntry) -> str:
    """Bound to the address: another server of the same name gets no token."""
    return f"mcpOAuth.{sha256(entry.url.encode()).hexdigest()[:32]}"


class LoginStore:
    """Tokens and registration of one server, as the SDK wants them kept."""

    def __init__(self, entry: ServerEntry, secrets: Callable[[], Secrets]) -> None:
        self._entry = entry
        self._secrets = secrets

    def __repr__(self) -> str:
        return f"LoginStore({self._entry.name!r})"

    async def get_tokens(self) -> OAuthToken | None:
        stored = await self._load()
        return _parsed(OAuthToken, stored.tokens)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        expires = time.time() + tokens.expires_in if tokens.expires_in else 0.0
        await self._change(tokens=tokens.model_dump_json(exclude_none=True), expires=expires)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        given = self._entry.oauth
        if given.client_id:
            return OAuthClientInformationFull(
                client_id=given.client_id,
                client_secret=given.client_secret or None,
                redirect_uris=[AnyUrl(_ANY_LOOPBACK)],
                token_endpoint_auth_method="client_secret_basic" if given.client_secret else "none",
            )
        return _parsed(OAuthClientInformationFull, (await self._load()).client)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._change(client=client_info.model_dump_json(exclude_none=True))

    async def expires(self) -> float:
        return (await self._load()).expires

    async def forget(self) -> None:
        await asyncio.to_thread(lambda: self._secrets().store_secret(secret_name(self._entry)))

    async def forget_client(self) -> None:
        await self._change(client="")

    async def _load(self) -> _Stored:
        text = await asyncio.to_thread(lambda: self._secrets().get(secret_name(self._entry)))
        try:
            return convert(from_json(text), _Stored) if text else _Stored()
        except ValueError:
            return _Stored()  # of another version: a new login mends it

    async def _change(self, **fields: str | float) -> None:
        stored = await self._load()
        changed = {"tokens": stored.tokens, "client": stored.client, "expires": stored.expires}
        text = to_json({**changed, **fields}).decode()
        await asyncio.to_thread(
            lambda: self._secrets().store_secret(secret_name(self._entry), text)
        )


def _parsed(kind: type[M], text: str) -> M | None:
    try:
        return kind.model_validate_json(text) if text else None
    except ValidationError:
        return None


async def stored_login(
    entry: ServerEntry, secrets: Callable[[], Secrets]
) -> OAuthClientProvider | None:
    """What signs requests with the tokens of an earlier login, and refreshes them."""
    store = LoginStore(entry, secrets)
    if await store.get_tokens() is None:
        return None

    async def ask_user(_: str) -> None:
        raise LoginNeeded(entry.name)

    async def never() -> AuthorizationCodeResult:
        raise LoginNeeded(entry.name)

    return await login_provider(entry, store, _ANY_LOOPBACK, ask_user, never)


async def login_provider(
    entry: ServerEntry,
    store: LoginStore,
    redirect: str,
    show: Callable[[str], Awaitable[None]],
    wait_for_code: Callable[[], Awaitable[AuthorizationCodeResult]],
) -> OAuthClientProvider:
    metadata = OAuthClientMetadata(
        client_name="Roo Code",
        redirect_uris=[AnyUrl(redirect)],
        scope=entry.oauth.scope or None,
    )
    provider = OAuthClientProvider(
        entry.url,
        metadata,
        store,
        show,
        wait_for_code,
        client_metadata_url=entry.oauth.client_metadata_url or None,
    )
    # The SDK knows only when tokens of this process expire; one that has expired is refreshed.
    provider.context.token_expiry_time = await store.expires() or None
    return provider
