"""What we read from services that speak OpenAI's chat completions."""

from typing import Any

import pytest

from roo_code.errors import (
    BadRequest,
    ConnectionCut,
    Overloaded,
    ProtocolError,
    QuotaExceeded,
    RateLimited,
    RooCodeError,
    ServerFailed,
)
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.providers.protocols.openai_chunks import ChatDecoder
from roo_code.stream import BlockDelta
from tests.providers.replies import chunks_of, event, message_of

DONE = "[DONE]"


def piece(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "model": "gpt-4.1-2025-04-14", "choices": [choice]}


def call(index: int | None, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    function = {k: v for k, v in (("name", fields.pop("name", None)),) if v is not None}
    if arguments is not None:
        function["arguments"] = arguments
    numbered = {} if index is None else {"index": index}
    return piece(tool_calls=[{**numbered, **fields, "function": function}])


def usage(**counts: Any) -> dict[str, Any]:
    return {"choices": [], "usage": counts}


REPLY = [
    piece(role="assistant", content=""),
    piece(content="I "),
    piece(content="look."),
    call(0, "", id="call_1", type="function", name="read_file"),
    call(0, '{"path":'),
    call(0, '"a"}'),
    call(1, "", id="call_2", type="function", name="list_files"),
    piece("tool_calls"),
    usage(prompt_tokens=100, completion_tokens=20, total_tokens=120),
    DONE,
]


async def read(*events: Any) -> Message:
    return await message_of(chunks_of(ChatDecoder("openai"), map(event, events)))


async def calls(*events: Any) -> list[tuple[str, str, Any]]:
    reply = await read(*events, piece("tool_calls"), DONE)
    return [(c.id, c.name, c.invalid_input or c.input) for c in reply.tool_uses]


@pytest.mark.requirement("providers:openai:native", "providers:usage:extracted")
async def test_a_reply_with_text_and_calls_in_pieces() -> None:
    assert await read(*REPLY) == Message(
        role="assistant",
        content=(
            TextContent(text="I look."),
            ToolUseContent(id="call_1", name="read_file", input={"path": "a"}),
            ToolUseContent(id="call_2", name="list_files"),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=100, output_tokens=20),
        model="gpt-4.1-2025-04-14",
    )


def test_pieces_are_passed_on_as_they_come() -> None:
    chunks = chunks_of(ChatDecoder("x"), map(event, REPLY))
    deltas = [(c.index, c.kind, c.text) for c in chunks if isinstance(c, BlockDelta)]
    assert deltas == [
        (0, "text", "I "),
        (0, "text", "look."),
        (1, "json", '{"path":'),
        (1, "json", '"a"}'),
    ]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("stop", "end_turn"),
        ("tool_calls", "tool_use"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("something_new", "something_new"),
    ],
)
async def test_stop_reasons_go_by_our_names(theirs: str, ours: str) -> None:
    assert (await read(piece(content="x"), piece(theirs), DONE)).stop_reason == ours


async def test_calls_stop_for_the_tools_whatever_the_server_says() -> None:
    reply = await read(call(0, "{}", id="1", name="a"), piece("stop"), DONE)
    assert reply.stop_reason == "tool_use"


async def test_a_refusal_is_text_and_a_reason() -> None:
    reply = await read(piece(refusal="I will not."), piece("stop"), DONE)
    assert (reply.text, reply.stop_reason) == ("I will not.", "refusal")


@pytest.mark.requirement("stream:reasoning:separate")
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_apart(field: str) -> None:
    reply = await read(
        piece(**{field: "Hm"}), piece(**{field: "m."}), piece(content="Hi."), piece("stop"), DONE
    )
    assert reply.content == (ReasoningContent(text="Hmm."), TextContent(text="Hi."))


@pytest.mark.requirement("stream:reasoning:separate")
async def test_mistrals_parts_are_told_apart() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    reply = await read(
        piece(content=[thought]),
        piece(content=[{"type": "text", "text": "Hi."}]),
        piece("stop"),
        DONE,
    )
    assert reply.content == (ReasoningContent(text="Hm."), TextContent(text="Hi."))


async def test_calls_at_once_are_told_apart_by_their_number() -> None:
    assert await calls(
        call(0, '{"a"', id="x", name="one"),
        call(1, '{"b"', id="y", name="two"),
        call(0, ": 1}"),
        call(1, ": 2}"),
    ) == [("x", "one", {"a": 1}), ("y", "two", {"b": 2})]


async def test_an_id_may_come_late_never_or_again() -> None:
    assert await calls(call(0, '{"a":', name="one"), call(0, "1}", id="x")) == [
        ("x", "one", {"a": 1})
    ]
    assert await calls(call(0, '{"a":', name="one"), call(0, "1}"), call(1, "", name="two")) == [
        ("call_0", "one", {"a": 1}),
        ("call_1", "two", {}),
    ]
    repeated = [call(0, text, id="x", name="one") for text in ('{"a"', ":", "1}")]
    assert await calls(*repeated) == [("x", "one", {"a": 1})]
    invented = [call(0, '{"a"', id="x", name="one"), call(0, ":1}", id="other")]
    assert await calls(*invented) == [("x", "one", {"a": 1})]


async def test_a_server_that_numbers_all_calls_alike_or_not_at_all() -> None:
    for number in (0, None):
        assert await calls(
            call(number, "{}", id="x", name="one"), call(number, '{"b":2}', id="y", name="two")
        ) == [("x", "one", {}), ("y", "two", {"b": 2})]
    assert await calls(call(None, '{"a"', id="x", name="one"), call(None, ":1}")) == [
        ("x", "one", {"a": 1})
    ]


async def test_two_calls_never_share_an_id() -> None:
    assert await calls(call(0, "{}", id="x", name="one"), call(1, "{}", id="x", name="one")) == [
        ("x", "one", {}),
        ("x_2", "one", {}),
    ]


async def test_arguments_may_be_missing_whole_or_broken() -> None:
    assert await calls(call(0, None, id="x", name="one")) == [("x", "one", {})]
    assert await calls(call(0, {"a": 1}, id="x", name="one")) == [("x", "one", {"a": 1})]
    assert await calls(call(0, '{"a', id="x", name="one")) == [("x", "one", '{"a')]


@pytest.mark.requirement("providers:usage:extracted")
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (
            {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60}},
            Usage(input_tokens=40, cache_read_tokens=60),
        ),
        (
            {"prompt_tokens": 100, "prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40},
            Usage(input_tokens=40, cache_read_tokens=60),
        ),
        ({"prompt_tokens": 9, "cached_tokens": 4}, Usage(input_tokens=5, cache_read_tokens=4)),
        (
            {
                "prompt_tokens": 100,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
            },
            Usage(input_tokens=10, cache_read_tokens=60, cache_write_tokens=30),
        ),
        (
            {"completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 30}},
            Usage(output_tokens=50, reasoning_tokens=30),
        ),
        (
            {
                "prompt_tokens": 1,
                "completion_tokens": 50,
                "total_tokens": 81,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(input_tokens=1, output_tokens=80, reasoning_tokens=30),
        ),
        (
            {"prompt_tokens": 1, "cost": 0.5, "cost_details": {"upstream_inference_cost": 0.25}},
            Usage(input_tokens=1, cost=0.75),
        ),
        ({"prompt_tokens": 1, "prompt_tokens_details": None}, Usage(input_tokens=1)),
    ],
)
async def test_usage_counts_cached_input_apart(sent: dict[str, Any], expected: Usage) -> None:
    assert (await read(piece(content="x"), piece("stop"), usage(**sent), DONE)).usage == expected


@pytest.mark.requirement("providers:compatible:groq-mistral-deepseek")
async def test_usage_that_comes_unasked_with_the_last_piece_is_found() -> None:
    counts = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    last = {**piece("stop"), "usage": counts}
    found = await read(piece(content="x"), last, DONE)
    assert found.usage == Usage(input_tokens=3, output_tokens=4)
    last = {**piece("stop"), "x_groq": {"usage": {"prompt_tokens": 3, "completion_tokens": 4}}}
    assert (await read(piece(content="x"), last)).usage == Usage(input_tokens=3, output_tokens=4)


@pytest.mark.requirement("stream:abort:partial")
async def test_a_reply_needs_a_reason_or_an_end_to_be_whole() -> None:
    for length in range(7):
        with pytest.raises(ConnectionCut, match="openai ended its reply"):
            await read(*REPLY[:length])
    assert (await read(*REPLY[:8])).stop_reason == "tool_use"
    assert (await read(piece(content="x"), DONE)).stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": "Busy", "code": 429}, RateLimited),
        ({"message": "Busy", "code": "rate_limit_exceeded"}, RateLimited),
        ({"message": "Bad gateway", "code": 502}, ServerFailed),
        ({"message": "You exceeded your current quota", "code": 429}, QuotaExceeded),
        ({"message": "No", "type": "invalid_request_error", "code": None}, BadRequest),
        ("it broke", ServerFailed),
    ],
)
async def test_an_error_in_the_stream_is_a_typed_error(
    error: Any, expected: type[RooCodeError]
) -> None:
    with pytest.raises(expected):
        await read(piece(content="x"), {"error": error, "choices": []})


async def test_a_reply_that_the_service_breaks_off_is_a_typed_error() -> None:
    with pytest.raises(ServerFailed):
        await read(piece(content="x"), piece("error"))
    with pytest.raises(Overloaded):
        await read(piece(content="x"), piece("insufficient_system_resource"))
    with pytest.raises(BadRequest, match="too many cooks"):
        await read({"object": "error", "message": "too many cooks", "code": 400})


WRONG: list[Any] = [
    "not json",
    "7",
    {"choices": {}},
    {"choices": [7]},
    {"choices": [{"delta": "x"}]},
    {"choices": [{"delta": {}, "finish_reason": 7}]},
    piece(content=7),
    piece(content=[7]),
    piece(tool_calls={}),
    piece(tool_calls=[{"index": "0", "id": "x", "function": {"name": "one"}}]),
    piece(tool_calls=[{"index": 0, "id": 7, "function": {"name": "one"}}]),
    piece(tool_calls=[{"index": 0, "id": "x", "function": {"name": "one", "arguments": 7}}]),
    piece(tool_calls=[{"index": 0, "id": "x", "function": {"arguments": "{}"}}]),
    usage(prompt_tokens="many"),
    usage(cost=1, cost_details={"upstream_inference_cost": "much"}),
]


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_wrong_shape_is_a_protocol_error(wrong: Any) -> None:
    with pytest.raises(ProtocolError):
        await read(wrong, DONE)


async def test_a_verdict_of_minimax_beside_the_choices_is_an_error() -> None:
    verdict = {"base_resp": {"status_code": 1004, "status_msg": "login fail"}}
    with pytest.raises(ServerFailed, match="login fail"):
        chunks_of(ChatDecoder("x"), [event(verdict)])
    fine = {**verdict, "base_resp": {"status_code": 0}, "choices": [{"finish_reason": "stop"}]}
    assert chunks_of(ChatDecoder("x"), [event(fine)])
