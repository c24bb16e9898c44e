"""The course of a task is the same over every front end: it is started, steered and told of."""

from __future__ import annotations

from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import Fault, ScriptedReply
from tests.cli.conftest import calls, completion
from tests.front_ends.conftest import Theatre
from tests.front_ends.stage import KEY
from tests.waiting import until

PICTURE = "data:image/png;base64,iVBORw0KGgo="
WRITE: dict[str, JsonValue] = {"path": "a.txt", "content": "hello\n"}


async def test_a_task_is_started_and_completes(theatre: Theatre) -> None:
    front = await theatre.open([completion("All is done.")])
    task = await front.start("Begin.")
    ended = await front.until("ended", task)
    assert (ended.status, ended.text) == ("completed", "All is done.")
    assert front.stage.heard("Begin.")
    assert front.stage.model.problems() == []


async def test_a_reply_is_seen_while_it_comes(theatre: Theatre) -> None:
    words = calls("word " * 40, attempt_completion={"result": "Said."})
    slow = words.replace(chunk_size=10, faults=(Fault(kind="slow", seconds=0.01),))
    front = await theatre.open([slow])
    front.needs("deltas")
    task = await front.start("Talk.")
    pieces = [(await front.until("delta", task)).text for _ in range(2)]
    assert all("word" in piece for piece in pieces)
    assert (await front.until("ended", task)).text == "Said."


async def test_a_call_that_is_approved_runs(theatre: Theatre) -> None:
    front = await theatre.open([calls(write_to_file=WRITE), completion("Written.")], "ask")
    task = await front.start("Write a.txt.")
    asked = await front.until("asked", task)
    assert "write_to_file" in asked.text or "newFileCreated" in asked.text
    assert not front.stage.has("a.txt")
    await front.approve(task)
    assert (await front.until("ended", task)).text == "Written."
    assert (front.stage.workspace / "a.txt").read_text(encoding="utf-8") == "hello\n"


async def test_a_call_that_is_refused_does_not_run_and_the_model_reads_why(
    theatre: Theatre,
) -> None:
    front = await theatre.open([calls(write_to_file=WRITE), completion("Then not.")], "ask")
    task = await front.start("Write a.txt.")
    await front.until("asked", task)
    await front.refuse(task, "Not there, please: the folder is not ours.")
    assert (await front.until("ended", task)).text == "Then not."
    assert not front.stage.has("a.txt")
    assert front.stage.heard("Not there, please: the folder is not ours.")


async def test_a_question_is_answered(theatre: Theatre) -> None:
    ask = calls(ask_followup_question={"question": "Which colour?", "follow_up": ["Red", "Blue"]})
    front = await theatre.open([ask, completion("It is green.")])
    task = await front.start("Paint it.")
    assert (await front.until("asked", task)).text == "Which colour?"
    await front.answer(task, "Green, of course.")
    assert (await front.until("ended", task)).text == "It is green."
    assert front.stage.heard("Green, of course.")


async def test_what_is_said_while_it_runs_is_heard(theatre: Theatre) -> None:
    conversation: list[ScriptedReply] = []
    front = await theatre.open({"conversations": {"Work.": conversation_of(theatre)}})
    assert conversation == []
    task = await front.start("Work.")
    await until(lambda: front.stage.has("begun"))
    await front.say(task, "And mind the gap.")
    front.stage.let_go()
    await until(lambda: front.stage.heard("And mind the gap."))
    assert (await front.until("ended", task)).status == "completed"
    said = [front.stage.conversation(place) for place in range(len(front.stage.model.requests))]
    assert said[-1].count("And mind the gap.") == 1


async def test_a_task_that_is_done_goes_on_when_it_is_told_more(theatre: Theatre) -> None:
    front = await theatre.open([completion("One."), completion("Two.")])
    task = await front.start("First.")
    assert (await front.until("ended", task)).text == "One."
    await front.say(task, "Second.")
    await until(lambda: front.stage.heard("Second."))
    assert (await front.until("ended", task)).text == "Two."
    assert front.stage.heard("First.")
