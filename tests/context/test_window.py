"""How much room there is, and how much of it is taken."""

import pytest

from roo_code.context.window import Request, Room, TokenMeter, room_of
from roo_code.messages import (
    ImageContent,
    Message,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import ModelInfo
from roo_code.providers.tokens import count_request

TOOL = ToolDefinition(name="look", description="Looks.", input_schema={"type": "object"})


def asks(*messages: Message) -> Request:
    return Request("Be brief.", (TOOL,), messages)


def replied(text: str, **tokens: int) -> Message:
    usage = Usage(**tokens) if tokens else None
    return Message(role="assistant", content=(TextContent(text=text),), usage=usage)


@pytest.mark.parametrize(
    ("info", "max_tokens", "reserved", "limit"),
    [
        (ModelInfo(id="m", context_window=200_000, max_output_tokens=8192), None, 8192, 171_808),
        (ModelInfo(id="m", context_window=100_000, max_output_tokens=64_000), None, 20_000, 70_000),
        (ModelInfo(id="m", context_window=100_000), None, 8192, 81_808),
        (ModelInfo(id="m", context_window=100_000), 30_000, 30_000, 60_000),
        (ModelInfo(id="m", context_window=8000, max_output_tokens=8000), 8000, 4000, 3200),
        (ModelInfo(id="m"), 8000, 0, None),
        (ModelInfo(id="m", context_window=0), None, 0, None),
    ],
)
def test_room_is_left_for_the_reply_and_for_miscounting(
    info: ModelInfo, max_tokens: int | None, reserved: int, limit: int | None
) -> None:
    room = room_of(info, max_tokens)
    assert (room.reserved, room.limit) == (reserved, limit)


def test_a_threshold_is_of_the_window_and_below_the_limit() -> None:
    assert Room(100_000, 10_000, threshold=50).trigger == 50_000
    assert Room(100_000, 10_000, threshold=100).trigger == 80_000


def test_what_was_refused_is_not_tried_again() -> None:
    assert Room(100_000, 10_000, refused=50_000).limit == 30_000
    assert Room(None, 0, refused=50_000).limit == 30_000
    assert Room(10_000, 1000, refused=50_000).limit == 8000


def test_what_the_service_told_counts_with_what_came_since() -> None:
    first, last = Message.from_user("one " * 1000), Message.from_user("two " * 100)
    meter = TokenMeter()
    request = asks(first, replied("yes", input_tokens=1500, output_tokens=2), last)
    own = count_request("Be brief.", request.messages, (TOOL,))
    told = meter.tokens(request)
    assert 1502 + 100 < told < 1502 + 200  # a token of ours is one and a half of the service's
    assert meter.of_messages([last]) > count_request("", [last])
    assert own < told


@pytest.mark.parametrize(
    "tokens",
    [
        {"input_tokens": 0},
        {"input_tokens": -5000, "output_tokens": 3},
        {"input_tokens": 10**15},
        {"input_tokens": 1, "output_tokens": 1},
        {"input_tokens": 400},
        {},
    ],
)
def test_what_cannot_be_true_is_not_believed(tokens: dict[str, int]) -> None:
    request = asks(Message.from_user("one " * 1000), replied("yes", **tokens))
    own = count_request("Be brief.", request.messages, (TOOL,))
    assert TokenMeter().tokens(request) == own


def test_what_surely_fits_is_not_counted() -> None:
    request = asks(Message.from_user("word " * 100))
    taken = count_request("Be brief.", request.messages, (TOOL,))
    meter = TokenMeter()
    assert meter.surely_fits(request, 2000)
    assert not meter.surely_fits(request, taken)


@pytest.mark.parametrize(
    "block",
    [
        TextContent(text="漢字" * 2000),
        ToolUseContent(id="c", name="write", input={"text": "z7Q+" * 2000}),
        ToolResult(
            tool_use_id="c",
            content="ok",
            images=(ImageContent(media_type="image/png", data="AAAA"),) * 9,
        ),
    ],
)
def test_the_quick_bound_is_never_below_the_count(block: TextContent) -> None:
    request = asks(Message(role="user", content=(block,)))
    taken = TokenMeter().tokens(request)
    assert not TokenMeter().surely_fits(request, taken - 1)


@pytest.mark.parametrize("unit", ["word ", "x", "漢字", "z7Q+"])
def test_millions_of_characters_are_counted_from_samples(unit: str) -> None:
    meter = TokenMeter()
    short, long = (meter.of_text(unit * times) for times in (10_000, 1_000_000))
    assert 0.9 < long / (short * 100) < 1.1


def test_a_message_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = TokenMeter()
    messages = [Message.from_user(f"number {n}") for n in range(100)]
    before = meter.tokens(asks(*messages))
    counted: list[Message] = []

    def count(message: Message) -> int:
        counted.append(message)
        return 7

    monkeypatch.setattr("roo_code.context.window._count", count)
    fresh = Message.from_user("new")
    assert meter.tokens(asks(*messages, fresh)) == before + 7
    assert counted == [fresh]
