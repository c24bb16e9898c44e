"""Tasks through the host: commands in, records out, whatever restarts in between."""

import asyncio
from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.commands import (
    AnswerQuestion,
    CancelTask,
    RespondToApproval,
    ResumeTask,
    SendMessage,
    StartTask,
)
from roo_code.errors import RateLimited, ServerFailed, TaskNotFound
from roo_code.events import (
    EventRecord,
    Limits,
    MessageAdded,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
)
from roo_code.history import closed_messages
from roo_code.json_text import JsonValue
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.task.store import TaskQuery
from roo_code.testing import ScriptedProvider, scripted_client
from tests.hosts import Hosted, hosted
from tests.waiting import until
from tests.wellformed import problems


def use(id: str, name: str, **input: str | int) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=dict(input))


def provider_of(*replies: object) -> ScriptedProvider:
    return ScriptedProvider(*replies)  # pyright: ignore[reportArgumentType]


ASK = ApprovalSettings(level="ask")


def run_on(folder: Path, *replies: object):
    provider = provider_of(*replies)
    return hosted(folder, lambda setup: scripted_client(provider=provider))


def types(records: list[EventRecord]) -> list[str]:
    return [record.event.type for record in records]


@pytest.mark.requirement("agent:engine:no-editor")
async def test_a_task_runs_to_its_end_and_is_stored(tmp_path: Path) -> None:
    call = use("1", "write_to_file", path="a.txt", content="hi\n")
    async with run_on(tmp_path, [call], "Done.") as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        records = await task.until_pause("t")
        assert [t for t in types(records) if not t.endswith("_delta")] == [
            "task_created",
            "turn_started",
            "message_added",
            "approval_decided",
            "tool_started",
            "tool_finished",
            "turn_started",
            "message_added",
            "run_completed",
        ]
        stored = [r for r in records if r.event.durable]
        assert stored == await task.store.read("t")
        assert [r.seq for r in stored] == list(range(1, len(stored) + 1))
        assert (task.workspace / "a.txt").read_text(encoding="utf-8") == "hi\n"


@pytest.mark.requirement("agent:history:resume", "agent:engine:task-lifecycle")
async def test_an_ended_task_goes_on_with_a_message_in_another_process(tmp_path: Path) -> None:
    async with run_on(tmp_path, "One.") as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec("Say one.")))
        last = (await task.until_pause("t"))[-1].seq
    provider = provider_of("Two.")
    async with hosted(tmp_path, lambda setup: scripted_client(provider=provider)) as task:
        await task.host.handle(SendMessage(task_id="t", text="And two?"))
        end = (await task.until_pause("t", last))[-1].event
        assert end == RunCompleted(result="Two.")
        said = [message.text for message in provider.requests[0].messages]
        assert said == ["Say one.", "One.", "And two?"]


async def test_an_approval_is_asked_parked_and_answered_in_another_process(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="echo ran >> out.txt")
    async with run_on(tmp_path, [call]) as first:
        await first.host.handle(StartTask(task_id="t", spec=first.spec(approval=ASK)))
        parked = (await first.until_pause("t"))[-1]
        assert isinstance(parked.event, RunParked)
        assert (await first.store.summary("t")).status == "parked"
    async with run_on(tmp_path, "Done.") as second:
        answer = RespondToApproval(task_id="t", tool_use_id="1", approved=True)
        await second.host.handle(answer)
        await second.host.handle(answer)  # a repeat is harmless
        end = (await second.until_pause("t", parked.seq))[-1].event
        assert end == RunCompleted(result="Done.")
        out = second.workspace / "out.txt"
        assert out.read_text(encoding="utf-8") == "ran\n"


async def test_a_refusal_with_words_reaches_the_model(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="rm -rf .")
    provider = provider_of([call], "Then I won't.")
    async with hosted(tmp_path, lambda setup: scripted_client(provider=provider)) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec(approval=ASK)))
        await task.until_pause("t")
        no = RespondToApproval(task_id="t", tool_use_id="1", approved=False, feedback="Never!")
        await task.host.handle(no)
        seq = (await task.store.summary("t")).last_seq
        await task.until_pause("t", seq)
        assert "Never!" in provider.requests[-1].messages[-1].to_json()


@pytest.mark.requirement("tools:ask-followup:answer")
async def test_a_question_is_answered_by_command_or_by_just_talking(tmp_path: Path) -> None:
    question: dict[str, JsonValue] = {"question": "Which?", "follow_up": [{"text": "A"}]}
    ask = [ToolUseContent(id="1", name="ask_followup_question", input=question)]
    for task_id, command in (
        ("t1", AnswerQuestion(task_id="t1", tool_use_id="1", answer="B")),
        ("t2", SendMessage(task_id="t2", text="B")),
    ):
        provider = provider_of(ask, "B it is.")
        async with hosted(tmp_path, lambda setup, p=provider: scripted_client(provider=p)) as task:
            await task.host.handle(StartTask(task_id=task_id, spec=task.spec()))
            parked = (await task.until_pause(task_id))[-1]
            assert isinstance(parked.event, RunParked)
            assert parked.event.waiting_for[0].kind == "question"
            await task.host.handle(command)
            end = (await task.until_pause(task_id, parked.seq))[-1].event
            assert end == RunCompleted(result="B it is.")
            [result] = provider.requests[-1].messages[-1].content
            assert isinstance(result, ToolResult)
            assert (result.tool_use_id, "\nB\n" in result.content) == ("1", True)


async def test_an_answer_nobody_asked_for_changes_nothing(tmp_path: Path) -> None:
    async with run_on(tmp_path, "Done.") as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await task.until_pause("t")
        await task.host.handle(RespondToApproval(task_id="t", tool_use_id="9", approved=True))
        await task.host.handle(ResumeTask(task_id="t"))
        await until(lambda: inbox_is_empty(task))
        assert (await task.store.summary("t")).status == "completed"


async def test_a_command_to_an_unknown_task_is_refused(tmp_path: Path) -> None:
    async with run_on(tmp_path) as task:
        with pytest.raises(TaskNotFound):
            await task.host.handle(CancelTask(task_id="nope"))


@pytest.mark.requirement("agent:engine:cancel-stops-work")
@pytest.mark.parametrize("where", ["same process", "another process"])
async def test_a_cancel_stops_the_tool_and_ends_the_log(tmp_path: Path, where: str) -> None:
    call = use("1", "execute_command", command="echo started > out.txt; sleep 600")
    async with run_on(tmp_path, [call]) as task, run_on(tmp_path) as other:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await until((task.workspace / "out.txt").exists)
        sender = task if where == "same process" else other
        await sender.host.handle(CancelTask(task_id="t", reason="enough"))
        async with asyncio.timeout(10):
            end = (await task.until_pause("t"))[-1].event
        assert end == RunCancelled(reason="enough")
        assert problems(closed_messages(await task.events("t"))) == []


async def test_a_parked_or_waiting_task_can_be_cancelled_by_anyone(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="true")
    async with run_on(tmp_path, [call]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec(approval=ASK)))
        parked = (await task.until_pause("t"))[-1]
    async with run_on(tmp_path, "Fine.") as other:
        await other.host.handle(CancelTask(task_id="t"))
        ended = (await other.until_pause("t", parked.seq))[-1]
        assert isinstance(ended.event, RunCancelled)
        await other.host.handle(SendMessage(task_id="t", text="Go on without it."))
        assert (await other.until_pause("t", ended.seq))[-1].event == RunCompleted(result="Fine.")


async def test_a_message_sent_while_the_task_runs_is_heard_before_the_next_turn(
    tmp_path: Path,
) -> None:
    call = use(
        "1", "execute_command", command="echo > started; while [ ! -e go ]; do sleep 0.01; done"
    )
    provider = provider_of([call], "Heard.")
    async with hosted(tmp_path, lambda setup: scripted_client(provider=provider)) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await until((task.workspace / "started").exists)
        await task.host.handle(SendMessage(task_id="t", text="Also this."))
        (task.workspace / "go").touch()
        await task.until_pause("t")
        last = provider.requests[-1].messages[-1]
        assert [block.type for block in last.content] == ["tool_result", "text"]
        assert last.text == "Also this."


async def test_a_failed_run_says_why_and_can_be_resumed(tmp_path: Path) -> None:
    broken = ServerFailed("The service broke.", status=500)
    async with run_on(tmp_path, *[broken] * 6) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        failed = (await task.until_pause("t"))[-1]
        assert isinstance(failed.event, RunFailed)
        assert "The service broke" in failed.event.error
        assert failed.event.hint
    async with run_on(tmp_path, "Better.") as task:
        await task.host.handle(ResumeTask(task_id="t"))
        assert (await task.until_pause("t", failed.seq))[-1].event == RunCompleted(result="Better.")


async def test_retries_are_seen_and_text_is_not_repeated(tmp_path: Path) -> None:
    limited = RateLimited("Slow down.", status=429, retry_after=0.01)
    async with run_on(tmp_path, limited, "Hello.") as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        records = await task.until_pause("t")
        assert "request_retried" in types(records)
        assert records[-1].event == RunCompleted(result="Hello.")


@pytest.mark.parametrize("limits", [Limits(turns=2), Limits(tokens=1), Limits(seconds=0.001)])
async def test_a_budget_ends_the_run_and_survives_a_restart(tmp_path: Path, limits: Limits) -> None:
    calls = [[use(str(n), "execute_command", command=f"echo {n}")] for n in range(5)]
    async with run_on(tmp_path, *calls) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec(limits=limits)))
        failed = (await task.until_pause("t"))[-1]
        assert isinstance(failed.event, RunFailed)
        assert failed.event.kind == "BudgetExceeded"
        turns = (await task.store.summary("t")).turns
    provider = provider_of("Done.")
    async with hosted(tmp_path, lambda setup: scripted_client(provider=provider)) as task:
        await task.host.handle(ResumeTask(task_id="t"))
        again = (await task.until_pause("t", failed.seq))[-1]
        assert isinstance(again.event, RunFailed)
        assert provider.requests == []
        assert (await task.store.summary("t")).turns <= turns + 1
        more = task.spec(limits=Limits())
        await task.host.handle(ResumeTask(task_id="t", spec=more))
        assert (await task.until_pause("t", again.seq))[-1].event == RunCompleted(result="Done.")


async def test_two_hosts_resume_one_task_and_one_drives(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="echo x >> out.txt")
    async with run_on(tmp_path, [call]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec(approval=ASK)))
        await task.until_pause("t")
        await task.store.send(RespondToApproval(task_id="t", tool_use_id="1", approved=True))
    first = run_on(tmp_path, "Done.", "Twice?")
    second = run_on(tmp_path, "Done.", "Twice?")
    async with first as a, second as b:
        await asyncio.gather(
            a.host.handle(ResumeTask(task_id="t")), b.host.handle(ResumeTask(task_id="t"))
        )
        seen = await asyncio.gather(last_end(a, "t"), last_end(b, "t"))
        assert seen == [RunCompleted(result="Done.")] * 2
        said = [e for e in await a.events("t") if isinstance(e, MessageAdded)]
        assert [m.message.text for m in said] == ["", "Done."]
        assert (a.workspace / "out.txt").read_text(encoding="utf-8") == "x\n"


async def inbox_is_empty(task: Hosted) -> bool:
    return not await task.store.inbox("t")


async def last_end(task: Hosted, task_id: str) -> object:
    async for record in task.host.follow(task_id):
        if isinstance(record.event, RunCompleted):
            return record.event
    return None


async def test_many_tasks_run_in_one_host(tmp_path: Path) -> None:
    async with hosted(tmp_path, lambda setup: scripted_client(f"I am {setup.task_id}.")) as task:
        ids = [f"t{n}" for n in range(20)]
        for task_id in ids:
            await task.host.handle(StartTask(task_id=task_id, spec=task.spec()))
        ends = await asyncio.gather(*(task.until_pause(task_id) for task_id in ids))
        assert [e[-1].event for e in ends] == [RunCompleted(result=f"I am {i}.") for i in ids]
        assert len(await task.host.tasks(TaskQuery(limit=100))) == 20


async def test_an_executor_that_closes_leaves_the_task_for_another(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="echo > started; sleep 600")
    async with run_on(tmp_path, [call]) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec()))
        await until((task.workspace / "started").exists)
    provider = provider_of("Done.")
    async with hosted(tmp_path, lambda setup: scripted_client(provider=provider)) as task:
        assert (await task.store.summary("t")).status == "running"
        await task.executor.recover()
        assert (await task.until_pause("t"))[-1].event == RunCompleted(result="Done.")
        assert "interrupted" in provider.requests[0].messages[-1].to_json()


async def test_the_mistake_limit_ends_a_run_of_failures(tmp_path: Path) -> None:
    calls = [[use(str(n), "read_file", path=f"missing{n}")] for n in range(5)]
    async with run_on(tmp_path, *calls) as task:
        spec = task.spec(consecutive_mistake_limit=3)
        await task.host.handle(StartTask(task_id="t", spec=spec))
        end = (await task.until_pause("t"))[-1].event
        assert isinstance(end, RunFailed)
        assert end.kind == "MistakeLimitReached"
