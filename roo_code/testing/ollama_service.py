"""Ollama's side of its own chat format, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roo_code.json_text import from_json, to_json
from roo_code.testing.model_replies import ScriptedReply
from roo_code.testing.ollama_checks import find_problem

_REASONS = {"end_turn": "stop", "tool_use": "stop", "max_tokens": "length"}


class OllamaService:
    path = "/api/chat"
    media_type = "application/x-ndjson"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        return find_problem(body)

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        return body["messages"]

    def error(self, status: int, message: str) -> bytes:
        return to_json({"error": message})

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]:
        """The reply, one line after the other."""
        model = body.get("model")
        for message in _messages(reply):
            yield _line(model, message, done=False)
        usage = reply.usage
        yield _line(
            model,
            {"content": ""},
            done=True,
            done_reason=_REASONS.get(reply.reason, reply.reason),
            total_duration=4,
            load_duration=1,
            prompt_eval_count=usage.input_tokens + usage.cache_read_tokens,
            prompt_eval_duration=1,
            eval_count=usage.output_tokens,
            eval_duration=2,
        )


def _messages(reply: ScriptedReply) -> Iterator[dict[str, Any]]:
    for text in reply.pieces(reply.reasoning):
        yield {"content": "", "thinking": text}
    for text in reply.pieces(reply.text):
        yield {"content": text}
    for number, call in enumerate(reply.tool_calls):
        function = {"index": number, "name": call.name, "arguments": _arguments(call.arguments)}
        yield {"content": "", "tool_calls": [{"id": call.id, "function": function}]}


def _arguments(text: str) -> Any:
    """Calls are whole here; what is no JSON can only be sent as a text."""
    try:
        return from_json(text)
    except ValueError:
        return text


def _line(model: object, message: dict[str, Any], **fields: Any) -> bytes:
    said = {"role": "assistant", **message}
    line = {"model": model, "created_at": "2026-01-01T00:00:00Z", "message": said, **fields}
    return to_json(line) + b"\n"
