"""What we send to Ollama."""

from typing import Any

import pytest

from roo_code.messages import Message, ReasoningContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.ollama_chat import OllamaChat
from roo_code.testing import ModelServer
from roo_code.testing.ollama_checks import find_problem
from tests.providers.requests import CONVERSATION, PNG, SCHEMA, request, settings
from tests.providers.services import ask, provider_at

QWEN = ModelInfo(id="qwen3")


def encode(*messages: Message, info: ModelInfo = QWEN, **fields: Any) -> dict[str, Any]:
    asked = request(messages or CONVERSATION)
    body = OllamaChat().encode(asked, settings("ollama", **fields), info)
    assert find_problem(body) is None
    return body


def test_a_whole_conversation() -> None:
    function = {"name": "read_file", "description": "Read a file.", "parameters": SCHEMA}
    assert encode() == {
        "model": "qwen3",
        "stream": True,
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is in a and b?", "images": ["aGk="]},
            {
                "role": "assistant",
                "content": "I look.",
                "thinking": "Look.",
                "tool_calls": [
                    {"function": {"name": "read_file", "arguments": {"path": "a"}}},
                    {"function": {"name": "read_file", "arguments": {}}},
                ],
            },
            {
                "role": "tool",
                "tool_name": "read_file",
                "content": "A\n(see following user message for image)",
            },
            {"role": "tool", "tool_name": "read_file", "content": "no JSON"},
            {"role": "user", "content": "And c?", "images": ["aGk="]},
        ],
    }


def test_only_what_is_set_is_an_option() -> None:
    body = encode(ollamaNumCtx=32_768, temperature=0.5, max_tokens=1000)
    assert body["options"] == {"num_ctx": 32_768, "num_predict": 1000, "temperature": 0.5}
    assert "options" not in encode()
    assert "keep_alive" not in body


@pytest.mark.parametrize(
    ("model", "effort", "think"),
    [
        ("qwen3", None, None),
        ("qwen3", "high", True),
        ("qwen3", "none", False),
        ("qwen3", "disable", False),
        ("gpt-oss:20b", "minimal", "low"),
        ("gpt-oss:20b", "xhigh", "high"),
    ],
)
def test_thinking_is_asked_for_as_the_model_takes_it(
    model: str, effort: str | None, think: object
) -> None:
    assert encode(info=ModelInfo(id=model), reasoning_effort=effort).get("think") == think
    plain = ModelInfo(id=model, supports_reasoning=False)
    assert "think" not in encode(info=plain, reasoning_effort=effort)


def test_a_model_that_reads_no_images_gets_a_word_about_them() -> None:
    body = encode(Message.from_user("See.", [PNG]), info=ModelInfo(id="m", supports_images=False))
    assert "An image was left out" in body["messages"][1]["content"]
    assert "images" not in body["messages"][1]


def test_empty_words_are_never_sent() -> None:
    call = ToolUseContent(id="1", name="read_file")
    body = encode(
        Message.from_user(" "),
        Message(role="assistant", content=(ReasoningContent(text="Hm."),)),
        Message.from_user("Go."),
        Message(role="assistant", content=(call,)),
        Message.from_tools([ToolResult(tool_use_id="1", content="")]),
    )
    contents = [message["content"] for message in body["messages"][1:]]
    assert contents == ["(no text)", "(no text)", "Go.", "", "(no text)"]


def test_a_key_is_sent_where_there_is_one() -> None:
    assert OllamaChat().headers("k", settings("ollama")) == {"authorization": "Bearer k"}
    assert OllamaChat().headers(None, settings("ollama")) == {}


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/api", "/api/chat"])
async def test_an_address_may_end_as_users_have_it(end: str) -> None:
    async with (
        ModelServer(["Hi."], key="own") as server,
        provider_at(server.url + end, "ollama", ollamaApiKey="own", api_key=None) as provider,
    ):
        assert (await ask(provider)).text == "Hi."
    assert [request.path for request in server.requests] == ["/api/chat"]
    assert server.problems() == []


@pytest.mark.requirement("providers:local:ollama-lmstudio")
async def test_a_round_with_tools_needs_no_key() -> None:
    reply = {"text": "I look.", "tool_calls": [{"id": "a", "name": "read_file"}]}
    async with (
        ModelServer([reply, "Done."]) as server,
        provider_at(server.url, "ollama", api_key=None) as provider,
    ):
        first = await ask(provider, request([Message.from_user("Look.")]))
        results = [ToolResult(tool_use_id=call.id, content="x") for call in first.tool_uses]
        messages = [Message.from_user("Look."), first, Message.from_tools(results)]
        assert (await ask(provider, request(messages))).text == "Done."
    assert server.problems() == []
    assert "authorization" not in server.requests[0].headers
