"""Why OpenAI would refuse a request: its rules, written apart from our encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Any, cast

from roo_code.json_text import from_json

Json = dict[str, Any]

_FIELDS = {
    "frequency_penalty",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_p",
    "user",
    "verbosity",
}
_ROLES = {"system", "developer", "user", "assistant", "tool"}
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def find_problem(body: Json, extra_fields: Set[str] = frozenset()) -> str | None:
    """The first rule the request breaks, in the service's words; None if it breaks none."""
    return next(_problems(body, extra_fields), None)


def _problems(body: Json, extra_fields: Set[str]) -> Iterator[str]:
    for name in body.keys() - _FIELDS - extra_fields:
        yield f"Unrecognized request argument supplied: {name}"
    for name in ("model", "messages"):
        if not body.get(name):
            yield f"Missing required parameter: '{name}'."
    yield from _option_problems(body)
    yield from _tool_problems(body.get("tools", []))
    messages: list[Json] = body["messages"]
    spoken = [m for m in messages if m.get("role") not in ("system", "developer")]
    if not spoken or spoken[0].get("role") != "user":
        yield "messages: the first message must be the user's"
    for number, message in enumerate(messages):
        yield from _message_problems(message, f"messages.[{number}]")
    yield from _pairing_problems(messages)


def _option_problems(body: Json) -> Iterator[str]:
    if not 0 <= body.get("temperature", 0) <= 2:
        yield "Invalid 'temperature': expected a value between 0 and 2."
    if body.get("stream_options") and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    if "tool_choice" in body and not body.get("tools"):
        yield "'tool_choice' is only allowed when 'tools' are specified."


def _tool_problems(tools: list[Json]) -> Iterator[str]:
    for number, tool in enumerate(tools):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not _NAME.fullmatch(function.get("name", "")):
            yield f"Invalid 'tools[{number}].function.name': string does not match pattern."
        if function.get("parameters", {}).get("type") != "object":
            yield f"Invalid schema for function {function.get('name')!r}: type must be 'object'."


def _message_problems(message: Json, at: str) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    if role not in _ROLES:
        yield f"Invalid value: {role!r}. Supported values are: {sorted(_ROLES)}."
    elif isinstance(content, list):
        yield from _part_problems(cast("list[Json]", content), role, at)
    elif role == "assistant" and message.get("tool_calls"):
        yield from _call_problems(message["tool_calls"], at)
    elif not isinstance(content, str) or not content.strip():
        yield f"Invalid '{at}.content': empty or missing text."
    if role == "tool" and not message.get("tool_call_id"):
        yield f"Missing required parameter: '{at}.tool_call_id'."


def _part_problems(parts: list[Json], role: str, at: str) -> Iterator[str]:
    if not parts:
        yield f"Invalid '{at}.content': empty array."
    for part in parts:
        if part.get("type") == "text" and not part.get("text", "").strip():
            yield f"Invalid '{at}.content': empty text."
        elif part.get("type") == "image_url" and role != "user":
            yield f"Invalid '{at}.content': image_url is only allowed for the user."
        elif part.get("type") not in ("text", "image_url"):
            yield f"Invalid '{at}.content': unknown type {part.get('type')!r}."


def _call_problems(calls: list[Json], at: str) -> Iterator[str]:
    for call in calls:
        function = call.get("function", {})
        if call.get("type") != "function" or not call.get("id"):
            yield f"Missing required parameter: '{at}.tool_calls.id'."
        if not _NAME.fullmatch(function.get("name", "")):
            yield f"Invalid '{at}.tool_calls.function.name': string does not match pattern."
        if not is_object(function.get("arguments")):
            yield f"Invalid '{at}.tool_calls.function.arguments': not the text of an object."


def is_object(arguments: Any) -> bool:
    try:
        return isinstance(arguments, str) and isinstance(from_json(arguments), dict)
    except ValueError:
        return False


def _pairing_problems(messages: list[Json]) -> Iterator[str]:
    """Each call answered exactly once, right after it; no id twice."""
    seen: set[str] = set()
    asked: list[str] = []
    end: Json = {"role": "user"}
    for number, message in enumerate([*messages, end]):
        if message.get("role") == "tool":
            id = message.get("tool_call_id", "")
            if id not in asked:
                yield (
                    f"Invalid parameter: messages.[{number}] with role 'tool' must be a response "
                    "to a preceding message with 'tool_calls'."
                )
            else:
                asked.remove(id)
            continue
        if asked:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages "
                f"responding to each 'tool_call_id'. Not answered: {', '.join(asked)}"
            )
        calls: list[Json] = message.get("tool_calls") or []
        asked = [call.get("id", "") for call in calls]
        if len(set(asked)) != len(asked) or seen & set(asked):
            yield "Duplicate value for 'tool_call_id'."
        seen.update(asked)
