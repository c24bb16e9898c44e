"""A task that waits for another: results find their way back, whatever restarts in between."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code.client import RooClient
from roo_code.commands import CancelTask, ResumeTask, SendMessage, StartTask
from roo_code.errors import AuthenticationFailed
from roo_code.events import (
    Limits,
    MessageAdded,
    ParentCall,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SubtaskStarted,
    Waiting,
)
from roo_code.messages import Message, ToolUseContent
from roo_code.task.leases import process_owner
from roo_code.task.log import EventLog
from roo_code.task.store import TaskQuery
from roo_code.task.task import TaskSetup
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.tools import Deferred, Tool, ToolContext, ToolGroup
from tests.hosts import Hosted, hosted
from tests.waiting import until


class DelegateInput(BaseModel):
    prompt: str


class Delegate(Tool[DelegateInput]):
    """Hands its prompt to a subtask."""

    name = "delegate"
    description = "Let another task do it."
    group: ToolGroup = "modes"  # pyright: ignore[reportIncompatibleVariableOverride]
    input_type = DelegateInput
    repeatable = True

    async def execute(self, arguments: DelegateInput, context: ToolContext) -> str:
        raise Deferred(
            SubtaskStarted(
                tool_use_id=context.tool_use_id,
                subtask_id=f"sub-{context.tool_use_id}",
                prompt=arguments.prompt,
            )
        )


def delegate(id: str, prompt: str) -> ToolUseContent:
    return ToolUseContent(id=id, name="delegate", input={"prompt": prompt})


def clients(providers: dict[str, ScriptedProvider]) -> Callable[[TaskSetup], RooClient]:
    return lambda setup: scripted_client(provider=providers[setup.task_id])


async def end_of(task: Hosted, task_id: str) -> object:
    async for record in task.host.follow(task_id):
        if isinstance(record.event, RunCompleted | RunFailed | RunCancelled):
            return record.event
    return None


async def test_the_results_of_two_subtasks_answer_the_calls(tmp_path: Path) -> None:
    root = ScriptedProvider([delegate("a", "A?"), delegate("b", "B?")], "Both done.")
    providers = {"t": root, "sub-a": ScriptedProvider("I am A."), "sub-b": ScriptedProvider("B!")}
    async with hosted(tmp_path, clients(providers), [Delegate()]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        assert await end_of(task, "t") == RunCompleted(result="Both done.")
        answers = root.requests[-1].messages[-1].to_json()
        assert "I am A." in answers
        assert "B!" in answers
        children = await task.store.summaries(TaskQuery(parent="t", subtasks=True))
        assert {child.id for child in children} == {"sub-a", "sub-b"}


async def test_three_levels_survive_a_restart_after_every_pause(tmp_path: Path) -> None:
    providers = {
        "t": ScriptedProvider([delegate("a", "A?")], "Top."),
        "sub-a": ScriptedProvider([delegate("b", "B?")], "Middle."),
        "sub-b": ScriptedProvider("Bottom."),
    }
    ended: object = None
    async with hosted(tmp_path, clients(providers), [Delegate()]) as task:
        await task.store.create("t", task.spec())
    for _ in range(12):
        async with hosted(tmp_path, clients(providers), [Delegate()]) as task:
            before = (await task.store.summary("t")).last_seq
            await task.host.handle(ResumeTask(task_id="t"))
            children = await task.store.summaries(TaskQuery(subtasks=True))
            for child in children:
                await task.executor.wake(child.id)
            record = None
            async for record in task.host.follow("t", before):
                if isinstance(record.event, RunParked | RunCompleted):
                    break
            ended = record.event if record else None
            if isinstance(ended, RunCompleted):
                break
    assert ended == RunCompleted(result="Top.")
    assert [len(p.requests) for p in providers.values()] == [2, 2, 1]


async def test_a_failed_subtask_is_an_answer_not_a_hang(tmp_path: Path) -> None:
    root = ScriptedProvider([delegate("a", "A?")], "I see.")
    broken = ScriptedProvider(AuthenticationFailed("No such key.", status=401))
    async with hosted(tmp_path, clients({"t": root, "sub-a": broken}), [Delegate()]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        assert await end_of(task, "t") == RunCompleted(result="I see.")
        assert "No such key." in root.requests[-1].messages[-1].to_json()


async def test_cancelling_a_parent_cancels_what_it_started(tmp_path: Path) -> None:
    root = ScriptedProvider([delegate("a", "A?")])
    sleepy = ToolUseContent(
        id="s", name="execute_command", input={"command": "touch started; sleep 600"}
    )
    providers = {"t": root, "sub-a": ScriptedProvider([sleepy])}
    async with hosted(tmp_path, clients(providers), [Delegate()]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await until((task.workspace / "started").exists)
        await task.host.handle(CancelTask(task_id="t"))
        assert isinstance(await end_of(task, "t"), RunCancelled)
        assert isinstance(await end_of(task, "sub-a"), RunCancelled)


@pytest.mark.parametrize("turns", [1, 2])
async def test_a_budget_counts_subtasks_in(tmp_path: Path, turns: int) -> None:
    root = ScriptedProvider([delegate("a", "A?")], "Done.")
    child = ScriptedProvider("Never asked." if turns == 1 else "Asked.")
    async with hosted(tmp_path, clients({"t": root, "sub-a": child}), [Delegate()]) as task:
        spec = task.spec(limits=Limits(turns=turns))
        await task.host.handle(StartTask(task_id="t", spec=spec))
        ended = await end_of(task, "t")
        assert isinstance(ended, RunFailed)
        assert ended.kind == "BudgetExceeded"
        assert len(child.requests) == turns - 1


async def test_a_cancelled_parent_stays_cancelled_when_its_subtask_reports(tmp_path: Path) -> None:
    root = ScriptedProvider([delegate("a", "A?")], "Never said.")
    sleepy = ToolUseContent(
        id="s", name="execute_command", input={"command": "touch started; sleep 600"}
    )
    providers = {"t": root, "sub-a": ScriptedProvider([sleepy], "Late.")}
    async with hosted(tmp_path, clients(providers), [Delegate()]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await until((task.workspace / "started").exists)
        await task.host.handle(CancelTask(task_id="t"))
        assert isinstance(await end_of(task, "sub-a"), RunCancelled)

        async def is_heard() -> bool:  # the report of the subtask was taken from the inbox
            return not await task.store.inbox("t")

        await until(is_heard)
        assert (await task.store.summary("t")).status == "cancelled"
        assert len(root.requests) == 1
        # taken up again, it waits for the subtask's answer, which is there already
        await task.host.handle(ResumeTask(task_id="t"))
        async for record in task.host.follow("t", (await task.store.summary("t")).last_seq):
            if isinstance(record.event, RunCompleted):
                break
        assert "was cancelled" in root.requests[-1].messages[-1].to_json()


async def test_cancelling_a_parked_parent_does_not_start_its_subtask(tmp_path: Path) -> None:
    root = ScriptedProvider([delegate("a", "A?")])
    async with hosted(tmp_path, clients({"t": root}), [Delegate()]) as task:
        await task.store.create("t", task.spec())
        lease = await task.store.acquire("t", process_owner())
        assert lease is not None
        records = [
            MessageAdded(message=Message(role="assistant", content=(delegate("a", "A?"),))),
            SubtaskStarted(tool_use_id="a", subtask_id="sub-a", prompt="A?"),
            RunParked(waiting_for=(Waiting(kind="subtask", tool_use_id="a"),)),
        ]
        log = EventLog(task.store, lease, 1, lambda record: None)
        for event in records:  # the process died before it could start the subtask
            log.append(event)
        await log.flush()
        await task.store.release(lease)
        await task.host.handle(CancelTask(task_id="t"))
        assert isinstance(await end_of(task, "t"), RunCancelled)
        await task.executor.aclose()
        assert await task.store.summaries(TaskQuery(parent="t", subtasks=True)) == []


async def test_a_subtask_that_did_not_hear_of_the_cancel_is_cancelled_when_it_is_taken_up(
    tmp_path: Path,
) -> None:
    child = ScriptedProvider("Never said.", "Said.")
    async with hosted(tmp_path, clients({"sub-a": child}), [Delegate()]) as task:
        await task.store.create("t", task.spec())
        parent = ParentCall(task_id="t", tool_use_id="a")
        await task.store.create("sub-a", task.spec("A?", parent=parent))
        lease = await task.store.acquire("t", process_owner())
        assert lease is not None
        log = EventLog(task.store, lease, 1, lambda record: None)
        log.append(RunCancelled())  # and the process died before it could tell
        await log.flush()
        await task.store.release(lease)
        await task.executor.recover()
        assert isinstance(await end_of(task, "sub-a"), RunCancelled)
        assert child.requests == []
        # somebody who wants it all the same has their way
        await task.host.handle(SendMessage(task_id="sub-a", text="Go on."))
        seq = (await task.store.summary("sub-a")).last_seq
        async for record in task.host.follow("sub-a", seq):
            if isinstance(record.event, RunCompleted):
                break
