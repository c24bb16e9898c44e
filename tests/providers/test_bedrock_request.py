"""What we send to Bedrock."""

from typing import Any

import pytest

from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelInfo, ToolDefinition
from roo_code.providers.models import model_info
from roo_code.providers.protocols.bedrock_converse import BedrockConverse
from roo_code.testing.bedrock_checks import find_problem
from tests.providers.requests import CONVERSATION, PNG, SCHEMA, request, settings

SONNET = model_info("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")
NOVA = model_info("bedrock", "amazon.nova-pro-v1:0")
LLAMA = model_info("bedrock", "meta.llama3-3-70b-instruct-v1:0")
POINT = {"cachePoint": {"type": "default"}}
IMAGE = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
CALLED = (
    Message.from_user("Go."),
    Message(role="assistant", content=(ToolUseContent(id="1", name="read_file"),)),
    Message.from_tools([ToolResult(tool_use_id="1", content="x", is_error=True, images=(PNG,))]),
)


def encode(*messages: Message, info: ModelInfo = SONNET, **fields: Any) -> dict[str, Any]:
    asked = request(messages or CONVERSATION)
    body = BedrockConverse().encode(asked, settings("bedrock", **fields), info)
    assert find_problem(body) is None
    return body


@pytest.mark.requirement("providers:bedrock:native")
def test_a_whole_conversation() -> None:
    assert encode() == {
        "system": [{"text": "Be brief."}, POINT],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read_file",
                        "description": "Read a file.",
                        "inputSchema": {"json": SCHEMA},
                    }
                },
                POINT,
            ],
            "toolChoice": {"auto": {}},
        },
        "inferenceConfig": {"maxTokens": 8192},
        "messages": [
            {"role": "user", "content": [{"text": "What is in a and b?"}, IMAGE, POINT]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Look.", "signature": "sig"}}},
                    {"reasoningContent": {"redactedContent": "c2VjcmV0"}},
                    {"text": "I look."},
                    {
                        "toolUse": {
                            "toolUseId": "call_a",
                            "name": "read_file",
                            "input": {"path": "a"},
                        }
                    },
                    {
                        "toolUse": {
                            "toolUseId": "call_b_b5d92256bd3",
                            "name": "read_file",
                            "input": {},
                        }
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "call_a", "content": [{"text": "A"}, IMAGE]}},
                    {
                        "toolResult": {
                            "toolUseId": "call_b_b5d92256bd3",
                            "content": [{"text": "no JSON"}],
                            "status": "error",
                        }
                    },
                    {"text": "And c?"},
                    POINT,
                ],
            },
        ],
    }


@pytest.mark.parametrize(
    ("info", "fields", "cached"),
    [
        (SONNET, {}, ["messages", "system", "toolConfig"]),
        (SONNET, {"awsUsePromptCache": False}, []),
        (NOVA, {}, ["system"]),
        (LLAMA, {}, []),
        (ModelInfo(id="arn:aws:bedrock:us-east-1:1:application-inference-profile/x"), {}, []),
        (ModelInfo(id="unheard-of"), {"awsUsePromptCache": True}, ["messages", "system"]),
    ],
)
def test_cache_points_stand_where_the_model_takes_them(
    info: ModelInfo, fields: dict[str, Any], cached: list[str]
) -> None:
    body = encode(info=info, **fields)
    assert sorted(name for name, part in body.items() if "cachePoint" in str(part)) == cached


def test_the_last_two_messages_of_the_user_are_cached() -> None:
    turns = [Message.from_user("x"), Message(role="assistant", content=(TextContent(text="y"),))]
    body = encode(*turns * 4, Message.from_user("z"))
    assert [n for n, m in enumerate(body["messages"]) if POINT in m["content"]] == [6, 8]


@pytest.mark.parametrize(
    ("fields", "extra"),
    [
        ({}, None),
        (
            {"reasoning_effort": "low"},
            {
                "thinking": {"type": "enabled", "budget_tokens": 4096},
                "anthropic_beta": ["interleaved-thinking-2025-05-14"],
            },
        ),
        ({"reasoning_effort": "disable"}, None),
        ({"awsBedrock1MContext": True}, {"anthropic_beta": ["context-1m-2025-08-07"]}),
    ],
)
def test_what_only_claude_takes_goes_in_fields_of_its_own(
    fields: dict[str, Any], extra: dict[str, Any] | None
) -> None:
    body = encode(temperature=0.5, **fields)
    assert body.get("additionalModelRequestFields") == extra
    assert ("temperature" in body["inferenceConfig"]) is not bool(extra and "thinking" in extra)
    for info in (NOVA, LLAMA):
        assert "additionalModelRequestFields" not in encode(info=info, **fields)


def test_a_round_of_calls_that_began_without_thinking_goes_on_without() -> None:
    assert "additionalModelRequestFields" not in encode(*CALLED, reasoning_effort="high")


def test_limits_temperature_and_tier_are_sent_as_set() -> None:
    body = encode(max_tokens=1000, temperature=1.5, awsBedrockServiceTier="FLEX")
    assert body["inferenceConfig"] == {"maxTokens": 1000, "temperature": 1}
    assert body["serviceTier"] == {"type": "flex"}
    assert "serviceTier" not in encode(awsBedrockServiceTier="STANDARD")


def test_calls_of_the_past_need_their_tools_named() -> None:
    asked = request(CALLED, tools=())
    body = BedrockConverse().encode(asked, settings("bedrock"), LLAMA)
    assert find_problem(body) is None
    spec = {"name": "read_file", "inputSchema": {"json": {"type": "object"}}}
    assert body["toolConfig"]["tools"] == [{"toolSpec": spec}]
    plain = request([Message.from_user("Go.")], tools=())
    assert "toolConfig" not in BedrockConverse().encode(plain, settings("bedrock"), LLAMA)


def test_schemas_have_single_types_and_tools_no_empty_words() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"], "description": "d"}},
        "anyOf": [{"type": "object"}],
    }
    tool = ToolDefinition(name="t", description="", input_schema=schema)
    asked = request([Message.from_user("Go.")], tools=(tool,))
    body = BedrockConverse().encode(asked, settings("bedrock"), LLAMA)
    assert find_problem(body) is None
    plain = {"description": "d", "anyOf": [{"type": "string"}, {"type": "null"}]}
    assert body["toolConfig"]["tools"] == [
        {
            "toolSpec": {
                "name": "t",
                "inputSchema": {"json": {**schema, "properties": {"a": plain}}},
            }
        }
    ]


@pytest.mark.parametrize(("info", "status"), [(SONNET, "error"), (NOVA, "error"), (LLAMA, None)])
def test_a_failure_is_told_where_the_model_takes_it(info: ModelInfo, status: str | None) -> None:
    content = encode(*CALLED, info=info)["messages"][-1]["content"]
    assert content[0]["toolResult"].get("status") == status
    beside = {"text": "(An image was left out: this model does not read images.)"}
    assert content[1] == (IMAGE if info.supports_images else beside)


def test_thinking_goes_back_only_to_who_thought_it() -> None:
    thought = ReasoningContent(text="Hm.")
    signed = ReasoningContent(text="Hm.", signature="sig")
    kimi = model_info("bedrock", "moonshot.kimi-k2-thinking")

    def sent(block: ReasoningContent, model: str, info: ModelInfo) -> list[Any]:
        reply = Message(role="assistant", content=(block,), model=model)
        body = encode(Message.from_user("a"), reply, Message.from_user("b"), info=info)
        return body["messages"][1]["content"]

    nothing = [{"text": "(no text)"}]
    assert sent(thought, "claude-x", SONNET) == nothing
    assert sent(signed, "gpt-5", SONNET) == nothing
    assert sent(signed, "", SONNET)[0]["reasoningContent"]["reasoningText"]["signature"] == "sig"
    unsigned = {"reasoningContent": {"reasoningText": {"text": "Hm."}}}
    assert sent(thought, "kimi-k2", kimi) == [unsigned]
    assert sent(thought, "deepseek", LLAMA) == nothing


def test_blank_texts_are_left_out_and_empty_results_have_a_word() -> None:
    body = encode(
        Message.from_user(" \n"),
        Message(role="assistant", content=(ToolUseContent(id="1", name="read_file"),)),
        Message.from_tools([ToolResult(tool_use_id="1", content=" ")]),
    )
    assert body["messages"][0]["content"][0] == {"text": "(no text)"}
    result = body["messages"][2]["content"][0]["toolResult"]
    assert result["content"] == [{"text": "(no text)"}]


def test_the_model_stands_in_the_path() -> None:
    wire = BedrockConverse()
    info = ModelInfo(id="arn:aws:bedrock:us-east-1:1:inference-profile/us.x:0")
    quoted = "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x%3A0"
    assert wire.path(info) == f"/model/{quoted}/converse-stream"
    assert wire.headers("k", settings("bedrock")) == {}
