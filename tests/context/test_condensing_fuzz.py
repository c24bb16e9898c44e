"""Whatever the model, its summaries and its figures are: no loop, nothing malformed, an end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.context.condensing_settings import CondenseSettings
from roo_code.context.condensing_steps import MOST_CONDENSES
from roo_code.errors import BadRequest, ContextTooLong, ServerFailed
from roo_code.events import Event, MessageAdded
from roo_code.history import History
from roo_code.messages import ImageContent, Message, TextContent, ToolUseContent, Usage
from roo_code.testing.scripted_provider import Reply
from tests.context.small_window import (
    SmallWindow,
    look,
    runs_of_condenses,
    small_agent,
)
from tests.wellformed import problems

SIZES = st.sampled_from([0, 10, 500, 3000, 20_000, 150_000, 250_000])
WORDS = ("word ", "x", "漢字", " ", "\n", "a1B2+/", "\ud800")
UsageTold = Callable[[Usage], Usage | None]
TOLD: list[UsageTold] = [
    lambda usage: usage,
    lambda usage: None,
    lambda usage: Usage(input_tokens=0, output_tokens=0),
    lambda usage: Usage(input_tokens=-5, output_tokens=3),
    lambda usage: Usage(input_tokens=10**12, output_tokens=10**12),
    lambda usage: Usage(input_tokens=1, output_tokens=1),
    lambda usage: usage.replace(input_tokens=usage.input_tokens * 2),
]


@st.composite
def replies(draw: st.DrawFn, number: int) -> Reply:
    kind = draw(st.integers(0, 9))
    text = draw(st.sampled_from(WORDS)) * draw(st.sampled_from([1, 100, 5000, 60_000]))
    if kind <= 5:
        return [look(f"{number}-{n}", draw(SIZES)) for n in range(draw(st.integers(1, 4)))]
    if kind == 6:
        return [ToolUseContent(id=f"n{number}", name="nothing", input={"text": text})]
    if kind == 7:
        words = TextContent(text=f"Hm. {text}")
        return Message(role="assistant", content=(words, look(number, draw(SIZES))))
    return ContextTooLong("no") if kind == 8 else [look(number)]


SUMMARIES = st.sampled_from([
    "They looked.", "", " ", "y " * 100_000, "<summary>Good.</summary>", [look("s")],
    ServerFailed("broken"), BadRequest("no"), ContextTooLong("too long"),
])  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> tuple[SmallWindow, list[Message], CondenseSettings]:
    count = draw(st.integers(1, 25))
    script = [draw(replies(number)) for number in range(count)]
    told = [draw(SUMMARIES) for _ in range(3)]
    real, claimed = draw(st.sampled_from([(8000, 8000), (8000, 32_000), (4000, 200_000)]))
    provider = SmallWindow(
        lambda n: script[n - 1] if n <= count else "Done.",
        lambda n: told[n % 3],
        window=real,
        told=claimed,
        usage=draw(st.sampled_from(TOLD)),
    )
    said = [
        Message.from_user(
            draw(st.sampled_from(WORDS)) * draw(st.sampled_from([1, 1000, 50_000, 300_000])) + ".",
            [ImageContent(media_type="image/png", data="AAAA")] * draw(st.sampled_from([0, 0, 9])),
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    threshold = draw(st.sampled_from([5, 50, 100]))
    return provider, said, CondenseSettings(is_automatic=draw(st.booleans()), threshold=threshold)


async def drive(
    provider: SmallWindow, said: list[Message], settings: CondenseSettings, folder: Path
) -> tuple[list[Event], History]:
    """Each message in turn, whether the run before ended well or not."""
    events: list[Event] = []
    history = History()
    for message in said:
        event = MessageAdded(message=message)
        history.apply(event)
        events.append(event)
        agent = small_agent(provider, folder, settings=settings, history=history)
        with suppress(ContextTooLong):
            async for event in agent.iter():
                events.append(event)  # noqa: PERF401 - those before an error count
    return events, history


@pytest.mark.timeout(240)  # many runs; a loaded machine takes its time
@given(runs())
@settings(max_examples=40, deadline=None)
def test_condensing_always_ends_and_never_repeats_itself(
    run: tuple[SmallWindow, list[Message], CondenseSettings],
) -> None:
    provider, said, wanted = run
    with TemporaryDirectory() as folder:
        events, history = asyncio.run(drive(provider, said, wanted, Path(folder)))
    assert provider.malformed == []
    assert problems(history.messages) == []
    for made in runs_of_condenses(events):
        assert len(made) <= MOST_CONDENSES
        assert len([event for event in made if event.summary]) <= 1
    if provider.is_as_told:
        assert provider.refused == 0
    again = History(events)
    assert again.messages == history.messages
    assert (again.condenses, again.refused) == (history.condenses, history.refused)
