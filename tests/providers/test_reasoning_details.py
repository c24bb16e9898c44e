"""OpenRouter's `reasoning_details`: kept from a reply, and sent back as they came."""

import json
from typing import Any

from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.openai_chat import OpenAiChat
from roo_code.providers.protocols.openai_chunks import ChatDecoder
from tests.providers.oracles.seen import FIXTURES
from tests.providers.replies import chunks_of, event, message_of
from tests.providers.requests import request, settings

CLAUDE = ModelInfo(id="anthropic/claude-sonnet-4.5")
SIGNED: dict[str, Any] = {
    "type": "reasoning.text",
    "text": "Look first.",
    "format": "anthropic-claude-v1",
    "index": 0,
    "signature": "EqQBCgIYAhIM",
}
ENCRYPTED: dict[str, Any] = {
    "type": "reasoning.encrypted",
    "data": "ZW5jcnlwdGVk",
    "id": "rs_1",
    "format": "openai-responses-v1",
    "index": 1,
}
CALL = ToolUseContent(id="call_1", name="read_file", input={"path": "a"})


def sent_back(
    *blocks: Any, info: ModelInfo = CLAUDE, quirks: ChatQuirks | None = None
) -> dict[str, Any]:
    said = Message(role="assistant", content=blocks)
    asked = request((Message.from_user("Hi"), said))
    wire = OpenAiChat(quirks or ChatQuirks(returns_details=True))
    return wire.encode(asked, settings("openrouter"), info)["messages"][-1]


async def read(*details: Any, **fields: Any) -> Message:
    """A reply whose pieces have these details."""
    chunks = [{"choices": [{"delta": {"reasoning_details": d, **fields}}]} for d in details]
    end = {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}
    sent = [event(chunk) for chunk in (*chunks, end, "[DONE]")]
    return await message_of(chunks_of(ChatDecoder("x"), sent))


async def test_pieces_become_the_details_they_are_of() -> None:
    fixture = (FIXTURES / "openai_chat" / "openrouter_details.sse").read_bytes()
    reply = await message_of(chunks_of(ChatDecoder("x"), [fixture]))
    thought, said, call, details = reply.content
    assert thought == ReasoningContent(text="Look first.")
    assert isinstance(said, TextContent)
    assert isinstance(call, ToolUseContent)
    assert details == ReasoningContent(details=(SIGNED, ENCRYPTED))
    assert reply.usage is not None
    assert reply.usage.cost == 0.00126


async def test_what_was_kept_is_what_goes_back() -> None:
    fixture = (FIXTURES / "openai_chat" / "openrouter_details.sse").read_bytes()
    reply = await message_of(chunks_of(ChatDecoder("x"), [fixture]))
    without_id = {name: value for name, value in ENCRYPTED.items() if name != "id"}
    body = sent_back(*reply.content)
    assert body["reasoning_details"] == [SIGNED, without_id]
    assert "reasoning_content" not in body
    assert "reasoning_details" not in sent_back(*reply.content, quirks=ChatQuirks())


async def test_details_alone_are_shown_as_thinking() -> None:
    summary = [{"type": "reasoning.summary", "summary": "Hm."}]
    reply = await read(summary, [{"type": "reasoning.summary", "summary": " So."}])
    assert reply.content[0] == ReasoningContent(text="Hm. So.")
    told = [{"type": "reasoning.text", "text": "Hm.", "index": 0}]
    reply = await read(told, reasoning="Hm.")  # said in both fields, shown once
    assert reply.content[0] == ReasoningContent(text="Hm.")


async def test_details_of_several_thoughts_stay_apart() -> None:
    reply = await read(
        [{"type": "reasoning.text", "text": "a", "index": 0, "id": None}],
        [{"type": "reasoning.text", "text": "b", "index": 1}],
        [{"type": "reasoning.text", "text": "c", "index": 0, "id": "x", "signature": "s"}],
    )
    assert [block.details for block in reply.content if isinstance(block, ReasoningContent)][1] == (
        {"type": "reasoning.text", "text": "ac", "index": 0, "id": "x", "signature": "s"},
        {"type": "reasoning.text", "text": "b", "index": 1},
    )


def test_google_is_given_a_word_for_thoughts_that_are_not_its_own() -> None:
    gemini = ModelInfo(id="google/gemini-3.1-pro-preview")
    other = CALL.replace(id="call_2")
    found = sent_back(CALL, other, info=gemini)["reasoning_details"]
    assert [detail["id"] for detail in found] == ["call_1", "call_2"]
    assert {detail["data"] for detail in found} == {"skip_thought_signature_validator"}
    own: dict[str, Any] = {"type": "reasoning.encrypted", "data": "b3du", "index": 0}
    kept = sent_back(ReasoningContent(details=(own,)), CALL, info=gemini)
    assert kept["reasoning_details"] == [own]
    assert "reasoning_details" not in sent_back(CALL)


def test_details_survive_the_log() -> None:
    message = Message(role="assistant", content=(ReasoningContent(details=(SIGNED,)), CALL))
    again = Message.from_json(json.dumps(message.to_dict()))
    assert sent_back(*again.content) == sent_back(*message.content)
