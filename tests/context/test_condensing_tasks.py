"""Condensing in stored tasks: budgets, restarts, and the command that asks for it."""

from pathlib import Path

import pytest

from roo_code.commands import CondenseContext, ResumeTask, SendMessage, StartTask
from roo_code.errors import ContextTooLong, ServerFailed
from roo_code.events import (
    ContextCondensed,
    Event,
    Limits,
    MessageAdded,
    RunCompleted,
    RunFailed,
    TurnStarted,
)
from roo_code.history import History, closed_messages
from roo_code.testing import scripted_client
from roo_code.testing.scripted_provider import Reply
from tests.context.small_window import Look, SmallWindow, is_summary, look
from tests.hosts import Hosted, hosted
from tests.wellformed import problems

WINDOW = 16_000  # all built-in tools are told of here


def run_on(folder: Path, provider: SmallWindow):
    return hosted(folder, lambda _: scripted_client(provider=provider), [Look()])


async def start(task: Hosted, limits: Limits | None = None) -> list[Event]:
    spec = task.spec(limits=limits or Limits())
    await task.host.handle(StartTask(task_id="t", spec=spec))
    return [record.event for record in await task.until_pause("t")]


@pytest.mark.requirement("agent:engine:context-management")
async def test_a_stored_task_is_condensed_as_often_as_it_must(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 6000)] if n < 40 else "Done.", window=WINDOW)
    async with run_on(tmp_path, provider) as task:
        events = await start(task)
        summary = await task.store.summary("t")
        stored = await task.events("t")
    assert events[-1] == RunCompleted(result="Done.")
    assert provider.malformed == []
    assert provider.refused == 0
    made = [event for event in events if isinstance(event, ContextCondensed)]
    assert len(made) > 3
    assert summary.turns == provider.answered + provider.summaries
    replies = [event.message.usage for event in events if isinstance(event, MessageAdded)]
    spent = [*replies, *(event.usage for event in made)]
    assert summary.tokens_in == sum(usage.input_tokens for usage in spent if usage)
    assert problems(closed_messages(stored)) == []


async def test_a_summary_that_the_budget_forbids_is_not_asked_for(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 9000)], window=WINDOW)
    async with run_on(tmp_path, provider) as task:
        first = await start(task, limits=Limits(turns=30))
        place = next(n for n, e in enumerate(first) if isinstance(e, ContextCondensed))
        allowed = sum(isinstance(event, TurnStarted) for event in first[:place]) - 1
    other = SmallWindow(lambda n: [look(n, 9000)], window=WINDOW)
    (tmp_path / "again").mkdir()
    async with run_on(tmp_path / "again", other) as task:
        events = await start(task, limits=Limits(turns=allowed))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].kind == "BudgetExceeded"
    assert other.summaries == 0


async def test_a_refused_request_and_its_summary_are_both_counted(tmp_path: Path) -> None:
    provider = SmallWindow(
        lambda n: [look(n, 5000)] if n < 12 else "Done.", window=WINDOW, told=200_000
    )
    async with run_on(tmp_path, provider) as task:
        events = await start(task)
        await task.host.handle(SendMessage(task_id="t", text="More?"))
        turns = sum(isinstance(event, TurnStarted) for event in events)
        await task.until_pause("t", (await task.store.summary("t")).last_seq)
    assert provider.refused > 0
    assert turns >= provider.answered + provider.summaries + provider.refused - 2
    assert events[-1] == RunCompleted(result="Done.")


async def test_too_long_for_the_service_ends_with_what_to_do(tmp_path: Path) -> None:
    provider = SmallWindow(
        lambda n: [look(n, 3000)] if n < 30 else ContextTooLong("too long"), window=200_000
    )
    async with run_on(tmp_path, provider) as task:
        events = await start(task)
        ended = events[-1]
        assert isinstance(ended, RunFailed)
        assert ended.kind == "ContextTooLong"
        assert "larger window" in ended.hint
        asked, seq = provider.answered, (await task.store.summary("t")).last_seq
    async with run_on(tmp_path, provider) as task:  # another process does not begin anew
        await task.host.handle(ResumeTask(task_id="t"))
        await task.until_pause("t", seq)
        condenses = History(await task.events("t")).condenses
    assert provider.answered <= asked + 1
    assert provider.summaries == 1
    assert condenses <= 3


async def test_a_task_that_has_ended_is_condensed_and_stays_as_it_was(tmp_path: Path) -> None:
    provider = SmallWindow(lambda n: [look(n, 9000)] if n < 3 else "Done.", window=200_000)
    async with run_on(tmp_path, provider) as task:
        events = await start(task)
        await task.executor.finish("t")
        await task.host.handle(CondenseContext(task_id="t"))
        await task.executor.finish("t")
        stored = await task.events("t")
        assert (await task.store.summary("t")).status == "completed"
    assert provider.summaries == 1
    assert stored[-1] == events[-1] == RunCompleted(result="Done.")
    assert provider.answered == 3
    async with run_on(tmp_path, provider) as task:  # nobody takes it for cut off
        await task.executor.wake("t")
        await task.executor.finish("t")
        assert await task.events("t") == stored


async def test_a_failed_task_stays_failed_when_its_summary_fails(tmp_path: Path) -> None:
    provider = SmallWindow(
        lambda n: [look(n, 9000)] if n < 3 else ServerFailed("down"),
        lambda n: ServerFailed("down"),
        window=200_000,
    )
    async with run_on(tmp_path, provider) as task:
        events = await start(task)
        await task.executor.finish("t")
        await task.host.handle(CondenseContext(task_id="t"))
        await task.executor.finish("t")
        stored = await task.events("t")
    made = next(event for event in stored if isinstance(event, ContextCondensed))
    assert made.error == "down (tried 6 times)."
    assert isinstance(events[-1], RunFailed)
    assert stored[-1] == events[-1]
    assert History(stored).messages == History(events).messages


async def test_a_running_task_hears_that_it_is_to_be_condensed(tmp_path: Path) -> None:
    def answer(number: int) -> Reply:
        return "Done." if provider.summaries else [look(number, 100)]

    provider = SmallWindow(answer, window=2_000_000)
    async with run_on(tmp_path, provider) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        async for record in task.host.follow("t"):
            if isinstance(record.event, TurnStarted) and record.event.turn == 3:
                await task.host.handle(CondenseContext(task_id="t"))
            if isinstance(record.event, RunCompleted):
                break
    assert provider.summaries == sum(map(is_summary, provider.requests)) == 1
