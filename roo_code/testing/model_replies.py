"""What a scripted model says and how it fails, as values that can be written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

from pydantic import ConfigDict, Field, JsonValue, model_validator
from pydantic_core import to_json

from roo_code.messages import Usage, Value


class _Scripted(Value):
    model_config = ConfigDict(extra="forbid")


class Fault(_Scripted):
    """What goes wrong with one request. In JSON, a name or a status alone will do."""

    kind: Literal["status", "drop", "cut", "hang", "slow", "broken_json", "garbage"]
    """`drop` hangs up before an answer, `cut` within it; `hang` says nothing, or no more."""
    status: int = 500
    retry_after: float | str | None = None
    message: str = "The scripted fault."
    after_chunks: int | None = None
    """Of `cut` and `hang`: how many events are sent before."""
    after_bytes: int | None = None
    seconds: float = 0.05
    """Of `slow`: between two events."""

    @model_validator(mode="before")
    @classmethod
    def _accept_short_forms(cls, data: Any) -> Any:
        if isinstance(data, int):
            return {"kind": "status", "status": data}
        return {"kind": data} if isinstance(data, str) else data


class ScriptedCall(_Scripted):
    id: str
    name: str
    input: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    raw: str | None = None
    """Sent as the input in place of `input`, JSON or not."""

    @property
    def arguments(self) -> str:
        return to_json(self.input).decode() if self.raw is None else self.raw


class ScriptedReply(_Scripted):
    """One reply of the model. In JSON, a text alone will do."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    usage: Usage = Usage(input_tokens=100, output_tokens=20)
    stop_reason: str | None = None
    """By Anthropic's names; by default what the content calls for."""
    chunk_size: int = Field(default=16, gt=0)
    """Characters in one event."""
    write_size: int | None = Field(default=None, gt=0)
    """Bytes in one write to the socket; by default one event."""
    faults: tuple[Fault, ...] = ()
    """Each spoils one request; after them the reply is given."""

    @model_validator(mode="before")
    @classmethod
    def _accept_text(cls, data: Any) -> Any:
        return {"text": data} if isinstance(data, str) else data

    @property
    def reason(self) -> str:
        return self.stop_reason or ("tool_use" if self.tool_calls else "end_turn")

    def with_broken_json(self) -> ScriptedReply:
        calls = (
            call.model_copy(update={"raw": call.arguments[: len(call.arguments) * 2 // 3]})
            for call in self.tool_calls
        )
        return self.model_copy(update={"tool_calls": tuple(calls)})

    def pieces(self, text: str) -> list[str]:
        return [text[n : n + self.chunk_size] for n in range(0, len(text), self.chunk_size)]


class Script(_Scripted):
    """Replies by their place in the conversation: after no reply of the model comes the first."""

    replies: tuple[ScriptedReply, ...] = ()
    conversations: dict[str, tuple[ScriptedReply, ...]] = Field(
        default_factory=dict[str, tuple[ScriptedReply, ...]]
    )
    """Other replies for conversations whose first message holds the given words."""

    @model_validator(mode="before")
    @classmethod
    def _accept_list(cls, data: Any) -> Any:
        return {"replies": cast("object", data)} if isinstance(data, list | tuple) else data


Replies: TypeAlias = Script | Sequence[ScriptedReply | str | dict[str, Any]]


def as_script(replies: Replies) -> Script:
    return replies if isinstance(replies, Script) else Script.model_validate(list(replies))
