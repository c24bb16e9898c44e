"""OpenAI's side of the chat completions format, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from roo_code.json_text import to_json
from roo_code.testing.model_replies import ScriptedCall, ScriptedReply
from roo_code.testing.openai_checks import find_problem

_ERRORS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    402: ("insufficient_quota", "insufficient_quota"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}
_REASONS = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}


class OpenAiService:
    path = "/v1/chat/completions"
    media_type = "text/event-stream"

    def __init__(self, extra_fields: Set[str] = frozenset()) -> None:
        self._extra_fields = extra_fields

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        return find_problem(body, self._extra_fields)

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        return body["messages"]

    def error(self, status: int, message: str) -> bytes:
        type, code = _ERRORS.get(status, ("server_error", None))
        return to_json({"error": {"message": message, "type": type, "param": None, "code": code}})

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]:
        """The reply, one event after the other."""
        model = body.get("model")
        for delta in _deltas(reply):
            yield _event(model, [{"index": 0, "delta": delta, "finish_reason": None}])
        reason = _REASONS.get(reply.reason, reply.reason)
        yield _event(model, [{"index": 0, "delta": {}, "finish_reason": reason}])
        options: dict[str, Any] = body.get("stream_options") or {}
        if options.get("include_usage"):
            yield _event(model, [], usage=_usage(reply))
        yield b"data: [DONE]\n\n"


def _deltas(reply: ScriptedReply) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for text in reply.pieces(reply.reasoning):
        yield {"reasoning_content": text}
    for text in reply.pieces(reply.text):
        yield {"content": text}
    for index, call in enumerate(reply.tool_calls):
        for piece in _call_pieces(reply, call):
            yield {"tool_calls": [{"index": index, **piece}]}


def _call_pieces(reply: ScriptedReply, call: ScriptedCall) -> Iterator[dict[str, Any]]:
    yield {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    for text in reply.pieces(call.arguments):
        yield {"function": {"arguments": text}}


def _usage(reply: ScriptedReply) -> dict[str, Any]:
    usage = reply.usage
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    counts: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens,
        "total_tokens": prompt + usage.output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
    return counts if usage.cost is None else {**counts, "cost": usage.cost}


def _event(model: object, choices: list[dict[str, Any]], **fields: Any) -> bytes:
    chunk: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": choices,
        **fields,
    }
    return b"data: " + to_json(chunk) + b"\n\n"
