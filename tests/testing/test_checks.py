"""The rules of the services, one broken at a time."""

from typing import Any

import pytest

from roo_code.testing import anthropic_checks, openai_checks

Json = dict[str, Any]
USER: Json = {"role": "user", "content": "Hello"}
ASK: Json = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "one", "input": {}}],
}
RESULT: Json = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}],
}
CALL: Json = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "one", "arguments": "{}"}}],
}
ANSWER: Json = {"role": "tool", "tool_call_id": "a", "content": "x"}
SCHEMA = {"type": "object"}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def text(value: str) -> Json:
    return {"type": "text", "text": value}


def anthropic(*messages: Json, **fields: Any) -> str | None:
    whole: Json = {"model": "m", "max_tokens": 2000, "messages": list(messages or [USER])}
    return anthropic_checks.find_problem({**whole, **fields})


def openai(*messages: Json, **fields: Any) -> str | None:
    return openai_checks.find_problem(
        {"model": "m", "messages": list(messages or [USER]), **fields}
    )


def test_right_requests_are_taken() -> None:
    marked = {**text("x"), "cache_control": {"type": "ephemeral"}}
    tools = [{"name": "one", "input_schema": SCHEMA}]
    assert anthropic(USER, ASK, RESULT, system=[marked], tools=tools) is None
    assert anthropic(user(text("x")), thinking={"type": "enabled", "budget_tokens": 1024}) is None
    functions = [{"type": "function", "function": {"name": "one", "parameters": SCHEMA}}]
    system = {"role": "system", "content": "x"}
    assert openai(system, USER, CALL, ANSWER, tools=functions) is None


THINK = {"type": "enabled", "budget_tokens": 1024}
OTHER: Json = {"type": "tool_result", "tool_use_id": "b", "content": "x"}
IMAGE: Json = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "x"},
}


@pytest.mark.parametrize(
    ("messages", "fields", "words"),
    [
        ([], {"messages": []}, "messages: Field required"),
        ([], {"max_tokens": None}, "max_tokens: Field required"),
        ([], {"max_tokens": -1}, "max_tokens: Input should be greater"),
        ([], {"frobnicate": 1}, "frobnicate: Extra inputs"),
        ([], {"temperature": 1.5}, "temperature"),
        ([], {"tool_choice": {"type": "auto"}}, "tool_choice"),
        ([], {"system": ""}, "system"),
        ([], {"tools": [{"name": "one"}]}, "input_schema"),
        ([], {"tools": [{"name": "no way", "input_schema": SCHEMA}]}, "custom.name"),
        ([], {"tools": [{"name": "one", "input_schema": SCHEMA}] * 2}, "unique"),
        ([ASK, RESULT], {}, "first message must use the user role"),
        ([USER, USER], {}, "roles must alternate"),
        ([{"role": "system", "content": "x"}], {}, "Unexpected role"),
        ([{**USER, "name": "x"}], {}, "Extra inputs"),
        ([user()], {}, "non-empty content"),
        ([user(text(""))], {}, "non-empty"),
        ([{"role": "user", "content": ""}], {}, "non-empty"),
        ([user(text(" \n"))], {}, "non-whitespace"),
        ([user({"type": "tool_use"})], {}, "cannot be in user messages"),
        ([user({"type": "image", "source": {"media_type": "image/bmp"}})], {}, "media_type"),
        ([USER, ASK, USER], {}, "without `tool_result` blocks immediately after: a"),
        ([USER, ASK], {}, "without `tool_result`"),
        ([USER, ASK, user(text("x"), *RESULT["content"])], {}, "immediately after"),
        ([USER, ASK, user(*RESULT["content"] * 2)], {}, "single result"),
        ([USER, ASK, user(*RESULT["content"], OTHER)], {}, "unexpected `tool_use_id`"),
        ([user(OTHER)], {}, "unexpected `tool_use_id`"),
        ([USER, ASK, RESULT, ASK, RESULT], {}, "unique"),
        (
            [USER, ASK, user({**RESULT["content"][0], "content": [IMAGE], "is_error": True})],
            {},
            "must be type `text`",
        ),
        ([USER, {"role": "assistant", "content": [{"type": "thinking"}]}, USER], {}, "signature"),
        ([], {"thinking": {"type": "enabled", "budget_tokens": 10}}, "1024"),
        ([], {"thinking": THINK, "max_tokens": 1000}, "must be greater than"),
        ([], {"thinking": THINK, "temperature": 0.5}, "may only be set to 1"),
        ([USER, ASK, RESULT], {"thinking": THINK}, "Expected `thinking`"),
        (
            [user(*[{**text("x"), "cache_control": {"type": "ephemeral"}}] * 5)],
            {},
            "maximum of 4 blocks",
        ),
    ],
)
def test_anthropic_refuses(messages: list[Json], fields: Json, words: str) -> None:
    assert words in (anthropic(*messages, **fields) or "")


@pytest.mark.parametrize(
    ("change", "words"),
    [({"id": "a b"}, "id"), ({"name": "a b"}, "name"), ({"input": "{}"}, "input")],
)
def test_anthropic_refuses_calls(change: Json, words: str) -> None:
    call = {"role": "assistant", "content": [{**ASK["content"][0], **change}]}
    assert f"tool_use.{words}" in (anthropic(USER, call, RESULT) or "")


@pytest.mark.parametrize(
    ("messages", "fields", "words"),
    [
        ([], {"messages": []}, "'messages'"),
        ([], {"model": ""}, "'model'"),
        ([], {"frobnicate": 1}, "Unrecognized request argument supplied: frobnicate"),
        ([], {"temperature": 3}, "temperature"),
        ([], {"stream_options": {"include_usage": True}}, "stream_options"),
        ([], {"max_tokens": 1, "max_completion_tokens": 1}, "same time"),
        ([], {"tool_choice": "auto"}, "tool_choice"),
        ([], {"tools": [{"type": "function", "function": {"name": "one"}}]}, "schema"),
        ([], {"tools": [{"name": "one"}]}, "tools[0]"),
        ([CALL, ANSWER], {}, "first message"),
        ([{"role": "robot", "content": "x"}], {}, "first message"),
        ([USER, {"role": "robot", "content": "x"}], {}, "Invalid value: 'robot'"),
        ([{"role": "user", "content": " "}], {}, "content"),
        ([{"role": "user", "content": None}], {}, "content"),
        ([user()], {}, "empty array"),
        ([user(text(" "))], {}, "empty text"),
        ([user({"type": "audio"})], {}, "unknown type"),
        ([USER, {"role": "assistant", "content": ""}], {}, "content"),
        ([USER, {"role": "assistant", "content": [{"type": "image_url"}]}], {}, "image_url"),
        ([USER, CALL, USER], {}, "must be followed by tool messages"),
        ([USER, CALL], {}, "must be followed by tool messages"),
        ([USER, CALL, ANSWER, ANSWER], {}, "must be a response"),
        ([USER, ANSWER], {}, "must be a response"),
        ([USER, CALL, {**ANSWER, "tool_call_id": ""}], {}, "tool_call_id"),
        ([USER, CALL, ANSWER, CALL, ANSWER], {}, "Duplicate"),
    ],
)
def test_openai_refuses(messages: list[Json], fields: Json, words: str) -> None:
    assert words in (openai(*messages, **fields) or "")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": ""}, "id"),
        ({"type": "tool"}, "id"),
        ({"function": {"name": "a b", "arguments": "{}"}}, "name"),
        ({"function": {"name": "one", "arguments": "{"}}, "arguments"),
        ({"function": {"name": "one", "arguments": {}}}, "arguments"),
    ],
)
def test_openai_refuses_calls(change: Json, words: str) -> None:
    call = {**CALL, "tool_calls": [{**CALL["tool_calls"][0], **change}]}
    assert words in (openai(USER, call, ANSWER) or "")
