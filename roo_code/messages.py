"""What is said between user, model and tools: plain values, compared by content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from msgspec import field

from roo_code.json_text import JsonValue
from roo_code.values import Value

_CUT = ("[Cut: ", "[Result cut: ")
"""How texts begin that say themselves where all of them is."""
_IMAGE_CHARACTERS = 5000
"""An image weighs about as much as so much text."""
_IMAGE_LEFT_OUT = "[An image was left out here.]"


ENVIRONMENT_TAG = "<environment_details>"
"""How a text begins that is the program's and not the user's."""


class TextContent(Value, tag="text"):
    text: str
    signature: str | None = None
    """What the service wants back with the text on the next turn (Gemini)."""


class ImageContent(Value, tag="image"):
    media_type: str
    data: str
    """Base64."""


class ReasoningContent(Value, tag="reasoning"):
    """The model's thinking, kept apart from its answer."""

    text: str = ""
    signature: str | None = None
    """What the service wants back with the text on the next turn, to believe that it is its own."""
    redacted: str | None = None
    """Thinking the service hands over only encrypted."""
    id: str | None = None
    """The service's name for it, where it wants that back (OpenAI's Responses)."""
    details: tuple[dict[str, JsonValue], ...] = ()
    """Parts to be sent back just as they came (OpenRouter's `reasoning_details`)."""


class ToolUseContent(Value, tag="tool_use"):
    """A call the model asks for."""

    id: str
    name: str
    input: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    invalid_input: str | None = None
    """The raw text, where what the model sent is not a JSON object; such a call is never run."""
    signature: str | None = None
    """What the service wants back with the call on the next turn (Gemini)."""


ToolUse: TypeAlias = ToolUseContent


class ToolResult(Value, tag="tool_result"):
    """The answer to one call."""

    tool_use_id: str
    content: str
    is_error: bool = False
    images: tuple[ImageContent, ...] = ()
    ends_run: bool = False
    """Set by tools that finish the task, such as `attempt_completion`."""
    interrupted: bool = False
    """Set where nobody saw the end of the call; that is no mistake of the model's."""
    seen_files: dict[str, str] = field(default_factory=dict[str, str])
    """Files whose content the model knows from this call: path in the workspace to digest, which
    is empty if the file is gone."""


ContentBlock: TypeAlias = (
    TextContent | ImageContent | ReasoningContent | ToolUseContent | ToolResult
)


class Usage(Value):
    """Tokens of one model call; `input_tokens` excludes what a cache read or wrote."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    """In US dollars; None where neither the service nor our price list knows."""

    @property
    def counts(self) -> dict[str, int]:
        """The tokens by name, but for those there were none of."""
        return {
            name: count
            for name in self.__struct_fields__
            if name != "cost" and (count := getattr(self, name))
        }

    @property
    def total_tokens(self) -> int:
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )


class Message(Value):
    role: Literal["user", "assistant"]
    content: tuple[ContentBlock, ...]
    stop_reason: str | None = None
    """Of an assistant's message: end_turn, tool_use, max_tokens, stop_sequence, refusal, …"""
    usage: Usage | None = None
    model: str | None = None

    @classmethod
    def from_user(cls, text: str, images: Iterable[ImageContent] = ()) -> Message:
        return cls(role="user", content=(TextContent(text=text), *images))

    @classmethod
    def from_tools(cls, results: Iterable[ToolResult]) -> Message:
        return cls(role="user", content=tuple(results))

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.content if isinstance(block, TextContent))

    @property
    def tool_uses(self) -> tuple[ToolUseContent, ...]:
        return tuple(block for block in self.content if isinstance(block, ToolUseContent))

    def shortened(self, most: int, folder: str = "") -> Message:
        """With no text of more than `most` characters; what was longer is whole in the folder.

        Thoughts stay as they are: services want them back unchanged or not at all.
        """
        return self.replace(content=tuple(_shortened(b, most, folder) for b in self.content))


class ToolDefinition(Value):
    """A tool as the model is told of it."""

    name: str
    description: str
    input_schema: dict[str, Any]


def is_cut(text: str) -> bool:
    return text.startswith(_CUT)


def whole_text_name(text: str) -> str:
    """The name of the file that keeps a text which was cut."""
    from hashlib import sha256  # noqa: PLC0415 - few tasks have such texts

    return f"text-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.txt"


def shortened(text: str, most: int, folder: str = "") -> str:
    """The head and the tail of a text that is longer than it may be."""
    if len(text) <= most:
        return text
    note, gap = "", "\n[...]\n"
    if not is_cut(text):
        whole = f" All of it is in {folder}/{whole_text_name(text)}." if folder else ""
        note = f"{_CUT[0]}{len(text):,} characters, the middle of them left out.{whole}]\n"
    half = max(most - len(note) - len(gap), 0) // 2
    return f"{note}{text[:half]}{gap}{text[len(text) - half :]}"


def _shortened(block: ContentBlock, most: int, folder: str) -> ContentBlock:
    match block:
        case TextContent() if len(block.text) > most:
            return TextContent(text=shortened(block.text, most, folder))
        case ImageContent() if most < _IMAGE_CHARACTERS:
            return TextContent(text=_IMAGE_LEFT_OUT)
        case ToolUseContent():
            input = {name: _shortened_value(v, most, folder) for name, v in block.input.items()}
            raw = block.invalid_input
            raw = None if raw is None else shortened(raw, most, folder)
            return block.replace(input=input, invalid_input=raw)
        case ToolResult():
            content = shortened(block.content, most, folder)
            if not block.images or most >= _IMAGE_CHARACTERS:
                return block.replace(content=content)
            return block.replace(content=f"{content}\n{_IMAGE_LEFT_OUT}", images=())
        case _:
            return block


def _shortened_value(value: JsonValue, most: int, folder: str) -> JsonValue:
    match value:
        case str():
            return shortened(value, most, folder)
        case list():
            return [_shortened_value(entry, most, folder) for entry in value]
        case dict():
            return {name: _shortened_value(v, most, folder) for name, v in value.items()}
        case _:
            return value
