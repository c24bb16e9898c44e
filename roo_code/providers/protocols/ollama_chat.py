"""Ollama's own chat format: requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from roo_code.config.schema import ProviderSettings
from roo_code.messages import (
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo, ModelRequest, ToolDefinition
from roo_code.providers.framing import Framing, LineParser
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.ollama_lines import OllamaDecoder

Json = dict[str, Any]
_SEE_BELOW = "(see following user message for image)"
_LEVELS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}


class OllamaChat:
    accept: ClassVar[str] = "application/x-ndjson"

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        """The tool of each call: results are known by its name, not by the call's id."""
        self._fragments = Fragments(self._encode_message)

    def framing(self) -> Framing:
        return LineParser()

    def path(self, info: ModelInfo) -> str:
        return "/chat"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        self._names = {call.id: call.name for m in request.messages for call in m.tool_uses}
        parts = self._fragments.of(request.messages, info)
        messages = [message for part in parts for message in part]
        if request.system_prompt.strip():
            messages.insert(0, {"role": "system", "content": request.system_prompt})
        body: Json = {"model": info.id, "messages": messages, "stream": True}
        if request.tools:
            body["tools"] = [_encode_tool(tool) for tool in request.tools]
        think = _think(settings, info)
        if think is not None:
            body["think"] = think
        options = {
            "num_ctx": settings.options.get("ollamaNumCtx"),
            "num_predict": settings.max_tokens,
            "temperature": settings.temperature,
        }
        if given := {name: value for name, value in options.items() if value is not None}:
            body["options"] = given
        return body

    def decoder(self, who: str) -> OllamaDecoder:
        return OllamaDecoder(who)

    def _encode_message(self, message: Message, info: ModelInfo) -> list[Json]:
        if message.role == "assistant":
            return [_encode_reply(message)]
        results = [block for block in message.content if isinstance(block, ToolResult)]
        encoded = [self._encode_result(result) for result in results]
        shown = [image for result in results for image in result.images]
        said = _encode_user([*shown, *message.content], info)
        if said is not None or not encoded:
            encoded.append(said or {"role": "user", "content": NO_TEXT})
        return encoded

    def _encode_result(self, result: ToolResult) -> Json:
        text = f"{result.content}\n{_SEE_BELOW}".lstrip() if result.images else result.content
        encoded: Json = {"role": "tool", "content": text or NO_TEXT}
        if name := self._names.get(result.tool_use_id):
            encoded["tool_name"] = name
        return encoded


def _think(settings: ProviderSettings, info: ModelInfo) -> bool | str | None:
    """Whether it is to think; only gpt-oss can be told how much."""
    effort = settings.reasoning_effort
    if effort is None or info.supports_reasoning is False:
        return None
    if effort in ("disable", "none"):
        return False
    return _LEVELS[effort] if "gpt-oss" in info.id else True


def _encode_tool(tool: ToolDefinition) -> Json:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        },
    }


def _encode_reply(message: Message) -> Json:
    encoded: Json = {"role": "assistant", "content": message.text}
    thoughts = "".join(b.text for b in message.content if isinstance(b, ReasoningContent))
    if thoughts:
        encoded["thinking"] = thoughts
    if calls := [_encode_call(call) for call in message.tool_uses]:
        encoded["tool_calls"] = calls
    elif not message.text.strip():
        encoded["content"] = NO_TEXT
    return encoded


def _encode_call(call: ToolUseContent) -> Json:
    arguments = {} if call.invalid_input is not None else call.input
    return {"function": {"name": call.name, "arguments": arguments}}


def _encode_user(blocks: Sequence[object], info: ModelInfo) -> Json | None:
    texts = [b.text for b in blocks if isinstance(b, TextContent) and b.text.strip()]
    images = [block.data for block in blocks if isinstance(block, ImageContent)]
    if images and not info.supports_images:
        texts.append(IMAGE_LEFT_OUT)
        images = []
    if not texts and not images:
        return None
    encoded: Json = {"role": "user", "content": "\n\n".join(texts)}
    return {**encoded, "images": images} if images else encoded
