"""OpenAI's Responses format: requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from roo_code.config.schema import ProviderSettings
from roo_code.json_text import to_json
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.framing import Framing
from roo_code.providers.protocols.call_ids import safe_id
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.openai_responses_events import PHASES, ResponsesDecoder
from roo_code.providers.protocols.reasoning import chosen_effort, is_believed
from roo_code.providers.protocols.responses_quirks import ResponsesQuirks
from roo_code.providers.sse import SseParser

Json = dict[str, Any]
_LEVEL_IN_NAME = re.compile(r"(o\d(?:-mini)?)-(low|high)")
"""Roo has names such as `o3-mini-high`, for a model and how much it is to think."""
_REASONS = re.compile(r"(^|/)(o\d|gpt-5(?!.*-chat)|codex)", re.IGNORECASE)
_MOST_CACHE_KEY = 64


class OpenAiResponses:
    accept: ClassVar[str] = "text/event-stream"

    def __init__(self, quirks: ResponsesQuirks | None = None) -> None:
        self._quirks = quirks or ResponsesQuirks()
        self._fragments = Fragments(_encode_message)

    def framing(self) -> Framing:
        return SseParser()

    def path(self, info: ModelInfo) -> str:
        return "/responses"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        parts = self._fragments.of(request.messages, info)
        named = _LEVEL_IN_NAME.fullmatch(info.id)
        body: Json = {
            "model": named[1] if named else info.id,
            "input": [item for part in parts for item in part],
            "stream": True,
            "store": False,  # the history is ours: each request brings all of it
        }
        if request.system_prompt.strip():
            body["instructions"] = request.system_prompt
        if request.tools:
            body["tools"] = [_encode_tool(tool) for tool in request.tools]
            body["tool_choice"] = "auto"
            body["parallel_tool_calls"] = True
        if settings.max_tokens is not None:
            body["max_output_tokens"] = settings.max_tokens
        if settings.temperature is not None and info.supports_temperature:
            body["temperature"] = settings.temperature
        body.update(self._reasoning(chosen_effort(settings, info) or (named and named[2]), info))
        body.update(_service_options(settings, info))
        if task := request.metadata.get("task_id"):
            body["prompt_cache_key"] = task[:_MOST_CACHE_KEY]
        if user := request.metadata.get("user_id"):
            body["user"] = user
        return body

    def decoder(self, who: str) -> ResponsesDecoder:
        return ResponsesDecoder(who)

    def _reasoning(self, effort: str | None, info: ModelInfo) -> Json:
        """The reasoning is kept by us, encrypted, as the service stores nothing."""
        reasons = self._quirks.always_reasons or bool(effort) or info.supports_reasoning
        if not (reasons or (reasons is None and _REASONS.search(info.id))):
            return {}
        wanted: Json = {"effort": effort} if effort not in (None, "disable") else {}
        if self._quirks.summarizes and effort != "disable":
            wanted["summary"] = "auto"
        asked: Json = {"include": ["reasoning.encrypted_content"]}
        return {**asked, "reasoning": wanted} if wanted else asked


def _service_options(settings: ProviderSettings, info: ModelInfo) -> Json:
    options = settings.options
    asked: Json = {}
    if (verbosity := options.get("verbosity")) and info.supports_verbosity:
        asked["text"] = {"verbosity": verbosity}
    if tier := options.get("openAiNativeServiceTier"):
        asked["service_tier"] = tier
    if info.cache_retention:
        asked["prompt_cache_retention"] = info.cache_retention
    return asked


def _encode_tool(tool: ToolDefinition) -> Json:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": False,  # else every field must be given, also those that may be left out
    }


def _encode_message(message: Message, info: ModelInfo) -> list[Json]:
    encode = _encode_reply if message.role == "assistant" else _encode_user
    nothing = {"role": message.role, "content": NO_TEXT}
    return [*encode(message, info)] or [nothing]


def _encode_user(message: Message, info: ModelInfo) -> Iterator[Json]:
    for block in message.content:
        if isinstance(block, ToolResult):
            yield {
                "type": "function_call_output",
                "call_id": safe_id(block.tool_use_id),
                "output": _encode_result(block, info),
            }
    if parts := [part for block in message.content if (part := _encode_part(block, info))]:
        yield {"role": "user", "content": parts}


def _encode_result(result: ToolResult, info: ModelInfo) -> str | list[Json]:
    text = result.content or NO_TEXT
    if not result.images:
        return text
    images = [_encode_image(image, info) for image in result.images]
    return [{"type": "input_text", "text": text}, *images]


def _encode_part(block: ContentBlock, info: ModelInfo) -> Json | None:
    if isinstance(block, ImageContent):
        return _encode_image(block, info)
    if isinstance(block, TextContent) and block.text.strip():
        return {"type": "input_text", "text": block.text}
    return None


def _encode_image(image: ImageContent, info: ModelInfo) -> Json:
    if not info.supports_images:
        return {"type": "input_text", "text": IMAGE_LEFT_OUT}
    url = f"data:{image.media_type};base64,{image.data}"
    return {"type": "input_image", "detail": "auto", "image_url": url}


def _encode_reply(message: Message, info: ModelInfo) -> Iterator[Json]:
    """In the order in which it came: reasoning must stand before what came of it."""
    thoughts: list[Json] = []
    for block in message.content:
        if isinstance(block, ReasoningContent):
            if block.id and block.signature and is_believed(message, info):
                thoughts.append(_encode_thought(block, block.id))
        elif encoded := _encode_said(block):
            yield from thoughts
            thoughts.clear()
            yield encoded


def _encode_said(block: ContentBlock) -> Json | None:
    if isinstance(block, ToolUseContent):
        input = {} if block.invalid_input is not None else block.input
        return {
            "type": "function_call",
            "call_id": safe_id(block.id),
            "name": block.name,
            "arguments": to_json(input).decode(),
        }
    if isinstance(block, TextContent) and block.text.strip():
        said: Json = {"role": "assistant", "content": block.text}
        return {**said, "phase": block.signature} if block.signature in PHASES else said
    return None


def _encode_thought(block: ReasoningContent, id: str) -> Json:
    summary = [{"type": "summary_text", "text": block.text}] if block.text else []
    return {
        "type": "reasoning",
        "id": id,
        "summary": summary,
        "encrypted_content": block.signature,
    }
