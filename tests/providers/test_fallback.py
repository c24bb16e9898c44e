"""The next provider answers when one fails for good, on a clock that only we move."""

from typing import Any

import pytest

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ConfigError,
    ConnectionCut,
    ConnectionFailed,
    ContextTooLong,
    Overloaded,
    QuotaExceeded,
    RateLimited,
    RooCodeError,
    ServerFailed,
)
from roo_code.events import Event, MessageAdded, ProviderSwitched, ReplyRestarted, TextDelta
from roo_code.messages import Message, TextContent, Usage
from roo_code.providers.base import ModelInfo
from roo_code.providers.fallback import FallbackPolicy, FallbackProvider, Member
from roo_code.providers.retry import RetryPolicy
from roo_code.reply_view import ReplyView
from roo_code.stream import ApiStream, StreamChunk, StreamRetry, StreamSwitch
from roo_code.testing import ModelServer, ScriptedProvider
from tests.providers.requests import settings
from tests.providers.services import HELLO, provider_at


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def member(name: str, *replies: Any, clock: Clock, price: float = 1, attempts: int = 2) -> Member:
    info = ModelInfo(id=f"model-{name}", input_price=price, output_price=price)
    retry = RetryPolicy(max_attempts=attempts, sleep=clock.sleep, random=lambda: 0)
    return Member(name, ScriptedProvider(*replies, info=info), retry)


def asked(member: Member) -> int:
    assert isinstance(member.provider, ScriptedProvider)
    return len(member.provider.requests)


def joined(*members: Member, clock: Clock, **fields: Any) -> FallbackProvider:
    return FallbackProvider(members, FallbackPolicy(clock=clock, **fields))


async def chunks(provider: FallbackProvider) -> list[StreamChunk]:
    return [chunk async for chunk in provider.stream(HELLO)]


async def text(provider: FallbackProvider) -> str:
    return (await ApiStream(provider.stream(HELLO)).get_final_message()).text


@pytest.mark.requirement("providers:fallback:switch")
@pytest.mark.parametrize(
    ("error", "requests"),
    [
        (QuotaExceeded("x"), 1),
        (AuthenticationFailed("x"), 1),
        (RateLimited("x"), 2),
        (RateLimited("x", retry_after=9000), 1),
        (Overloaded("x"), 2),
        (ServerFailed("x"), 2),
        (ConnectionFailed("x"), 2),
    ],
)
async def test_the_next_one_answers_once_repeats_are_in_vain(
    error: RooCodeError, requests: int
) -> None:
    clock = Clock()
    first = member("a", *[error] * requests, clock=clock)
    second = member("b", "Hi.", "Again.", clock=clock)
    provider = joined(first, second, clock=clock, seconds=60)
    seen = await chunks(provider)
    (switch,) = [chunk for chunk in seen if isinstance(chunk, StreamSwitch)]
    assert (switch.previous, switch.current, switch.seconds) == ("a", "b", 60)
    assert type(switch.error) is type(error)
    assert len([chunk for chunk in seen if isinstance(chunk, StreamRetry)]) == requests - 1
    assert (asked(first), provider.model_info().id) == (requests, "model-b")
    assert await text(provider) == "Again."  # and it goes on, without asking the first
    assert asked(first) == requests


@pytest.mark.parametrize("error", [BadRequest("x"), ContextTooLong("x"), ConfigError("x")])
async def test_what_is_wrong_everywhere_is_told_at_once(error: RooCodeError) -> None:
    clock = Clock()
    second = member("b", clock=clock)
    with pytest.raises(type(error)) as raised:
        await chunks(joined(member("a", error, clock=clock), second, clock=clock))
    assert raised.value is error
    assert asked(second) == 0


async def test_the_first_is_tried_again_after_a_while_and_that_is_shown() -> None:
    clock = Clock()
    first = member("a", QuotaExceeded("x"), "Back.", clock=clock)
    second = member("b", "Hi.", "Still.", clock=clock)
    provider = joined(first, second, clock=clock, seconds=60)
    assert await text(provider) == "Hi."
    clock.now += 59
    assert await text(provider) == "Still."
    clock.now += 1
    switch, *rest = await chunks(provider)
    assert switch == StreamSwitch("b", "a", None, 0)
    assert not [chunk for chunk in rest if isinstance(chunk, StreamSwitch)]
    assert provider.model_info().id == "model-a"


async def test_all_are_tried_in_order_and_the_last_error_names_the_others() -> None:
    clock = Clock()
    members = [
        member("a", QuotaExceeded("No credit."), AuthenticationFailed("No."), clock=clock),
        member("b", AuthenticationFailed("Wrong key."), "Hi.", clock=clock),
        member("c", ConnectionCut("Gone."), clock=clock, attempts=1),
    ]
    provider = joined(*members, clock=clock)
    with pytest.raises(ConnectionCut) as raised:
        await chunks(provider)
    assert str(raised.value) == "Gone (a, b failed before)."
    # All rest, and still one of them is better than none.
    assert await text(provider) == "Hi."
    assert [asked(m) for m in members] == [2, 2, 1]


async def test_one_alone_fails_as_it_is() -> None:
    clock, error = Clock(), QuotaExceeded("x")
    with pytest.raises(QuotaExceeded) as raised:
        await chunks(joined(member("a", error, clock=clock), clock=clock))
    assert raised.value is error


async def test_tasks_learn_from_one_another_who_is_down() -> None:
    clock = Clock()
    resting: dict[str, float] = {}
    for failures in ([QuotaExceeded("x")], []):
        first = member("a", *failures, clock=clock)
        second = member("b", "Hi.", clock=clock)
        assert await text(joined(first, second, clock=clock, resting=resting)) == "Hi."
        assert asked(first) == len(failures)


async def events(client: RooClient) -> list[Event]:
    return [event async for event in Agent(client).iter("Hello")]


@pytest.mark.requirement("providers:fallback:switch")
async def test_a_switch_is_an_event_and_the_cost_is_that_of_who_answered() -> None:
    clock = Clock()
    used = Message(
        role="assistant",
        content=(TextContent(text="Hi."),),
        usage=Usage(input_tokens=1_000_000, output_tokens=0),
    )
    members = (
        member("a", QuotaExceeded("No credit."), clock=clock, price=100),
        member("b", used, clock=clock, price=2),
    )
    client = RooClient(settings("scripted"), provider=joined(*members, clock=clock))
    seen = await events(client)
    assert [e for e in seen if isinstance(e, ProviderSwitched)] == [
        ProviderSwitched(
            previous="a", current="b", error="No credit.", kind="QuotaExceeded", seconds=300
        )
    ]
    usages = [e.message.usage for e in seen if isinstance(e, MessageAdded)]
    assert usages[-1] == Usage(input_tokens=1_000_000, cost=2)
    await client.aclose()


async def test_what_was_shown_before_the_switch_is_taken_back() -> None:
    clock = Clock()
    cut: dict[str, Any] = {"text": "One two three.", "chunk_size": 4}
    cut["faults"] = [{"kind": "cut", "after_chunks": 4}]
    async with (
        ModelServer([cut]) as server,
        provider_at(server.url) as first,
    ):
        retry = RetryPolicy(max_attempts=1)
        members = (Member("a", first, retry), member("b", "Another.", clock=clock))
        view = ReplyView()
        stream = ApiStream(joined(*members, clock=clock).stream(HELLO))
        seen = [event async for chunk in stream.stream() for event in view.show(chunk)]
        reply = await stream.get_final_message()
    shown = ""
    for event in seen:
        if isinstance(event, TextDelta):
            shown += event.text
        elif isinstance(event, ReplyRestarted):
            shown = ""
    assert shown == reply.text == "Another."
    kinds = [type(event) for event in seen]
    assert kinds.index(TextDelta) < kinds.index(ProviderSwitched) < kinds.index(ReplyRestarted)


def test_the_policy_is_read_from_the_settings() -> None:
    found = FallbackPolicy.read({"fallbackOn": ["quota", "network"], "fallbackSeconds": 5})
    assert [kind.__name__ for kind in found.kinds] == ["QuotaExceeded", "TransportError"]
    assert found.seconds == 5
    assert FallbackPolicy.read({}) == FallbackPolicy()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fallbackOn": ["bad_request"]}, "there is no error 'bad_request'"),
        ({"fallbackOn": "quota"}, "must be a list"),
        ({"fallbackSeconds": -1}, "must be a number of seconds"),
        ({"fallbackSeconds": True}, "must be a number of seconds"),
    ],
)
def test_a_wrong_policy_is_told(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        FallbackPolicy.read(options)
