"""What we send to services that speak OpenAI's chat completions."""

from typing import Any

import pytest

from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.models import model_info
from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.openai_chat import OpenAiChat
from roo_code.testing.openai_checks import find_problem
from tests.providers.requests import CONVERSATION, PNG, SCHEMA, request, settings

GPT = model_info("openai", "gpt-4.1")
EXTRA = {"reasoning", "thinking", "usage", "provider"}
DATA_URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def encode(
    *messages: Message,
    info: ModelInfo = GPT,
    quirks: ChatQuirks | None = None,
    **fields: Any,
) -> dict[str, Any]:
    body = OpenAiChat(quirks).encode(
        request(messages or CONVERSATION), settings("openai", **fields), info
    )
    assert find_problem(body, EXTRA) is None
    return body


@pytest.mark.requirement("providers:openai:native")
def test_a_whole_conversation() -> None:
    assert encode() == {
        "model": "gpt-4.1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read_file",
                    "description": "Read a file.",
                    "parameters": SCHEMA,
                },
            }
        ],
        "tool_choice": "auto",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "What is in a and b?"}, DATA_URL],
            },
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": "call_a",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": '{"path":"a"}'},
                    },
                    {
                        "id": "call_b_b5d92256bd3",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": "{}"},
                    },
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "call_a",
                "content": "A\n(see following user message for image)",
            },
            {"role": "tool", "tool_call_id": "call_b_b5d92256bd3", "content": "no JSON"},
            {"role": "user", "content": [DATA_URL, {"type": "text", "text": "And c?"}]},
        ],
    }


@pytest.mark.requirement("providers:options:forwarded")
def test_limits_and_temperature_are_sent_as_set_and_else_left_to_the_service() -> None:
    body = encode(max_tokens=1000, temperature=0.5)
    assert (body["max_tokens"], body["temperature"]) == (1000, 0.5)
    assert not {"max_tokens", "max_completion_tokens", "temperature"} & set(encode())


@pytest.mark.parametrize(
    ("model", "quirks", "sent"),
    [
        ("gpt-4.1", ChatQuirks(), {"max_tokens": 9}),
        ("gpt-4.1", ChatQuirks(limit_field="by_model"), {"max_tokens": 9}),
        ("gpt-5.1", ChatQuirks(limit_field="by_model"), {"max_completion_tokens": 9}),
        ("openai/o4-mini", ChatQuirks(limit_field="by_model"), {"max_completion_tokens": 9}),
        (
            "any",
            ChatQuirks(limit_field="max_completion_tokens"),
            {"max_completion_tokens": 9},
        ),
    ],
)
def test_the_limit_goes_by_the_name_the_service_knows(
    model: str, quirks: ChatQuirks, sent: dict[str, int]
) -> None:
    body = encode(info=ModelInfo(id=model), quirks=quirks, max_tokens=9)
    assert {k: v for k, v in body.items() if k.startswith("max_")} == sent


def test_a_service_whose_own_limit_is_short_is_told_the_models() -> None:
    assert encode(quirks=ChatQuirks(always_limit=True))["max_tokens"] == 32_768


def test_a_temperature_is_not_sent_to_a_model_that_refuses_it() -> None:
    assert "temperature" not in encode(info=model_info("openai", "gpt-5.1"), temperature=0.5)


@pytest.mark.parametrize(
    ("style", "fields", "sent"),
    [
        ("effort", {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        ("effort", {"reasoning_effort": "disable"}, {}),
        ("effort", {"max_thinking_tokens": 2000}, {}),
        ("object", {"reasoning_effort": "low"}, {"reasoning": {"effort": "low"}}),
        ("object", {"max_thinking_tokens": 2000}, {"reasoning": {"max_tokens": 2000}}),
        ("switch", {"reasoning_effort": "low"}, {"thinking": {"type": "enabled"}}),
        ("switch", {"reasoning_effort": "disable"}, {"thinking": {"type": "disabled"}}),
        ("effort", {}, {}),
        ("object", {}, {}),
        ("switch", {}, {}),
    ],
)
def test_reasoning_is_asked_for_as_the_service_wants(
    style: Any, fields: dict[str, Any], sent: dict[str, Any]
) -> None:
    body = encode(info=ModelInfo(id="m"), quirks=ChatQuirks(reasoning=style), **fields)
    names = {"reasoning_effort", "reasoning", "thinking"}
    assert {k: v for k, v in body.items() if k in names} == sent


def test_a_model_that_does_not_reason_is_not_told_to() -> None:
    assert "reasoning_effort" not in encode(reasoning_effort="high")


def test_a_service_that_wants_its_reasoning_back_gets_it() -> None:
    thought = ReasoningContent(text="Hm.")
    call = ToolUseContent(id="1", name="read_file")
    messages = (
        Message.from_user("Go."),
        Message(role="assistant", content=(thought, call)),
        Message.from_tools([ToolResult(tool_use_id="1", content="x")]),
    )
    assert "reasoning_content" not in encode(*messages)["messages"][2]
    body = encode(*messages, quirks=ChatQuirks(returns_reasoning=True))
    assert body["messages"][2]["reasoning_content"] == "Hm."


def test_usage_and_cost_are_asked_for_where_the_service_must_be() -> None:
    assert "stream_options" not in encode(quirks=ChatQuirks(reports_usage_unasked=True))
    assert encode(quirks=ChatQuirks(reports_cost=True))["usage"] == {"include": True}


def test_ids_are_short_where_they_must_be_and_still_match() -> None:
    messages = encode(quirks=ChatQuirks(short_call_ids=True))["messages"]
    asked = [call["id"] for call in messages[2]["tool_calls"]]
    assert [m["tool_call_id"] for m in messages if m["role"] == "tool"] == asked
    assert all(len(id) == 9 and id.isalnum() for id in asked)
    assert len(set(asked)) == 2


def test_cache_marks_go_to_claude_behind_a_router_and_to_nobody_else() -> None:
    quirks = ChatQuirks(cache_marks="always")
    turns = [Message.from_user("x"), Message(role="assistant", content=(TextContent(text="y"),))]
    claude = ModelInfo(id="anthropic/claude-sonnet-4.5")
    body = encode(*turns * 3, Message.from_user("z"), info=claude, quirks=quirks)
    marked = [
        (n, m["role"]) for n, m in enumerate(body["messages"]) if isinstance(m["content"], list)
    ]
    assert marked == [(0, "system"), (5, "user"), (7, "user")]
    assert body["messages"][7]["content"] == [
        {"type": "text", "text": "z", "cache_control": {"type": "ephemeral"}}
    ]
    assert all(isinstance(m["content"], str) for m in encode(*turns, quirks=quirks)["messages"])


def test_a_chosen_upstream_is_the_only_one() -> None:
    chosen = settings("openrouter", openRouterSpecificProvider="groq")
    body = OpenAiChat().encode(request(), chosen, ModelInfo(id="m"))
    assert body["provider"] == {
        "order": ["groq"],
        "only": ["groq"],
        "allow_fallbacks": False,
    }


def test_texts_without_images_are_one_text() -> None:
    blocks = (TextContent(text="a"), TextContent(text=" "), TextContent(text="b"))
    body = encode(Message(role="user", content=blocks))
    assert body["messages"][1] == {"role": "user", "content": "a\n\nb"}


def test_a_model_that_reads_no_images_gets_a_word_about_them() -> None:
    blind = ModelInfo(id="m", supports_images=False)
    said = encode(Message.from_user("See.", [PNG]), info=blind)["messages"][1]["content"]
    assert said == "See.\n\n(An image was left out: this model does not read images.)"


def test_a_message_of_nothing_still_has_words() -> None:
    silent = Message(role="assistant", content=(ReasoningContent(text="Hm."),))
    body = encode(Message.from_user(" "), silent, Message.from_user("x"))
    assert [m["content"] for m in body["messages"][1:3]] == ["(no text)", "(no text)"]


def test_words_of_the_user_join_the_last_result_where_they_may_not_follow_it() -> None:
    call = ToolUseContent(id="1", name="read_file")
    said = Message(role="assistant", content=(call,))
    result = ToolResult(tool_use_id="1", content="A")
    quirks = ChatQuirks(joins_results=True)
    words = Message(role="user", content=(result, TextContent(text="Go on.")))
    wire = OpenAiChat(quirks)
    messages = wire.encode(request((Message.from_user("x"), said, words)), settings(), GPT)
    assert messages["messages"][-1]["content"] == "A\n\nGo on."
    shown = Message.from_tools([result.replace(images=(PNG,))])
    messages = wire.encode(request((Message.from_user("x"), said, shown)), settings(), GPT)
    assert messages["messages"][-1]["role"] == "tool"
    assert messages["messages"][-1]["content"][1] == DATA_URL


def test_a_model_that_keeps_its_reasoning_gets_it_back_from_any_service() -> None:
    thought = Message(role="assistant", content=(ReasoningContent(text="Hm."),))
    turns = (Message.from_user("x"), thought, Message.from_user("y"))
    keeps = ModelInfo(id="kimi-k2-thinking", keeps_reasoning=True)
    assert encode(*turns, info=keeps)["messages"][2]["reasoning_content"] == "Hm."
    assert "reasoning_content" not in encode(*turns)["messages"][2]


def test_a_level_the_model_does_not_know_is_not_asked_for() -> None:
    info = ModelInfo(id="m", supports_reasoning=True, reasoning_efforts=("low", "high"))
    assert encode(info=info, reasoning_effort="high")["reasoning_effort"] == "high"
    assert "reasoning_effort" not in encode(info=info, reasoning_effort="xhigh")
