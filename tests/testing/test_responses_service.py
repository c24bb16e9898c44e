"""OpenAI's side of the Responses format: what it takes, refuses and says."""

from typing import Any

import pytest

from roo_code.messages import ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.testing import ModelServer
from roo_code.testing.responses_checks import find_problem
from tests.providers.histories import asking, histories
from tests.providers.services import ask, provider_at

Json = dict[str, Any]
USER: Json = {"role": "user", "content": "Hello"}
CALL: Json = {"type": "function_call", "call_id": "a", "name": "one", "arguments": "{}"}
RESULT: Json = {"type": "function_call_output", "call_id": "a", "output": "x"}
THOUGHT: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
TOOL: Json = {"type": "function", "name": "one", "parameters": {"type": "object"}, "strict": False}
IMAGE: Json = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}


def problem(*items: Json, **fields: Any) -> str | None:
    return find_problem({"model": "m", "store": False, "input": list(items or [USER]), **fields})


def user(*parts: Json) -> Json:
    return {"role": "user", "content": list(parts)}


def test_right_requests_are_taken() -> None:
    assert problem(USER, THOUGHT, CALL, RESULT, tools=[TOOL]) is None
    assert problem(user(IMAGE), {"role": "assistant", "content": "x"}, USER) is None
    closed: Json = {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    assert problem(USER, tools=[{**TOOL, "parameters": closed, "strict": True}]) is None


BROKEN: list[tuple[list[Json], Json, str]] = [
    ([], {"max_tokens": 3}, "Unknown parameter"),
    ([], {"input": []}, "'input'"),
    ([], {"temperature": 3}, "temperature"),
    ([], {"max_output_tokens": 3}, "max_output_tokens"),
    ([], {"prompt_cache_key": "x" * 65}, "prompt_cache_key"),
    ([], {"tools": [{**TOOL, "name": "no good"}]}, "name"),
    ([], {"tools": [{**TOOL, "parameters": {}}]}, "type must be 'object'"),
    ([], {"tools": [{**TOOL, "strict": True}]}, "required"),
    ([{"role": "tool", "content": "x"}], {}, "role"),
    ([{"role": "user", "content": " "}], {}, "empty text"),
    ([user()], {}, "empty array"),
    ([user({"type": "text", "text": "x"})], {}, "Invalid value: 'text'"),
    ([user({"type": "input_text", "text": ""})], {}, "empty text"),
    ([user({"type": "input_image", "image_url": "aGk="})], {}, "valid URL"),
    ([{"type": "odd"}], {}, "Invalid value: 'odd'"),
    ([USER, {**CALL, "arguments": "{"}, RESULT], {}, "arguments"),
    ([USER, {**CALL, "name": ""}, RESULT], {}, "name and call_id"),
    ([USER, CALL], {}, "No tool output found"),
    ([USER, RESULT], {}, "No tool call found"),
    ([USER, CALL, RESULT, RESULT], {}, "No tool call found"),
    ([USER, CALL, CALL, RESULT], {}, "Duplicate"),
    ([USER, CALL, {**RESULT, "output": []}], {}, "empty array"),
    ([THOUGHT, USER], {}, "required following item"),
    ([{**THOUGHT, "encrypted_content": None}, CALL, RESULT], {}, "not found"),
    ([{**THOUGHT, "id": ""}, CALL, RESULT], {}, "Missing required parameter"),
]


@pytest.mark.parametrize(("items", "fields", "words"), BROKEN)
def test_one_broken_rule_is_told(items: list[Json], fields: Json, words: str) -> None:
    found = problem(*items, **fields)
    assert found is not None
    assert words in found


async def test_a_whole_reply_is_read_as_scripted() -> None:
    call = {"id": "call_1", "name": "read_file", "input": {"path": "a"}}
    usage = Usage(
        input_tokens=7,
        output_tokens=9,
        cache_read_tokens=5,
        cache_write_tokens=3,
        reasoning_tokens=2,
    )
    script = {"reasoning": "Hm.", "text": "Look.", "tool_calls": [call], "usage": usage.to_dict()}
    async with (
        ModelServer([script]) as server,
        provider_at(server.url, "openai-native") as provider,
    ):
        reply = await ask(provider)
    assert server.problems() == []
    assert reply.content == (
        ReasoningContent(text="Hm.", id="rs_scripted", signature="c2VjcmV0"),
        TextContent(text="Look."),
        ToolUseContent(id="call_1", name="read_file", input={"path": "a"}),
    )
    assert (reply.stop_reason, reply.usage) == ("tool_use", usage)


@pytest.mark.parametrize(("name", "messages"), histories("scripted").items())
async def test_every_history_of_ours_is_taken(name: str, messages: Any) -> None:
    said = sum(message.role == "assistant" for message in messages)
    async with (
        ModelServer(["Fine."] * (said + 1)) as server,
        provider_at(server.url, "openai-native") as provider,
    ):
        reply = await ask(provider, asking(messages))
    assert (server.problems(), reply.text, server.requests[0].reply) == ([], "Fine.", said), name


async def test_an_output_limit_makes_the_reply_incomplete() -> None:
    scripted = {"text": "Half", "stop_reason": "max_tokens"}
    async with (
        ModelServer([scripted]) as server,
        provider_at(server.url, "openai-native") as provider,
    ):
        assert (await ask(provider)).stop_reason == "max_tokens"
