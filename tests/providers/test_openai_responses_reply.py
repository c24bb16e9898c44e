"""Replies in OpenAI's Responses format; `oracles/` has the usual ones."""

from typing import Any

import pytest

from roo_code.errors import BadRequest, ConnectionCut, ProtocolError, RateLimited
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.protocols.openai_responses_events import ResponsesDecoder
from tests.providers.replies import chunks_of, event, message_of

CREATED = {"type": "response.created", "response": {"model": "gpt-5.1", "status": "in_progress"}}
COMPLETED: dict[str, Any] = {"type": "response.completed", "response": {"status": "completed"}}
MESSAGE: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "read_file",
}


def added(item: Any, place: int = 0) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": place, "item": item}


def done(item: Any, place: int = 0) -> dict[str, Any]:
    return {**added(item, place), "type": "response.output_item.done"}


def delta(kind: str, text: Any, place: Any = 0) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": place, "delta": text}


async def read(*events: Any) -> Message:
    return await message_of(chunks_of(ResponsesDecoder("x"), [event(e) for e in events]))


async def test_items_may_arrive_interleaved() -> None:
    other = {**CALL, "call_id": "call_2"}
    reply = await read(
        CREATED,
        added(CALL),
        added(other, 1),
        delta("function_call_arguments", '{"path":', 1),
        delta("function_call_arguments", '{"path":"a"}'),
        delta("function_call_arguments", '"b"}', 1),
        done(CALL),
        done(other, 1),
        COMPLETED,
    )
    assert reply.content == (
        ToolUseContent(id="call_1", name="read_file", input={"path": "a"}),
        ToolUseContent(id="call_2", name="read_file", input={"path": "b"}),
    )
    assert (reply.stop_reason, reply.model) == ("tool_use", "gpt-5.1")


async def test_what_came_in_pieces_is_not_told_again_at_the_end() -> None:
    whole = {**MESSAGE, "content": [{"type": "output_text", "text": "Hi."}]}
    response = {"status": "completed", "output": [whole]}
    reply = await read(
        CREATED,
        added(MESSAGE),
        added(MESSAGE),  # a second time
        delta("output_text", "Hi."),
        done(whole),
        done(whole),
        {"type": "response.completed", "response": response},
    )
    assert reply.content == (TextContent(text="Hi."),)


async def test_an_end_that_never_came_is_taken_from_the_whole() -> None:
    thought: dict[str, Any] = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "encrypted_content": "ZW5j",
    }
    reply = await read(
        CREATED,
        added({**thought, "encrypted_content": "half"}),
        delta("reasoning_summary_text", "Hm."),
        {"type": "response.done", "response": {"status": "completed", "output": [thought]}},
    )
    assert reply.content == (ReasoningContent(id="rs_1", text="Hm.", signature="ZW5j"),)


async def test_unknown_events_and_items_are_passed_over() -> None:
    reply = await read(
        CREATED,
        {"type": "response.from_the_future", "output_index": 7},
        added({"type": "mcp_call", "id": "m"}),
        delta("output_text", "not ours"),
        done({"type": "mcp_call", "id": "m"}),
        added(MESSAGE, 1),
        delta("output_text", "Hi.", 1),
        COMPLETED,
    )
    assert reply.content == (TextContent(text="Hi."),)


async def test_a_call_cut_off_before_its_input_is_never_run() -> None:
    incomplete = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    reply = await read(
        CREATED,
        added(CALL),
        done({**CALL, "status": "incomplete", "arguments": ""}),
        {"type": "response.incomplete", "response": incomplete},
    )
    assert reply.stop_reason == "max_tokens"
    assert reply.tool_uses[0].invalid_input == ""


@pytest.mark.parametrize("count", range(3))
async def test_without_its_end_a_reply_is_cut(count: int) -> None:
    with pytest.raises(ConnectionCut):
        await read(*[CREATED, added(MESSAGE), delta("output_text", "Hi.")][: count + 1])


@pytest.mark.parametrize(
    "broken",
    [
        delta("output_text", "Hi.", 5),
        delta("output_text", "Hi.", None),
        delta("output_text", 3),
        delta("function_call_arguments", "{}"),
        added({**CALL, "name": ""}, 1),
        added({**CALL, "id": None, "call_id": None}, 1),
        added([], 1),
    ],
)
async def test_what_is_not_the_format_is_said_so(broken: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        await read(CREATED, added(MESSAGE), broken, COMPLETED)


async def test_pieces_after_the_end_of_an_item_are_refused() -> None:
    with pytest.raises(ProtocolError):
        await read(CREATED, added(MESSAGE), done(MESSAGE), delta("output_text", "x"))


async def test_errors_of_both_shapes_are_read() -> None:
    with pytest.raises(RateLimited, match="slow down"):
        await read({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"})
    failed = {"error": {"code": "invalid_prompt", "message": "no"}}
    with pytest.raises(BadRequest, match="no"):
        await read(CREATED, {"type": "response.failed", "response": failed})
