"""What a service says when it refuses, as one of our errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from msgspec import Struct

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ContextTooLong,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    ServerFailed,
)

Json = dict[str, Any]
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|limit|size)|maximum context|model_max_prompt_tokens"
    r"|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (maximum|limit)"
    r"|token (limit|count).*exceed|reduce the length|request_too_large|prompt tokens? .*exceed",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient[ _](quota|balance|credits?|funds)|exceeded your current quota"
    r"|billing_(error|hard)|credit balance|payment required|out of credits|quota[ _]exceeded",
    re.IGNORECASE,
)
_WRONG_KEY = re.compile(r"api key (not valid|expired)", re.IGNORECASE)
_BY_STATUS: dict[int, type[ProviderError]] = {
    401: AuthenticationFailed,
    402: QuotaExceeded,
    403: AuthenticationFailed,
    408: ServerFailed,
    409: ServerFailed,
    413: ContextTooLong,
    424: ServerFailed,
    425: ServerFailed,
    429: RateLimited,
    503: Overloaded,
    529: Overloaded,
}
_BY_NAME: dict[str, type[ProviderError]] = {
    "api_error": ServerFailed,
    "authentication_error": AuthenticationFailed,
    "billing_error": QuotaExceeded,
    "context_length_exceeded": ContextTooLong,
    "insufficient_quota": QuotaExceeded,
    "internal_error": ServerFailed,
    "internal_server_error": ServerFailed,
    "invalid_api_key": AuthenticationFailed,
    "invalid_request_error": BadRequest,
    "not_found_error": BadRequest,
    "overloaded_error": Overloaded,
    "permission_error": AuthenticationFailed,
    "rate_limit_error": RateLimited,
    "rate_limit_exceeded": RateLimited,
    "request_too_large": ContextTooLong,
    "server_error": ServerFailed,
    "service_unavailable": Overloaded,
    "timeout_error": ServerFailed,
    # Amazon's exceptions.
    "accessdeniedexception": AuthenticationFailed,
    "expiredtokenexception": AuthenticationFailed,
    "modelnotreadyexception": Overloaded,
    "resourcenotfoundexception": BadRequest,
    "servicequotaexceededexception": QuotaExceeded,
    "serviceunavailableexception": Overloaded,
    "throttlingexception": RateLimited,
    "validationexception": BadRequest,
}
_AT_FAULT = re.compile(r"(invalid|unsupported|image|empty|failed_to_download)_|.*_policy")
"""Names of errors in a stream that are about what was sent; others are the service's own."""
_REFUSED = (BadRequest, AuthenticationFailed, RateLimited)
"""What a service may also call an account without credit or a prompt that is too long."""
_LONGEST_MESSAGE = 2000


class Refusal(Struct, frozen=True):
    """An error body, whichever of the usual shapes it has."""

    message: str = ""
    names: tuple[str, ...] = ()
    """Its `type`, `code` and `status` where they are words."""
    status: int | None = None
    """Its `code` where that is an HTTP status."""
    retry_after: float | None = None


def read_refusal(body: Any) -> Refusal:
    """Never fails: what is not understood is left out."""
    if isinstance(body, list):
        body = cast("list[Any]", body)[0] if body else None
    if isinstance(body, dict):
        body = cast("Json", body).get("error", body)
    if isinstance(body, str):
        return Refusal(_shortened(body))
    if not isinstance(body, dict):
        return Refusal()
    fields = cast("Json", body)
    codes = [fields.get(key) for key in ("type", "code", "status")]
    statuses = [c for c in map(_as_status, codes) if c is not None]
    return Refusal(
        message=_message(fields),
        names=tuple(c for c in codes if isinstance(c, str) and not c.isdigit()),
        status=statuses[0] if statuses else None,
        retry_after=_retry_info(fields.get("details")),
    )


def refused(
    who: str, refusal: Refusal, *, status: int | None = None, retry_after: float | None = None
) -> ProviderError:
    """The error for an answer of this status, or for an error object inside a stream."""
    status = status or refusal.status
    kind = _kind(refusal, status)
    said = refusal.message or " ".join(refusal.names) or "no reason given"
    answered = f" answered {status}" if status else ""
    wait = retry_after if retry_after is not None else refusal.retry_after
    return kind(f"{who}{answered}: {said}", status=status, retry_after=wait)


def _kind(refusal: Refusal, status: int | None) -> type[ProviderError]:
    kind = _by_name(refusal.names) if status is None else _by_status(status)
    if issubclass(kind, _REFUSED):
        words = " ".join((refusal.message, *refusal.names))
        # Google says the same of an account without credit and of a minute's limit; only of the
        # latter it says how long to wait.
        if _NO_CREDIT.search(words) and refusal.retry_after is None:
            return QuotaExceeded
        if kind is BadRequest and _WRONG_KEY.search(words):
            return AuthenticationFailed
        if kind is BadRequest and _TOO_LONG.search(words):
            return ContextTooLong
    return kind


def _by_status(status: int) -> type[ProviderError]:
    return _BY_STATUS.get(status, ServerFailed if status >= 500 else BadRequest)


def _by_name(names: Iterable[str]) -> type[ProviderError]:
    lowered = [name.lower() for name in names]
    known = [_BY_NAME[name] for name in lowered if name in _BY_NAME]
    if known:
        return known[-1]
    return BadRequest if any(map(_AT_FAULT.match, lowered)) else ServerFailed


def _as_status(code: Any) -> int | None:
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number <= 599 else None


def _message(fields: dict[str, Any]) -> str:
    for key in ("message", "detail", "msg", "error_description"):
        value = fields.get(key)
        if isinstance(value, str) and value:
            return _shortened(value) + _deeper(fields)
        if value:
            return _shortened(str(value))
    return ""


def _deeper(fields: dict[str, Any]) -> str:
    """A router puts the words of the service behind it in `metadata.raw`."""
    metadata = fields.get("metadata")
    raw = cast("Json", metadata).get("raw") if isinstance(metadata, dict) else None
    return f" ({_shortened(raw)})" if isinstance(raw, str) and raw else ""


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _retry_info(details: Any) -> float | None:
    """Google's `RetryInfo` in the details of an error, such as "12s"."""
    entries = cast("list[Any]", details) if isinstance(details, list) else []
    for entry in entries:
        delay = cast("Json", entry).get("retryDelay") if isinstance(entry, dict) else None
        if isinstance(delay, str) and (found := re.fullmatch(r"(\d+(?:\.\d+)?)s", delay)):
            return float(found[1])
    return None
