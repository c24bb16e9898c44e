"""Gemini's generateContent format: requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar
from urllib.parse import quote

from roo_code.config.schema import ProviderSettings
from roo_code.messages import (
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.framing import Framing
from roo_code.providers.protocols.fragments import IMAGE_LEFT_OUT, NO_TEXT, Fragments
from roo_code.providers.protocols.gemini_events import MADE_UP_ID, GeminiDecoder
from roo_code.providers.protocols.gemini_thinking import generation_of, thinking_config
from roo_code.providers.sse import SseParser

Json = dict[str, Any]
NOT_SIGNED = "skip_thought_signature_validator"
"""Stands where a signature must be and there is none: the call was another model's."""


class Gemini:
    accept: ClassVar[str] = "text/event-stream"

    def __init__(self) -> None:
        self._fragments = Fragments(self._encode_message)
        self._names: dict[str, str] = {}

    def framing(self) -> Framing:
        return SseParser()

    def path(self, info: ModelInfo) -> str:
        return f"/models/{name_in_path(info)}:streamGenerateContent?alt=sse"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        """What stays the same stands first, so that a turn only adds to the end."""
        calls = (call for message in request.messages for call in message.tool_uses)
        self._names = {call.id: call.name for call in calls}
        body: Json = {}
        if request.system_prompt.strip():
            body["systemInstruction"] = {"parts": [{"text": request.system_prompt}]}
        if request.tools:
            functions = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parametersJsonSchema": tool.input_schema,
                }
                for tool in request.tools
            ]
            body["tools"] = [{"functionDeclarations": functions}]
        if config := _generation_config(settings, info):
            body["generationConfig"] = config
        body["contents"] = self._fragments.of(request.messages, info)
        return body

    def decoder(self, who: str) -> GeminiDecoder:
        return GeminiDecoder(who)

    def _encode_message(self, message: Message, info: ModelInfo) -> Json:
        if message.role == "assistant":
            parts = _reply_parts(message, info)
        else:
            parts = [*self._results(message, info), *_user_parts(message.content, info)]
        role = "model" if message.role == "assistant" else "user"
        return {"role": role, "parts": parts or [{"text": NO_TEXT}]}

    def _results(self, message: Message, info: ModelInfo) -> list[Json]:
        """The answers to the calls first; images inside them where the model can find them."""
        results = [block for block in message.content if isinstance(block, ToolResult)]
        holds_images = (generation_of(info.id) or 0) >= 3 and info.supports_images
        parts: list[Json] = []
        for result in results:
            response: Json = {
                **_id(result.tool_use_id),
                "name": self._names.get(result.tool_use_id, result.tool_use_id),
                "response": {"error" if result.is_error else "output": result.content},
            }
            if result.images and holds_images:
                response["parts"] = [_inline(image) for image in result.images]
            parts.append({"functionResponse": response})
        if not holds_images:
            parts += _user_parts([image for result in results for image in result.images], info)
        return parts


def name_in_path(info: ModelInfo) -> str:
    """Roo ends the names of some models with how they are to be used."""
    return quote(info.id.removeprefix("models/").removesuffix(":thinking"), safe="/:@")


def _generation_config(settings: ProviderSettings, info: ModelInfo) -> Json:
    config: Json = {}
    if settings.max_tokens is not None:
        config["maxOutputTokens"] = settings.max_tokens
    if settings.temperature is not None and info.supports_temperature:
        config["temperature"] = settings.temperature
    if thinking := thinking_config(settings, info):
        config["thinkingConfig"] = thinking
    return config


def _user_parts(blocks: Iterable[object], info: ModelInfo) -> list[Json]:
    parts: list[Json] = []
    for block in blocks:
        if isinstance(block, TextContent) and block.text.strip():
            parts.append({"text": block.text})
        elif isinstance(block, ImageContent):
            parts.append(_inline(block) if info.supports_images else {"text": IMAGE_LEFT_OUT})
    return parts


def _inline(image: ImageContent) -> Json:
    return {"inlineData": {"mimeType": image.media_type, "data": image.data}}


def _reply_parts(message: Message, info: ModelInfo) -> list[Json]:
    """As they came: each signature goes back with the part that it came with."""
    parts: list[Json] = []
    believed = _is_believed(message, info)
    for block in message.content:
        if not isinstance(block, TextContent | ToolUseContent | ReasoningContent):
            continue
        signature = block.signature if believed else None
        if part := _reply_part(block, signature):
            parts.append({**part, "thoughtSignature": signature} if signature else part)
    first = next((part for part in parts if "functionCall" in part), None)
    if first is not None and generation_of(info.id) not in (1, 2):
        first.setdefault("thoughtSignature", NOT_SIGNED)
    return parts


def _reply_part(
    block: TextContent | ToolUseContent | ReasoningContent, signature: str | None
) -> Json | None:
    if isinstance(block, ToolUseContent):
        args = {} if block.invalid_input is not None else block.input
        return {"functionCall": {**_id(block.id), "name": block.name, "args": args}}
    if isinstance(block, ReasoningContent):
        return {"text": block.text, "thought": True} if signature else None
    return {"text": block.text} if signature or block.text.strip() else None


def _id(id: str) -> Json:
    """Where the service gave none, the order of the calls tells them apart."""
    return {} if id.startswith(MADE_UP_ID) else {"id": id}


def _is_believed(message: Message, info: ModelInfo) -> bool:
    """Whether what is signed was signed by a model of the generation that would read it."""
    model = message.model or info.id
    generations = {generation_of(model), generation_of(info.id)} - {None}
    return model == info.id or ("gemini" in model and len(generations) <= 1)
