"""Access tokens by Google's library, over HTTP of the standard library: all of it blocks."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, cast

import google.auth
from google.auth import exceptions
from google.oauth2 import credentials, service_account

from roo_code.errors import (
    AuthenticationFailed,
    ConfigError,
    ConnectionFailed,
    ProviderError,
    ServerFailed,
)
from roo_code.providers.dialing import parse_address, tls_context
from roo_code.redaction import redact

_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_SECONDS = 20.0
_HINT = (
    "Name a service account's key file in the setting vertexKeyFile, or run "
    "`gcloud auth application-default login`."
)


class Token(Protocol):
    """What we use of the library's credentials."""

    token: str | None

    @property
    def valid(self) -> bool:
        """False some minutes before it expires."""
        ...

    def refresh(self, request: Any) -> None: ...

    def apply(self, headers: dict[str, str]) -> None: ...


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    data: bytes


class _Transport:
    """What Google's library makes its requests with."""

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **options: object,
    ) -> _Answer:
        data = body.encode() if isinstance(body, str) else body
        try:
            is_local = parse_address(url).is_local
            request = urllib.request.Request(url, data, dict(headers or {}), method=method)
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({} if is_local else None),
                urllib.request.HTTPSHandler(context=tls_context()),
            )
            with opener.open(request, timeout=timeout or _SECONDS) as answer:
                return _Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return _Answer(error.code, dict(error.headers), error.read())
        except (OSError, http.client.HTTPException, ConfigError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise exceptions.TransportError(str(reason) or type(reason).__name__) from error


def load(account: dict[str, Any] | None) -> Token:
    """The credentials that the settings hold, else those of this machine."""
    try:
        return _of_machine() if account is None else _of_account(account)
    except exceptions.DefaultCredentialsError as error:
        raise ConfigError("There are no usable credentials for Vertex.", hint=_HINT) from error
    except ValueError as error:  # its words may hold what was given
        raise ConfigError("The credentials for Vertex are incomplete or damaged.") from error
    except exceptions.GoogleAuthError as error:
        raise _refusal(error) from error


def _of_machine() -> Token:
    return cast("Any", google.auth).default(scopes=_SCOPES, request=_Transport())[0]


def _of_account(account: dict[str, Any]) -> Token:
    kind = account.get("type")
    if kind == "service_account":
        of_service: Any = service_account.Credentials
        return of_service.from_service_account_info(account, scopes=_SCOPES)
    if kind == "authorized_user":
        of_user: Any = credentials.Credentials
        return of_user.from_authorized_user_info(account, _SCOPES)
    raise ConfigError(
        "The credentials for Vertex are neither a service account's nor a user's.",
        hint="Name their file in the environment variable GOOGLE_APPLICATION_CREDENTIALS.",
    )


def renew(token: Token) -> None:
    try:
        token.refresh(_Transport())
    except exceptions.TransportError as error:
        raise ConnectionFailed(
            f"Google's service for access tokens could not be reached: {error}."
        ) from error
    except exceptions.GoogleAuthError as error:
        raise _refusal(error) from error


def _refusal(error: exceptions.GoogleAuthError) -> ProviderError:
    said = " ".join(redact(str(error.args[0] if error.args else "")).split())[:300]
    if cast("Any", error).retryable:
        return ServerFailed(f"Google's service for access tokens failed: {said}")
    refusal = AuthenticationFailed(f"Google gave no access token for these credentials: {said}")
    refusal.hint = _HINT
    return refusal
