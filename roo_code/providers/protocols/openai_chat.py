"""OpenAI's chat completions format, which most services speak: requests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from roo_code.config.schema import ProviderSettings
from roo_code.json_text import to_json
from roo_code.messages import (
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
from roo_code.providers.protocols.call_ids import safe_id, short_id
from roo_code.providers.protocols.chat_extras import (
    extra_fields,
    marks_cache,
    task_fields,
    with_cache_marks,
    without_system,
)
from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.openai_chunks import ChatDecoder
from roo_code.providers.protocols.reasoning import chosen_effort
from roo_code.providers.protocols.reasoning_details import returned_details
from roo_code.providers.sse import SseParser

Json = dict[str, Any]
_SEE_BELOW = "(see following user message for image)"
_REASONING_MODEL = re.compile(r"(^|/)(o\d|gpt-5|codex)", re.IGNORECASE)


class OpenAiChat:
    accept: ClassVar[str] = "text/event-stream"

    def __init__(self, quirks: ChatQuirks | None = None) -> None:
        self._quirks = quirks or ChatQuirks()
        self._fragments = Fragments(self._encode_message)

    def framing(self) -> Framing:
        return SseParser()

    def path(self, info: ModelInfo) -> str:
        return "/chat/completions"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        parts = self._fragments.of(request.messages, info)
        messages = [message for part in parts for message in part]
        if request.system_prompt.strip():
            messages.insert(0, {"role": "system", "content": request.system_prompt})
        if settings.options.get("openAiR1FormatEnabled"):
            messages = without_system(messages)
        if marks_cache(self._quirks.cache_marks, settings, info):
            messages = with_cache_marks(messages)
        body: Json = {"model": info.id, "messages": messages, "stream": True}
        if not self._quirks.reports_usage_unasked:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_encode_tool(tool) for tool in request.tools]
            body["tool_choice"] = "auto"
        if settings.temperature is not None and info.supports_temperature:
            body["temperature"] = settings.temperature
        body.update(self._limit(settings, info))
        body.update(self._reasoning(settings, info))
        if self._quirks.reports_cost:
            body["usage"] = {"include": True}
        body.update(extra_fields(settings, info))
        body.update(task_fields(self._quirks.task_field, request.metadata))
        if user := request.metadata.get("user_id"):
            body["user"] = user
        return body

    def decoder(self, who: str) -> ChatDecoder:
        return ChatDecoder(who)

    def _limit(self, settings: ProviderSettings, info: ModelInfo) -> Json:
        limit = settings.max_tokens
        wanted = settings.options.get("includeMaxTokens")
        if limit is None and (self._quirks.always_limit or wanted):
            limit = info.max_output_tokens
        if limit is None:
            return {}
        field = self._quirks.limit_field
        if field == "by_model":
            reasons = _REASONING_MODEL.search(info.id)
            field = "max_completion_tokens" if reasons else "max_tokens"
        return {field: limit}

    def _reasoning(self, settings: ProviderSettings, info: ModelInfo) -> Json:
        effort, budget = chosen_effort(settings, info), settings.max_thinking_tokens
        if info.supports_reasoning is False or (effort is None and budget is None):
            return {}
        off = effort in ("disable", "none")
        if self._quirks.reasoning == "switched_object":
            level = {} if off or not effort else {"effort": effort}
            return {"reasoning": {"enabled": not off, **level}}
        if self._quirks.reasoning == "switch":
            return {"thinking": {"type": "disabled" if off else "enabled"}}
        if effort == "disable":
            return {}
        if self._quirks.reasoning == "object":
            wanted = {"effort": effort} if effort else {"max_tokens": budget}
            return {"reasoning": wanted}
        return {"reasoning_effort": effort} if effort else {}

    def _encode_message(self, message: Message, info: ModelInfo) -> list[Json]:
        if message.role == "assistant":
            return [self._encode_reply(message, info)]
        results = [block for block in message.content if isinstance(block, ToolResult)]
        encoded: list[Json] = [
            {
                "role": "tool",
                "tool_call_id": self._id(result.tool_use_id),
                "content": _result_text(result),
            }
            for result in results
        ]
        said = _user_content([*_images_of(results), *message.content], info)
        if said and encoded and self._quirks.joins_results:
            encoded[-1]["content"] = _joined(encoded[-1]["content"], said)
        elif said or not encoded:
            encoded.append({"role": "user", "content": said or NO_TEXT})
        return encoded

    def _encode_reply(self, message: Message, info: ModelInfo) -> Json:
        calls = [self._encode_call(call) for call in message.tool_uses]
        encoded: Json = {"role": "assistant", "content": message.text}
        if calls:
            encoded["tool_calls"] = calls
        elif not message.text.strip():
            encoded["content"] = NO_TEXT
        if self._quirks.returns_details:
            ids = [call["id"] for call in calls]
            if details := returned_details(message, info.id, ids):
                encoded["reasoning_details"] = details
        elif self._quirks.returns_reasoning or info.keeps_reasoning:
            thoughts = [b.text for b in message.content if isinstance(b, ReasoningContent)]
            if any(thoughts):
                encoded["reasoning_content"] = "".join(thoughts)
        return encoded

    def _encode_call(self, call: ToolUseContent) -> Json:
        input = {} if call.invalid_input is not None else call.input
        arguments = to_json(input).decode()
        return {
            "id": self._id(call.id),
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        }

    def _id(self, id: str) -> str:
        return short_id(id) if self._quirks.short_call_ids else safe_id(id)


def _encode_tool(tool: ToolDefinition) -> Json:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        },
    }


def _result_text(result: ToolResult) -> str:
    shown = f"{result.content}\n{_SEE_BELOW}".lstrip() if result.images else result.content
    return shown or NO_TEXT


def _joined(text: str, said: str | list[Json]) -> str | list[Json]:
    return f"{text}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": text}, *said]


def _images_of(results: Sequence[ToolResult]) -> list[ImageContent]:
    return [image for result in results for image in result.images]


def _user_content(blocks: Sequence[object], info: ModelInfo) -> str | list[Json]:
    """One text where that is all: not every server takes a list of parts."""
    parts: list[Json] = []
    for block in blocks:
        if isinstance(block, TextContent) and block.text.strip():
            parts.append({"type": "text", "text": block.text})
        elif isinstance(block, ImageContent) and info.supports_images:
            url = f"data:{block.media_type};base64,{block.data}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        elif isinstance(block, ImageContent):
            parts.append({"type": "text", "text": IMAGE_LEFT_OUT})
    if all(part["type"] == "text" for part in parts):
        return "\n\n".join(part["text"] for part in parts)
    return parts
