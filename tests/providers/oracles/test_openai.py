"""Chat completions read by ours and by OpenAI's SDK alike."""

from pathlib import Path
from typing import Any

import openai
import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

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
from roo_code.providers.catalog import CATALOG
from roo_code.providers.models import model_info
from roo_code.providers.protocols.openai_chat import OpenAiChat
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Seen, call, fixtures, names, seen_by_us, usage
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.oracles.typed_dicts import problems
from tests.providers.requests import settings
from tests.providers.services import KEY, ask, provider_at

REPLIES = fixtures("openai_chat")
REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
ERRORS = {"server_error": ServerFailed, "rate_limited": RateLimited, "no_quota": QuotaExceeded}
STATUSES = {
    (400, "invalid_value"): (openai.BadRequestError, BadRequest),
    (400, "context_length_exceeded"): (openai.BadRequestError, ContextTooLong),
    (401, "invalid_api_key"): (openai.AuthenticationError, AuthenticationFailed),
    (403, "unsupported_country"): (openai.PermissionDeniedError, AuthenticationFailed),
    (404, "model_not_found"): (openai.NotFoundError, BadRequest),
    (429, "rate_limit_exceeded"): (openai.RateLimitError, RateLimited),
    (429, "insufficient_quota"): (openai.RateLimitError, QuotaExceeded),
    (500, "server_error"): (openai.InternalServerError, ServerFailed),
    (503, "slow_down"): (openai.InternalServerError, Overloaded),
}


@pytest.mark.requirement("providers:openai:native", "providers:usage:extracted")
@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "openai") as provider:
            ours = await ask(provider)
        theirs = seen_by_sdk(server)
    assert seen_by_us(ours) == theirs


@pytest.mark.parametrize("name", ERRORS)
async def test_an_error_within_the_stream_is_one_for_both(name: str) -> None:
    path = REPLIES[0].parent / "errors" / f"{name}.sse"
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "openai") as provider:
            with pytest.raises(ERRORS[name]):
                await ask(provider)
        with pytest.raises(openai.APIError):
            seen_by_sdk(server)


@pytest.mark.parametrize(("status", "code"), STATUSES)
@pytest.mark.parametrize("provider", ["openai", "openai-native"])
async def test_a_refusal_is_one_for_both(status: int, code: str, provider: str) -> None:
    theirs, ours = STATUSES[status, code]
    error = {"message": "No.", "type": "invalid_request_error", "param": None, "code": code}
    with serving(json_reply({"error": error}, status, retry_after="7")) as server:
        async with provider_at(server.url, provider) as asked:
            with pytest.raises(ProviderError) as caught:
                await ask(asked)
        with pytest.raises(theirs):
            seen_by_sdk(server)
    error = caught.value
    assert (error.kind, error.status, error.retry_after) == (ours.__name__, status, 7)


MODELS = ("gpt-4.1", "gpt-5.1", "o3")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5, "max_tokens": 4000},
    {"reasoning_effort": "high", "verbosity": "low"},
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_requests_are_what_the_sdk_types_say(model: str, options: dict[str, Any]) -> None:
    wire, info = OpenAiChat(CATALOG["openai"].quirks), model_info("openai", model)
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings("openai", **options), info)
        assert list(problems(body, CompletionCreateParamsStreaming)) == [], name


def seen_by_sdk(server: Server) -> Seen:
    state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
    with (
        openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", max_retries=0) as client,
        client.chat.completions.create(
            model="scripted",
            messages=[{"role": "user", "content": "Hello"}],
            stream=True,
            stream_options={"include_usage": True},
        ) as chunks,
    ):
        for chunk in chunks:
            state.handle_chunk(chunk)
    snapshot = state.current_completion_snapshot
    choice, used = snapshot.choices[0], snapshot.usage
    message = choice.message
    extra = message.model_extra or {}
    assert used is not None
    read = used.prompt_tokens_details.cached_tokens if used.prompt_tokens_details else 0
    reasoned = used.completion_tokens_details
    return Seen(
        text=(message.content or "") + (message.refusal or ""),
        reasoning=extra.get("reasoning_content") or extra.get("reasoning") or "",
        calls=[
            call(c.id, c.function.name, c.function.arguments)
            for c in message.tool_calls or []
            if c.type == "function"
        ],
        stop_reason="refusal" if message.refusal else REASONS[choice.finish_reason],
        usage=usage(
            used.prompt_tokens,
            used.completion_tokens,
            read=read or (used.model_extra or {}).get("prompt_cache_hit_tokens", 0),
            reasoning=(reasoned.reasoning_tokens or 0) if reasoned else 0,
        ),
    )
