"""Why Anthropic would refuse a request: its rules, written apart from our encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

Json = dict[str, Any]

_FIELDS = {
    "container",
    "context_management",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
}
_BLOCKS = {
    "user": {"text", "image", "tool_result", "document"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
}
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def find_problem(body: Json) -> str | None:
    """The first rule the request breaks, in the service's words; None if it breaks none."""
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    for name in body.keys() - _FIELDS:
        yield f"{name}: Extra inputs are not permitted"
    for name in ("model", "max_tokens", "messages"):
        if not body.get(name):
            yield f"{name}: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    yield from _option_problems(body)
    yield from _tool_problems(body.get("tools", []))
    yield from _system_problems(body.get("system"))
    messages = _with_blocks(body["messages"])
    yield from _message_problems(messages)
    yield from _pairing_problems(messages)
    if body.get("thinking", {}).get("type") == "enabled":
        yield from _thinking_problems(body, messages)
    marks = str(body).count("'cache_control'")
    if marks > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."


def _option_problems(body: Json) -> Iterator[str]:
    if not 0 <= body.get("temperature", 0) <= 1:
        yield "temperature: range: 0..1"
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice: may only be specified while providing tools"


def _tool_problems(tools: list[Json]) -> Iterator[str]:
    names = [tool.get("name", "") for tool in tools]
    if len(set(names)) != len(names):
        yield "tools: Tool names must be unique."
    for number, tool in enumerate(tools):
        if not _NAME.fullmatch(tool.get("name", "")):
            yield f"tools.{number}.custom.name: String should match pattern"
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools.{number}.custom.input_schema.type: Field required"


def _system_problems(system: Any) -> Iterator[str]:
    blocks = cast("list[Json]", system) if isinstance(system, list) else []
    if system == "" or any(not block.get("text", "").strip() for block in blocks):
        yield "system: text content blocks must be non-empty"


def _with_blocks(messages: list[Json]) -> list[Json]:
    """Content that is a text is short for one text block."""
    return [
        {**m, "content": [{"type": "text", "text": m["content"]}]}
        if isinstance(m.get("content"), str)
        else m
        for m in messages
    ]


def _message_problems(messages: list[Json]) -> Iterator[str]:
    previous = "assistant"
    for number, message in enumerate(messages):
        at, role = f"messages.{number}", message.get("role")
        if set(message) != {"role", "content"}:
            yield f"{at}: Extra inputs are not permitted"
        if role not in _BLOCKS:
            yield f"messages: Unexpected role {role!r}."
            return
        if role == previous:
            yield (
                "messages: roles must alternate between user and assistant"
                if number
                else "messages: first message must use the user role"
            )
        previous = role
        if not message["content"]:
            yield f"{at}: all messages must have non-empty content"
        for place, block in enumerate(message["content"]):
            yield from _block_problems(block, role, f"{at}.content.{place}")


def _block_problems(block: Json, role: str, at: str) -> Iterator[str]:
    kind = block.get("type")
    if kind not in _BLOCKS[role]:
        yield f"{at}: {kind!r} blocks cannot be in {role} messages"
    elif kind == "text" and not block.get("text"):
        yield "messages: text content blocks must be non-empty"
    elif kind == "text" and not block["text"].strip():
        yield "messages: text content blocks must contain non-whitespace text"
    elif kind == "image" and block.get("source", {}).get("media_type") not in _IMAGES:
        yield f"{at}.image.source.base64.media_type: Input should be one of {sorted(_IMAGES)}"
    elif kind == "thinking" and not block.get("signature"):
        yield f"{at}.thinking.signature: Field required"
    elif kind == "tool_use":
        yield from _tool_use_problems(block, at)
    elif kind == "tool_result" and isinstance(block.get("content"), list):
        yield from _result_problems(block, at)


def _tool_use_problems(block: Json, at: str) -> Iterator[str]:
    if not _ID.fullmatch(block.get("id", "")):
        yield f"{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if not _NAME.fullmatch(block.get("name", "")):
        yield f"{at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    if not isinstance(block.get("input"), dict):
        yield f"{at}.tool_use.input: Input should be a valid dictionary"


def _result_problems(block: Json, at: str) -> Iterator[str]:
    for part in block["content"]:
        if part.get("type") not in ("text", "image"):
            yield f"{at}.tool_result.content: unexpected {part.get('type')!r}"
        if part.get("type") == "image" and block.get("is_error"):
            yield f"{at}.tool_result: all content must be type `text` if `is_error` is true"


def _pairing_problems(messages: list[Json]) -> Iterator[str]:
    """Each call answered exactly once, at the start of the next message; no id twice."""
    seen: set[str] = set()
    asked: list[str] = []
    for number, message in enumerate(messages):
        blocks: list[Json] = message["content"]
        results = [b.get("tool_use_id", "") for b in blocks if b.get("type") == "tool_result"]
        leading = [b.get("type") == "tool_result" for b in blocks[: len(results)]]
        if missing := [id for id in asked if id not in results or not all(leading)]:
            yield (
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}."
            )
        if stray := [id for id in results if id not in asked]:
            yield f"messages.{number}: unexpected `tool_use_id` in `tool_result`: {stray[0]}."
        if len(set(results)) != len(results):
            yield f"messages.{number}: each tool_use must have a single result."
        asked = [b.get("id", "") for b in blocks if b.get("type") == "tool_use"]
        if len(set(asked)) != len(asked) or seen & set(asked):
            yield "messages: `tool_use` ids must be unique"
        seen.update(asked)
    if asked:
        yield f"messages: `tool_use` ids were found without `tool_result` blocks: {asked[0]}."


def _thinking_problems(body: Json, messages: list[Json]) -> Iterator[str]:
    budget = body["thinking"].get("budget_tokens", 0)
    if budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    if budget >= body["max_tokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    if body.get("temperature", 1) != 1:
        yield "`temperature` may only be set to 1 when thinking is enabled."
    if len(messages) > 1 and messages[-1]["content"][0].get("type") == "tool_result":
        first = messages[-2]["content"][0].get("type")
        if first not in ("thinking", "redacted_thinking"):
            yield f"messages: Expected `thinking` or `redacted_thinking`, but found `{first}`."
