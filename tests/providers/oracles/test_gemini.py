"""Replies read by ours and by Google's SDK alike; our requests checked by its types."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from google import genai
from google.genai import errors, types
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

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
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.models import model_info
from roo_code.providers.protocols.gemini import Gemini
from roo_code.providers.protocols.gemini_events import MADE_UP_ID
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Call, Seen, fixtures, names, seen_by_us, usage
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.requests import settings
from tests.providers.services import KEY, ask, provider_at

REPLIES = fixtures("gemini")
ERRORS = {"overloaded": Overloaded, "rate_limited": RateLimited}
REASONS = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens"}
"""Of the others in the fixtures each is a refusal."""
STATUSES = {
    400: ("INVALID_ARGUMENT", "Unknown name", BadRequest),
    401: ("UNAUTHENTICATED", "Missing credentials.", AuthenticationFailed),
    403: ("PERMISSION_DENIED", "The caller does not have permission", AuthenticationFailed),
    404: ("NOT_FOUND", "models/x is not found", BadRequest),
    429: ("RESOURCE_EXHAUSTED", "Resource has been exhausted", RateLimited),
    500: ("INTERNAL", "An internal error has occurred.", ServerFailed),
    503: ("UNAVAILABLE", "The model is overloaded.", Overloaded),
    504: ("DEADLINE_EXCEEDED", "Deadline expired", ServerFailed),
}


@pytest.mark.requirement("providers:usage:extracted")
@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "gemini") as provider:
            ours = await ask(provider)
        theirs, parts = seen_by_sdk(server)
    found = seen_by_us(ours)
    calls = [call._replace(id=_given(call.id)) for call in found.calls]
    signed = [part.thought_signature for part in parts if part.thought_signature]
    assert found._replace(calls=calls, signatures=()) == theirs
    assert [*_signatures(ours)] == [base64.b64encode(s).decode() for s in signed]


@pytest.mark.parametrize("name", ERRORS)
async def test_an_error_within_the_stream_is_one_for_both(name: str) -> None:
    path = REPLIES[0].parent / "errors" / f"{name}.sse"
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "gemini") as provider:
            with pytest.raises(ERRORS[name]) as caught:
                await ask(provider)
        with pytest.raises(errors.APIError) as theirs:
            seen_by_sdk(server)
    assert caught.value.status == theirs.value.code


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("in_list", [False, True])
async def test_a_refusal_is_one_for_both(status: int, in_list: bool) -> None:
    name, said, ours = STATUSES[status]
    error: Any = {"error": {"code": status, "message": said, "status": name}}
    with serving(json_reply([error] if in_list else error, status)) as server:
        async with provider_at(server.url, "gemini") as provider:
            with pytest.raises(ProviderError) as caught:
                await ask(provider)
        with pytest.raises(errors.APIError) as theirs:
            seen_by_sdk(server)
    assert (caught.value.kind, caught.value.status) == (ours.__name__, theirs.value.code)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (400, "API key not valid. Please pass a valid API key.", AuthenticationFailed),
        (400, "API key expired. Please renew the API key.", AuthenticationFailed),
        (
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed "
            "(1048576).",
            ContextTooLong,
        ),
    ],
)
async def test_what_the_words_of_a_refusal_mean(
    status: int, said: str, expected: type[ProviderError]
) -> None:
    error = {"error": {"code": status, "message": said, "status": "INVALID_ARGUMENT"}}
    with serving(json_reply(error, status)) as server:
        async with provider_at(server.url, "gemini") as provider:
            with pytest.raises(expected):
                await ask(provider)


@pytest.mark.parametrize(("delay", "expected"), [("17.5s", RateLimited), (None, QuotaExceeded)])
async def test_a_limit_that_passes_is_told_from_an_account_without_credit(
    delay: str | None, expected: type[ProviderError]
) -> None:
    said = "You exceeded your current quota, please check your plan and billing details."
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    error = {"code": 429, "message": said, "status": "RESOURCE_EXHAUSTED", "details": details}
    with serving(json_reply([{"error": error}], 429)) as server:
        async with provider_at(server.url, "gemini") as provider:
            with pytest.raises(expected) as caught:
                await ask(provider)
    assert caught.value.retry_after == (17.5 if delay else None)


MODELS = ("gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5, "max_tokens": 4000},
    {"reasoning_effort": "xhigh"},
    {"reasoning_effort": "disable"},
    {"max_thinking_tokens": 2000},
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_requests_are_what_the_sdk_types_say(model: str, options: dict[str, Any]) -> None:
    wire = Gemini()
    for info in (model_info("gemini", model), ModelInfo(id=model, supports_images=False)):
        for messages in histories(model).values():
            body = wire.encode(asking(messages), settings("gemini", **options), info)
            assert types.Content.model_config.get("extra") == "forbid"
            for content in body.pop("contents"):
                types.Content.model_validate(content)
            for tool in body.pop("tools"):
                types.Tool.model_validate(tool)
            types.Content.model_validate(body.pop("systemInstruction"))
            types.GenerateContentConfig.model_validate(body.pop("generationConfig", {}))
            assert body == {}


@pytest.mark.parametrize("model", MODELS)
def test_the_sdk_would_have_sent_the_same(model: str) -> None:
    """Its types, made from our body and sent by it, make the same body."""
    info = model_info("gemini", model)
    fields: dict[str, Any] = {"reasoning_effort": "low", "max_tokens": 4000}
    body = Gemini().encode(
        asking(histories(model)["parallel_tools"]), settings("gemini", **fields), info
    )
    config = types.GenerateContentConfig.model_validate(
        {
            **body["generationConfig"],
            "systemInstruction": body["systemInstruction"],
            "tools": body["tools"],
        }
    )
    contents: Any = [types.Content.model_validate(content) for content in body["contents"]]
    with serving(stream((REPLIES[0].parent / "text.sse").read_bytes())) as server:
        seen_by_sdk(server, model, contents, config)
    sent = server.requests[0]
    assert _in_camel_case(sent.json()) == body
    assert sent.path.partition("/models")[2] == Gemini().path(info).partition("/models")[2]
    assert sent.headers["x-goog-api-key"] == KEY


def seen_by_sdk(
    server: Server,
    model: str = "scripted",
    contents: Any = "Hello",
    config: types.GenerateContentConfig | None = None,
) -> tuple[Seen, list[types.Part]]:
    options = types.HttpOptions(base_url=server.url)
    parts: list[types.Part] = []
    reason, used = None, types.GenerateContentResponseUsageMetadata()
    with genai.Client(api_key=KEY, http_options=options, vertexai=False) as client:
        models: Any = client.models
        chunks: Iterator[types.GenerateContentResponse] = models.generate_content_stream(
            model=model, contents=contents, config=config
        )
        for chunk in chunks:
            used = chunk.usage_metadata or used
            for candidate in chunk.candidates or ():
                parts += (candidate.content and candidate.content.parts) or ()
                reason = candidate.finish_reason or reason
    return _seen(parts, reason and reason.value, used), parts


def _seen(parts: list[types.Part], reason: str | None, used: BaseModel) -> Seen:
    count = used.model_dump(exclude_none=True)
    calls = [part.function_call for part in parts if part.function_call]
    said = "tool_use" if calls and reason == "STOP" else REASONS.get(reason or "", "refusal")
    thoughts = count.get("thoughts_token_count", 0)
    return Seen(
        text="".join(part.text or "" for part in parts if not part.thought),
        reasoning="".join(part.text or "" for part in parts if part.thought),
        calls=[Call(call.id or "", call.name or "", call.args) for call in calls],
        stop_reason=said,
        usage=usage(
            count["prompt_token_count"] + count.get("tool_use_prompt_token_count", 0),
            count.get("candidates_token_count", 0) + thoughts,
            read=count.get("cached_content_token_count", 0),
            reasoning=thoughts,
        ),
    )


def _in_camel_case(node: Any) -> Any:
    """The service takes both spellings, and the SDK uses both."""
    if isinstance(node, list):
        return [_in_camel_case(item) for item in cast("list[Any]", node)]
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        return {to_camel(key): _in_camel_case(value) for key, value in fields.items()}
    return node


def _given(id: str) -> str:
    return "" if id.startswith(MADE_UP_ID) else id


def _signatures(message: Message) -> Iterator[str]:
    for block in message.content:
        if isinstance(block, TextContent | ReasoningContent | ToolUseContent) and block.signature:
            # The SDK knows bytes, so letters of both alphabets are the same to it.
            yield block.signature.translate(str.maketrans("-_", "+/"))
