"""The sign-in that Qwen Code keeps in a file: what it holds, and how it is renewed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

from roo_code.config.safe_files import locked, replace_file
from roo_code.config.schema import ProviderSettings
from roo_code.errors import AuthenticationFailed, ConfigError, ProviderError
from roo_code.json_text import from_json, to_json
from roo_code.providers.dialing import parse_address
from roo_code.providers.http import Endpoint, HttpService

TOKEN_URL = "https://chat.qwen.ai/api/v1/oauth2/token"
_CLIENT = "f0304373b74a44d2b584a3fb70ca9e56"
"""Public: it names the program that people sign in to, Qwen Code."""
_FILE = "~/.qwen/oauth_creds.json"
_EARLY_SECONDS = 30.0
_ANSWER_SECONDS = 20.0
_HINT = "Sign in with `qwen`, or name another file in the setting qwenCodeOauthPath."

Json = dict[str, Any]


class SignIn(NamedTuple):
    """The file, and what of it is used."""

    path: Path
    fields: Json
    """All of it: other programs may keep more in the file."""

    def __repr__(self) -> str:
        return f"SignIn({str(self.path)!r})"

    @property
    def token(self) -> str:
        return self._text("access_token")

    @property
    def address(self) -> str | None:
        """Where this account is served, as it is told without a scheme and a version."""
        resource = self._text("resource_url").rstrip("/")
        if not resource:
            return None
        url = resource if "://" in resource else f"https://{resource}"
        return url if url.endswith("/v1") else f"{url}/v1"

    def is_good(self, distrusted: str) -> bool:
        """Whether its token may be used; one without a date is good until it is refused."""
        expiry = self.fields.get("expiry_date")
        in_time = not isinstance(expiry, int | float) or (
            time.time() + _EARLY_SECONDS < expiry / 1000
        )
        return bool(self.token) and self.token != distrusted and in_time

    def _text(self, key: str) -> str:
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""


def sign_in_file(settings: ProviderSettings) -> Path:
    return Path(str(settings.options.get("qwenCodeOauthPath") or _FILE)).expanduser()


def resolved(settings: ProviderSettings) -> ProviderSettings:
    """The settings with the address that the sign-in names, where there is one."""
    if settings.api_base_url or settings.api_key:
        return settings
    try:
        return settings.replace(api_base_url=read_sign_in(sign_in_file(settings)).address)
    except ConfigError:
        return settings  # told when there is something to sign


def read_sign_in(path: Path) -> SignIn:
    try:
        fields: Any = from_json(path.read_bytes())
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ConfigError(
            f"The sign-in to Qwen cannot be read from {str(path)!r}: {why}.", hint=_HINT
        ) from error
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise ConfigError(f"{str(path)!r} does not hold a sign-in to Qwen.", hint=_HINT) from None
    return SignIn(path, cast("Json", fields))


def good_sign_in(path: Path, distrusted: str, token_url: str = TOKEN_URL) -> SignIn:
    """One whose token may be used, renewed if need be, by one process at a time. Blocks."""
    found = read_sign_in(path)
    if found.is_good(distrusted):
        return found
    with locked(path):
        found = read_sign_in(path)  # another may have renewed it while we waited
        if found.is_good(distrusted):
            return found
        try:
            renewed = SignIn(path, found.fields | _renewed(found, token_url))
        except AuthenticationFailed:
            found = read_sign_in(path)  # Qwen Code itself does not know of our lock
            if not found.is_good(distrusted):
                raise
            return found
        replace_file(path, to_json(renewed.fields), private=True)
        return renewed


def _renewed(found: SignIn, token_url: str) -> Json:
    answer = asyncio.run(_ask(token_url, found.fields.get("refresh_token")))
    if not isinstance(answer.get("access_token"), str):
        raise _refused()
    kept = ("access_token", "refresh_token", "token_type", "resource_url")
    fields = {key: answer[key] for key in kept if answer.get(key)}
    seconds = answer.get("expires_in")
    if isinstance(seconds, int | float):
        fields["expiry_date"] = int((time.time() + seconds) * 1000)
    return fields


async def _ask(token_url: str, refresh_token: object) -> Json:
    service = HttpService(
        Endpoint(
            provider="qwen-code",
            address=parse_address(token_url),
            idle_seconds=_ANSWER_SECONDS,
            headers={
                "accept": "application/json",
                "content-type": "application/x-www-form-urlencoded",
            },
        )
    )
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": _CLIENT}
    try:
        answer: Any = from_json(await service.fetch(urlencode(form).encode()))
    except ProviderError as error:
        if error.retryable:
            raise
        raise _refused() from None  # nothing of what was sent, should the answer repeat it
    except ValueError:
        answer = None
    finally:
        await service.aclose()
    return cast("Json", answer) if isinstance(answer, dict) else {}


def _refused() -> AuthenticationFailed:
    error = AuthenticationFailed("Qwen did not renew the sign-in: it is no longer good.")
    error.hint = _HINT
    return error
