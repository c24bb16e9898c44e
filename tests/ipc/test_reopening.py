"""Tasks with subtasks, and tasks that are opened anew, through the door."""

from __future__ import annotations

from pathlib import Path

import pytest

from roo_code.commands import AnswerQuestion
from roo_code.testing.scripted_provider import scripted_client
from tests.execution.test_subtasks import Delegate, delegate
from tests.ipc.doors import HeldProvider, joined
from tests.ipc.test_host import DONE, call

ASKS = call("ask_followup_question", question="Which?", follow_up=[{"text": "This"}])


async def test_clients_hear_of_a_subtask_and_may_speak_to_it(tmp_path: Path) -> None:
    root = scripted_client([delegate("a", "Ask them.")], DONE)
    child = scripted_client(ASKS, call("attempt_completion", "c", result="They said."))
    async with joined(tmp_path, root, child, tools=(Delegate(),)) as door:
        id = await door.program.start()
        assert await door.program.event("taskSpawned") == (id, "sub-a")
        assert await door.program.event("taskDelegated") == (id, "sub-a")
        assert await door.program.event("taskPaused") == (id,)
        assert await door.program.event("taskCreated") == ("sub-a",)
        assert await door.program.event("taskInteractive") == ("sub-a",)
        await door.program.client.send_task_message("That.")
        completed = await door.program.event("taskCompleted")
        assert (completed[0], completed[3]) == ("sub-a", {"isSubtask": True})
        done = await door.program.event("taskDelegationCompleted")
        assert done[:2] == (id, "sub-a")
        assert "They said." in done[2]
        assert await door.program.event("taskUnpaused") == (id,)
        assert await door.program.event("taskDelegationResumed") == (id, "sub-a")
        assert (await door.program.event("taskCompleted"))[0] == id
        assert "taskActive" in door.program.names("sub-a")


async def test_cancelling_a_task_cancels_what_it_waits_for(tmp_path: Path) -> None:
    root, held = scripted_client([delegate("a", "Long.")]), HeldProvider(DONE)
    async with joined(tmp_path, root, scripted_client(provider=held), tools=(Delegate(),)) as door:
        id = await door.program.start()
        await held.asked.wait()
        await door.program.send("CancelTask")
        aborted = {(await door.program.event("taskAborted"))[0] for _ in range(2)}
        assert aborted == {id, "sub-a"}
        await door.program.send("CloseTask")
        await door.program.event("taskUnfocused")


@pytest.mark.parametrize("by_message", [True, False])
async def test_what_a_task_was_asking_is_asked_again(tmp_path: Path, by_message: bool) -> None:
    async with joined(tmp_path, scripted_client(ASKS)) as door:
        id = await door.program.start()
        await door.program.event("taskInteractive")
    async with joined(tmp_path, scripted_client(DONE)) as door:
        await door.program.send("ResumeTask", id)
        asked = await door.program.message(ask="followup")
        assert "Which?" in (asked.text or "")
        assert await door.program.event("taskInteractive") == (id,)
        if by_message:
            await door.program.client.send_task_message("That.")
        else:  # somebody else, in another process
            answer = AnswerQuestion(task_id=id, tool_use_id="a", answer="That.")
            await door.hosted.store.send(answer)
        answered = await door.program.message(ask="followup", is_answered=True)
        assert answered.ts == asked.ts
        await door.program.event("taskCompleted")


async def test_a_task_whose_host_was_stopped_waits_until_it_is_told_something(
    tmp_path: Path,
) -> None:
    held = HeldProvider(DONE)
    async with joined(tmp_path, scripted_client(provider=held)) as door:
        id = await door.program.start()
        await held.asked.wait()
        await door.program.client.send_task_message("Not lost.")
        await door.program.event("queuedMessagesUpdated")
    model = scripted_client(DONE, DONE)
    async with joined(tmp_path, model) as door:
        await door.program.send("ResumeTask", id)
        await door.program.message(ask="resume_task")
        assert await door.program.event("taskResumable") == (id,)
        assert model.requests == []
        await door.program.client.send_task_message("Go on.")
        await door.program.event("taskCompleted")
    said = "".join(message.text for message in model.requests[0].messages)
    assert "Not lost." in said


async def test_a_task_that_is_open_already_becomes_the_current_one(tmp_path: Path) -> None:
    async with joined(tmp_path, scripted_client("One.", "Two.")) as door:
        first = await door.program.start("one")
        await door.program.event("taskCompleted")
        await door.program.start("two", newTab=True)
        await door.program.event("taskCompleted")
        await door.program.send("ResumeTask", first)
        assert await door.program.event("taskFocused") == (first,)
        await door.program.send("CloseTask")
        assert await door.program.event("taskUnfocused") == (first,)
