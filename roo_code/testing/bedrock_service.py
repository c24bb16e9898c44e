"""Bedrock's side of the Converse stream, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from struct import pack
from typing import Any
from zlib import crc32

from roo_code.json_text import to_json
from roo_code.testing.bedrock_checks import find_problem
from roo_code.testing.model_replies import ScriptedReply

_ERRORS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}
_REASONS = {"refusal": "content_filtered"}
_TEXT = 7


class BedrockService:
    path = "/converse-stream"
    media_type = "application/vnd.amazon.eventstream"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        scheme = headers.get("authorization", "").partition(" ")[0]
        if scheme not in ("Bearer", "AWS4-HMAC-SHA256"):
            return "Missing Authentication Token"
        if scheme != "Bearer" and "x-amz-date" not in headers:
            return "Authorization header requires existence of 'X-Amz-Date'"
        return find_problem(body)

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        return body["messages"]

    def error(self, status: int, message: str) -> bytes:
        return to_json(
            {"message": message, "__type": _ERRORS.get(status, "InternalServerException")}
        )

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]:
        """The reply, one message of the stream after the other."""
        yield frame("messageStart", {"role": "assistant"})
        for index, (start, deltas) in enumerate(_blocks(reply)):
            at = {"contentBlockIndex": index}
            if start:
                yield frame("contentBlockStart", {**at, "start": start})
            for delta in deltas:
                yield frame("contentBlockDelta", {**at, "delta": delta})
            yield frame("contentBlockStop", at)
        yield frame("messageStop", {"stopReason": _REASONS.get(reply.reason, reply.reason)})
        usage = reply.usage
        counts = {
            "inputTokens": usage.input_tokens,
            "outputTokens": usage.output_tokens,
            "totalTokens": usage.total_tokens,
            "cacheReadInputTokens": usage.cache_read_tokens,
            "cacheWriteInputTokens": usage.cache_write_tokens,
        }
        yield frame("metadata", {"usage": counts, "metrics": {"latencyMs": 1}})


def _blocks(reply: ScriptedReply) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each with how it is announced: only calls are."""
    if reply.reasoning:
        thoughts = [{"text": text} for text in reply.pieces(reply.reasoning)]
        yield {}, [{"reasoningContent": part} for part in (*thoughts, {"signature": "c2lnbmVk"})]
    if reply.text:
        yield {}, [{"text": text} for text in reply.pieces(reply.text)]
    for call in reply.tool_calls:
        pieces = [{"toolUse": {"input": text}} for text in reply.pieces(call.arguments)]
        yield {"toolUse": {"toolUseId": call.id, "name": call.name}}, pieces


def frame(name: str, payload: Any, kind: str = "event") -> bytes:
    """One message of the binary stream; `kind` is event or exception."""
    headers = (
        (f":{kind}-type", name),
        (":content-type", "application/json"),
        (":message-type", kind),
    )
    return message(b"".join(text_header(*header) for header in headers), to_json(payload))


def text_header(name: str, value: str) -> bytes:
    named, valued = name.encode(), value.encode()
    return pack("!B", len(named)) + named + pack("!BH", _TEXT, len(valued)) + valued


def message(headers: bytes, payload: bytes) -> bytes:
    lengths = pack("!II", len(headers) + len(payload) + 16, len(headers))
    checked = lengths + pack("!I", crc32(lengths)) + headers + payload
    return checked + pack("!I", crc32(checked))
