"""Asking again, with a clock that only we move."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ConnectionCut,
    EmptyReply,
    Overloaded,
    ProviderError,
    RateLimited,
    RooCodeError,
    ServerFailed,
    TimedOut,
)
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.retry import RetryPolicy, with_retry
from roo_code.stream import ApiStream, BlockDelta, StreamChunk, StreamRetry
from roo_code.testing import ModelServer, ScriptedProvider
from tests.providers.services import HELLO, provider_at


@dataclass
class Clock:
    now: float = 0
    waits: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)


def policy(clock: Clock, chance: float = 0.0, **fields: float) -> RetryPolicy:
    return RetryPolicy(sleep=clock.sleep, random=lambda: chance, **fields)  # pyright: ignore[reportArgumentType]


def said(content: TextContent | ReasoningContent, stop_reason: str = "end_turn") -> Message:
    return Message(role="assistant", content=(content,), stop_reason=stop_reason)


@pytest.mark.requirement("providers:retry:backoff")
async def test_failures_that_may_pass_are_repeated_with_growing_waits() -> None:
    clock = Clock()
    failures = [ConnectionCut("a"), RateLimited("b"), ServerFailed("c"), Overloaded("d")]
    provider = ScriptedProvider(*failures, TimedOut("e"), "At last.")
    chunks = [chunk async for chunk in with_retry(provider, HELLO, policy(clock))]
    retries = [chunk for chunk in chunks if isinstance(chunk, StreamRetry)]
    assert [(r.attempt, r.delay, str(r.error)) for r in retries] == [
        (1, 1, "a"),
        (2, 2, "b"),
        (3, 4, "c"),
        (4, 8, "d"),
        (5, 16, "e"),
    ]
    assert clock.waits == [1, 2, 4, 8, 16]
    assert len(provider.requests) == 6


@pytest.mark.requirement("providers:retry:backoff")
async def test_the_last_error_says_how_often_it_was_tried() -> None:
    clock = Clock()
    last = ServerFailed("It broke.", status=500)
    provider = ScriptedProvider(*[ServerFailed("x")] * 5, last)
    with pytest.raises(ServerFailed) as raised:
        async for _ in with_retry(provider, HELLO, policy(clock)):
            pass
    assert str(raised.value) == "It broke (tried 6 times)."
    assert raised.value.status == 500
    assert raised.value.__cause__ is last


async def test_all_waits_together_are_short_even_with_bad_luck() -> None:
    clock = Clock()
    provider = ScriptedProvider(*[ConnectionCut("x")] * 6)
    with pytest.raises(ConnectionCut):
        async for _ in with_retry(provider, HELLO, policy(clock, chance=1)):
            pass
    assert clock.now < 45


@pytest.mark.parametrize("error", [AuthenticationFailed("x"), BadRequest("x"), ValueError("x")])
async def test_what_no_repeat_mends_is_raised_at_once(error: Exception) -> None:
    clock = Clock()
    provider = ScriptedProvider(error, "never")
    with pytest.raises(type(error)) as raised:
        async for _ in with_retry(provider, HELLO, policy(clock)):
            pass
    assert raised.value is error
    assert (clock.waits, len(provider.requests)) == ([], 1)


async def test_the_service_is_given_the_pause_it_asks_for() -> None:
    clock = Clock()
    provider = ScriptedProvider(
        RateLimited("x", retry_after=20), RateLimited("x", retry_after=0.5), "Done."
    )
    async for _ in with_retry(provider, HELLO, policy(clock)):
        pass
    assert clock.waits == [20, 2]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(61, "1 min 1 s"), (7200, "2 h"), (7262.4, "2 h 1 min 2 s")],
)
async def test_a_pause_that_is_too_long_is_told_and_not_waited_for(
    seconds: float, words: str
) -> None:
    clock = Clock()
    provider = ScriptedProvider(RateLimited("Slow down.", status=429, retry_after=seconds))
    with pytest.raises(RateLimited) as raised:
        async for _ in with_retry(provider, HELLO, policy(clock)):
            pass
    assert str(raised.value) == f"Slow down (the service asks to wait {words})."
    assert (raised.value.retry_after, clock.waits) == (seconds, [])


async def test_chance_spreads_the_waits() -> None:
    clock = Clock()
    provider = ScriptedProvider(ConnectionCut("x"), ConnectionCut("x"), "Done.")
    async for _ in with_retry(provider, HELLO, policy(clock, chance=0.5, jitter=0.5)):
        pass
    assert clock.waits == [1.25, 2.5]


@pytest.mark.parametrize("empty", ["", "  \n", said(ReasoningContent(text="Hm."))])
async def test_a_reply_that_says_nothing_is_repeated(empty: str | Message) -> None:
    clock = Clock()
    stream = ApiStream(with_retry(ScriptedProvider(empty, "Hi."), HELLO, policy(clock)))
    reply = await stream.get_final_message()
    assert reply.content == (TextContent(text="Hi."),)
    provider = ScriptedProvider(empty, empty)
    with pytest.raises(EmptyReply, match=r"empty \(tried 2 times\)"):
        async for _ in with_retry(provider, HELLO, policy(clock, max_attempts=2)):
            pass


@pytest.mark.parametrize("reason", ["max_tokens", "refusal"])
async def test_silence_with_a_reason_is_not_repeated(reason: str) -> None:
    provider = ScriptedProvider(said(ReasoningContent(text="Hm."), reason))
    with pytest.raises(BadRequest) as raised:
        async for _ in with_retry(provider, HELLO, policy(Clock())):
            pass
    assert raised.value.hint != BadRequest.hint
    assert len(provider.requests) == 1


async def test_a_call_alone_is_an_answer() -> None:
    provider = ScriptedProvider([ToolUseContent(id="1", name="read_file")])
    chunks = [chunk async for chunk in with_retry(provider, HELLO, policy(Clock()))]
    assert not [chunk for chunk in chunks if isinstance(chunk, StreamRetry)]


async def test_a_single_attempt_is_raised_as_it_is() -> None:
    error = ServerFailed("x")
    with pytest.raises(ServerFailed) as raised:
        async for _ in with_retry(ScriptedProvider(error), HELLO, RetryPolicy(max_attempts=1)):
            pass
    assert raised.value is error


class OddError(ProviderError):
    """Of an outside provider, made in its own way."""

    retryable = True

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}", status=code)


async def test_an_error_of_an_outside_provider_keeps_its_kind() -> None:
    provider = ScriptedProvider(OddError(500, "a"), OddError(500, "b"))
    with pytest.raises(OddError) as raised:
        async for _ in with_retry(provider, HELLO, policy(Clock(), max_attempts=2)):
            pass
    assert (str(raised.value), raised.value.status) == ("500: b (tried 2 times).", 500)


class Closing(BaseProvider):
    """Notes that its stream was closed."""

    closed = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        try:
            yield BlockDelta(0, "text", "x")
            raise ConnectionCut("x")
        finally:
            self.closed += 1

    def model_info(self) -> ModelInfo:
        return ModelInfo(id="m")


async def test_every_attempt_is_closed_also_when_the_reader_leaves() -> None:
    provider = Closing()
    with pytest.raises(RooCodeError):
        async for _ in with_retry(provider, HELLO, policy(Clock(), max_attempts=3)):
            pass
    assert provider.closed == 3
    chunks = with_retry(provider, HELLO, policy(Clock()))
    await anext(chunks)
    await chunks.aclose()
    assert provider.closed == 4


async def test_a_server_that_drops_every_connection_is_given_up_in_time() -> None:
    clock = Clock()
    replies = [{"text": "never", "faults": ["drop"] * 6}]
    async with ModelServer(replies) as server, provider_at(server.url) as provider:
        with pytest.raises(ConnectionCut, match=r"hung up without an answer \(tried 6 times\)"):
            async for _ in with_retry(provider, HELLO, policy(clock, chance=1)):
                pass
        assert server.connections == 6
    assert clock.now < 60


@pytest.mark.requirement("providers:retry:backoff")
async def test_a_reply_after_faults_of_every_kind_is_right() -> None:
    clock = Clock()
    faults = [{"kind": "status", "status": 429, "retry_after": 3}, 500, "cut", "drop", 529]
    replies = [{"text": "One two three.", "chunk_size": 2, "faults": faults}]
    async with ModelServer(replies) as server, provider_at(server.url) as provider:
        stream = ApiStream(with_retry(provider, HELLO, policy(clock)))
        reply = await stream.get_final_message()
    assert reply.content == (TextContent(text="One two three."),)
    assert clock.waits == [3, 2, 4, 8, 16]
    assert server.problems() == []
