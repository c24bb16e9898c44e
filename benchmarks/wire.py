"""Replies in the wire formats that the measured agents speak."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.script import Call, Reply

_MODEL = "bench"


def encode(path: str, request: dict[str, Any], reply: Reply, size: int) -> tuple[str, bytes] | None:
    """Content type and body for a request to `path`, or None if nothing is spoken there."""
    tokens = size // 4
    if path.endswith("/chat/completions"):
        if request.get("stream"):
            return "text/event-stream", _events(_chat_chunks(reply, tokens), b"data: [DONE]\n\n")
        return "application/json", json.dumps(_chat(reply, tokens)).encode()
    if path.endswith("/responses"):
        return "text/event-stream", _events(_response_events(reply, tokens))
    return None


def _events(events: Iterator[dict[str, Any]], end: bytes = b"") -> bytes:
    return b"".join(_event(event) for event in events) + end


def _event(event: dict[str, Any]) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _pieces(text: str) -> list[str]:
    """A reply comes a few characters at a time."""
    return re.findall(r"(?s).{1,12}", text)


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.call else "stop"


def _chat_usage(reply: Reply, tokens: int) -> dict[str, Any]:
    written = 20 + len(reply.text) // 4
    return {
        "prompt_tokens": tokens,
        "completion_tokens": written,
        "total_tokens": tokens + written,
    }


def _chat(reply: Reply, tokens: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.call:
        function = {"name": reply.call.name, "arguments": _arguments(reply.call)}
        message["tool_calls"] = [{"id": reply.call_id, "type": "function", "function": function}]
    return {
        "id": f"chat_{reply.turn}",
        "object": "chat.completion",
        "created": 1,
        "model": _MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(reply)}],
        "usage": _chat_usage(reply, tokens),
    }


def _chat_chunks(reply: Reply, tokens: int) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": f"chat_{reply.turn}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": _MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text):
        yield chunk({"content": piece})
    if reply.call:
        head = {"name": reply.call.name, "arguments": ""}
        start = {"index": 0, "id": reply.call_id, "type": "function", "function": head}
        yield chunk({"tool_calls": [start]})
        for piece in _pieces(_arguments(reply.call)):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    yield chunk({}) | {"choices": [], "usage": _chat_usage(reply, tokens)}


def _response_events(reply: Reply, tokens: int) -> Iterator[dict[str, Any]]:
    response: dict[str, Any] = {"id": f"resp_{reply.turn}", "object": "response"}
    yield {"type": "response.created", "response": response}
    message = {"type": "message", "id": f"msg_{reply.turn}", "role": "assistant"}
    yield {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": message | {"content": []},
    }
    for piece in _pieces(reply.text):
        yield {"type": "response.output_text.delta", "item_id": message["id"], "delta": piece}
    content = [{"type": "output_text", "text": reply.text}]
    yield {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": message | {"content": content},
    }
    if reply.call:
        item = _call_item(reply, reply.call)
        yield {"type": "response.output_item.done", "output_index": 1, "item": item}
    usage = {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 40,
    }
    yield {"type": "response.completed", "response": response | {"usage": usage}}


def _call_item(reply: Reply, call: Call) -> dict[str, Any]:
    item = {"id": f"item_{reply.turn}", "call_id": reply.call_id, "name": call.name}
    if isinstance(call.arguments, str):
        return item | {"type": "custom_tool_call", "input": call.arguments}
    return item | {"type": "function_call", "arguments": _arguments(call)}
