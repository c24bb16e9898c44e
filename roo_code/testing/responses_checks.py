"""Why OpenAI would refuse a request in the Responses format: its rules, apart from our encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Any

from roo_code.testing.openai_checks import is_object

Json = dict[str, Any]

_FIELDS = {
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "metadata",
    "model",
    "parallel_tool_calls",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "user",
}
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LEAST_OUTPUT = 16


def find_problem(body: Json, extra_fields: Set[str] = frozenset()) -> str | None:
    """The first rule the request breaks, in the service's words; None if it breaks none."""
    return next(_problems(body, extra_fields), None)


def _problems(body: Json, extra_fields: Set[str]) -> Iterator[str]:
    for name in body.keys() - _FIELDS - extra_fields:
        yield f"Unknown parameter: '{name}'."
    for name in ("model", "input"):
        if not body.get(name):
            yield f"Missing required parameter: '{name}'."
    if not 0 <= body.get("temperature", 0) <= 2:
        yield "Invalid 'temperature': expected a value between 0 and 2."
    if body.get("max_output_tokens", _LEAST_OUTPUT) < _LEAST_OUTPUT:
        yield "Invalid 'max_output_tokens': integer below minimum value."
    if len(body.get("prompt_cache_key", "")) > 64:
        yield "Invalid 'prompt_cache_key': string too long."
    for number, tool in enumerate(body.get("tools", [])):
        yield from _tool_problems(tool, f"tools[{number}]")
    items: list[Json] = body["input"]
    for number, item in enumerate(items):
        yield from _item_problems(item, f"input[{number}]", is_stored=body.get("store", True))
    yield from _order_problems(items)
    yield from _pairing_problems(items)


def _tool_problems(tool: Json, at: str) -> Iterator[str]:
    if tool.get("type") != "function" or not _NAME.fullmatch(tool.get("name", "")):
        yield f"Invalid '{at}.name': string does not match pattern."
    schema = tool.get("parameters", {})
    if schema.get("type") != "object":
        yield f"Invalid schema for function {tool.get('name')!r}: type must be 'object'."
    # Strict unless told otherwise, and then every field must be asked for.
    is_closed = set(schema.get("required", ())) == set(schema.get("properties", {}))
    if tool.get("strict", True) and not (is_closed and schema.get("additionalProperties") is False):
        yield f"Invalid schema for function {tool.get('name')!r}: 'required' must hold every key."


def _item_problems(item: Json, at: str, *, is_stored: bool) -> Iterator[str]:
    match item.get("type", "message"):
        case "message":
            yield from _message_problems(item, at)
        case "function_call":
            if not _NAME.fullmatch(item.get("name", "")) or not item.get("call_id"):
                yield f"Invalid '{at}': name and call_id are required."
            if not is_object(item.get("arguments")):
                yield f"Invalid '{at}.arguments': not the text of an object."
        case "function_call_output":
            output = item.get("output")
            if not isinstance(output, str):
                yield from _part_problems(output, ("input_text", "input_image"), f"{at}.output")
        case "reasoning":
            if not item.get("id") or not isinstance(item.get("summary"), list):
                yield f"Missing required parameter: '{at}.id' or '{at}.summary'."
            if not is_stored and not item.get("encrypted_content"):
                yield f"Item with id '{item.get('id')}' not found. `store` is set to false."
        case kind:
            yield f"Invalid value: '{kind}'. Supported values of '{at}.type' are others."


def _message_problems(item: Json, at: str) -> Iterator[str]:
    role, content = item.get("role"), item.get("content")
    if role not in ("user", "assistant", "system", "developer"):
        yield f"Invalid value: {role!r} of '{at}.role'."
    if isinstance(content, str):
        if not content.strip():
            yield f"Invalid '{at}.content': empty text."
        return
    kinds = ("output_text",) if role == "assistant" else ("input_text", "input_image")
    yield from _part_problems(content, kinds, f"{at}.content")


def _part_problems(parts: Any, kinds: tuple[str, ...], at: str) -> Iterator[str]:
    if not parts:
        yield f"Invalid '{at}': empty array."
    for part in parts:
        if part.get("type") not in kinds:
            yield f"Invalid value: '{part.get('type')}'. Supported values of '{at}' are {kinds}."
        elif part["type"] == "input_image":
            if not re.match(r"https://|data:image/[a-z]+;base64,.", part.get("image_url", "")):
                yield f"Invalid '{at}.image_url'. Expected a valid URL."
        elif not part.get("text", "").strip():
            yield f"Invalid '{at}.text': empty text."


def _order_problems(items: list[Json]) -> Iterator[str]:
    """Reasoning stands before what came of it."""
    for item, after in zip(items, [*items[1:], {}], strict=True):
        if item.get("type") == "reasoning" and not is_of_model(after):
            yield (
                f"Item '{item.get('id')}' of type 'reasoning' was provided without its required "
                "following item."
            )


def is_of_model(item: Json) -> bool:
    return item.get("role") == "assistant" or item.get("type") in ("function_call", "reasoning")


def _pairing_problems(items: list[Json]) -> Iterator[str]:
    """Each call answered exactly once, after it; no id twice."""
    asked: list[str] = []
    answered: list[str] = []
    for item in items:
        id = item.get("call_id", "")
        if item.get("type") == "function_call":
            if id in asked:
                yield f"Duplicate item found with call_id {id}."
            asked.append(id)
        elif item.get("type") == "function_call_output":
            if id not in asked or id in answered:
                yield f"No tool call found for function call output with call_id {id}."
            answered.append(id)
    for id in asked:
        if id not in answered:
            yield f"No tool output found for function call {id}."
