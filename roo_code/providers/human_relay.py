"""HumanRelay: a person carries the prompt to a model somewhere else, and its reply back."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from roo_code.messages import ImageContent, Message, TextContent
from roo_code.providers.base import RELAYED, BaseProvider, ModelInfo, ModelRequest, ReplyDeferred
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)

_INFO = ModelInfo(id="human-relay", input_price=0, output_price=0, supports_tools=False)
_IMAGE = "(There is an image here, which a text cannot carry.)"
_NAMES = {"user": "User", "assistant": "You"}


class HumanRelay(BaseProvider):
    """Needs calls in text, for what is pasted is nothing else."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        reply = request.metadata.get(RELAYED)
        if reply is None:
            raise ReplyDeferred(prompt_of(request))
        yield MessageStart({}, _INFO.id)
        yield BlockStart(0, TextContent(text=""))
        yield BlockDelta(0, "text", reply)
        yield BlockStop(0)
        yield MessageDelta("end_turn")
        yield MessageStop()

    def model_info(self) -> ModelInfo:
        return _INFO


def prompt_of(request: ModelRequest) -> str:
    """Everything at first; after a reply that was carried back, only what is new since."""
    messages = request.messages
    carried = [n for n, message in enumerate(messages) if message.model == _INFO.id]
    if carried:
        return _transcript(messages[carried[-1] + 1 :])
    return f"{request.system_prompt}\n\n{_transcript(messages)}".strip()


def _transcript(messages: Sequence[Message]) -> str:
    if len(messages) == 1:
        return _text(messages[0])
    return "\n\n".join(f"# {_NAMES[message.role]}\n\n{_text(message)}" for message in messages)


def _text(message: Message) -> str:
    parts = (
        block.text if isinstance(block, TextContent) else _IMAGE
        for block in message.content
        if isinstance(block, TextContent | ImageContent)
    )
    return "".join(parts).strip()
