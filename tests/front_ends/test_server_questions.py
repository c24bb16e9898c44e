"""What an MCP server asks while it works is asked and answered over every front end."""

from __future__ import annotations

import json

from roo_code.events import QuestionAnswered, QuestionAsked
from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import ScriptedReply
from tests.cli.conftest import calls, completion
from tests.front_ends.conftest import Theatre
from tests.front_ends.front_end import FrontEnd
from tests.mcp_client.hubs import small

INQUIRE: dict[str, JsonValue] = {"server_name": "a", "tool_name": "inquire", "arguments": {}}
ASKS = calls(use_mcp_tool=INQUIRE)


async def opened(theatre: Theatre, *script: ScriptedReply) -> FrontEnd:
    """With a server that asks for the user's name."""
    (theatre.folder / "home").mkdir()
    named = json.dumps({"mcpServers": {"a": small()}})
    (theatre.folder / "home" / "mcp-settings.json").write_text(named, encoding="utf-8")
    return await theatre.open(script, "ask")


async def until_asked(front: FrontEnd) -> str:
    """The task, once its call is approved and the server has asked."""
    task = await front.start("Say who I am.")
    await front.until("asked", task)
    await front.approve(task)
    question = await front.until("asked", task)
    assert question.text.startswith("MCP server a asks: Who are you?")
    return task


async def test_a_server_is_answered_and_goes_on(theatre: Theatre) -> None:
    front = await opened(theatre, ASKS, completion("You are Ada."))
    task = await until_asked(front)
    await front.answer(task, "Ada Lovelace")
    assert (await front.until("ended", task)).text == "You are Ada."
    assert front.stage.heard("Ada Lovelace")
    events = [record.event for record in await front.stage.records(task)]
    (asked,) = [event for event in events if isinstance(event, QuestionAsked)]
    (said,) = [event for event in events if isinstance(event, QuestionAnswered)]
    assert asked.is_live
    assert (said.tool_use_id, said.answer) == (asked.tool_use_id, "Ada Lovelace")


async def test_a_server_may_be_refused(theatre: Theatre) -> None:
    front = await opened(theatre, ASKS, completion("You did not say."))
    task = await until_asked(front)
    await front.answer(task, "/decline")
    assert (await front.until("ended", task)).text == "You did not say."
    assert front.stage.heard("decline")


async def test_a_task_is_cancelled_while_a_server_waits(theatre: Theatre) -> None:
    front = await opened(theatre, ASKS, completion("Never."))
    task = await until_asked(front)
    await front.cancel(task)
    assert (await front.until("ended", task)).status == "cancelled"
    assert len(front.stage.model.requests) == 1


async def test_what_a_killed_process_was_to_hear_is_not_asked_again(theatre: Theatre) -> None:
    """The call is gone with the process, and the model is told so."""
    front = await opened(theatre, ASKS, completion("Then not."), completion("Then not."))
    front.needs("kill")
    task = await until_asked(front)
    front.kill()
    again = await theatre.open_on(front.stage)
    await again.resume(task)
    assert (await again.until("ended", task)).text == "Then not."
    assert front.stage.heard("interrupted")
    events = [record.event for record in await front.stage.records(task)]
    assert not [event for event in events if isinstance(event, QuestionAnswered)]
