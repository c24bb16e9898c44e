"""Anthropic's Messages format: requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from roo_code.config.schema import ProviderSettings
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.framing import Framing
from roo_code.providers.protocols.anthropic_events import AnthropicDecoder
from roo_code.providers.protocols.call_ids import safe_id
from roo_code.providers.protocols.claude_models import (
    betas,
    plain_name,
    takes_temperature,
    thinking,
)
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.output_limit import output_limit
from roo_code.providers.protocols.reasoning import is_believed
from roo_code.providers.sse import SseParser

VERSION = "2023-06-01"
_CACHED = {"cache_control": {"type": "ephemeral"}}
_CACHED_USER_MESSAGES = 2
"""The last is written to the cache, the one before it is read."""

Json = dict[str, Any]


class AnthropicMessages:
    accept: ClassVar[str] = "text/event-stream"

    def __init__(self, model: str = "") -> None:
        self._model = model
        self._fragments = Fragments(_encode_message)

    def framing(self) -> Framing:
        return SseParser()

    def path(self, info: ModelInfo) -> str:
        return "/messages"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        headers = {"anthropic-version": VERSION}
        if key and settings.options.get("anthropicUseAuthToken"):
            headers["authorization"] = f"Bearer {key}"
        elif key:
            headers["x-api-key"] = key
        long_context = bool(settings.options.get("anthropicBeta1MContext"))
        if wanted := betas(self._model, long_context=long_context):
            headers["anthropic-beta"] = ",".join(wanted)
        return headers

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        max_tokens = output_limit(request, settings, info)
        messages = self._fragments.of(request.messages, info)
        body: Json = {
            "model": plain_name(info.id),
            "max_tokens": max_tokens,
            "messages": _with_cache_marks(messages),
            "stream": True,
        }
        if request.system_prompt.strip():
            body["system"] = [{"type": "text", "text": request.system_prompt, **_CACHED}]
        if request.tools:
            body["tools"] = [
                {"name": t.name, "description": t.description, "input_schema": t.input_schema}
                for t in request.tools
            ]
            body["tool_choice"] = {"type": "auto"}
        thoughts = thinking(settings, info, max_tokens)
        if thoughts and _may_think(thoughts, messages):
            body.update(thoughts)
        elif settings.temperature is not None and takes_temperature(info.id):
            body["temperature"] = settings.temperature  # which thinking does not allow
        if user := request.metadata.get("user_id"):
            body["metadata"] = {"user_id": user}
        return body

    def decoder(self, who: str) -> AnthropicDecoder:
        return AnthropicDecoder(who)


def _may_think(thoughts: Json, messages: Sequence[Json]) -> bool:
    """Not within a round of tool calls that began without thinking: the service refuses it."""
    if (
        thoughts["thinking"]["type"] != "enabled"
        or len(messages) < 2
        or messages[-1]["content"][0]["type"] != "tool_result"
    ):
        return True
    return messages[-2]["content"][0]["type"] in ("thinking", "redacted_thinking")


def _with_cache_marks(messages: Sequence[Json]) -> list[Json]:
    marked = list(messages)
    users = [n for n, message in enumerate(marked) if message["role"] == "user"]
    for number in users[-_CACHED_USER_MESSAGES:]:
        *blocks, last = marked[number]["content"]
        marked[number] = {"role": "user", "content": [*blocks, {**last, **_CACHED}]}
    return marked


def _encode_message(message: Message, info: ModelInfo) -> Json:
    results = [block for block in message.content if isinstance(block, ToolResult)]
    blocks = [_encode_result(result, info) for result in results]
    for result in results:
        if result.is_error:  # only text may stand inside a failed result
            blocks += [_encode_image(image, info) for image in result.images]
    for block in message.content:
        if encoded := _encode_block(block, message, info):
            blocks.append(encoded)
    return {"role": message.role, "content": blocks or [{"type": "text", "text": NO_TEXT}]}


def _encode_block(block: ContentBlock, message: Message, info: ModelInfo) -> Json | None:
    if isinstance(block, TextContent):
        return {"type": "text", "text": block.text} if block.text.strip() else None
    if isinstance(block, ToolUseContent):
        input = {} if block.invalid_input is not None else block.input
        return {"type": "tool_use", "id": safe_id(block.id), "name": block.name, "input": input}
    if isinstance(block, ReasoningContent):
        return _encode_thinking(block) if is_believed(message, info) else None
    return _encode_image(block, info) if isinstance(block, ImageContent) else None


def _encode_thinking(block: ReasoningContent) -> Json | None:
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.redacted}
    if block.signature:
        return {"type": "thinking", "thinking": block.text, "signature": block.signature}
    return None


def _encode_result(result: ToolResult, info: ModelInfo) -> Json:
    content: str | list[Json] = result.content or NO_TEXT
    if result.images and not result.is_error:
        images = [_encode_image(image, info) for image in result.images]
        content = [{"type": "text", "text": content}, *images]
    encoded = {
        "type": "tool_result",
        "tool_use_id": safe_id(result.tool_use_id),
        "content": content,
    }
    return {**encoded, "is_error": True} if result.is_error else encoded


def _encode_image(image: ImageContent, info: ModelInfo) -> Json:
    if not info.supports_images:
        return {"type": "text", "text": IMAGE_LEFT_OUT}
    source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "image", "source": source}
