"""Google's side of the generateContent format: what it takes, refuses and says."""

from typing import Any

import pytest

from roo_code.errors import Overloaded, RateLimited, ServerFailed
from roo_code.messages import ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.testing import ModelServer
from roo_code.testing.gemini_checks import find_problem
from roo_code.testing.vertex_service import VertexAnthropicService
from tests.providers.services import ask, provider_at

Json = dict[str, Any]
SIGNED = {"thoughtSignature": "c2ln"}
CALL: Json = {"functionCall": {"id": "1", "name": "one", "args": {}}, **SIGNED}
OTHER: Json = {"functionCall": {"id": "2", "name": "one", "args": {}}}
RESULT: Json = {"functionResponse": {"id": "1", "name": "one", "response": {"output": "x"}}}
IMAGE: Json = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
TOOL: Json = {"name": "one", "description": "", "parametersJsonSchema": {"type": "object"}}


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": [*parts]}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": [*parts]}


HELLO = user({"text": "Hello"})


def problem(*contents: Json, **fields: Any) -> str | None:
    return find_problem({"contents": [*(contents or [HELLO])], **fields})


def config(**fields: Any) -> Json:
    return {"generationConfig": fields}


def test_right_requests_are_taken() -> None:
    thought = {"text": "Hm.", "thought": True, **SIGNED}
    shown = {"functionResponse": {**RESULT["functionResponse"], "parts": [IMAGE]}}
    assert problem(HELLO, model(thought, CALL), user(shown, {"text": "Go on."}, IMAGE)) is None
    assert (
        problem(
            systemInstruction={"parts": [{"text": "x"}]},
            tools=[{"functionDeclarations": [TOOL]}],
            **config(
                temperature=2, thinkingConfig={"thinkingLevel": "LOW", "includeThoughts": True}
            ),
        )
        is None
    )


BROKEN: list[tuple[list[Json], Json, str]] = [
    ([], {"contents": []}, "contents is not specified"),
    ([], {"messages": []}, 'Unknown name "messages"'),
    ([], config(maxTokens=1), "Unknown name \"maxTokens\" at 'generation_config'"),
    ([], config(temperature=2.5), "temperature"),
    ([], config(maxOutputTokens=0), "max_output_tokens"),
    ([], config(thinkingConfig={"thinkingBudget": 1, "thinkingLevel": "LOW"}), "only one of"),
    ([], config(thinkingConfig={"thinkingLevel": "low!"}), "thinking_level"),
    ([], {"systemInstruction": {"parts": []}}, "system_instruction.parts"),
    ([], {"tools": [{"functionDeclarations": [TOOL, TOOL]}]}, "Duplicate function"),
    ([], {"tools": [{"functionDeclarations": [{**TOOL, "name": "1 a"}]}]}, "function name"),
    ([], {"tools": [{"functionDeclarations": [{**TOOL, "strict": True}]}]}, "strict"),
    (
        [],
        {"tools": [{"functionDeclarations": [{**TOOL, "parametersJsonSchema": {}}]}]},
        "parameters_json_schema",
    ),
    ([{"role": "assistant", "parts": [{"text": "x"}]}], {}, "valid role"),
    ([user()], {}, "parts must not be empty"),
    ([user({"text": "x", **IMAGE})], {}, "oneof field 'data'"),
    ([user({"colour": 1})], {}, 'Unknown name "colour"'),
    ([user({"inlineData": {"mimeType": "image/gif", "data": ""}})], {}, "Unsupported MIME"),
    ([HELLO, model({"text": "x", "thoughtSignature": "ü"})], {}, "Base64"),
    ([HELLO, model(CALL)], {}, "followed by its function responses"),
    ([HELLO, model(CALL), HELLO], {}, "number of function response parts"),
    ([HELLO, model(CALL, OTHER), user(RESULT)], {}, "number of function response parts"),
    ([HELLO, user(RESULT)], {}, "number of function response parts"),
    ([HELLO, model({**CALL, "thoughtSignature": "c2ln"}), user({"functionResponse": {
        "id": "2", "name": "one", "response": {}}})], {}, "does not match"),
    ([HELLO, model(CALL), user({"functionResponse": {
        "id": "1", "name": "one", "response": "x"}})], {}, "must be a struct"),
    ([HELLO, model(OTHER), user(RESULT)], {}, "missing a thought_signature"),
    ([model(CALL), user(RESULT)], {}, "immediately after a user turn"),
]  # fmt: skip


@pytest.mark.parametrize(("contents", "fields", "words"), BROKEN)
def test_each_broken_rule_is_named(contents: list[Json], fields: Json, words: str) -> None:
    assert words in (problem(*contents, **fields) or "")


def test_claude_on_vertex_wants_its_version_and_no_model() -> None:
    right: Json = {
        "anthropic_version": "vertex-2023-10-16",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "Hello"}],
    }
    check = VertexAnthropicService().problem
    assert check(right, {}) is None
    assert "model" in (check({**right, "model": "m"}, {}) or "")
    assert "anthropic_version" in (check({**right, "anthropic_version": "2023-06-01"}, {}) or "")
    assert "max_tokens" in (check({**right, "max_tokens": 0}, {}) or "")


async def test_a_scripted_reply_is_read_as_it_was_written() -> None:
    calls = [{"id": "a", "name": "one", "input": {"x": "ü"}}, {"id": "b", "name": "two"}]
    used = {
        "input_tokens": 5,
        "output_tokens": 9,
        "cache_read_tokens": 3,
        "reasoning_tokens": 2,
    }
    reply = {"reasoning": "Hm.", "text": "I look.", "tool_calls": calls, "usage": used}
    async with ModelServer([reply]) as server, provider_at(server.url, "gemini") as provider:
        found = await ask(provider)
    assert found.content == (
        ReasoningContent(text="Hm."),
        TextContent(text="I look."),
        ToolUseContent(id="a", name="one", input={"x": "ü"}, signature="c2lnbmVk"),
        ToolUseContent(id="b", name="two"),
    )
    assert (found.usage, found.stop_reason) == (Usage(**used), "tool_use")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(429, RateLimited), (503, Overloaded), (500, ServerFailed), ("broken_json", ServerFailed)],
)
async def test_its_faults_are_those_of_the_service(fault: Any, expected: type[Exception]) -> None:
    call = {"id": "a", "name": "one", "input": {"path": "a"}}
    async with (
        ModelServer([{"tool_calls": [call], "faults": [fault]}]) as server,
        provider_at(server.url, "gemini") as provider,
    ):
        with pytest.raises(expected):
            await ask(provider)
        assert (await ask(provider)).tool_uses[0].input == {"path": "a"}
