"""What Roo's commands do to tasks, through the door."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code.errors import ToolError
from roo_code.ipc.frames import to_frame
from roo_code.ipc.wire import EvaluationContext, IpcMessage, NewTask, TaskCommand
from roo_code.messages import ImageContent, ToolUseContent
from roo_code.testing.ipc import MemoryIpcClient, MemoryIpcServer
from roo_code.testing.scripted_provider import scripted_client
from roo_code.tools import Tool, ToolContext
from tests.ipc.doors import HeldProvider, Program, joined, open_door
from tests.waiting import until

PIXEL = "iVBORw0KGgo="


def call(name: str, id: str = "a", **input: object) -> list[ToolUseContent]:
    return [ToolUseContent.from_dict({"type": "tool_use", "id": id, "name": name, "input": input})]


DONE = call("attempt_completion", "done", result="All done.")


@pytest.mark.requirement(
    "ipc:command:start-new-task", "ipc:event:lifecycle", "ipc:event:completed-payload"
)
async def test_a_task_is_started_and_told_of_to_its_end(tmp_path: Path) -> None:
    async with joined(tmp_path, scripted_client(DONE)) as door:
        id = await door.program.start("Do it.", configuration={"mode": "code"})
        assert door.started[id].configuration == {"mode": "code"}
        assert (await door.program.message(say="text")).text == "Do it."
        completed = await door.program.event("taskCompleted")
        assert completed[0] == id
        assert completed[1].total_tokens_in == 10
        assert completed[2]["attempt_completion"].attempts == 1
        assert completed[3] == {"isSubtask": False}
        await door.program.event("taskIdle")
        names = door.program.names(id)
        assert names[:3] == ["taskCreated", "taskFocused", "taskStarted"]
        assert names[-2:] == ["taskCompleted", "taskIdle"]


@pytest.mark.requirement("ipc:command:start-images")
async def test_images_reach_the_model(tmp_path: Path) -> None:
    model = scripted_client("Seen.")
    async with joined(tmp_path, model) as door:
        await door.program.start(images=[f"data:image/png;base64,{PIXEL}"])
        await door.program.event("taskCompleted")
    said = model.requests[0].messages[0].content
    assert ImageContent(media_type="image/png", data=PIXEL) in said


async def test_what_cannot_be_started_replaces_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    held = HeldProvider(DONE)
    async with joined(tmp_path, scripted_client(provider=held)) as door:
        id = await door.program.start()
        await held.asked.wait()
        for data in ({"text": " "}, {"text": "a", "images": ["http://x/y.png"]}):
            await door.program.send("StartNewTask", {"configuration": {}, **data})
        await door.program.send("GetModes")
        await door.program.event("modesResponse")
        held.go_on.set()
        assert (await door.program.event("taskCompleted"))[0] == id
    assert "StartNewTask was not done: There is no text" in caplog.text
    assert "Image 1 is not a data URI" in caplog.text


@pytest.mark.requirement("ipc:command:start-new-tab")
async def test_a_new_task_replaces_the_current_one_or_stands_beside_it(tmp_path: Path) -> None:
    held = [HeldProvider(DONE) for _ in range(3)]
    async with joined(tmp_path, *(scripted_client(provider=p) for p in held)) as door:
        first = await door.program.start("one")
        await held[0].asked.wait()
        beside = await door.program.start("two", newTab=True)
        await held[1].asked.wait()
        instead = await door.program.start("three")
        await held[2].asked.wait()
        assert "taskAborted" not in door.program.names(first)
        assert door.program.names(beside)[-2:] == ["taskUnfocused", "taskAborted"]
        assert door.forgotten == [beside]
        for provider in (held[0], held[2]):
            provider.go_on.set()
        done = {(await door.program.event("taskCompleted"))[0] for _ in range(2)}
        assert done == {first, instead}


@pytest.mark.requirement("ipc:command:cancel-task", "ipc:event:lifecycle")
async def test_the_current_task_is_cancelled_or_the_one_named(tmp_path: Path) -> None:
    held = [HeldProvider(DONE) for _ in range(2)]
    async with joined(tmp_path, *(scripted_client(provider=p) for p in held)) as door:
        first = await door.program.start("one")
        await held[0].asked.wait()
        second = await door.program.start("two", newTab=True)
        await held[1].asked.wait()
        await door.program.send("CancelTask", first)
        assert await door.program.event("taskAborted") == (first,)
        assert await door.program.event("taskResumable") == (first,)
        await door.program.send("CancelTask")
        assert await door.program.event("taskAborted") == (second,)
        asks = [
            e.payload[0].message.ask
            for e in door.program.heard
            if e.event_name == "message" and e.payload
        ]
        assert asks.count("resume_task") == 2
        await door.program.send("CancelTask")  # it is over already
        await door.program.send("GetModes")
        await door.program.event("modesResponse")
        assert door.program.names().count("taskAborted") == 2


class Nothing(BaseModel):
    pass


class Kept:
    def __init__(self) -> None:
        self.is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True


class Opens(Tool[Nothing]):
    name = "open_something"
    description = "Keep something open."
    input_type = Nothing
    group = "read"

    def __init__(self) -> None:
        self.kept = Kept()

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        context.resources.get(Kept, lambda: self.kept)
        return "open"


class Breaks(Tool[Nothing]):
    name = "breaks"
    description = "Fail."
    input_type = Nothing
    group = "read"

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        raise ToolError("It broke.")


@pytest.mark.requirement("ipc:command:close-task")
async def test_a_task_that_is_closed_ends_and_lets_go_of_all_it_holds(tmp_path: Path) -> None:
    tool = Opens()
    held = HeldProvider(call("open_something"), DONE, free=1)
    async with joined(tmp_path, scripted_client(provider=held), tools=(tool,)) as door:
        id = await door.program.start()
        await held.asked.wait()  # its stream is open
        assert not tool.kept.is_closed
        await door.program.send("CloseTask", id)
        assert await door.program.event("taskUnfocused") == (id,)
        assert await door.program.event("taskAborted") == (id,)
        await until(lambda: tool.kept.is_closed and door.forgotten == [id])
        assert (await door.hosted.store.summary(id)).status == "cancelled"
        await until(lambda: not door.hosted.host._live.has_followers)
        await door.program.send("CloseTask", id)  # no such task any more
        await door.program.send("GetModes")
        await door.program.event("modesResponse")


@pytest.mark.requirement("ipc:command:resume-task")
async def test_a_task_of_before_is_opened_and_goes_on_when_told(tmp_path: Path) -> None:
    async with joined(tmp_path, scripted_client("I am Roo.")) as door:
        id = await door.program.start("Who are you?")
        await door.program.event("taskCompleted")
    model = scripted_client(DONE)
    async with joined(tmp_path, model) as door:
        await door.program.send("ResumeTask", id)
        assert await door.program.event("taskCreated") == (id,)
        await door.program.message(ask="resume_completed_task")
        assert await door.program.event("taskIdle") == (id,)
        assert "taskCompleted" not in door.program.names()
        await door.program.client.send_task_message("And who am I?")
        assert (await door.program.message(say="user_feedback")).text == "And who am I?"
        await door.program.event("taskCompleted")
    texts = [message.text for message in model.requests[0].messages]
    assert texts == ["Who are you?", "I am Roo.", "And who am I?"]


@pytest.mark.requirement("ipc:command:resume-unknown")
async def test_a_task_that_is_unknown_is_logged_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with joined(tmp_path, scripted_client(DONE)) as door:
        with caplog.at_level(logging.WARNING):
            await door.program.send("ResumeTask", "no-such-task")
            await door.program.send("GetModes")
            await door.program.event("modesResponse")
        assert "ResumeTask was not done" in caplog.text
        assert "no-such-task" in caplog.text
        assert door.program.names() == ["modesResponse"]
        await door.program.start()
        await door.program.event("taskCompleted")


async def test_a_message_to_a_busy_task_waits_and_can_be_taken_back(tmp_path: Path) -> None:
    held = HeldProvider("First.", "Second.")
    model = scripted_client(provider=held)
    async with joined(tmp_path, model) as door:
        id = await door.program.start()
        await held.asked.wait()
        for text in ("stay", "go away"):
            await door.program.client.send_task_message(text)
        queue = (await door.program.event("queuedMessagesUpdated", lambda p: len(p[1]) == 2))[1]
        assert [message.text for message in queue] == ["stay", "go away"]
        await door.program.client.delete_queued_message(queue[1].id)
        left = await door.program.event("queuedMessagesUpdated")
        assert left == (id, [queue[0]]) or left[1][0].id == queue[0].id
        held.go_on.set()
        assert await door.program.event("queuedMessagesUpdated") == (id, [])
        await until(lambda: len(model.requests) == 2)
        assert model.requests[1].messages[-1].text == "stay"


async def test_a_question_is_told_and_answered_by_a_message(tmp_path: Path) -> None:
    asks = call("ask_followup_question", question="Which?", follow_up=[{"text": "This"}])
    model = scripted_client(asks, DONE)
    async with joined(tmp_path, model) as door:
        id = await door.program.start()
        question = await door.program.message(ask="followup", partial=False)
        assert '"question":"Which?"' in (question.text or "")
        assert await door.program.event("taskInteractive") == (id,)
        await door.program.client.send_task_message("That one.")
        assert (await door.program.message(ask="followup", is_answered=True)).ts == question.ts
        assert await door.program.event("taskAskResponded") == (id,)
        assert await door.program.event("taskActive") == (id,)
        await door.program.event("taskCompleted")
    assert "That one." in str(model.requests[1].messages[-1])


@pytest.mark.parametrize(("words", "runs"), [("Yes", True), ("No, not that.", False)])
async def test_a_message_to_a_task_that_wants_approval_is_the_answer(
    tmp_path: Path, words: str, runs: bool
) -> None:
    model = scripted_client(call("write_to_file", path="x.txt", content="x\n"), DONE)
    async with joined(tmp_path, model, level="ask") as door:
        await door.program.start()
        asked = await door.program.message(ask="tool", partial=False)
        assert '"tool":"newFileCreated"' in (asked.text or "")
        await door.program.event("taskInteractive")
        await door.program.client.send_task_message(words)
        await door.program.event("taskCompleted")
        assert (door.hosted.workspace / "x.txt").exists() == runs
        assert "taskToolFailed" not in door.program.names()
    assert runs or words in str(model.requests[1].messages[-1])


@pytest.mark.requirement("ipc:event:tool-failed", "ipc:event:token-usage")
async def test_failures_and_tokens_are_told_as_they_come(tmp_path: Path) -> None:
    model = scripted_client(call("breaks"), DONE)
    async with joined(tmp_path, model, tools=(Breaks(),)) as door:
        id = await door.program.start()
        first = await door.program.event("taskTokenUsageUpdated")
        assert await door.program.event("taskToolFailed") == (id, "custom_tool", "It broke.")
        second = await door.program.event("taskTokenUsageUpdated")
        assert (first[1].total_tokens_in, second[1].total_tokens_in) == (10, 20)
        assert second[1].context_tokens == 15
        completed = await door.program.event("taskCompleted")
        assert completed[2]["custom_tool"].failures == 1


@pytest.mark.requirement("ipc:command:context-confirmation")
async def test_an_evaluations_context_is_kept_and_its_number_on_every_event(tmp_path: Path) -> None:
    held = HeldProvider(DONE)
    context = EvaluationContext(
        task_id=7, roo_task_id="none", run_id=2, mcp_server="m", user_intent="u"
    )
    async with joined(tmp_path, scripted_client(provider=held)) as door:
        id = await door.program.start()
        await held.asked.wait()
        await door.program.send("SetTaskContext", context)
        await until(lambda: len(door.program.confirmed) == 1)
        assert not door.program.confirmed[0].success
        assert "none" in (door.program.confirmed[0].error or "")
        await door.program.send("SetTaskContext", context.replace(roo_task_id=id))
        await until(lambda: len(door.program.confirmed) == 2)
        assert door.program.confirmed[1].success
        held.go_on.set()
        await door.program.event("taskCompleted")
        ended = next(e for e in door.program.heard if e.event_name == "taskCompleted")
        assert ended.task_id == 7
    async with joined(tmp_path, scripted_client(DONE)) as door:
        await door.program.send("ResumeTask", id)
        await door.program.event("taskIdle")
        assert door.program.heard[-1].task_id == 7


async def test_lists_are_for_the_asker_alone(tmp_path: Path) -> None:
    async with (
        joined(tmp_path, scripted_client(DONE)) as door,
        MemoryIpcClient(door.server) as other,
    ):
        bystander = Program(other)
        for name in ("GetCommands", "GetModes", "GetModels"):
            await door.program.send(name)
        assert (await door.program.event("commandsResponse"))[0][0].name == "deploy"
        assert (await door.program.event("modesResponse"))[0][0].slug == "code"
        assert (await door.program.event("modelsResponse"))[0]["m"]["contextWindow"] == 1000
        await door.program.start()
        await bystander.event("taskCompleted")
        assert "modesResponse" not in bystander.names()


@pytest.mark.requirement("ipc:event:broadcast", "ipc:roles:both-ends")
async def test_every_client_and_the_evaluation_hear_of_a_task(tmp_path: Path) -> None:
    server, evaluation = MemoryIpcServer(), MemoryIpcServer()
    model = scripted_client(DONE)
    async with (
        evaluation,
        open_door(tmp_path, lambda _: model, server=server, evaluation=MemoryIpcClient(evaluation)),
        MemoryIpcClient(server) as one,
        MemoryIpcClient(server) as two,
    ):
        programs = [Program(one), Program(two)]
        await programs[0].start()
        for program in programs:
            await program.event("taskIdle")
        await until(lambda: evaluation.events[-1].event_name == "taskIdle")
        assert programs[0].heard == programs[1].heard == evaluation.events


async def test_an_evaluation_may_start_tasks_in_a_host_that_joined_it(tmp_path: Path) -> None:
    evaluation = MemoryIpcServer()
    model = scripted_client(DONE)
    command = TaskCommand(command_name="StartNewTask", data=NewTask(configuration={}, text="Go."))
    message = IpcMessage(kind="TaskCommand", origin="client", client_id="e", data=command)
    async with (
        evaluation,
        open_door(tmp_path, lambda _: model, evaluation=MemoryIpcClient(evaluation)),
    ):
        evaluation._links[evaluation.clients[0]].send(to_frame(message))
        await until(lambda: any(e.event_name == "taskCompleted" for e in evaluation.events))
