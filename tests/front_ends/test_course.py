"""The course of a task is the same over every front end: it is started, steered and told of."""

from __future__ import annotations

from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import Fault
from tests.cli.conftest import calls, completion
from tests.front_ends.conftest import Theatre
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
    front = await theatre.open([theatre.lasting(), completion("One."), completion("Two.")])
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


async def test_a_picture_in_the_first_message_reaches_the_model(theatre: Theatre) -> None:
    front = await theatre.open([completion("A cat.")])
    front.needs("images")
    task = await front.start("What is this?", (PICTURE,))
    assert (await front.until("ended", task)).text == "A cat."
    (first, *_) = front.stage.model.requests[0].body["messages"]
    pictures = [block["source"] for block in first["content"] if block["type"] == "image"]
    assert pictures == [{"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}]


async def test_a_subtask_reports_to_its_task(theatre: Theatre) -> None:
    delegate = calls(new_task={"mode": "code", "message": "Count the BEANS."})
    conversations = {
        "BEANS": [completion("There are twelve of them.")],
        "Delegate": [delegate, completion("Reported.")],
    }
    front = await theatre.open({"conversations": conversations})
    task = await front.start("Delegate it.")
    assert (await front.until("ended", task)).text == "Reported."
    assert front.stage.heard("There are twelve of them.")
    assert len(front.stage.model.requests) == 3


async def test_a_switch_of_modes_is_seen(theatre: Theatre) -> None:
    switch = calls(switch_mode={"mode_slug": "debug", "reason": "To look closer."})
    front = await theatre.open([switch, completion("Looked.")])
    task = await front.start("Look.")
    assert (await front.until("mode", task)).text == "debug"
    assert (await front.until("ended", task)).text == "Looked."
    assert "debug" in str(front.stage.model.requests[-1].body["system"]).lower()


async def test_two_tasks_run_at_once(theatre: Theatre) -> None:
    conversations = {
        "Left": [theatre.lasting("left"), completion("Left is done.")],
        "Right": [theatre.lasting("right"), completion("Right is done.")],
    }
    front = await theatre.open({"conversations": conversations})
    front.needs("several tasks")
    left, right = await front.start("Left."), await front.start("Right.")
    await until(lambda: front.stage.has("left") and front.stage.has("right"))
    front.stage.let_go()
    assert (await front.until("ended", right)).text == "Right is done."
    assert (await front.until("ended", left)).text == "Left is done."


async def test_why_a_task_failed_is_told(theatre: Theatre) -> None:
    front = await theatre.open([completion("Never.")], key="another key")
    task = await front.start("Begin.")
    ended = await front.until("ended", task)
    assert ended.status == "failed"
    assert "invalid x-api-key" in ended.text


async def test_a_task_that_there_is_not_is_told_and_the_next_one_runs(theatre: Theatre) -> None:
    front = await theatre.open([completion("Here.")])
    told = await front.name_unknown("018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87")
    assert "There is no task '018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87'" in told
    task = await front.start("Begin.")
    assert (await front.until("ended", task)).text == "Here."


async def test_what_a_subtask_asks_is_answered_through_its_task(theatre: Theatre) -> None:
    delegate = calls(new_task={"mode": "code", "message": "Write the FILE."})
    conversations = {
        "FILE": [calls(write_to_file=WRITE), completion("Written below.")],
        "Delegate": [delegate, completion("Reported.")],
    }
    front = await theatre.open({"conversations": conversations}, "ask")
    task = await front.start("Delegate it.")
    await front.until("asked", task)
    assert len(front.stage.model.requests) == 1
    await front.approve(task)
    await front.until("asked", task)
    assert not front.stage.has("a.txt")
    await front.approve(task)
    assert (await front.until("ended", task)).text == "Reported."
    assert front.stage.has("a.txt")


async def test_a_limit_is_lifted_by_a_yes(theatre: Theatre) -> None:
    ask = calls(ask_followup_question={"question": "Which?", "follow_up": ["A", "B"]})
    front = await theatre.open([ask, completion("Beyond.")], "ask", allowedMaxRequests=1)
    task = await front.start("Begin.")
    await front.until("asked", task)
    await front.answer(task, "B")
    await front.until("asked", task)
    assert len(front.stage.model.requests) == 1
    await front.approve(task)
    assert (await front.until("ended", task)).text == "Beyond."


async def test_a_task_that_failed_goes_on_when_it_is_told_more(theatre: Theatre) -> None:
    refused = completion("Then so.").replace(faults=(Fault(kind="status", status=400),))
    front = await theatre.open([refused])
    task = await front.start("First.")
    assert (await front.until("ended", task)).status == "failed"
    await front.say(task, "Once more.")
    await until(lambda: front.stage.heard("Once more."))
    assert (await front.until("ended", task)).text == "Then so."


async def test_a_task_that_waits_can_be_cancelled(theatre: Theatre) -> None:
    front = await theatre.open([calls(write_to_file=WRITE)], "ask")
    task = await front.start("Write a.txt.")
    await front.until("asked", task)
    await front.cancel(task)
    assert (await front.until("ended", task)).status == "cancelled"
    assert not front.stage.has("a.txt")


async def test_a_task_that_cannot_be_started_is_told_and_the_next_one_runs(
    theatre: Theatre,
) -> None:
    front = await theatre.open([completion("Here.")])
    told = await front.start_wrongly("https://example.org/cat.png")
    assert "Image 1 is not a data URI of a picture." in told
    task = await front.start("Begin.")
    assert (await front.until("ended", task)).text == "Here."
    assert len(front.stage.model.requests) == 1
