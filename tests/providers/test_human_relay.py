"""A person carries the prompt to a model somewhere else, and its reply back."""

from pathlib import Path

import pytest

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.commands import AnswerQuestion, SendMessage, StartTask
from roo_code.config.schema import ProviderSettings
from roo_code.events import (
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    RunCompleted,
    RunParked,
    TurnStarted,
    Waiting,
)
from roo_code.history import History
from roo_code.messages import ImageContent, Message, TextContent
from roo_code.providers.base import ModelRequest
from roo_code.providers.human_relay import prompt_of
from roo_code.task.task import TaskSetup
from tests.hosts import hosted
from tests.providers.requests import PNG

LOOK = "I look.\n<list_files>\n<path>.</path>\n</list_files>"
DONE = "<attempt_completion>\n<result>All is well.</result>\n</attempt_completion>"


def client(_: TaskSetup | None = None) -> RooClient:
    return RooClient(ProviderSettings(api_provider="human-relay"))


def asked(events: list[object]) -> QuestionAsked:
    (found,) = [event for event in events if isinstance(event, QuestionAsked)]
    return found


@pytest.mark.requirement("providers:humanrelay:by-hand")
async def test_the_prompt_goes_out_and_the_pasted_reply_is_the_models() -> None:
    history = History()
    agent = Agent(client(), history=history)
    first = [event async for event in agent.iter("Look around.")]
    prompt = asked([*first])
    assert first[-1] == RunParked(
        waiting_for=(Waiting(kind="relay", tool_use_id=prompt.tool_use_id),)
    )
    assert prompt.question.startswith("You are Roo")
    assert "## list_files" in prompt.question
    assert prompt.question.endswith("Look around.")

    history.apply(QuestionAnswered(tool_use_id=prompt.tool_use_id, answer=LOOK))
    second = [event async for event in agent.iter()]
    (reply,) = [e.message for e in second if isinstance(e, MessageAdded)]
    assert reply.text == "I look.\n"
    assert [(call.name, call.input) for call in reply.tool_uses] == [("list_files", {"path": "."})]
    again = asked([*second])
    assert again.question.startswith("[list_files] Result:")  # and nothing that was told before
    assert "You are Roo" not in again.question

    history.apply(QuestionAnswered(tool_use_id=again.tool_use_id, answer=DONE))
    third = [event async for event in agent.iter()]
    assert third[-1] == RunCompleted(result="All is well.")
    turns = [e for e in (*first, *second, *third) if isinstance(e, TurnStarted)]
    assert [turn.turn for turn in turns] == [1, 2]


async def test_an_empty_reply_is_none() -> None:
    history = History()
    agent = Agent(client(), history=history)
    prompt = asked([event async for event in agent.iter("Hello")])
    history.apply(QuestionAnswered(tool_use_id=prompt.tool_use_id, answer=" \n"))
    assert [type(event) for event in [e async for e in agent.iter()]] == [RunParked]


def test_a_task_that_came_from_elsewhere_is_told_whole() -> None:
    image = ImageContent(media_type="image/png", data=PNG.data)
    said = Message(role="assistant", content=(TextContent(text="Hm."),), model="claude")
    messages = [Message.from_user("Look:", [image]), said, Message.from_user("Well?")]
    told = prompt_of(ModelRequest(system_prompt="Be brief.", messages=messages))
    assert told == (
        "Be brief.\n\n# User\n\nLook:(There is an image here, which a text cannot carry.)\n\n"
        "# You\n\nHm.\n\n# User\n\nWell?"
    )


@pytest.mark.requirement("providers:humanrelay:by-hand")
async def test_the_reply_may_come_by_command_to_another_process(tmp_path: Path) -> None:
    async with hosted(tmp_path, client) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec("Look around.")))
        records = await task.until_pause("t")
        prompt = asked([record.event for record in records])
    async with hosted(tmp_path, client) as task:
        for id, answer in (("other", "Not this."), (prompt.tool_use_id, DONE)):
            await task.host.handle(AnswerQuestion(task_id="t", tool_use_id=id, answer=answer))
        end = (await task.until_pause("t", records[-1].seq))[-1].event
        assert end == RunCompleted(result="All is well.")
        assert (await task.store.summary("t")).turns == 1


async def test_a_message_meanwhile_makes_another_prompt(tmp_path: Path) -> None:
    async with hosted(tmp_path, client) as task:
        await task.host.handle(StartTask(task_id="t", spec=task.spec("Look around.")))
        last = (await task.until_pause("t"))[-1].seq
        await task.host.handle(SendMessage(task_id="t", text="Or rather not."))
        records = await task.until_pause("t", last)
    assert asked([record.event for record in records]).question.endswith("Or rather not.")
