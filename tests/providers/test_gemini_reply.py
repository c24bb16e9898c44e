"""What we read from Gemini. The events are as its documentation shows them."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import (
    BadRequest,
    ConnectionCut,
    Overloaded,
    ProtocolError,
    RateLimited,
    ServerFailed,
)
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.protocols.fragments import NO_TEXT
from roo_code.providers.protocols.gemini import Gemini
from roo_code.providers.protocols.gemini_events import GeminiDecoder
from roo_code.stream import MessageDelta, MessageStart
from tests.providers.replies import chunks_of, event, message_of
from tests.providers.requests import settings

FIXTURES = Path(__file__).parent / "fixtures" / "gemini"
SIGNED_FIRST, SIGNED_LAST = "CpoBAdHtim8VxY0n9Z2M8fVw", "EokBCoYBAdHtim8ABCD-_EF0"
PRO = "gemini-3.1-pro-preview"


def part(*parts: Any, reason: str = "", **fields: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [*parts]}}
    if reason:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], **fields}


async def read(*events: Any) -> Message:
    return await message_of(chunks_of(GeminiDecoder("gemini"), map(event, events)))


async def read_file(name: str) -> Message:
    sent = (FIXTURES / f"{name}.sse").read_bytes()
    return await message_of(chunks_of(GeminiDecoder("gemini"), [sent]))


@pytest.mark.requirement("providers:gemini:native", "providers:usage:extracted")
async def test_a_reply_with_thoughts_text_and_a_call() -> None:
    assert await read_file("tools") == Message(
        role="assistant",
        content=(
            ReasoningContent(text="**Looking**\n\nI must read the file."),
            TextContent(text="I look."),
            ToolUseContent(
                id="fc_8x",
                name="read_file",
                input={"path": "src/ü.py", "lines": [1, 2.5, None, True]},
                signature=SIGNED_FIRST,
            ),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=120, output_tokens=42, reasoning_tokens=20),
        model=PRO,
    )


async def test_calls_without_ids_are_told_apart_and_only_the_first_is_signed() -> None:
    calls = (await read_file("parallel_tools")).tool_uses
    assert [(c.name, c.input.get("path"), c.signature) for c in calls] == [
        ("read_file", "a", SIGNED_FIRST),
        ("read_file", "b", None),
        ("list_files", None, None),
    ]
    assert len({call.id for call in calls}) == 3
    assert all("mAitaLmkHPPlz7IPvtfUqQ4" in call.id for call in calls)  # so in no other reply


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "signed_text",
            (
                ReasoningContent(text="**Thinking**\n\nFirst this, then that."),
                TextContent(text="The answer is 4."),
                TextContent(text="", signature=SIGNED_LAST),
            ),
        ),
        (
            "signed_thought",
            (
                ReasoningContent(text="Hm.", signature=SIGNED_FIRST),
                TextContent(text="Let me see."),
                TextContent(text=" Done.", signature=SIGNED_LAST),
            ),
        ),
    ],
)
async def test_what_is_signed_is_a_block_of_its_own(name: str, expected: Any) -> None:
    assert (await read_file(name)).content == expected


@pytest.mark.requirement("providers:gemini:native")
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.sse")), ids=lambda path: path.stem)
async def test_what_is_signed_and_what_is_called_goes_back_as_it_came(path: Path) -> None:
    reply = await read_file(path.stem)
    request = ModelRequest(system_prompt="", messages=(Message.from_user("?"), reply))
    body = Gemini().encode(request, settings("gemini"), ModelInfo(id=reply.model or ""))
    sent = body["contents"][1]["parts"]
    kept = ("thoughtSignature", "functionCall")
    came = [part for event in _events(path) for part in _parts(event)]
    assert [p for p in sent if p.keys() & {*kept}] == [p for p in came if p.keys() & {*kept}]
    said = "".join(p["text"] for p in came if "text" in p and not p.get("thought"))
    assert "".join(p.get("text", "") for p in sent if not p.get("thought")) == said or (
        sent == [{"text": NO_TEXT}]
    )


def _events(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line]


def _parts(event: dict[str, Any]) -> list[dict[str, Any]]:
    return event["candidates"][0].get("content", {}).get("parts", [])


async def test_cached_input_and_that_of_tools_are_counted() -> None:
    assert (await read_file("cached")).usage == Usage(
        input_tokens=2048, output_tokens=4, cache_read_tokens=18432
    )
    assert (await read_file("foreign_parts")).usage == Usage(
        input_tokens=47, output_tokens=24, reasoning_tokens=8
    )


async def test_usage_is_told_at_the_start_and_at_the_end() -> None:
    sent = (FIXTURES / "text.sse").read_bytes()
    told = [
        chunk.usage
        for chunk in chunks_of(GeminiDecoder("x"), [sent])
        if isinstance(chunk, MessageStart | MessageDelta)
    ]
    assert told == [
        {"input_tokens": 9, "output_tokens": 2},
        {"input_tokens": 9, "output_tokens": 6},
    ]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("STOP", "end_turn"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("LANGUAGE", "refusal"),
        ("BLOCKLIST", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("SPII", "refusal"),
        ("OTHER", "other"),
        ("SOMETHING_NEW", "something_new"),
    ],
)
async def test_why_a_reply_ends(reason: str, expected: str) -> None:
    assert (await read(part({"text": "Hi"}, reason=reason))).stop_reason == expected


async def test_a_call_in_a_reply_that_was_stopped_does_not_hide_why() -> None:
    call: dict[str, Any] = {"functionCall": {"name": "a", "args": {}}}
    assert (await read(part(call, reason="MAX_TOKENS"))).stop_reason == "max_tokens"
    assert (await read(part(call, reason="STOP"))).stop_reason == "tool_use"


@pytest.mark.parametrize(
    "reason",
    ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"],
)
async def test_a_call_that_the_service_could_not_read_is_asked_for_again(reason: str) -> None:
    with pytest.raises(ServerFailed, match=f"gemini broke its reply off: {reason}") as raised:
        await read(part(reason=reason))
    assert raised.value.retryable


@pytest.mark.parametrize(
    ("name", "expected", "said"),
    [
        ("malformed_call", ServerFailed, "print(default_api"),
        ("blocked_prompt", BadRequest, "blocked the prompt: PROHIBITED_CONTENT"),
        ("overloaded", Overloaded, "gemini answered 503: The model is overloaded."),
        ("rate_limited", RateLimited, "gemini answered 429: You exceeded your current quota"),
    ],
)
async def test_an_error_in_the_stream_is_a_typed_error(
    name: str, expected: type[Exception], said: str
) -> None:
    with pytest.raises(expected) as raised:
        await read_file(f"errors/{name}")
    assert said in str(raised.value)


async def test_the_service_says_when_to_come_back() -> None:
    with pytest.raises(RateLimited) as raised:
        await read_file("errors/rate_limited")
    assert raised.value.retry_after == 17


@pytest.mark.requirement("stream:abort:partial")
@pytest.mark.parametrize("name", ["text", "tools", "parallel_tools", "signed_text"])
async def test_a_reply_without_its_last_event_was_cut(name: str) -> None:
    whole = (FIXTURES / f"{name}.sse").read_bytes()
    events = whole.split(b"\n\n")[:-1]
    for length in range(len(events)):
        with pytest.raises(ConnectionCut, match="gemini ended its reply before"):
            chunks_of(GeminiDecoder("gemini"), [event + b"\n\n" for event in events[:length]])


async def test_what_is_newer_than_this_program_is_skipped() -> None:
    reply = await read(
        {"somethingNew": 1},
        part({"hologram": {"data": ""}, "thoughtSignature": "c2ln"}, {"text": "Hi", "colour": 1}),
        part(reason="FINISH_REASON_UNSPECIFIED"),
        part(reason="STOP"),
    )
    assert reply.content == (TextContent(text="Hi"),)


async def test_a_signature_that_comes_by_itself_is_kept() -> None:
    reply = await read(part({"text": "Hi"}, {"thoughtSignature": "c2ln"}, reason="STOP"))
    assert reply.content == (TextContent(text="Hi"), TextContent(text="", signature="c2ln"))


WRONG: list[Any] = [
    "not json",
    "[1]",
    {"candidates": {}},
    {"candidates": [1]},
    {"candidates": [{"content": []}]},
    {"candidates": [{"content": {"parts": "x"}}]},
    {"candidates": [{"finishReason": 1}]},
    {"usageMetadata": {"promptTokenCount": "many"}},
    part({"text": 5}),
    part({"text": "x", "thoughtSignature": 5}),
    part({"functionCall": {}}),
    part({"functionCall": {"name": "a", "args": "{}"}}),
    part({"functionCall": {"name": "a", "partialArgs": [{}], "willContinue": True}}),
]


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_wrong_shape_is_a_protocol_error(wrong: Any) -> None:
    with pytest.raises(ProtocolError):
        await read(wrong, part(reason="STOP"))
