"""Answers that are not replies: every status, body and header as the right error."""

import gzip
import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ConfigError,
    ConnectionCut,
    ContextTooLong,
    Overloaded,
    ProtocolError,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    ServerFailed,
)
from tests.providers.raw_server import answer, raw_server
from tests.providers.services import ask, provider_at


async def refusal(status: str, body: Any = b"", **headers: str) -> ProviderError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = {"content_type": "application/json"} | headers
    async with (
        raw_server(answer(status, data, **kind)) as server,
        provider_at(server.url) as provider,
    ):
        with pytest.raises(ProviderError) as raised:
            await ask(provider)
    host = server.url.removeprefix("http://")
    assert str(raised.value).startswith(f"anthropic ({host}) answered {status[:3]}: ")
    assert raised.value.status == int(status[:3])
    return raised.value


def said(error: ProviderError) -> str:
    return str(error).partition(": ")[2]


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        ("400 Bad Request", "max_tokens: Field required", BadRequest),
        ("400 Bad Request", "prompt is too long: 201000 tokens > 200000 maximum", ContextTooLong),
        (
            "400 Bad Request",
            "This model's maximum context length is 128000 tokens. However, you requested more.",
            ContextTooLong,
        ),
        ("400 Bad Request", "Your credit balance is too low to use the API", QuotaExceeded),
        ("401 Unauthorized", "invalid x-api-key", AuthenticationFailed),
        ("402 Payment Required", "Insufficient credits", QuotaExceeded),
        ("403 Forbidden", "Your key may not use this model", AuthenticationFailed),
        ("404 Not Found", "model: claude-9", BadRequest),
        ("408 Request Timeout", "Timed out", ServerFailed),
        ("413 Payload Too Large", "Request exceeds the maximum size", ContextTooLong),
        ("418 I'm a teapot", "Short and stout", BadRequest),
        ("422 Unprocessable Entity", "Input should be a string", BadRequest),
        ("429 Too Many Requests", "Slow down", RateLimited),
        ("429 Too Many Requests", "You exceeded your current quota, please check", QuotaExceeded),
        ("500 Internal Server Error", "Oops", ServerFailed),
        ("502 Bad Gateway", "Oops", ServerFailed),
        ("503 Service Unavailable", "Busy", Overloaded),
        ("529 Overloaded", "Overloaded", Overloaded),
    ],
)
async def test_the_status_and_the_words_decide(
    status: str, message: str, expected: type[ProviderError]
) -> None:
    error = await refusal(status, {"type": "error", "error": {"message": message}})
    assert type(error) is expected
    assert said(error) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "a", "type": "t", "code": None}}, "a"),
        ({"error": "a"}, "a"),
        ({"message": "a", "request_id": 7}, "a"),
        ({"detail": "a"}, "a"),
        ({"detail": [{"loc": ["x"], "msg": "a"}]}, "[{'loc': ['x'], 'msg': 'a'}]"),
        ([{"error": {"message": "a", "status": "INVALID_ARGUMENT"}}], "a"),
        ({"error": {"message": "a", "metadata": {"raw": "from above"}}}, "a (from above)"),
        ({"error": {"type": "odd_error"}}, "odd_error"),
        ({"error": {"message": 7}}, "7"),
        (b"plain\n words", "plain words"),
        (b"<html><body>Nope</body></html>", "a web page"),
        (b"", "no reason given"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ({}, "no reason given"),
        ([], "no reason given"),
        (None, "no reason given"),
        (7, "no reason given"),
    ],
)
async def test_the_message_is_the_services_own_in_whatever_shape(body: Any, message: str) -> None:
    assert said(await refusal("400 Bad Request", body)) == message


async def test_a_long_body_is_read_and_shown_only_in_part() -> None:
    error = await refusal("500 Oops", b"x" * 1_000_000)
    assert len(str(error)) < 2100


async def test_a_packed_body_is_unpacked() -> None:
    packed = gzip.compress(json.dumps({"error": {"message": "packed"}}).encode())
    error = await refusal("400 Bad Request", packed, content_encoding="gzip")
    assert said(error) == "packed"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({}, None),
    ],
)
async def test_the_service_says_when_to_come_back(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert (await refusal("429 Slow", {"error": {}}, **headers)).retry_after == seconds
    assert (await refusal("503 Busy", {"error": {}}, **headers)).retry_after == seconds


async def test_a_date_to_come_back_at_is_so_many_seconds_away() -> None:
    error = await refusal("429 Slow", b"{}", retry_after=formatdate(time.time() + 60, usegmt=True))
    assert error.retry_after is not None
    assert 55 < error.retry_after <= 60


async def test_googles_retry_info_is_understood() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}]
    body = [{"error": {"code": 429, "message": "Slow", "details": details}}]
    assert (await refusal("429 Slow", body)).retry_after == 12.5


async def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else() -> None:
    async with raw_server(answer("200 OK", b"")) as elsewhere:
        moved = answer("308 Moved", b"", location=f"{elsewhere.url}/v1/messages?key=1")
        async with raw_server(moved) as server, provider_at(server.url) as provider:
            with pytest.raises(ConfigError) as raised:
                await ask(provider)
    assert str(raised.value).endswith(f"it has moved to {elsewhere.url.removeprefix('http://')}.")
    assert elsewhere.requests == []


async def test_a_web_page_in_place_of_a_reply_is_a_wrong_address() -> None:
    page = answer("200 OK", b"<html>", content_type="text/html; charset=utf-8")
    async with raw_server(page) as server, provider_at(server.url) as provider:
        with pytest.raises(ConfigError, match="answered 200 with text/html"):
            await ask(provider)


async def test_an_error_that_is_called_a_success_is_an_error() -> None:
    body = json.dumps({"error": {"message": "Busy", "code": 429}}).encode()
    async with (
        raw_server(answer("200 OK", body, content_type="application/json")) as server,
        provider_at(server.url) as provider,
    ):
        with pytest.raises(RateLimited, match="Busy"):
            await ask(provider)


async def test_events_of_nonsense_are_a_protocol_error() -> None:
    reply = answer("200 OK", b"data: {nonsense\n\n", content_type="text/event-stream")
    async with raw_server(reply) as server, provider_at(server.url) as provider:
        with pytest.raises(ProtocolError, match="nonsense"):
            await ask(provider)


async def test_what_is_not_http_is_a_cut() -> None:
    async with raw_server(b"SSH-2.0-OpenSSH_9.2\r\n") as server, provider_at(server.url) as found:
        with pytest.raises(ConnectionCut):
            await ask(found)
