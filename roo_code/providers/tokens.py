"""Tokens counted here, asking nobody: close for OpenAI's models, a good guess for others'."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Protocol

from splintr import Tokenizer

from roo_code.json_text import to_json
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolUseContent,
)
from roo_code.providers.image_size import image_size

_PER_MESSAGE = 4
"""Who speaks, and where one message ends and the next begins."""
_PIXELS_PER_TOKEN = 750
_MOST_IMAGE_TOKENS = 1600
"""Larger images are made smaller by the services."""


class _Tokenizer(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def count(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text.encode("utf-8", "replace").decode()))


def count_request(
    system_prompt: str, messages: Iterable[Message], tools: Iterable[ToolDefinition] = ()
) -> int:
    """All that a request says: instructions, tools, and what was said, shown and done."""
    instructions = count(system_prompt) + _PER_MESSAGE if system_prompt else 0
    return instructions + sum(map(_definition, tools)) + sum(map(count_message, messages))


def count_message(message: Message) -> int:
    return _PER_MESSAGE + sum(map(_block, message.content))


def _block(block: ContentBlock) -> int:
    if isinstance(block, TextContent | ReasoningContent):
        return count(block.text)
    if isinstance(block, ImageContent):
        return _image(block)
    if isinstance(block, ToolUseContent):
        return count(block.name) + count(block.invalid_input or to_json(block.input).decode())
    return count(block.content) + sum(map(_image, block.images))


def _definition(tool: ToolDefinition) -> int:
    schema = to_json(tool.input_schema).decode()
    return _PER_MESSAGE + count(tool.name) + count(tool.description) + count(schema)


def _image(image: ImageContent) -> int:
    size = image_size(image.data)
    pixels = size[0] * size[1] if size else _MOST_IMAGE_TOKENS * _PIXELS_PER_TOKEN
    return max(1, min(-(-pixels // _PIXELS_PER_TOKEN), _MOST_IMAGE_TOKENS))


@cache
def _tokenizer() -> _Tokenizer:
    return Tokenizer.from_pretrained("o200k_base")
