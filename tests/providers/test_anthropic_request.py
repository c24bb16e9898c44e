"""What we send to Anthropic."""

from typing import Any

import pytest
from msgspec.structs import replace

from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.models import model_info
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.testing.anthropic_checks import find_problem
from tests.providers.requests import CONVERSATION, PNG, SCHEMA, request, settings

SONNET = model_info("anthropic", "claude-sonnet-4-5")
MARK = {"type": "ephemeral"}
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
}


def encode(*messages: Message, info: ModelInfo = SONNET, **fields: Any) -> dict[str, Any]:
    body = AnthropicMessages().encode(request(messages or CONVERSATION), settings(**fields), info)
    assert find_problem(body) is None
    return body


@pytest.mark.requirement("providers:anthropic:native")
def test_a_whole_conversation() -> None:
    assert encode() == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
        "tools": [{"name": "read_file", "description": "Read a file.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "auto"},
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is in a and b?"},
                    {**IMAGE, "cache_control": MARK},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Look.", "signature": "sig"},
                    {"type": "redacted_thinking", "data": "c2VjcmV0"},
                    {"type": "text", "text": "I look."},
                    {
                        "type": "tool_use",
                        "id": "call_a",
                        "name": "read_file",
                        "input": {"path": "a"},
                    },
                    {
                        "type": "tool_use",
                        "id": "call_b_b5d92256bd3",
                        "name": "read_file",
                        "input": {},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_a",
                        "content": [{"type": "text", "text": "A"}, IMAGE],
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_b_b5d92256bd3",
                        "content": "no JSON",
                        "is_error": True,
                    },
                    {"type": "text", "text": "And c?", "cache_control": MARK},
                ],
            },
        ],
    }


@pytest.mark.requirement("providers:options:forwarded")
def test_limits_and_temperature_are_sent_as_set() -> None:
    body = encode(max_tokens=1000, temperature=0.5)
    assert (body["max_tokens"], body["temperature"]) == (1000, 0.5)
    assert "temperature" not in encode()
    assert encode(info=ModelInfo(id="unheard-of"))["max_tokens"] == 8192


@pytest.mark.parametrize(
    ("fields", "thinking"),
    [
        ({"reasoning_effort": "low"}, 4096),
        ({"reasoning_effort": "xhigh"}, 32_768),
        ({"max_thinking_tokens": 2000}, 2000),
        ({"max_thinking_tokens": 100}, 1024),
        ({"max_thinking_tokens": 60_000}, 51_200),
        ({"reasoning_effort": "high", "max_tokens": 4000}, 3200),
        ({"reasoning_effort": "high", "max_tokens": 1000}, None),
        ({"reasoning_effort": "none", "max_thinking_tokens": 2000}, None),
        ({"reasoning_effort": "disable"}, None),
        ({}, None),
    ],
)
def test_thinking_has_a_budget_and_no_temperature(
    fields: dict[str, Any], thinking: int | None
) -> None:
    body = encode(temperature=0.5, **fields)
    if thinking is None:
        assert "thinking" not in body
        assert body["temperature"] == 0.5
    else:
        assert body["thinking"] == {"type": "enabled", "budget_tokens": thinking}
        assert "temperature" not in body


def test_a_model_that_cannot_think_is_not_told_to() -> None:
    haiku = model_info("anthropic", "claude-3-5-haiku-20241022")
    assert "thinking" not in encode(info=haiku, reasoning_effort="high")


def test_a_round_of_calls_that_began_without_thinking_goes_on_without() -> None:
    call = ToolUseContent(id="1", name="read_file")
    messages = (
        Message.from_user("Go."),
        Message(role="assistant", content=(call,)),
        Message.from_tools([ToolResult(tool_use_id="1", content="x")]),
    )
    assert "thinking" not in encode(*messages, reasoning_effort="high")
    reply = Message(role="assistant", content=(TextContent(text="x"),))
    again = (*messages, reply, Message.from_user("Again."))
    assert "thinking" in encode(*again, reasoning_effort="high")


def test_thinking_that_another_family_signed_or_nobody_is_not_sent() -> None:
    thought = ReasoningContent(text="Hm.", signature="sig")
    unsigned = ReasoningContent(text="Hm.")
    for content, model in ((thought, "gpt-5.1"), (unsigned, "claude-sonnet-4-5")):
        reply = Message(role="assistant", content=(content,), model=model)
        body = encode(Message.from_user("a"), reply, Message.from_user("b"))
        assert body["messages"][1]["content"] == [{"type": "text", "text": "(no text)"}]


def test_blank_texts_are_left_out_and_results_come_first() -> None:
    call = ToolUseContent(id="1", name="read_file")
    body = encode(
        Message.from_user(" \n"),
        Message(role="assistant", content=(TextContent(text="\n\n"), call)),
        Message(
            role="user",
            content=(TextContent(text="Go on."), ToolResult(tool_use_id="1", content="")),
        ),
    )
    contents = [[b["type"] for b in m["content"]] for m in body["messages"]]
    assert contents == [["text"], ["tool_use"], ["tool_result", "text"]]


def test_images_of_a_failed_call_stand_beside_its_result() -> None:
    call = ToolUseContent(id="1", name="read_file")
    failed = ToolResult(tool_use_id="1", content="no", is_error=True, images=(PNG,))
    body = encode(
        Message.from_user("Go."),
        Message(role="assistant", content=(call,)),
        Message.from_tools([failed]),
    )
    assert [b["type"] for b in body["messages"][-1]["content"]] == ["tool_result", "image"]


def test_a_model_that_reads_no_images_gets_a_word_about_them() -> None:
    blind = ModelInfo(id="m", supports_images=False)
    body = encode(Message.from_user("See.", [PNG]), info=blind)
    assert "An image was left out" in body["messages"][0]["content"][1]["text"]


def test_the_prompt_and_the_last_two_messages_of_the_user_are_cached() -> None:
    turns = [Message.from_user("x"), Message(role="assistant", content=(TextContent(text="y"),))]
    body = encode(*turns * 4, Message.from_user("z"))
    marked = [n for n, m in enumerate(body["messages"]) if "cache_control" in m["content"][-1]]
    assert marked == [6, 8]


def test_the_user_is_named_only_where_the_caller_names_one() -> None:
    asked = replace(request(CONVERSATION), metadata={"task_id": "t", "user_id": "u"})
    body = AnthropicMessages().encode(asked, settings(), SONNET)
    assert body["metadata"] == {"user_id": "u"}
    assert find_problem(body) is None


def test_the_key_goes_in_its_own_header_or_as_a_bearer_token() -> None:
    wire = AnthropicMessages()
    assert wire.headers("k", settings()) == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    assert wire.headers("k", settings(anthropicUseAuthToken=True)) == {
        "anthropic-version": "2023-06-01",
        "authorization": "Bearer k",
    }
