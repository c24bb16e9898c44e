"""Why Gemini would refuse a request: its rules, written apart from our encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_FIELDS = {
    "cachedContent",
    "contents",
    "generationConfig",
    "labels",
    "safetySettings",
    "systemInstruction",
    "toolConfig",
    "tools",
}
_CONFIG = {
    "candidateCount",
    "frequencyPenalty",
    "maxOutputTokens",
    "mediaResolution",
    "presencePenalty",
    "responseJsonSchema",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "seed",
    "stopSequences",
    "temperature",
    "thinkingConfig",
    "topK",
    "topP",
}
_DATA = {"text", "inlineData", "fileData", "functionCall", "functionResponse"}
_BESIDE_DATA = {"thought", "thoughtSignature"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_IMAGES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def find_problem(body: Json) -> str | None:
    """The first rule the request breaks, in the service's words; None if it breaks none."""
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    yield from _unknown(body, _FIELDS, "")
    if not body.get("contents"):
        yield "* GenerateContentRequest.contents: contents is not specified"
        return
    yield from _config_problems(body.get("generationConfig", {}))
    yield from _tool_problems(body.get("tools", []))
    if "systemInstruction" in body:
        yield from _part_problems(body["systemInstruction"], "system_instruction")
    for number, content in enumerate(body["contents"]):
        if content.get("role") not in ("user", "model"):
            yield "Please use a valid role: user, model."
        yield from _part_problems(content, f"contents[{number}]")
    yield from _pairing_problems(body["contents"])


def _unknown(fields: Json, known: set[str], at: str) -> Iterator[str]:
    for name in fields.keys() - known:
        where = f" at '{at}'" if at else ""
        yield f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.'


def _config_problems(config: Json) -> Iterator[str]:
    yield from _unknown(config, _CONFIG, "generation_config")
    if not 0 <= config.get("temperature", 0) <= 2:
        yield "* GenerateContentRequest.generation_config.temperature: must be in the range [0, 2]"
    if config.get("maxOutputTokens", 1) < 1:
        yield "* GenerateContentRequest.generation_config.max_output_tokens: must be positive"
    thinking = config.get("thinkingConfig", {})
    known = {"includeThoughts", "thinkingBudget", "thinkingLevel"}
    yield from _unknown(thinking, known, "generation_config.thinking_config")
    if {"thinkingBudget", "thinkingLevel"} <= thinking.keys():
        yield "You can only set only one of thinking budget and thinking level."
    if thinking.get("thinkingLevel", "LOW") not in ("MINIMAL", "LOW", "MEDIUM", "HIGH"):
        yield "Invalid value at 'generation_config.thinking_config.thinking_level'"


def _tool_problems(tools: list[Json]) -> Iterator[str]:
    declared = [f for tool in tools for f in tool.get("functionDeclarations", [])]
    names = [function.get("name", "") for function in declared]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"Duplicate function declaration found: {name}"
    known = {"name", "description", "parameters", "parametersJsonSchema", "response"}
    for number, function in enumerate(declared):
        at = f"tools[0].function_declarations[{number}]"
        yield from _unknown(function, known, at)
        if not _NAME.fullmatch(function.get("name", "")):
            yield f"* GenerateContentRequest.{at}.name: Invalid function name."
        schema = function.get("parametersJsonSchema")
        if schema is not None and schema.get("type") != "object":
            yield f"* GenerateContentRequest.{at}.parameters_json_schema: must be an object"


def _part_problems(content: Json, at: str) -> Iterator[str]:
    if not content.get("parts"):
        yield f"* GenerateContentRequest.{at}.parts: contents.parts must not be empty."
        return
    for number, part in enumerate(content["parts"]):
        place = f"{at}.parts[{number}]"
        yield from _unknown(part, _DATA | _BESIDE_DATA, place)
        if len(part.keys() & _DATA) != 1:
            yield f"* GenerateContentRequest.{place}.data: required oneof field 'data' must be one"
        if not _BASE64.fullmatch(part.get("thoughtSignature", "none")):
            yield f"Invalid value at '{place}.thought_signature', Base64 decoding failed"
        response = part.get("functionResponse", {})
        for holder in (part, *response.get("parts", [])):
            if "inlineData" in holder and holder["inlineData"].get("mimeType") not in _IMAGES:
                yield f"Unsupported MIME type: {holder['inlineData'].get('mimeType')}"
        if response and not isinstance(response.get("response"), dict):
            yield f"* GenerateContentRequest.{place}.function_response.response: must be a struct"


def _pairing_problems(contents: list[Json]) -> Iterator[str]:
    """Each call answered by a response of its name in the next content; the first is signed."""
    asked: list[Json] = []
    for number, content in enumerate(contents):
        responses = [p["functionResponse"] for p in content["parts"] if "functionResponse" in p]
        if len(responses) != len(asked):
            yield (
                "Please ensure that the number of function response parts is equal to the number "
                "of function call parts of the function call turn."
            )
        for call, response in zip(asked, responses, strict=False):
            if any(call.get(key) != response.get(key) for key in ("id", "name")):
                yield f"Function response {response.get('name')} does not match its function call."
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and (number == 0 or content.get("role") != "model"):
            yield "Please ensure that function call turn comes immediately after a user turn."
        if calls and "thoughtSignature" not in calls[0]:
            yield "Function call is missing a thought_signature in functionCall parts."
        asked = [part["functionCall"] for part in calls]
    if asked:
        yield "Please ensure that every function call turn is followed by its function responses."
