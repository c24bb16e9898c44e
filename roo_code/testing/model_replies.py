"""What a scripted model says and how it fails, as values that can be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, cast

from msgspec import Meta, convert, field

from roo_code.json_text import JsonValue, from_json, to_json
from roo_code.messages import Usage
from roo_code.values import Value


class _Scripted(Value, forbid_unknown_fields=True):
    """A misspelt field is an error, not silence."""


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


class ScriptedCall(_Scripted):
    id: str
    name: str
    input: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
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
    chunk_size: Annotated[int, Meta(gt=0)] = 16
    """Characters in one event."""
    write_size: Annotated[int, Meta(gt=0)] | None = None
    """Bytes in one write to the socket; by default one event."""
    faults: tuple[Fault, ...] = ()
    """Each spoils one request; after them the reply is given."""

    @property
    def reason(self) -> str:
        return self.stop_reason or ("tool_use" if self.tool_calls else "end_turn")

    def with_broken_json(self) -> ScriptedReply:
        calls = (
            call.replace(raw=call.arguments[: len(call.arguments) * 2 // 3])
            for call in self.tool_calls
        )
        return self.replace(tool_calls=tuple(calls))

    def pieces(self, text: str) -> list[str]:
        return [text[n : n + self.chunk_size] for n in range(0, len(text), self.chunk_size)]


class Script(_Scripted):
    """Replies by their place in the conversation: after no reply of the model comes the first."""

    replies: tuple[ScriptedReply, ...] = ()
    conversations: dict[str, tuple[ScriptedReply, ...]] = field(
        default_factory=dict[str, tuple[ScriptedReply, ...]]
    )
    """Other replies for conversations whose first message holds the given words."""


Replies: TypeAlias = Script | Mapping[str, Any] | Sequence[ScriptedReply | str | dict[str, Any]]


def as_script(replies: Replies | bytes) -> Script:
    """The script, from short forms too; ValueError says what is wrong with it."""
    if isinstance(replies, Script):
        return replies
    data: Any = from_json(replies) if isinstance(replies, bytes) else replies
    if not isinstance(data, Mapping):
        data = {"replies": data}
    given = dict(cast("Mapping[str, Any]", data))
    conversations = cast("Mapping[str, Any]", given.get("conversations", {}))
    given["replies"] = [_reply(reply) for reply in given.get("replies", ())]
    given["conversations"] = {
        words: [_reply(reply) for reply in said] for words, said in conversations.items()
    }
    return convert(given, Script)


def _reply(reply: Any) -> Any:
    if isinstance(reply, str):
        return {"text": reply}
    if isinstance(reply, Mapping):
        given = dict(cast("Mapping[str, Any]", reply))
        return {**given, "faults": [_fault(fault) for fault in given.get("faults", ())]}
    return reply


def _fault(fault: Any) -> Any:
    if isinstance(fault, int):
        return {"kind": "status", "status": fault}
    return {"kind": fault} if isinstance(fault, str) else fault
