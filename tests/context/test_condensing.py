"""A long conversation in a small window: it is made shorter, and that comes to an end."""

import asyncio
from pathlib import Path

import pytest

from roo_code.client import RooClient
from roo_code.context.condensing import Condenser
from roo_code.context.condensing_settings import CondenseSettings
from roo_code.context.condensing_steps import MOST_CONDENSES
from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    ContextTooLong,
    ProtocolError,
    ServerFailed,
    TimedOut,
)
from roo_code.events import (
    CondenseRequested,
    ContextCondensed,
    Event,
    MessageAdded,
    RunCompleted,
    TurnStarted,
)
from roo_code.history import History
from roo_code.messages import Message, ToolResult, ToolUseContent
from roo_code.testing.scripted_provider import Reply, ScriptedClient
from tests.context.small_window import (
    SmallWindow,
    condenses,
    events_of,
    is_summary,
    look,
    small_agent,
)
from tests.wellformed import problems


@pytest.mark.requirement("agent:engine:context-management")
async def test_a_task_of_two_thousand_turns_ends_in_a_window_of_eight_thousand_tokens(
    tmp_path: Path,
) -> None:
    provider = SmallWindow(lambda n: [look(n, 300)] if n < 2000 else "Done.")
    events = await events_of(small_agent(provider, tmp_path))
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.answered == 2000
    assert provider.malformed == []
    assert provider.refused == 0
    assert 20 < len(condenses(events)) < 60
    assert all(0 < e.tokens_after < e.tokens_before for e in condenses(events))


async def test_the_summary_stands_for_what_was_said_and_the_end_stays_as_it_was(
    tmp_path: Path,
) -> None:
    todos = ToolUseContent(
        id="t", name="update_todo_list", input={"todos": "[x] Look\n[ ] Mend it"}
    )
    replies: list[Reply] = [[todos], *([look(n, 4000)] for n in range(12)), "Done."]
    provider = SmallWindow(lambda n: replies[n - 1], lambda n: "They looked around.")
    agent = small_agent(provider, tmp_path)
    events = await events_of(agent, "Mend the door.")
    after = next(r for r in provider.requests[1:] if "They looked" in r.messages[0].text)
    told = after.messages[0].text
    assert "<first_request>\nMend the door.\n</first_request>" in told
    assert "[x] Look\n[ ] Mend it" in told
    assert [m.role for m in after.messages[:2]] == ["user", "assistant"]
    calls = [call.id for m in after.messages for call in m.tool_uses]
    blocks = [block for message in after.messages for block in message.content]
    answers = [block.tool_use_id for block in blocks if isinstance(block, ToolResult)]
    assert calls == answers != []
    asked = next(request for request in provider.requests if is_summary(request))
    assert asked.tools == ()
    assert "[call of look]" in asked.messages[0].text
    assert condenses(events)[0].usage is not None


async def test_before_a_summary_is_asked_for_a_turn_starts(tmp_path: Path) -> None:
    """So a budget can refuse it, and a crash finds that it may have been paid for."""
    provider = SmallWindow(lambda n: [look(n, 4000)] if n < 10 else "Done.")
    events = await events_of(small_agent(provider, tmp_path))
    turns = [event.turn for event in events if isinstance(event, TurnStarted)]
    assert turns == list(range(1, len(turns) + 1))
    assert len(turns) == provider.answered + provider.summaries
    place = events.index(condenses(events)[0])
    assert isinstance(events[place - 1], TurnStarted)


BAD_SUMMARIES: list[Reply] = [
    "",
    "   \n",
    [look("again")],
    "x" * 400_000,
    "\x00\ud800 garbage",
    ServerFailed("broken"),
    BadRequest("no"),
    ProtocolError("not JSON"),
    ContextTooLong("too long for the summary"),
]


@pytest.mark.parametrize("bad", BAD_SUMMARIES, ids=lambda bad: repr(bad)[:30])
async def test_a_bad_summary_does_not_stop_the_task(tmp_path: Path, bad: Reply) -> None:
    provider = SmallWindow(lambda n: [look(n, 2000)] if n < 40 else "Done.", lambda n: bad)
    events = await events_of(small_agent(provider, tmp_path))
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.malformed == []
    assert provider.refused == 0
    made = condenses(events)
    assert made
    assert all(bool(event.summary) != bool(event.error) for event in made)


@pytest.mark.parametrize("error", [AuthenticationFailed("no key"), TimedOut("nothing came")])
async def test_what_would_stop_the_task_anyway_costs_it_no_history(
    tmp_path: Path, error: Exception
) -> None:
    provider = SmallWindow(lambda n: [look(n, 4000)], lambda n: error)
    agent = small_agent(provider, tmp_path)
    with pytest.raises(type(error)):
        await events_of(agent)
    assert agent.history.condenses == 0
    assert not any(block.type == "text" for block in agent.history.messages[-1].content)


async def test_without_automatic_condensing_the_oldest_is_left_out(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 2000)] if n < 40 else "Done.")
    settings = CondenseSettings(is_automatic=False)
    agent = small_agent(provider, tmp_path, settings=settings)
    events = await events_of(agent, "Mend the door.")
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.summaries == 0
    first = provider.requests[-1].messages[0]
    assert first.text.startswith("Mend the door.[What was said here is left out")
    assert first.text.count("left out") == 1


async def test_a_window_smaller_than_was_told_is_learned_once(tmp_path: Path) -> None:
    provider = SmallWindow(
        lambda n: [look(n, 1000)] if n < 60 else "Done.", window=6000, told=200_000
    )
    agent = small_agent(provider, tmp_path)
    events = await events_of(agent)
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.malformed == []
    assert provider.refused <= 2
    assert 0 < History(events).refused <= 7000


async def test_a_service_that_refuses_everything_is_asked_a_few_times(tmp_path: Path) -> None:
    provider = SmallWindow(
        lambda n: [look(n, 3000)] if n < 30 else ContextTooLong("no"), window=200_000
    )
    agent = small_agent(provider, tmp_path)
    with pytest.raises(ContextTooLong, match=r"still refuses .*: no"):
        await events_of(agent)
    assert agent.history.condenses == MOST_CONDENSES
    assert provider.summaries == 1
    resumed = small_agent(provider, tmp_path, history=agent.history)
    asked = provider.answered
    with pytest.raises(ContextTooLong):
        await events_of(resumed, None)
    assert provider.answered == asked + 1


async def test_instructions_that_fill_the_window_are_told_of(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: "Hi.", window=1000)
    agent = small_agent(provider, tmp_path)
    agent._system_prompt = "Be brief. " * 400  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ContextTooLong, match="The instructions and tools take"):
        await events_of(agent)
    assert provider.requests == []


async def test_a_giant_result_is_cut_and_kept_whole_in_a_file(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 190_000)] if n < 3 else "Done.")
    agent = small_agent(provider, tmp_path)
    events = await events_of(agent)
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.summaries == 0  # all the rest is as it was
    results = [b for m in agent.history.messages for b in m.content if isinstance(b, ToolResult)]
    assert [len(result.content) < 6000 for result in results] == [True, True]
    path = results[0].content.partition("All of it is in ")[2].partition(".txt")[0] + ".txt"
    assert len(Path(path).read_text(encoding="utf-8")) == 190_000


async def test_a_request_of_sixteen_million_characters_is_cut(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: "Done.")
    agent = small_agent(provider, tmp_path)
    events = await events_of(agent, "x" * 16_000_000)
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.refused == 0
    said = provider.requests[0].messages[0].text
    assert "16,000,000 characters" in said
    assert len(said) < 20_000


def asked_to_condense(*events: Event) -> History:
    return History([*events, CondenseRequested()])


async def test_it_is_condensed_when_somebody_asks(tmp_path: Path) -> None:
    said = MessageAdded(message=Message.from_user("Tell me. " * 300))
    history = asked_to_condense(said, reply("A story. " * 300), said)
    provider = SmallWindow(lambda n: "Done.", window=200_000)
    agent = small_agent(provider, tmp_path, history=history)
    events = await events_of(agent, None)
    (made,) = condenses(events)
    assert made.summary
    assert made.tokens_after < made.tokens_before
    assert not history.condense_requested
    assert provider.requests[-1].messages[-1].text.endswith("Tell me. " * 300)


async def test_what_was_just_condensed_is_not_condensed_again(tmp_path: Path) -> None:
    said = MessageAdded(message=Message.from_user("Tell me. " * 300))
    made = ContextCondensed(summary="So far.", kept=1, tokens_before=9, tokens_after=5)
    history = asked_to_condense(said, reply("A story."), said, made)
    provider = SmallWindow(lambda n: "Done.", window=200_000)
    events = await events_of(small_agent(provider, tmp_path, history=history), None)
    assert condenses(events) == []


async def test_a_summary_that_failed_without_need_loses_nothing(tmp_path: Path) -> None:
    said = MessageAdded(message=Message.from_user("Tell me."))
    history = asked_to_condense(said, reply("A story."), said)
    before = list(history.messages)
    provider = SmallWindow(lambda n: "Done.", lambda n: ServerFailed("broken"), window=200_000)
    events = await events_of(small_agent(provider, tmp_path, history=history), None)
    (made,) = condenses(events)
    assert made.error == "broken (tried 6 times)."
    assert history.messages[:-1] == before


def reply(text: str) -> MessageAdded:
    return MessageAdded(message=Message(role="assistant", content=Message.from_user(text).content))


async def test_a_threshold_condenses_long_before_the_window_is_full(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 1000)] if n < 40 else "Done.", window=20_000)
    settings = CondenseSettings(threshold=10)
    events = await events_of(small_agent(provider, tmp_path, settings=settings))
    assert {2000 <= event.tokens_before < 3000 for event in condenses(events)} == {True}


async def test_a_summary_that_is_cancelled_leaves_the_history_as_it_was(tmp_path: Path) -> None:
    def summary(number: int) -> Reply:
        if number == 1:
            run.cancel()
        return "So far."

    provider = SmallWindow(lambda n: [look(n, 4000)] if n < 10 else "Done.", summary)
    agent = small_agent(provider, tmp_path)
    run = asyncio.create_task(events_of(agent))
    with pytest.raises(asyncio.CancelledError):
        await run
    assert provider.summaries == 1
    assert agent.history.condenses == 0
    assert problems(agent.history.messages) == []
    again = small_agent(provider, tmp_path, history=agent.history)
    events = await events_of(again, None)
    assert condenses(events)[0].summary
    assert events[-1] == RunCompleted(result="Done.")


async def test_another_model_may_make_the_summaries(tmp_path: Path) -> None:
    made: list[ClosedClient] = []

    def create() -> RooClient:
        other = SmallWindow(lambda n: "never", lambda n: "By another.", window=3000)
        made.append(ClosedClient(other))
        return made[-1]

    provider = SmallWindow(lambda n: [look(n, 4000)] if n < 12 else "Done.")
    agent = small_agent(provider, tmp_path)
    agent.condenser = Condenser(agent, create_client=create)
    events = await events_of(agent)
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.summaries == 0
    assert all("By another." in event.summary for event in condenses(events))
    assert [(len(client.requests), client.is_closed) for client in made] == [(1, True)] * len(made)


class ClosedClient(ScriptedClient):
    is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True
