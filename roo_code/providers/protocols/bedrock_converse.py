"""Bedrock's Converse format: requests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast
from urllib.parse import quote

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
from roo_code.providers.base import ModelInfo, ModelRequest, ToolDefinition
from roo_code.providers.event_stream import EventStreamParser
from roo_code.providers.framing import Framing
from roo_code.providers.protocols.bedrock_events import BedrockDecoder
from roo_code.providers.protocols.call_ids import safe_id
from roo_code.providers.protocols.claude_models import betas, takes_temperature, thinking
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.output_limit import output_limit
from roo_code.providers.protocols.reasoning import is_believed

_BETAS_OF_THINKING = {"interleaved-thinking-2025-05-14"}
_BETAS = {"context-1m-2025-08-07"}
"""Bedrock refuses a request that names a beta it does not know."""
_TELLS_FAILURE = re.compile(r"claude|nova")
"""Models that may be told that a call failed, and shown images in its result."""
_CACHE_POINT = {"cachePoint": {"type": "default"}}
_CACHED_USER_MESSAGES = 2
"""The last is written to the cache, the one before it is read."""
_TIERS = {"FLEX": "flex", "PRIORITY": "priority"}

Json = dict[str, Any]


class BedrockConverse:
    accept: ClassVar[str] = "application/vnd.amazon.eventstream"

    def __init__(self) -> None:
        self._fragments = Fragments(_encode_message)

    def framing(self) -> Framing:
        return EventStreamParser()

    def path(self, info: ModelInfo) -> str:
        return f"/model/{quote(info.id, safe='')}/converse-stream"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {}  # each request is signed, or carries the key that the signer finds

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        cached = _cached_fields(settings, info)
        messages = self._fragments.of(request.messages, info)
        body: Json = {
            "messages": _with_cache_points(messages) if "messages" in cached else messages
        }
        if request.system_prompt.strip():
            system: list[Json] = [{"text": request.system_prompt}]
            body["system"] = [*system, _CACHE_POINT] if "system" in cached else system
        if tools := [_encode_tool(tool) for tool in request.tools] or _tools_named(messages):
            tools = [*tools, _CACHE_POINT] if "tools" in cached else tools
            body["toolConfig"] = {"tools": tools, "toolChoice": {"auto": {}}}
        max_tokens = output_limit(request, settings, info)
        thoughts = thinking(settings, info, max_tokens) if _is_claude(info) else {}
        if not _may_think(thoughts, messages):
            thoughts = {}
        limits: Json = {"maxTokens": max_tokens}
        if settings.temperature is not None and not thoughts and takes_temperature(info.id):
            limits["temperature"] = min(settings.temperature, 1)
        body["inferenceConfig"] = limits
        if extra := thoughts | _betas(settings, info, thinks=bool(thoughts)):
            body["additionalModelRequestFields"] = extra
        if tier := _TIERS.get(str(settings.options.get("awsBedrockServiceTier"))):
            body["serviceTier"] = {"type": tier}
        return body

    def decoder(self, who: str) -> BedrockDecoder:
        return BedrockDecoder(who)


def _is_claude(info: ModelInfo) -> bool:
    """Also where only an ARN names it: no other model here has a budget for thinking."""
    return "claude" in info.id or info.reasoning_budget


def _may_think(thoughts: Json, messages: Sequence[Json]) -> bool:
    """Not within a round of tool calls that began without thinking: the service refuses it."""
    if (
        thoughts.get("thinking", {}).get("type") != "enabled"
        or len(messages) < 2
        or "toolResult" not in messages[-1]["content"][0]
    ):
        return True
    return "reasoningContent" in messages[-2]["content"][0]


def _betas(settings: ProviderSettings, info: ModelInfo, *, thinks: bool) -> Json:
    long_context = bool(settings.options.get("awsBedrock1MContext"))
    known = _BETAS | _BETAS_OF_THINKING if thinks else _BETAS
    wanted = [beta for beta in betas(info.id, long_context=long_context) if beta in known]
    return {"anthropic_beta": wanted} if wanted else {}


def _cached_fields(settings: ProviderSettings, info: ModelInfo) -> Sequence[str]:
    """Which parts may hold cache points; of a model that is not known only if it is asked for."""
    wanted = settings.options.get("awsUsePromptCache")
    if wanted is False:
        return ()
    if info.cache_points is not None:
        return info.cache_points.fields
    return ("system", "messages") if wanted else ()


def _with_cache_points(messages: Sequence[Json]) -> list[Json]:
    marked = list(messages)
    users = [n for n, message in enumerate(marked) if message["role"] == "user"]
    for number in users[-_CACHED_USER_MESSAGES:]:
        content = [*marked[number]["content"], _CACHE_POINT]
        marked[number] = {"role": "user", "content": content}
    return marked


def _encode_tool(tool: ToolDefinition) -> Json:
    spec: Json = {"name": tool.name, "inputSchema": {"json": _plain_types(tool.input_schema)}}
    if tool.description:  # an empty one is refused
        spec["description"] = tool.description
    return {"toolSpec": spec}


def _plain_types(schema: Any) -> Any:
    """A schema whose types are single: lists of them are refused by some models."""
    if isinstance(schema, list):
        return [_plain_types(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    fields = {key: _plain_types(value) for key, value in cast("Mapping[str, Any]", schema).items()}
    if isinstance(kinds := fields.get("type"), list):
        rest = {key: value for key, value in fields.items() if key != "type"}
        return {**rest, "anyOf": [{"type": kind} for kind in cast("list[str]", kinds)]}
    return fields


def _tools_named(messages: Sequence[Json]) -> list[Json]:
    """Tools that earlier messages called: the service refuses calls without any tools."""
    names = {
        block["toolUse"]["name"]: None
        for message in messages
        for block in message["content"]
        if "toolUse" in block
    }
    return [{"toolSpec": {"name": n, "inputSchema": {"json": {"type": "object"}}}} for n in names]


def _encode_message(message: Message, info: ModelInfo) -> Json:
    results = [block for block in message.content if isinstance(block, ToolResult)]
    tells_failure = bool(_TELLS_FAILURE.search(info.id)) or info.reasoning_budget
    blocks = [_encode_result(result, info, tells_failure) for result in results]
    for result in results:
        if not _holds_images(result, tells_failure):
            blocks += [_encode_image(image, info) for image in result.images]
    for block in message.content:
        if encoded := _encode_block(block, message, info):
            blocks.append(encoded)
    return {"role": message.role, "content": blocks or [{"text": NO_TEXT}]}


def _encode_block(block: ContentBlock, message: Message, info: ModelInfo) -> Json | None:
    if isinstance(block, TextContent):
        return {"text": block.text} if block.text.strip() else None
    if isinstance(block, ToolUseContent):
        input = {} if block.invalid_input is not None else block.input
        return {"toolUse": {"toolUseId": safe_id(block.id), "name": block.name, "input": input}}
    if isinstance(block, ReasoningContent):
        thought = _encode_thinking(block, info) if is_believed(message, info) else None
        return {"reasoningContent": thought} if thought else None
    return _encode_image(block, info) if isinstance(block, ImageContent) else None


def _encode_thinking(block: ReasoningContent, info: ModelInfo) -> Json | None:
    if block.redacted:
        return {"redactedContent": block.redacted}
    if block.signature:
        return {"reasoningText": {"text": block.text, "signature": block.signature}}
    if block.text and info.keeps_reasoning:
        return {"reasoningText": {"text": block.text}}
    return None


def _encode_result(result: ToolResult, info: ModelInfo, tells_failure: bool) -> Json:
    content: list[Json] = [{"text": result.content if result.content.strip() else NO_TEXT}]
    if _holds_images(result, tells_failure):
        content += [_encode_image(image, info) for image in result.images]
    encoded: Json = {"toolUseId": safe_id(result.tool_use_id), "content": content}
    if result.is_error and tells_failure:
        encoded["status"] = "error"
    return {"toolResult": encoded}


def _holds_images(result: ToolResult, tells_failure: bool) -> bool:
    """Else they stand beside it: only text may stand inside a failed result."""
    return tells_failure and not result.is_error


def _encode_image(image: ImageContent, info: ModelInfo) -> Json:
    if not info.supports_images:
        return {"text": IMAGE_LEFT_OUT}
    format = image.media_type.rpartition("/")[2].replace("jpg", "jpeg")
    return {"image": {"format": format, "source": {"bytes": image.data}}}
