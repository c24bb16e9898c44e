"""What we send to Gemini."""

import operator
from itertools import pairwise
from typing import Any

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.json_text import to_json
from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import create_provider
from roo_code.providers.http_provider import HttpProvider
from roo_code.providers.models import model_info
from roo_code.providers.protocols.gemini import NOT_SIGNED, Gemini
from roo_code.providers.protocols.gemini_events import MADE_UP_ID
from roo_code.testing import ModelServer
from roo_code.testing.gemini_checks import find_problem
from tests.providers.histories import asking, histories
from tests.providers.prefixes import Layout, check_prefixes
from tests.providers.requests import CONVERSATION, PNG, SCHEMA, request, settings
from tests.providers.services import KEY, ask, provider_at

PRO = model_info("gemini", "gemini-3.1-pro-preview")
FLASH = model_info("gemini", "gemini-2.5-flash")
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
CALL = ToolUseContent(id="1", name="read_file", input={"path": "a"})


def encode(*messages: Message, info: ModelInfo = PRO, **fields: Any) -> dict[str, Any]:
    asked = request(messages or CONVERSATION)
    return Gemini().encode(asked, settings("gemini", **fields), info)


def replied(*blocks: Any, model: str | None = None, info: ModelInfo = PRO) -> list[dict[str, Any]]:
    """The parts of a reply as they go back."""
    reply = Message(role="assistant", content=blocks, model=model)
    return encode(Message.from_user("a"), reply, info=info)["contents"][1]["parts"]


@pytest.mark.requirement("providers:gemini:native")
def test_a_whole_conversation() -> None:
    body = encode(max_tokens=1000, temperature=0.5, reasoning_effort="low")
    assert find_problem(body) is None
    assert body == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read_file",
                        "description": "Read a file.",
                        "parametersJsonSchema": SCHEMA,
                    }
                ]
            }
        ],
        "generationConfig": {
            "maxOutputTokens": 1000,
            "temperature": 0.5,
            "thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True},
        },
        "contents": [
            {"role": "user", "parts": [{"text": "What is in a and b?"}, IMAGE]},
            {
                "role": "model",
                "parts": [
                    {"text": "I look."},
                    {
                        "functionCall": {
                            "id": "call_a",
                            "name": "read_file",
                            "args": {"path": "a"},
                        },
                        "thoughtSignature": NOT_SIGNED,
                    },
                    {"functionCall": {"id": "call b", "name": "read_file", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "id": "call_a",
                            "name": "read_file",
                            "response": {"output": "A"},
                            "parts": [IMAGE],
                        }
                    },
                    {
                        "functionResponse": {
                            "id": "call b",
                            "name": "read_file",
                            "response": {"error": "no JSON"},
                        }
                    },
                    {"text": "And c?"},
                ],
            },
        ],
    }


@pytest.mark.parametrize("name", histories("gemini-3"))
@pytest.mark.parametrize("info", [PRO, ModelInfo(id="gemini-flash-latest")])
def test_the_service_takes_a_history_of_any_kind(name: str, info: ModelInfo) -> None:
    body = Gemini().encode(asking(histories(info.id)[name]), settings("gemini"), info)
    assert find_problem(body) is None


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-flash-latest"])
def test_older_models_find_images_of_results_beside_them(model: str) -> None:
    parts = encode(info=ModelInfo(id=model))["contents"][2]["parts"]
    assert [next(iter(part)) for part in parts] == [
        "functionResponse",
        "functionResponse",
        "inlineData",
        "text",
    ]
    assert "parts" not in parts[0]["functionResponse"]


def test_a_model_that_reads_no_images_gets_a_word_about_them() -> None:
    blind = ModelInfo(id="gemini-3-blind", supports_images=False)
    contents = encode(info=blind)["contents"]
    assert "An image was left out" in contents[0]["parts"][1]["text"]
    assert "An image was left out" in contents[2]["parts"][2]["text"]


def test_ids_that_we_made_up_are_not_sent() -> None:
    one, two = (CALL.replace(id=f"{MADE_UP_ID}r_{n}") for n in (0, 1))
    results = [ToolResult(tool_use_id=call.id, content=call.id[-1]) for call in (one, two)]
    body = encode(
        Message.from_user("Go."),
        Message(role="assistant", content=(one, two)),
        Message.from_tools(results),
    )
    assert find_problem(body) is None
    assert MADE_UP_ID.encode() not in to_json(body)
    answers = [part["functionResponse"] for part in body["contents"][2]["parts"]]
    assert [(a["name"], a["response"]) for a in answers] == [
        ("read_file", {"output": "0"}),
        ("read_file", {"output": "1"}),
    ]


SIGNED = (
    ReasoningContent(text="Hm.", signature="czE="),
    ReasoningContent(text="Unsigned."),
    TextContent(text="I look."),
    TextContent(text="", signature="czI="),
    CALL.replace(signature="czM="),
    CALL.replace(id="2"),
)


@pytest.mark.parametrize("model", [None, PRO.id, "gemini-3-flash-preview"])
def test_a_signature_goes_back_with_the_part_it_came_with(model: str | None) -> None:
    assert replied(*SIGNED, model=model) == [
        {"text": "Hm.", "thought": True, "thoughtSignature": "czE="},
        {"text": "I look."},
        {"text": "", "thoughtSignature": "czI="},
        {
            "functionCall": {"id": "1", "name": "read_file", "args": {"path": "a"}},
            "thoughtSignature": "czM=",
        },
        {"functionCall": {"id": "2", "name": "read_file", "args": {"path": "a"}}},
    ]


@pytest.mark.parametrize(
    ("model", "stand_in"),
    [("gemini-3-pro-preview", True), ("gemini-flash-latest", True), ("gemini-2.5-pro", False)],
)
def test_what_another_model_signed_does_not_go_back(model: str, stand_in: bool) -> None:
    parts = replied(*SIGNED, model="claude-sonnet-4-5", info=ModelInfo(id=model))
    assert parts[0] == {"text": "I look."}
    assert [part.get("thoughtSignature") for part in parts[1:]] == [
        NOT_SIGNED if stand_in else None,
        None,
    ]


@pytest.mark.parametrize(
    ("wrote", "reads", "believed"),
    [
        ("gemini-2.5-flash", "gemini-flash-latest", True),
        ("gemini-2.5-flash", "gemini-2.5-pro", True),
        ("gemini-2.5-flash", "gemini-3-pro-preview", False),
        ("own-name", "own-name", True),
    ],
)
def test_signatures_hold_within_a_generation(wrote: str, reads: str, believed: bool) -> None:
    parts = replied(*SIGNED, model=wrote, info=ModelInfo(id=reads))
    assert ("czM=" in str(parts)) is believed


@pytest.mark.parametrize(
    ("model", "fields", "expected"),
    [
        ("gemini-3.1-pro-preview", {"reasoning_effort": "minimal"}, "LOW"),
        ("gemini-3.1-pro-preview", {"reasoning_effort": "medium"}, "MEDIUM"),
        ("gemini-3.1-pro-preview", {"reasoning_effort": "xhigh"}, "HIGH"),
        ("gemini-3.1-pro-preview", {"reasoning_effort": "disable"}, "LOW"),
        ("gemini-3.1-pro-preview", {}, "LOW"),
        ("gemini-3-pro-preview", {"reasoning_effort": "medium"}, "HIGH"),
        ("gemini-3-flash-preview", {"reasoning_effort": "none"}, "MINIMAL"),
        ("gemini-4-unheard-of", {"reasoning_effort": "minimal"}, "MINIMAL"),
        ("gemini-4-unheard-of", {"max_thinking_tokens": 2000}, 2000),
        ("gemini-4-unheard-of", {}, None),
        ("gemini-2.5-pro", {"reasoning_effort": "xhigh"}, 32_768),
        ("gemini-2.5-pro", {"reasoning_effort": "none"}, 128),
        ("gemini-2.5-pro", {"max_thinking_tokens": 200}, 200),
        ("gemini-2.5-pro", {}, -1),
        ("gemini-2.5-flash", {"reasoning_effort": "xhigh"}, 24_576),
        ("gemini-2.5-flash", {"reasoning_effort": "high", "max_tokens": 10_000}, 8000),
        ("gemini-2.5-flash", {"max_thinking_tokens": 100}, 1024),
        ("gemini-2.5-flash", {"reasoning_effort": "disable"}, 0),
        ("gemini-2.5-flash", {}, None),
    ],
)
def test_how_much_a_model_is_to_think(
    model: str, fields: dict[str, Any], expected: int | str | None
) -> None:
    body = encode(info=model_info("gemini", model), **fields)
    assert find_problem({**body, "contents": encode()["contents"]}) is None
    thinking = body.get("generationConfig", {}).get("thinkingConfig", {})
    assert thinking.get("thinkingLevel", thinking.get("thinkingBudget")) == expected
    if expected is not None:
        off = fields.get("reasoning_effort") in ("disable", "none")
        assert thinking["includeThoughts"] is not off


def test_a_model_that_cannot_think_is_not_told_to() -> None:
    plain = ModelInfo(id="gemini-2.0-flash-001", supports_reasoning=False)
    assert "generationConfig" not in encode(info=plain, reasoning_effort="high")


def test_blank_texts_and_empty_prompts_are_left_out() -> None:
    asked = request((Message.from_user(" \n"),), system_prompt=" ", tools=())
    assert Gemini().encode(asked, settings("gemini"), FLASH) == {
        "contents": [{"role": "user", "parts": [{"text": "(no text)"}]}]
    }


@pytest.mark.parametrize("info", [PRO, FLASH])
@pytest.mark.parametrize("fields", [{}, {"reasoning_effort": "high", "temperature": 0.5}])
def test_what_was_sent_before_comes_first_again(info: ModelInfo, fields: dict[str, Any]) -> None:
    layout = Layout(messages="contents", system="systemInstruction")
    check_prefixes(Gemini(), info, layout, **fields)
    wire, turns = Gemini(), (*CONVERSATION, *CONVERSATION[1:])
    bodies = [
        to_json(wire.encode(request(turns[:n]), settings("gemini", **fields), info))
        for n in (1, 3, 5)
    ]
    for earlier, later in pairwise(bodies):
        assert later.startswith(earlier.removesuffix(b"]}"))


def test_a_request_is_the_same_whether_its_parts_are_new_or_kept() -> None:
    wire = Gemini()
    wire.encode(request(CONVERSATION[:1]), settings("gemini"), PRO)
    kept = [wire.encode(request(), settings("gemini"), PRO) for _ in range(2)]
    assert kept == [encode()] * 2
    assert all(map(operator.is_, kept[0]["contents"], kept[1]["contents"]))


@pytest.mark.parametrize(
    ("fields", "whole"),
    [
        (
            {},
            "https://generativelanguage.googleapis.com"
            "/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse",
        ),
        (
            {"googleGeminiBaseUrl": "https://proxy.example/google/", "apiModelId": "models/a b"},
            "https://proxy.example/google/v1beta/models/a%20b:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_the_model_stands_in_the_path_and_the_key_in_a_header(
    fields: dict[str, Any], whole: str
) -> None:
    data = {"apiProvider": "gemini", "geminiApiKey": KEY, **fields}
    provider = create_provider(ProviderSettings.read(data))
    assert isinstance(provider, HttpProvider)
    assert provider._endpoint.address.whole == whole
    assert provider._endpoint.headers["x-goog-api-key"] == KEY


@pytest.mark.requirement("providers:gemini:native")
async def test_calls_and_results_with_a_strict_service() -> None:
    call = {"id": "c1", "name": "read_file", "input": {"path": "a"}}
    script = [{"reasoning": "Hm.", "text": "I look.", "tool_calls": [call]}, "It holds A."]
    async with (
        ModelServer(script, key=KEY) as server,
        provider_at(server.url, "gemini") as provider,
    ):
        asked = Message.from_user("What is in a?")
        reply = await ask(provider, request((asked,)))
        results = Message.from_tools([ToolResult(tool_use_id="c1", content="A")])
        answer = await ask(provider, request((asked, reply, results)))
    assert server.problems() == []
    assert [(c.id, c.name, c.input) for c in reply.tool_uses] == [
        ("c1", "read_file", {"path": "a"})
    ]
    assert (reply.stop_reason, answer.stop_reason) == ("tool_use", "end_turn")
    assert answer.text == "It holds A."
    assert PNG.data.encode() not in to_json(server.requests[1].body)
