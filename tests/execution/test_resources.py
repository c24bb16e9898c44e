"""What tools keep open lives as long as their task."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code.commands import AnswerQuestion, CancelTask, StartTask
from roo_code.messages import ToolUseContent
from roo_code.testing import scripted_client
from roo_code.tool_resources import TaskResources
from roo_code.tools import Tool, ToolContext
from tests.hosts import Hosted, hosted

ASK = ToolUseContent(id="q", name="ask_followup_question", input={"question": "Which?"})
HOLD = ToolUseContent(id="h", name="hold")
DONE = ToolUseContent(id="d", name="attempt_completion", input={"result": "Done."})


class Held:
    def __init__(self) -> None:
        self.closed = 0

    async def aclose(self) -> None:
        self.closed += 1


class Nothing(BaseModel):
    pass


class Hold(Tool[Nothing]):
    name = "hold"
    description = "Keep something open."
    group = "advanced"
    input_type = Nothing

    def __init__(self) -> None:
        self.held: list[Held] = []

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        held = context.resources.get(Held, Held)
        if held not in self.held:
            self.held.append(held)
        return "held"


def running(folder: Path, tool: Hold, *replies: object):
    return hosted(folder, lambda _: scripted_client(*replies), [tool])  # pyright: ignore[reportArgumentType]


async def start(task: Hosted) -> str:
    command = StartTask(spec=task.spec())
    await task.host.handle(command)
    await task.until_pause(command.task_id)
    return command.task_id


async def test_it_is_closed_when_the_task_ends(tmp_path: Path) -> None:
    tool = Hold()
    async with running(tmp_path, tool, [HOLD], [HOLD.replace(id="h2")], [DONE]) as task:
        await start(task)
        while not tool.held[0].closed:
            await task.events("")
    assert [held.closed for held in tool.held] == [1]  # both calls had the same one


@pytest.mark.parametrize("how", ["answered", "cancelled", "process ends"])
async def test_a_parked_task_keeps_it(tmp_path: Path, how: str) -> None:
    tool = Hold()
    async with running(tmp_path, tool, [HOLD], [ASK], [HOLD.replace(id="h2")], [DONE]) as task:
        task_id = await start(task)
        assert [held.closed for held in tool.held] == [0]
        seq = (await task.store.tail(task_id, 1))[-1].seq
        if how == "answered":
            answer = AnswerQuestion(task_id=task_id, tool_use_id="q", answer="That.")
            await task.host.handle(answer)
            await task.until_pause(task_id, seq)
        elif how == "cancelled":
            await task.host.handle(CancelTask(task_id=task_id))
            await task.until_pause(task_id, seq)
    assert [held.closed for held in tool.held] == [1]


async def test_one_that_cannot_be_closed_does_not_keep_the_others_open() -> None:
    class Stuck(Held):
        async def aclose(self) -> None:
            raise OSError("stuck")

    resources = TaskResources()
    held, stuck = resources.get(Held, Held), resources.get(Stuck, Stuck)
    assert resources.find(Stuck) is stuck
    with pytest.raises(ExceptionGroup, match="could not be closed"):
        await resources.aclose()
    assert held.closed == 1
    await resources.aclose()
    assert held.closed == 1
