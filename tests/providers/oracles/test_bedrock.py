"""Replies read by ours and by Amazon's SDK alike; our requests checked by its own shapes."""

from base64 import b64decode, b64encode
from collections.abc import Generator, Iterable
from contextlib import aclosing, closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ContextTooLong,
    Overloaded,
    ProviderError,
    RateLimited,
    ServerFailed,
)
from roo_code.messages import Usage
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import create_provider
from roo_code.providers.models import model_info
from roo_code.providers.protocols.bedrock_converse import BedrockConverse
from tests.providers.bedrock_frames import frames_of
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Seen, call, counts, fixtures, names, seen_by_us
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.requests import settings
from tests.providers.services import HELLO, ask, provider_at

boto3: Any = import_module("boto3")  # by name: it has no types
botocore_config: Any = import_module("botocore.config")
exceptions: Any = import_module("botocore.exceptions")
validate: Any = import_module("botocore.validate")

STATIC: dict[str, Any] = {"awsAccessKey": "AKIDEXAMPLE", "awsSecretKey": "secret", "api_key": None}
MEDIA_TYPE = "application/vnd.amazon.eventstream"
REPLIES = fixtures("bedrock_converse")
ERRORS = {
    "throttled": RateLimited,
    "model_failed": ServerFailed,
    "service_failed": ServerFailed,
    "unavailable": Overloaded,
    "invalid": BadRequest,
    "too_long": ContextTooLong,
}
STATUSES = {
    400: ("ValidationException", BadRequest),
    403: ("AccessDeniedException", AuthenticationFailed),
    404: ("ResourceNotFoundException", BadRequest),
    408: ("ModelTimeoutException", ServerFailed),
    424: ("ModelErrorException", ServerFailed),
    429: ("ThrottlingException", RateLimited),
    500: ("InternalServerException", ServerFailed),
    503: ("ServiceUnavailableException", Overloaded),
}
_REASONS = {
    "content_filtered": "refusal",
    "guardrail_intervened": "refusal",
    "model_context_window_exceeded": "max_tokens",
}


@contextmanager
def client(url: str) -> Generator[Any]:
    made: Any = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
        config=botocore_config.Config(retries={"total_max_attempts": 1}),
    )
    with closing(made):
        yield made


@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(frames_of(path), MEDIA_TYPE)) as server:
        async with provider_at(server.url, "bedrock", **STATIC) as provider:
            ours = await ask(provider)
        theirs = seen_by_sdk(server)
    assert seen_by_us(ours) == theirs


@pytest.mark.parametrize("name", ERRORS)
async def test_an_exception_within_the_stream_is_one_for_both(name: str) -> None:
    path = REPLIES[0].parent / "errors" / f"{name}.events"
    with serving(stream(frames_of(path), MEDIA_TYPE)) as server:
        async with provider_at(server.url, "bedrock", **STATIC) as provider:
            with pytest.raises(ProviderError) as caught:
                await ask(provider)
        with pytest.raises(exceptions.EventStreamError):
            seen_by_sdk(server)
    assert type(caught.value) is ERRORS[name]


@pytest.mark.parametrize("status", STATUSES)
async def test_a_refusal_is_one_for_both(status: int) -> None:
    code, kind = STATUSES[status]
    refusal = json_reply({"message": "No."}, status, x_amzn_errortype=code)
    with serving(refusal) as server:
        async with provider_at(server.url, "bedrock", **STATIC) as provider:
            with pytest.raises(ProviderError) as caught:
                await ask(provider)
        with pytest.raises(exceptions.ClientError) as theirs:
            seen_by_sdk(server)
    assert theirs.value.response["Error"]["Code"] == code
    assert (type(caught.value), caught.value.status) == (kind, status)


async def test_our_requests_are_those_the_sdk_sends() -> None:
    """The same path, the same body, signed alike."""
    path = next(path for path in REPLIES if path.stem == "text")
    model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    with serving(stream(frames_of(path), MEDIA_TYPE)) as server:
        given: dict[str, Any] = {**STATIC, "api_model_id": model, "api_base_url": server.url}
        async with aclosing(create_provider(settings("bedrock", **given))) as provider:
            await ask(provider)
        asked = server.requests[0].json()
        with client(server.url) as theirs:
            theirs.converse_stream(modelId=model, **asked)["stream"].close()
    first, second = server.requests
    assert first.path == second.path
    assert first.json() == second.json()
    signed = [request.headers["authorization"].split(",")[0] for request in server.requests]
    assert signed[0] == signed[1]


MODELS = (
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-opus-4-6-v1",
    "amazon.nova-pro-v1:0",
    "meta.llama3-3-70b-instruct-v1:0",
    "moonshot.kimi-k2-thinking",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5, "max_tokens": 4000, "awsBedrockServiceTier": "PRIORITY"},
    {"reasoning_effort": "high", "awsBedrock1MContext": True},
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_requests_are_what_the_shapes_of_the_sdk_say(model: str, options: dict[str, Any]) -> None:
    wire, info = BedrockConverse(), model_info("bedrock", model)
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings("bedrock", **options), info)
        assert problems(body, info) == "", name


def test_the_check_by_shapes_finds_what_is_wrong() -> None:
    body = BedrockConverse().encode(HELLO, settings("bedrock"), ModelInfo(id="m"))
    body["messages"][0]["content"].append({"toolUse": {"name": "x"}})
    assert "toolUseId" in problems(body, ModelInfo(id="m"))


def problems(body: dict[str, Any], info: ModelInfo) -> str:
    with client("http://127.0.0.1:1") as theirs:
        shape = theirs.meta.service_model.operation_model("ConverseStream").input_shape
    asked = _with_bytes({**body, "modelId": info.id})
    report = validate.ParamValidator().validate(asked, shape)
    return "" if not report.has_errors() else str(report.generate_report())


def _with_bytes(node: Any, key: str = "") -> Any:
    """As the SDK takes it, which makes base64 of bytes by itself."""
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        return {name: _with_bytes(value, name) for name, value in fields.items()}
    if isinstance(node, list):
        return [_with_bytes(item) for item in cast("list[Any]", node)]
    return b64decode(node) if key in ("bytes", "redactedContent") else node


def seen_by_sdk(server: Server) -> Seen:
    asked = [{"role": "user", "content": [{"text": "Hello"}]}]
    with client(server.url) as theirs:
        answer = theirs.converse_stream(modelId="scripted", messages=asked)
        with closing(answer["stream"]) as events:
            return _joined(events)


def _joined(events: Iterable[Any]) -> Seen:
    texts, thoughts, signatures = [""], [""], [""]
    calls: dict[int, list[str]] = {}
    reason: str | None = None
    used: dict[str, int] = {}
    for event in events:
        if start := event.get("contentBlockStart"):
            announced = start["start"]["toolUse"]
            calls[start["contentBlockIndex"]] = [announced["toolUseId"], announced["name"], ""]
        elif piece := event.get("contentBlockDelta"):
            delta = piece["delta"]
            thought = delta.get("reasoningContent", {})
            texts.append(delta.get("text", ""))
            thoughts.append(thought.get("text", ""))
            signatures.append(thought.get("signature", ""))
            signatures.append(b64encode(thought.get("redactedContent", b"")).decode())
            if "toolUse" in delta:
                calls[piece["contentBlockIndex"]][2] += delta["toolUse"]["input"]
        elif stop := event.get("messageStop"):
            reason = stop["stopReason"]
        elif metadata := event.get("metadata"):
            used = metadata["usage"]
    return Seen(
        text="".join(texts),
        reasoning="".join(thoughts),
        calls=[call(*parts) for parts in calls.values()],
        stop_reason=_REASONS.get(reason or "", reason),
        usage=counts(
            Usage(
                input_tokens=used["inputTokens"],
                output_tokens=used["outputTokens"],
                cache_read_tokens=used.get("cacheReadInputTokens", 0),
                cache_write_tokens=used.get("cacheWriteInputTokens", 0),
            )
        ),
        signatures=tuple(filter(None, signatures)),
    )
