"""Anthropic's side of the Messages format, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roo_code.json_text import to_json
from roo_code.testing.anthropic_checks import find_problem
from roo_code.testing.model_replies import ScriptedReply

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicService:
    path = "/v1/messages"
    media_type = "text/event-stream"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        if "anthropic-version" not in headers:
            return "anthropic-version: header is required"
        return find_problem(body)

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        return body["messages"]

    def error(self, status: int, message: str) -> bytes:
        error = {"type": _ERRORS.get(status, "api_error"), "message": message}
        return to_json({"type": "error", "error": error, "request_id": "req_scripted"})

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]:
        """The reply, one event after the other."""
        usage = reply.usage
        counts = {
            "input_tokens": usage.input_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
        }
        message: dict[str, Any] = {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**counts, "output_tokens": 1},
        }
        yield _event("message_start", message=message)
        yield _event("ping")
        for index, (start, deltas) in enumerate(_blocks(reply)):
            yield _event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        yield _event(
            "message_delta",
            delta={"stop_reason": reply.reason, "stop_sequence": None},
            usage={"output_tokens": usage.output_tokens},
        )
        yield _event("message_stop")


def _blocks(reply: ScriptedReply) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    if reply.reasoning:
        deltas = [{"type": "thinking_delta", "thinking": t} for t in reply.pieces(reply.reasoning)]
        signature = {"type": "signature_delta", "signature": "c2lnbmVk"}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    if reply.text:
        deltas = [{"type": "text_delta", "text": t} for t in reply.pieces(reply.text)]
        yield {"type": "text", "text": ""}, deltas
    for call in reply.tool_calls:
        pieces = ["", *reply.pieces(call.arguments)]
        deltas = [{"type": "input_json_delta", "partial_json": t} for t in pieces]
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, deltas


def _event(type: str, **fields: Any) -> bytes:
    return b"event: " + type.encode() + b"\ndata: " + to_json({"type": type, **fields}) + b"\n\n"
