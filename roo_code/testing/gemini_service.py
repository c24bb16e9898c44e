"""Google's side of the generateContent format, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from roo_code.json_text import from_json, to_json
from roo_code.testing.gemini_checks import find_problem
from roo_code.testing.model_replies import ScriptedCall, ScriptedReply

_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_REASONS = {
    "end_turn": "STOP",
    "tool_use": "STOP",
    "max_tokens": "MAX_TOKENS",
    "refusal": "SAFETY",
}
_SIGNATURE = "c2lnbmVk"


class GeminiService:
    path = ":streamGenerateContent"
    media_type = "text/event-stream"

    def key(self, headers: Mapping[str, str]) -> str:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return headers.get("x-goog-api-key") or bearer

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        return find_problem(body)

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        roles = {"model": "assistant"}
        return [{**c, "role": roles.get(c["role"], c["role"])} for c in body["contents"]]

    def error(self, status: int, message: str) -> bytes:
        name = _ERRORS.get(status, "INTERNAL")
        return to_json({"error": {"code": status, "message": message, "status": name}})

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]:
        """The reply, one event after the other, each with what was used up to then."""
        for part in _parts(reply):
            yield _event(reply, {"content": {"role": "model", "parts": [part]}, "index": 0})
        reason = _REASONS.get(reply.reason, reply.reason)
        if any(_arguments(call) is None for call in reply.tool_calls):
            reason = "MALFORMED_FUNCTION_CALL"
        empty = {"role": "model", "parts": [{"text": ""}]}
        yield _event(reply, {"content": empty, "finishReason": reason, "index": 0})


def _parts(reply: ScriptedReply) -> Iterator[dict[str, Any]]:
    for text in reply.pieces(reply.reasoning):
        yield {"text": text, "thought": True}
    for text in reply.pieces(reply.text):
        yield {"text": text}
    signed = {"thoughtSignature": _SIGNATURE}
    for call in reply.tool_calls:
        if (arguments := _arguments(call)) is not None:
            function = {"id": call.id, "name": call.name, "args": arguments}
            yield {"functionCall": function, **signed}
            signed = {}  # of calls side by side only the first is signed


def _arguments(call: ScriptedCall) -> dict[str, Any] | None:
    """None where they are not an object, which this service does not pass on."""
    try:
        arguments: Any = from_json(call.arguments)
    except ValueError:
        return None
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None


def _event(reply: ScriptedReply, candidate: dict[str, Any]) -> bytes:
    usage = reply.usage
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    counts = {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage.cache_read_tokens,
        "candidatesTokenCount": usage.output_tokens - usage.reasoning_tokens,
        "thoughtsTokenCount": usage.reasoning_tokens,
        "totalTokenCount": prompt + usage.output_tokens,
    }
    chunk = {
        "candidates": [candidate],
        "usageMetadata": {name: count for name, count in counts.items() if count},
        "modelVersion": "gemini-3-scripted",
        "responseId": "scripted",
    }
    return b"data: " + to_json(chunk) + b"\r\n\r\n"
