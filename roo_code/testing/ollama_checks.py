"""Why Ollama would refuse or misread a request: its rules, written apart from our encoder."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_FIELDS = {
    "format",
    "keep_alive",
    "logprobs",
    "messages",
    "model",
    "options",
    "stream",
    "think",
    "tools",
    "top_logprobs",
}
_PARTS = {
    "system": {"role", "content"},
    "user": {"role", "content", "images"},
    "assistant": {"role", "content", "thinking", "tool_calls"},
    "tool": {"role", "content", "tool_name"},
}
_OPTIONS = {"num_ctx": int, "num_predict": int, "seed": int, "temperature": (int, float)}


def find_problem(body: Json) -> str | None:
    """The first rule the request breaks; None if it breaks none."""
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    for name in body.keys() - _FIELDS:
        yield f"unknown field {name!r}"
    if not body.get("model"):
        yield "model is required"
    if body.get("think") not in (None, True, False, "low", "medium", "high"):
        yield f"invalid think value: {body['think']!r}"
    for name, value in body.get("options", {}).items():
        if not isinstance(value, _OPTIONS[name]) or isinstance(value, bool):
            yield f"option {name!r} must be of type {_OPTIONS[name]}"
    for tool in body.get("tools", []):
        function = tool["function"]
        if tool["type"] != "function" or not function["name"]:
            yield "a tool must be a function with a name"
        if function["parameters"].get("type") != "object":
            yield f"the parameters of {function['name']!r} are not of an object"
    messages: list[Json] = body["messages"]
    for message in messages:
        yield from _message_problems(message)
    yield from _order_problems(messages)


def _message_problems(message: Json) -> Iterator[str]:
    role = message.get("role")
    if role not in _PARTS or message.keys() - _PARTS[role]:
        yield f"invalid message of role {role!r}: {sorted(message)}"
        return
    if not isinstance(message["content"], str):
        yield "the content of a message must be a text"
    elif not (message["content"].strip() or message.get("images") or message.get("tool_calls")):
        yield f"an empty message of role {role!r}"
    for image in message.get("images", []):
        try:
            b64decode(image, validate=True)
        except Error:
            yield "illegal base64 data in an image"
    for call in message.get("tool_calls", []):
        if not call["function"]["name"] or not isinstance(call["function"]["arguments"], dict):
            yield "a tool call needs a name and an object of arguments"


def _order_problems(messages: list[Json]) -> Iterator[str]:
    """Results have no ids: only their number, order and names say what they belong to."""
    asked: list[str] = []
    end: Json = {"role": "user"}
    for message in [*messages, end]:
        if message["role"] == "tool":
            if not asked or message.get("tool_name") != asked.pop(0):
                yield "a tool's result that answers no call, or not in the order of the calls"
            continue
        if asked:
            yield f"calls without results: {asked}"
        asked = [call["function"]["name"] for call in message.get("tool_calls", [])]
