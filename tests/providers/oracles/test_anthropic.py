"""Replies read by ours and by Anthropic's SDK alike; our requests checked by its types."""

from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ContextTooLong,
    Overloaded,
    ProviderError,
    RateLimited,
    ServerFailed,
)
from roo_code.messages import ReasoningContent, Usage
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Seen, call, counts, fixtures, names, seen_by_us
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.oracles.typed_dicts import problems
from tests.providers.requests import settings
from tests.providers.services import KEY, ask, provider_at

REPLIES = fixtures("anthropic_messages")
ERRORS = {"overloaded": Overloaded, "rate_limited": RateLimited, "failed": ServerFailed}
STATUSES = {
    400: ("invalid_request_error", anthropic.BadRequestError, BadRequest),
    401: ("authentication_error", anthropic.AuthenticationError, AuthenticationFailed),
    403: ("permission_error", anthropic.PermissionDeniedError, AuthenticationFailed),
    404: ("not_found_error", anthropic.NotFoundError, BadRequest),
    413: ("request_too_large", anthropic.APIStatusError, ContextTooLong),
    429: ("rate_limit_error", anthropic.RateLimitError, RateLimited),
    500: ("api_error", anthropic.InternalServerError, ServerFailed),
    529: ("overloaded_error", anthropic.InternalServerError, Overloaded),
}


@pytest.mark.requirement("providers:anthropic:native", "providers:usage:extracted")
@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url) as provider:
            ours = await ask(provider)
        theirs = seen_by_sdk(server)
    assert seen_by_us(ours) == theirs


async def test_thinking_comes_back_part_by_part() -> None:
    path = next(path for path in REPLIES if path.stem == "interleaved")
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url) as provider:
            ours = await ask(provider)
    kinds = [block.type for block in ours.content]
    assert kinds == ["reasoning", "tool_use", "reasoning", "reasoning", "tool_use"]
    assert isinstance(ours.content[3], ReasoningContent)
    assert ours.content[3].redacted


@pytest.mark.parametrize("name", ERRORS)
async def test_an_error_within_the_stream_is_one_for_both(name: str) -> None:
    path = REPLIES[0].parent / "errors" / f"{name}.sse"
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url) as provider:
            with pytest.raises(ERRORS[name]):
                await ask(provider)
        with pytest.raises(anthropic.APIStatusError):
            seen_by_sdk(server)


@pytest.mark.parametrize("status", STATUSES)
async def test_a_refusal_is_one_for_both(status: int) -> None:
    type, theirs, ours = STATUSES[status]
    error = {"type": "error", "error": {"type": type, "message": "No."}, "request_id": "req_1"}
    with serving(json_reply(error, status)) as server:
        async with provider_at(server.url) as provider:
            with pytest.raises(ProviderError) as caught:
                await ask(provider)
        with pytest.raises(theirs):
            seen_by_sdk(server)
    assert (caught.value.kind, caught.value.status) == (ours.__name__, status)


MODELS = ("claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-7", "claude-3-5-haiku-20241022")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5, "max_tokens": 4000},
    {"reasoning_effort": "xhigh"},
    {"max_thinking_tokens": 2000},
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_requests_are_what_the_sdk_types_say(model: str, options: dict[str, Any]) -> None:
    wire, info = AnthropicMessages(model), ModelInfo(id=model, max_output_tokens=32_000)
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings(**options), info)
        if model != "claude-opus-4-7":  # the newest types leave out what only older models take
            body.pop("temperature", None)
        assert list(problems(body, MessageCreateParamsStreaming)) == [], name


def seen_by_sdk(server: Server) -> Seen:
    pieces: dict[int, str] = {}
    client: Any = anthropic.Anthropic(api_key=KEY, base_url=server.url, max_retries=0)
    with (
        client,
        client.messages.stream(
            model="scripted", max_tokens=100, messages=[{"role": "user", "content": "Hello"}]
        ) as events,
    ):
        for event in events:
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                pieces[event.index] = pieces.get(event.index, "") + event.delta.partial_json
        message = events.get_final_message()
    blocks = message.content
    used = message.usage
    details = used.output_tokens_details
    return Seen(
        text="".join(b.text for b in blocks if b.type == "text"),
        reasoning="".join(b.thinking for b in blocks if b.type == "thinking"),
        calls=[
            call(b.id, b.name, pieces.get(index, ""))
            for index, b in enumerate(blocks)
            if b.type == "tool_use"
        ],
        stop_reason=_REASONS.get(message.stop_reason or "", message.stop_reason),
        usage=counts(
            Usage(
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cache_read_tokens=used.cache_read_input_tokens or 0,
                cache_write_tokens=used.cache_creation_input_tokens or 0,
                reasoning_tokens=details.thinking_tokens if details else 0,
            )
        ),
        signatures=tuple(
            b.signature if b.type == "thinking" else b.data
            for b in blocks
            if b.type in ("thinking", "redacted_thinking")
        ),
    )


_REASONS = {"model_context_window_exceeded": "max_tokens"}
"""Where our word is another: the reply ended for want of room."""
