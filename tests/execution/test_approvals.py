"""Approvals for more than one call, limits and questions, whatever restarts in between."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code.approval_values import ApprovalSettings
from roo_code.commands import RespondToApproval, SendMessage, StartTask
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SubtaskStarted,
    ToolFinished,
)
from roo_code.messages import ToolUseContent
from roo_code.task.store import TaskQuery
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.tools import Deferred, Tool, ToolContext
from tests.hosts import Hosted, hosted
from tests.waiting import until

AUTO = ApprovalSettings(level="auto")


def run(id: str, command: str) -> ToolUseContent:
    return ToolUseContent(id=id, name="execute_command", input={"command": command})


def write(id: str, path: str) -> ToolUseContent:
    return ToolUseContent(id=id, name="write_to_file", input={"path": path, "content": "x\n"})


def on(folder: Path, *replies: object):
    provider = ScriptedProvider(*replies)  # pyright: ignore[reportArgumentType]
    return hosted(folder, lambda setup: scripted_client(provider=provider))


def answer(id: str, scope: str = "call", *, approved: bool = True, feedback: str = ""):
    return RespondToApproval(
        task_id="t",
        tool_use_id=id,
        approved=approved,
        feedback=feedback,
        scope=scope,  # pyright: ignore[reportArgumentType]
    )


async def start(task: Hosted, approval: ApprovalSettings) -> Event:
    await task.host.handle(StartTask(task_id="t", spec=task.spec(approval=approval)))
    return (await task.until_pause("t"))[-1].event


async def go_on(task: Hosted, command: RespondToApproval | SendMessage) -> Event:
    last = (await task.store.summary("t")).last_seq
    await task.host.handle(command)
    return (await task.until_pause("t", last))[-1].event


async def decisions(task: Hosted) -> list[tuple[str, bool, str, str]]:
    return [
        (event.tool_use_id, event.approved, event.by, event.scope)
        for event in await task.events("t")
        if isinstance(event, ApprovalDecided)
    ]


async def test_a_yes_for_the_task_holds_after_a_restart_and_for_no_other_task(
    tmp_path: Path,
) -> None:
    async with on(tmp_path, [run("1", "mkfifo a.pipe")]) as first:
        assert isinstance(await start(first, AUTO), RunParked)
        asked = [e for e in await first.events("t") if isinstance(e, ApprovalRequested)]
        assert asked[0].rule is not None
        assert asked[0].rule.covers == ("mkfifo a.pipe",)
    again = [run("2", "mkfifo a.pipe || true")]
    async with on(tmp_path, again, [run("3", "mkfifo b.pipe")]) as second:
        assert isinstance(await go_on(second, answer("1", "task")), RunParked)
        assert await decisions(second) == [
            ("1", True, "user", "task"),
            ("2", True, "policy", "call"),
        ]
    async with on(tmp_path, [run("1", "mkfifo a.pipe")]) as third:
        await third.host.handle(StartTask(task_id="u", spec=third.spec(approval=AUTO)))
        assert isinstance((await third.until_pause("u"))[-1].event, RunParked)


async def test_one_yes_for_the_task_answers_its_like_in_the_same_reply(tmp_path: Path) -> None:
    settings = ApprovalSettings(level="read")
    calls = [write("1", "a.txt"), write("2", "b.txt"), write("3", "AGENTS.md")]
    async with on(tmp_path, calls) as task:
        await start(task, settings)
        parked = await go_on(task, answer("2", "task"))
        assert isinstance(parked, RunParked)
        assert [waiting.tool_use_id for waiting in parked.waiting_for] == ["3"]
        assert {id for id, approved, *_ in await decisions(task) if approved} == {"1", "2"}
        assert (task.workspace / "a.txt").exists()
        assert not (task.workspace / "AGENTS.md").exists()


async def test_what_can_be_approved_only_once_is_asked_each_time(tmp_path: Path) -> None:
    async with on(tmp_path, [write("1", "AGENTS.md")], [write("2", "AGENTS.md")]) as task:
        await start(task, AUTO)
        parked = await go_on(task, answer("1", "always"))
        assert isinstance(parked, RunParked)
        assert await decisions(task) == [("1", True, "user", "call")]


async def test_always_is_written_to_the_users_settings_before_the_call_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    async with on(tmp_path, [run("1", "mkfifo a.pipe")], "Done.") as task:
        await start(task, AUTO)
        assert await go_on(task, answer("1", "always")) == RunCompleted(result="Done.")
    file = tmp_path / "home" / "settings" / "settings.json"
    assert json.loads(file.read_bytes())["allowedCommands"][-1] == "mkfifo a.pipe"


async def test_settings_that_cannot_be_written_do_not_stop_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    file = tmp_path / "home" / "settings" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text("{broken", encoding="utf-8")
    async with on(tmp_path, [run("1", "mkfifo a.pipe")], "Done.") as task:
        await start(task, AUTO)
        assert await go_on(task, answer("1", "always")) == RunCompleted(result="Done.")
    assert file.read_text(encoding="utf-8") == "{broken"


@pytest.mark.parametrize("approved", [True, False])
async def test_words_with_the_answer_reach_the_model(tmp_path: Path, approved: bool) -> None:
    async with on(tmp_path, [run("1", "mkfifo a.pipe")], "Done.") as task:
        await start(task, AUTO)
        await go_on(task, answer("1", approved=approved, feedback="Mind the gap."))
        results = [e.result for e in await task.events("t") if isinstance(e, ToolFinished)]
        assert "Mind the gap." in results[0].content
        assert results[0].is_error is not approved


class NewTaskInput(BaseModel):
    pass


class NewTask(Tool[NewTaskInput]):
    """As the modes have it, reduced to the start of a subtask."""

    name = "new_task"
    description = "Start a subtask."
    group = "modes"
    input_type = NewTaskInput

    async def execute(self, arguments: NewTaskInput, context: ToolContext) -> str:
        id = context.tool_use_id
        raise Deferred(SubtaskStarted(tool_use_id=id, subtask_id="sub", prompt="Make it."))


async def test_a_subtask_does_not_inherit_what_its_parent_was_allowed(tmp_path: Path) -> None:
    replies = {
        "t": [[run("1", "mkfifo a.pipe")], [ToolUseContent(id="2", name="new_task")]],
        "sub": [[run("1", "mkfifo a.pipe")]],
    }
    providers = {id: ScriptedProvider(*said) for id, said in replies.items()}  # pyright: ignore[reportArgumentType]
    async with hosted(
        tmp_path, lambda setup: scripted_client(provider=providers[setup.task_id]), [NewTask()]
    ) as task:
        await start(task, AUTO)
        await go_on(task, answer("1", "task"))
        await until(lambda: _is_parked(task, "sub"))
        end = (await task.until_pause("sub"))[-1].event
        assert isinstance(end, RunParked)
        assert end.waiting_for[0].kind == "approval"


async def test_full_auto_does_not_start_without_a_sandbox(tmp_path: Path) -> None:
    async with on(tmp_path, [run("1", "touch made")], "Done.") as task:
        end = await start(task, ApprovalSettings(level="full-auto-in-sandbox"))
        assert isinstance(end, RunFailed)
        assert "'full-auto-in-sandbox' needs a sandbox" in end.error
        assert "--approve auto" in end.hint
        assert not (task.workspace / "made").exists()


def limited(*, unattended: bool = False) -> ApprovalSettings:
    return ApprovalSettings(level="all", max_requests=1, unattended=unattended)


async def test_beyond_a_limit_a_person_is_asked_and_a_yes_counts_anew(tmp_path: Path) -> None:
    async with on(tmp_path, [run("1", "true")]) as first:
        parked = await start(first, limited())
        assert isinstance(parked, RunParked)
        assert [waiting.kind for waiting in parked.waiting_for] == ["limit"]
    async with on(tmp_path, [run("2", "true")], "Done.") as second:  # as after a restart
        again = await go_on(second, answer(parked.waiting_for[0].tool_use_id))
        assert isinstance(again, RunParked)
        assert again.waiting_for[0].tool_use_id != parked.waiting_for[0].tool_use_id
        end = await go_on(second, answer(again.waiting_for[0].tool_use_id))
        assert end == RunCompleted(result="Done.")
        asked = [e for e in await second.events("t") if isinstance(e, QuestionAsked)]
        assert [e.limit and (e.limit.kind, e.limit.count) for e in asked] == [("requests", 1)] * 2


async def test_a_no_ends_the_run_and_a_message_asks_again(tmp_path: Path) -> None:
    async with on(tmp_path, [run("1", "true")], "Done.") as task:
        parked = await start(task, limited())
        assert isinstance(parked, RunParked)
        end = await go_on(task, answer(parked.waiting_for[0].tool_use_id, approved=False))
        assert isinstance(end, RunCancelled)
        assert "beyond the limit" in end.reason
        assert (await task.store.summary("t")).status == "cancelled"
        again = await go_on(task, SendMessage(task_id="t", text="Oh, go on."))
        assert isinstance(again, RunParked)
        assert again.waiting_for[0].kind == "limit"
        end = await go_on(task, answer(again.waiting_for[0].tool_use_id))
        assert end == RunCompleted(result="Done.")


async def test_a_message_does_not_lift_a_limit(tmp_path: Path) -> None:
    async with on(tmp_path, [run("1", "true")], "Done.") as task:
        await start(task, limited())
        parked = await go_on(task, SendMessage(task_id="t", text="Hurry."))
        assert isinstance(parked, RunParked)
        assert [waiting.kind for waiting in parked.waiting_for] == ["limit"]


async def test_unattended_a_limit_ends_the_run_and_says_which(tmp_path: Path) -> None:
    async with on(tmp_path, [run("1", "true")], "Done.") as task:
        end = await start(task, limited(unattended=True))
        assert isinstance(end, RunFailed)
        assert "allowedMaxRequests" in end.error


def question(id: str, *answers: str) -> ToolUseContent:
    follow_up = [{"text": text} for text in answers]
    return ToolUseContent(
        id=id,
        name="ask_followup_question",
        input={"question": "Which?", "follow_up": follow_up},  # pyright: ignore[reportArgumentType]
    )


def hasty(seconds: float) -> ApprovalSettings:
    return ApprovalSettings(level="all", answer_after=seconds)


async def test_a_question_answers_itself_with_its_first_suggestion(tmp_path: Path) -> None:
    async with on(tmp_path, [question("1", "red", "blue")], "Red.") as task:
        await start(task, hasty(0.01))
        await until(lambda: _is_completed(task))
        said = [e.answer for e in await task.events("t") if isinstance(e, QuestionAnswered)]
        assert said == ["red"]


async def test_a_person_may_be_faster_and_without_suggestions_only_a_person_answers(
    tmp_path: Path,
) -> None:
    async with on(tmp_path, [question("1", "red")], [question("2")]) as task:
        await start(task, hasty(3600))
        parked = await go_on(task, SendMessage(task_id="t", text="green"))
        assert isinstance(parked, RunParked)
        asked = [e for e in await task.events("t") if isinstance(e, QuestionAsked)]
        assert [e.answer_after for e in asked] == [3600, None]
        said = [e.answer for e in await task.events("t") if isinstance(e, QuestionAnswered)]
        assert said == ["green"]


async def _is_parked(task: Hosted, task_id: str) -> bool:
    tasks = await task.store.summaries(TaskQuery(status="parked", subtasks=True))
    return task_id in {one.id for one in tasks}


async def _is_completed(task: Hosted) -> bool:
    return (await task.store.summary("t")).status == "completed"
