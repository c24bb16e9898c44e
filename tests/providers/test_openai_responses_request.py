"""Requests in OpenAI's Responses format."""

from typing import Any

import pytest

from roo_code.messages import (
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import create_provider
from roo_code.providers.models import model_info
from roo_code.providers.protocols.openai_responses import OpenAiResponses
from roo_code.providers.protocols.responses_quirks import ResponsesQuirks
from tests.providers.oracles.seen import FIXTURES
from tests.providers.oracles.serving import serving, stream
from tests.providers.requests import CONVERSATION, PNG, READ, SCHEMA, request, settings
from tests.providers.services import ask, provider_at

CODEX = model_info("openai-native", "gpt-5.1-codex-max")
GPT_41 = model_info("openai-native", "gpt-4.1")
URL = f"data:image/png;base64,{PNG.data}"
THOUGHT = ReasoningContent(id="rs_1", text="Look.", signature="ZW5j")
CALL = ToolUseContent(id="call_1", name="read_file", input={"path": "a"})


def encode(
    *messages: Message,
    info: ModelInfo = CODEX,
    quirks: ResponsesQuirks | None = None,
    **fields: Any,
) -> dict[str, Any]:
    asked = request(messages or CONVERSATION)
    return OpenAiResponses(quirks).encode(asked, settings("openai-native", **fields), info)


def said(*blocks: Any, model: str | None = "gpt-5.1-codex-max") -> Message:
    return Message(role="assistant", content=blocks, model=model)


def test_the_conversation_becomes_items_in_their_order() -> None:
    body = encode()
    assert body["model"] == "gpt-5.1-codex-max"
    assert body["instructions"] == "Be brief."
    assert (body["stream"], body["store"]) == (True, False)
    assert body["input"] == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is in a and b?"},
                {"type": "input_image", "detail": "auto", "image_url": URL},
            ],
        },
        {"role": "assistant", "content": "I look."},
        {
            "type": "function_call",
            "call_id": "call_a",
            "name": "read_file",
            "arguments": '{"path":"a"}',
        },
        {
            "type": "function_call",
            "call_id": "call_b_b5d92256bd3",
            "name": "read_file",
            "arguments": "{}",
        },
        {
            "type": "function_call_output",
            "call_id": "call_a",
            "output": [
                {"type": "input_text", "text": "A"},
                {"type": "input_image", "detail": "auto", "image_url": URL},
            ],
        },
        {"type": "function_call_output", "call_id": "call_b_b5d92256bd3", "output": "no JSON"},
        {"role": "user", "content": [{"type": "input_text", "text": "And c?"}]},
    ]


def test_tools_are_flat_and_may_leave_fields_out() -> None:
    body = encode()
    assert body["tools"] == [
        {
            "type": "function",
            "name": READ.name,
            "description": READ.description,
            "parameters": SCHEMA,
            "strict": False,
        }
    ]
    assert (body["tool_choice"], body["parallel_tool_calls"]) == ("auto", True)


def test_reasoning_goes_back_before_what_came_of_it() -> None:
    body = encode(Message.from_user("Hi"), said(THOUGHT, TextContent(text="I look."), CALL))
    kinds = [item.get("type") or item["role"] for item in body["input"]]
    assert kinds == ["user", "reasoning", "assistant", "function_call"]
    assert body["input"][1] == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Look."}],
        "encrypted_content": "ZW5j",
    }


@pytest.mark.parametrize(
    "reply",
    [
        said(TextContent(text="x"), THOUGHT),  # nothing came of it
        said(THOUGHT.replace(signature=None), TextContent(text="x")),  # the service stores none
        said(THOUGHT.replace(id=None), TextContent(text="x")),  # another service's
        said(THOUGHT, TextContent(text="x"), model="grok-4.20"),
    ],
)
def test_reasoning_the_service_would_refuse_stays_here(reply: Message) -> None:
    items = encode(Message.from_user("Hi"), reply)["input"]
    assert [item for item in items if item.get("type") == "reasoning"] == []
    assert {"role": "assistant", "content": "x"} in items


def test_the_phase_of_a_text_goes_back_with_it() -> None:
    marked = TextContent(text="On it.", signature="commentary")
    signed = TextContent(text="Of another.", signature="Z2VtaW5p")
    items = encode(Message.from_user("Hi"), said(marked, signed))["input"]
    assert items[1:] == [
        {"role": "assistant", "content": "On it.", "phase": "commentary"},
        {"role": "assistant", "content": "Of another."},
    ]


@pytest.mark.parametrize(
    ("model", "fields", "wanted"),
    [
        ("gpt-5.1-codex-max", {}, {"effort": "xhigh", "summary": "auto"}),  # the model's own level
        ("gpt-5.1", {"reasoning_effort": "high"}, {"effort": "high", "summary": "auto"}),
        ("gpt-5.1", {"reasoning_effort": "none"}, {"effort": "none", "summary": "auto"}),
        ("gpt-5.1", {"reasoning_effort": "disable"}, None),
        ("gpt-5.1", {"reasoning_effort": "minimal"}, {"summary": "auto"}),  # it knows no such level
        ("gpt-4.1", {"reasoning_effort": "high"}, None),
        ("o3-mini-high", {}, {"effort": "high", "summary": "auto"}),
    ],
)
def test_asks_for_reasoning_as_the_model_can(
    model: str, fields: dict[str, Any], wanted: dict[str, str] | None
) -> None:
    body = encode(info=model_info("openai-native", model), **fields)
    assert body.get("reasoning") == wanted
    reasons = model != "gpt-4.1"
    assert body.get("include") == (["reasoning.encrypted_content"] if reasons else None)
    assert body["model"] == model.removesuffix("-high")


def test_a_service_may_hand_its_reasoning_over_without_being_told_how_much() -> None:
    quirks = ResponsesQuirks(always_reasons=True, summarizes=False)
    body = encode(info=ModelInfo(id="grok-4.20", supports_reasoning=False), quirks=quirks)
    assert body["include"] == ["reasoning.encrypted_content"]
    assert "reasoning" not in body


def test_temperature_goes_only_to_models_that_take_one() -> None:
    assert "temperature" not in encode(temperature=0.3)
    assert encode(info=GPT_41, temperature=0.3)["temperature"] == 0.3


def test_options_of_roo_are_passed_on() -> None:
    options: dict[str, Any] = {
        "verbosity": "low",
        "openAiNativeServiceTier": "flex",
        "max_tokens": 999,
    }
    body = encode(info=model_info("openai-native", "gpt-5.1"), **options)
    assert body["text"] == {"verbosity": "low"}
    assert body["service_tier"] == "flex"
    assert body["max_output_tokens"] == 999
    assert body["prompt_cache_retention"] == "24h"
    assert "text" not in encode(verbosity="low")  # which a codex does not take


def test_the_task_is_the_key_of_its_cache() -> None:
    asked = request()
    body = OpenAiResponses().encode(asked, settings("openai-native"), CODEX)
    assert "prompt_cache_key" not in body
    asked = asked.__class__(
        system_prompt="x", messages=asked.messages, metadata={"task_id": "t" * 70, "user_id": "u"}
    )
    body = OpenAiResponses().encode(asked, settings("openai-native"), CODEX)
    assert (body["prompt_cache_key"], body["user"]) == ("t" * 64, "u")


def test_a_model_without_eyes_is_told_of_the_image() -> None:
    blind = ModelInfo(id="gpt-99", supports_images=False)
    items = encode(
        Message.from_user("See", [PNG]),
        said(CALL),
        Message.from_tools([ToolResult(tool_use_id="call_1", content="", images=(PNG,))]),
        info=blind,
    )["input"]
    assert "input_image" not in str(items)
    assert str(items).count("An image was left out") == 2


@pytest.mark.parametrize("base", ["http://127.0.0.1:9", "http://127.0.0.1:9/v1"])
def test_settings_of_roo_are_enough(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    keys = {"openAiNativeApiKey": "k", "openAiNativeBaseUrl": base}
    provider = create_provider(settings("openai-native", **keys))
    assert provider.model_info().id == "gpt-5.1-codex-max"


async def test_xai_is_asked_for_its_reasoning_and_for_nothing_it_does_not_know() -> None:
    fixture = FIXTURES / "openai_responses" / "text.sse"
    with serving(stream(fixture.read_bytes())) as server:
        async with provider_at(f"{server.url}/v1", "xai", api_model_id="") as provider:
            await ask(provider)
    asked = server.requests[0]
    body = asked.json()
    assert (asked.path, body["model"]) == ("/v1/responses", "grok-4.20")
    assert body["include"] == ["reasoning.encrypted_content"]
    assert "reasoning" not in body
