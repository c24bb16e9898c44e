"""Questions of running calls: the run is not parked, and whatever cuts it short ends them."""

import asyncio
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from roo_code.approval_values import ApprovalSettings
from roo_code.commands import AnswerQuestion, CancelTask, ResumeTask, SendMessage, StartTask
from roo_code.events import (
    Event,
    Limits,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    ToolFinished,
)
from roo_code.history import History
from roo_code.messages import ToolUseContent
from roo_code.task.asks import open_asks
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.tools import NotAnswered, Tool, ToolContext
from tests.hosts import Hosted, hosted
from tests.waiting import until


class NoInput(BaseModel):
    pass


class Inquire(Tool[NoInput]):
    """Asks twice, and says what it heard."""

    name = "inquire"
    description = "Ask the user."
    group = "mcp"
    input_type = NoInput
    needs_approval = False
    questions: ClassVar[tuple[str, ...]] = ("What?", "Why?")

    async def execute(self, arguments: NoInput, context: ToolContext) -> str:
        if context.ask is None:
            return "nobody is here"
        heard = [await context.ask(question, ("this", "that")) for question in self.questions]
        return " ".join(heard)


class InquireBeside(Inquire):
    """May run beside its like."""

    name = "inquire_beside"
    repeatable = True
    questions: ClassVar[tuple[str, ...]] = ("Which?",)


class Forget(Inquire):
    """Ends before it is answered, as a server may that did not want to wait."""

    name = "forget"
    told: ClassVar[list[str]] = []

    async def execute(self, arguments: NoInput, context: ToolContext) -> str:
        assert context.ask is not None
        ask, asked = context.ask, asyncio.Event()

        async def inquire() -> None:
            try:
                asked.set()
                await ask("Still there?", ())
            except NotAnswered:
                self.told.append("not answered")

        self.inquiring = asyncio.create_task(inquire())
        await asked.wait()
        return "went on"


class Reconsider(Inquire):
    """Takes its first question back, as a server may that cancels its request."""

    name = "reconsider"

    async def execute(self, arguments: NoInput, context: ToolContext) -> str:
        assert context.ask is not None
        first = asyncio.ensure_future(context.ask("This?", ()))
        await asyncio.wait([first], timeout=0.01)
        first.cancel()
        return await context.ask("Or that?", ())


def call(name: str = "inquire", id: str = "c") -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input={})


def on(folder: Path, *replies: object):
    provider = ScriptedProvider(*replies)  # pyright: ignore[reportArgumentType]
    tools = [Inquire(), InquireBeside(), Forget(), Reconsider()]
    return hosted(folder, lambda setup: scripted_client(provider=provider), tools)


async def start(
    task: Hosted, approval: ApprovalSettings | None = None, limits: Limits | None = None
) -> None:
    level = approval or ApprovalSettings(level="all")
    spec = task.spec(approval=level, limits=limits or Limits())
    await task.host.handle(StartTask(task_id="t", spec=spec))


async def asked(task: Hosted) -> list[str]:
    return [ask.id for ask in await open_asks(task.store, "t")]


async def until_asked(task: Hosted, *ids: str) -> None:
    async def is_asked() -> bool:
        return set(await asked(task)) == set(ids)

    await until(is_asked)


def answer(id: str, text: str) -> AnswerQuestion:
    return AnswerQuestion(task_id="t", tool_use_id=id, answer=text)


async def ended(task: Hosted) -> Event:
    return (await task.until_pause("t"))[-1].event


def results(events: list[Event]) -> list[str]:
    return [event.result.content for event in events if isinstance(event, ToolFinished)]


async def test_a_running_call_asks_and_goes_on_with_the_answers(tmp_path: Path) -> None:
    async with on(tmp_path, [call()], "Done.") as task:
        await start(task)
        await until_asked(task, "c.q1")
        (ask,) = await open_asks(task.store, "t")
        assert [s.text for s in ask.suggestions] == ["this", "that"]
        assert (await task.store.summary("t")).status == "running"
        await task.host.handle(answer("c.q1", "bread"))
        await until_asked(task, "c.q2")
        assert not await task.store.inbox("t")  # consumed with the record of the answer
        await task.host.handle(answer("c.q2", "hunger"))
        assert isinstance(await ended(task), RunCompleted)
        events = await task.events("t")
        assert results(events) == ["bread hunger"]
        said = [e.answer for e in events if isinstance(e, QuestionAnswered)]
        assert said == ["bread", "hunger"]
        assert not [e for e in events if isinstance(e, RunParked)]


async def test_an_answer_may_come_from_another_process(tmp_path: Path) -> None:
    async with on(tmp_path, [call("inquire_beside")], "Done.") as task, on(tmp_path) as other:
        await start(task)
        await until_asked(task, "c.q1")
        await other.store.send(answer("c.q1", "from afar"))
        assert isinstance(await ended(task), RunCompleted)
        assert results(await task.events("t")) == ["from afar"]


async def test_calls_side_by_side_hear_each_their_own_answer(tmp_path: Path) -> None:
    both = [call("inquire_beside", "a"), call("inquire_beside", "b")]
    async with on(tmp_path, both, "Done.") as task:
        await start(task)
        await until_asked(task, "a.q1", "b.q1")
        await task.host.handle(answer("b.q1", "for b"))
        await task.host.handle(answer("a.q1", "for a"))
        await task.host.handle(answer("a.q1", "twice"))
        assert isinstance(await ended(task), RunCompleted)
        assert sorted(results(await task.events("t"))) == ["for a", "for b"]
        await until(lambda: _is_empty(task))


async def _is_empty(task: Hosted) -> bool:
    return not await task.store.inbox("t")


async def test_a_message_is_no_answer_to_a_running_call(tmp_path: Path) -> None:
    """It is meant for the model; who asks here may be a stranger."""
    async with on(tmp_path, [call("inquire_beside")], "Done.") as task:
        await start(task)
        await until_asked(task, "c.q1")
        await task.host.handle(SendMessage(task_id="t", text="By the way."))
        await task.host.handle(answer("c.q1", "the answer"))
        assert isinstance(await ended(task), RunCompleted)
        assert results(await task.events("t")) == ["the answer"]


async def test_a_cancel_ends_the_wait_and_a_later_answer_is_moot(tmp_path: Path) -> None:
    async with on(tmp_path, [call()], "Went on.") as task:
        await start(task)
        await until_asked(task, "c.q1")
        await task.host.handle(CancelTask(task_id="t", reason="enough"))
        assert isinstance(await ended(task), RunCancelled)
        assert await asked(task) == []
        await task.host.handle(answer("c.q1", "too late"))
        await until(lambda: _is_empty(task))
        assert not [e for e in await task.events("t") if isinstance(e, QuestionAnswered)]


async def test_a_process_that_stops_leaves_the_call_interrupted(tmp_path: Path) -> None:
    async with on(tmp_path, [call()]) as first:
        await start(first)
        await until_asked(first, "c.q1")
    async with on(tmp_path, "Went on.") as second:
        assert await asked(second) == []  # nobody drives it: the call runs no more
        await second.store.send(answer("c.q1", "too late"))
        await second.host.handle(ResumeTask(task_id="t"))
        assert isinstance(await ended(second), RunCompleted)
        events = await second.events("t")
        assert "was interrupted while it ran" in results(events)[0]
        assert not [e for e in events if isinstance(e, QuestionAnswered)]
        assert not await second.store.inbox("t")


async def test_a_call_that_is_made_again_asks_under_a_new_id(tmp_path: Path) -> None:
    """Else an answer to what the first process asked would be taken for one to the second."""
    async with on(tmp_path, [call("inquire_beside")]) as first:
        await start(first)
        await until_asked(first, "c.q1")
    async with on(tmp_path, "Done.") as second:
        await second.store.send(answer("c.q1", "too late"))
        await second.host.handle(ResumeTask(task_id="t"))
        await until_asked(second, "c.q2")
        await second.host.handle(answer("c.q2", "now"))
        assert isinstance(await ended(second), RunCompleted)
        assert results(await second.events("t")) == ["now"]


async def test_what_nobody_waits_for_any_more_is_withdrawn(tmp_path: Path) -> None:
    Forget.told.clear()
    async with on(tmp_path, [call("forget")], "Done.") as task:
        await start(task)
        assert isinstance(await ended(task), RunCompleted)
        about = (QuestionAsked, QuestionAnswered, ToolFinished)
        asks, withdrawn, finished = [e for e in await task.events("t") if isinstance(e, about)]
        assert isinstance(asks, QuestionAsked)
        assert isinstance(withdrawn, QuestionAnswered)
        assert withdrawn.withdrawn
        assert isinstance(finished, ToolFinished)
        await until(lambda: Forget.told == ["not answered"])


async def test_the_tasks_time_runs_while_it_waits(tmp_path: Path) -> None:
    async with on(tmp_path, [call()]) as task:
        await start(task, limits=Limits(seconds=0.3))
        end = await ended(task)
        assert isinstance(end, RunFailed)
        assert end.kind == "BudgetExceeded"
        assert await asked(task) == []


async def test_where_nobody_is_there_no_call_asks(tmp_path: Path) -> None:
    async with on(tmp_path, [call()], "Done.") as task:
        await start(task, approval=ApprovalSettings(level="all", unattended=True))
        assert isinstance(await ended(task), RunCompleted)
        assert results(await task.events("t")) == ["nobody is here"]


async def test_a_question_may_be_taken_back_while_the_call_goes_on(tmp_path: Path) -> None:
    async with on(tmp_path, [call("reconsider")], "Done.") as task:
        await start(task)
        await until_asked(task, "c.q2")
        await task.host.handle(answer("c.q1", "to the first"))
        await task.host.handle(answer("c.q2", "to the second"))
        assert isinstance(await ended(task), RunCompleted)
        events = await task.events("t")
        assert results(events) == ["to the second"]
        said = [(e.answer, e.withdrawn) for e in events if isinstance(e, QuestionAnswered)]
        assert said == [("", True), ("to the second", False)]


def test_a_question_of_no_call_is_not_kept() -> None:
    question = QuestionAsked(tool_use_id="c.q1", question="?", running_call="c")
    assert History([question]).live_questions == {}
