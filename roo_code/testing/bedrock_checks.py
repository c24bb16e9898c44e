"""Why Bedrock would refuse a request: its rules, written apart from our encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_FIELDS = {
    *("messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields"),
    *("guardrailConfig", "performanceConfig", "serviceTier", "requestMetadata", "outputConfig"),
}
_BLOCKS = {
    "user": {"text", "image", "document", "toolResult", "cachePoint"},
    "assistant": {"text", "toolUse", "reasoningContent", "cachePoint"},
}
_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_IMAGES = {"png", "jpeg", "gif", "webp"}
_MOST_CACHE_POINTS = 4


def find_problem(body: Json) -> str | None:
    """The first rule the request breaks, in the service's words; None if it breaks none."""
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    for name in body.keys() - _FIELDS:
        yield f"extraneous key [{name}] is not permitted"
    messages: list[Json] = body["messages"]
    if not messages or messages[0].get("role") != "user":
        yield "A conversation must start with a user message."
    yield from _message_problems(messages)
    yield from _pairing_problems(messages)
    for block in body.get("system", []):
        if "text" in block and not block["text"].strip():
            yield "The text field in the system content block is blank."
    yield from _tool_problems(body.get("toolConfig"), messages)
    yield from _thinking_problems(body, messages)
    points = str(body).count("'cachePoint'")
    if points > _MOST_CACHE_POINTS:
        yield f"A maximum of {_MOST_CACHE_POINTS} cache points may be provided. Found {points}."
    if not 0 <= body.get("inferenceConfig", {}).get("temperature", 0) <= 1:
        yield "inferenceConfig.temperature: must be less than or equal to 1"


def _message_problems(messages: list[Json]) -> Iterator[str]:
    previous = None
    for number, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if set(message) != {"role", "content"} or role not in _BLOCKS:
            yield f"messages.{number}: not a message"
            return
        if role == previous:
            yield "A conversation must alternate between user and assistant roles."
        previous = role
        if not content:
            yield f"The content field in the Message object at messages.{number} is empty."
        for place, block in enumerate(content or []):
            yield from _block_problems(block, role, f"messages.{number}.content.{place}")


def _block_problems(block: Json, role: str, at: str) -> Iterator[str]:
    kinds = list(block)
    if len(kinds) != 1 or kinds[0] not in _BLOCKS[role]:
        yield f"{at}: the block {kinds} cannot be in messages of the {role}"
        return
    value = block[kinds[0]]
    if kinds[0] == "text" and not value.strip():
        yield f"The text field in the ContentBlock object at {at} is blank."
    elif kinds[0] == "image":
        yield from _image_problems(value, at)
    elif kinds[0] == "toolUse":
        if not (_ID.fullmatch(value["toolUseId"]) and _NAME.fullmatch(value["name"])):
            yield f"{at}.toolUse: an id or name failed to satisfy its pattern"
        if not isinstance(value["input"], dict):
            yield f"The format of the value at {at}.toolUse.input is invalid."
    elif kinds[0] == "toolResult":
        yield from _result_problems(value, at)
    elif kinds[0] == "reasoningContent" and not (
        value.get("redactedContent") or value.get("reasoningText", {}).get("text") is not None
    ):
        yield f"{at}.reasoningContent: neither a text nor redacted content"


def _result_problems(result: Json, at: str) -> Iterator[str]:
    if result.get("status", "success") not in ("success", "error"):
        yield f"{at}.toolResult.status: not one of success, error"
    for part in result["content"]:
        if "image" in part:
            yield from _image_problems(part["image"], at)
        elif not part.get("text", "").strip():
            yield f"{at}.toolResult.content: blank"


def _image_problems(image: Json, at: str) -> Iterator[str]:
    if image.get("format") not in _IMAGES or not image.get("source", {}).get("bytes"):
        yield f"{at}.image: the format must be one of {sorted(_IMAGES)}, and bytes given"


def _pairing_problems(messages: list[Json]) -> Iterator[str]:
    """Each call answered exactly once, in the next message; no id twice."""
    seen: set[str] = set()
    asked: list[str] = []
    end: Json = {"content": []}
    for number, message in enumerate([*messages, end]):
        blocks: list[Json] = message["content"]
        results = [b["toolResult"]["toolUseId"] for b in blocks if "toolResult" in b]
        if missing := [id for id in asked if id not in results]:
            yield f"Expected toolResult blocks at messages.{number}.content for: {missing}"
        if len(results) > len(asked) or set(results) - set(asked):
            yield f"messages.{number}: more toolResult blocks than toolUse blocks before"
        asked = [b["toolUse"]["toolUseId"] for b in blocks if "toolUse" in b]
        if len(set(asked)) != len(asked) or seen & set(asked):
            yield "messages: toolUse ids must be unique"
        seen.update(asked)


def _tool_problems(config: Json | None, messages: list[Json]) -> Iterator[str]:
    if config is None:
        if "'toolUse'" in str(messages) or "'toolResult'" in str(messages):
            yield "The toolConfig field must be defined when using toolUse and toolResult blocks."
        return
    specs = [tool["toolSpec"] for tool in config["tools"] if "toolSpec" in tool]
    names = [spec["name"] for spec in specs]
    if not names or len(set(names)) != len(names):
        yield "toolConfig.tools: there must be tools, and no name twice"
    for spec in specs:
        if not _NAME.fullmatch(spec["name"]) or spec.get("description") == "":
            yield f"toolConfig.tools: {spec['name']!r} has a bad name or an empty description"
        if spec["inputSchema"]["json"].get("type") != "object":
            yield f"toolConfig.tools: the schema of {spec['name']!r} is not of an object"


def _thinking_problems(body: Json, messages: list[Json]) -> Iterator[str]:
    thinking = body.get("additionalModelRequestFields", {}).get("thinking", {})
    if thinking.get("type") != "enabled":
        return
    limits = body["inferenceConfig"]
    if not 1024 <= thinking["budget_tokens"] < limits["maxTokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`, which is 1024 at least."
    if "temperature" in limits:
        yield "`temperature` may only be set to 1 when thinking is enabled."
    in_round = len(messages) > 1 and "toolResult" in messages[-1]["content"][0]
    if in_round and "reasoningContent" not in messages[-2]["content"][0]:
        yield "Expected `thinking` or `redacted_thinking` at the start of the turn before."
