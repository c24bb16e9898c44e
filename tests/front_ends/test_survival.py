"""Whatever front end a task is driven over: it can be stopped, and it outlives who drives it."""

from __future__ import annotations

from collections import Counter

from roo_code.events import ApprovalDecided, MessageAdded, RunCompleted, TaskCreated, ToolFinished
from tests.cli.conftest import calls, completion
from tests.front_ends.conftest import FRONT_ENDS, Theatre
from tests.front_ends.front_end import FrontEnd
from tests.front_ends.stage import Stage
from tests.waiting import until

NEXT = dict(zip(FRONT_ENDS, (*FRONT_ENDS[1:], FRONT_ENDS[0]), strict=True))


async def test_a_task_is_cancelled_while_a_command_runs_and_leaves_no_process(
    theatre: Theatre,
) -> None:
    front = await theatre.open([theatre.lasting(), completion("Never.")])
    task = await front.start("Work.")
    await until(lambda: front.stage.has("begun"))
    assert front.stage.processes()
    await front.cancel(task)
    assert (await front.until("ended", task)).status == "cancelled"
    await until(lambda: not front.stage.processes())
    assert len(front.stage.model.requests) == 1


async def killed_at_work(theatre: Theatre, front: FrontEnd) -> str:
    """A task whose process is killed while a command runs; its commands go with it."""
    task = await front.start("Work.")
    await until(lambda: front.stage.has("begun"))
    front.kill()
    await until(lambda: not front.stage.processes())
    return task


async def check_log(stage: Stage, task: str) -> None:
    """Nothing is lost, and nothing is there twice."""
    records = await stage.records(task)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    counts = Counter(type(record.event) for record in records)
    assert (counts[TaskCreated], counts[RunCompleted], counts[ToolFinished]) == (1, 1, 2)
    assert (stage.workspace / "begun").read_text(encoding="utf-8") == "x\n"
    assert stage.heard("interrupted")
    assert stage.model.problems() == []


async def test_a_task_goes_on_in_a_new_process_after_the_first_was_killed(
    theatre: Theatre,
) -> None:
    front = await theatre.open([theatre.lasting(), completion("Done after all.")])
    front.needs("kill")
    task = await killed_at_work(theatre, front)
    again = await theatre.open_on(front.stage)
    await again.resume(task)
    assert (await again.until("ended", task)).text == "Done after all."
    await check_log(front.stage, task)


async def test_a_task_of_one_front_end_goes_on_over_another(theatre: Theatre) -> None:
    front = await theatre.open([theatre.lasting(), completion("Done elsewhere.")])
    front.needs("kill")
    task = await killed_at_work(theatre, front)
    again = await theatre.open_on(front.stage, NEXT[theatre.kind])
    await again.resume(task)
    assert (await again.until("ended", task)).text == "Done elsewhere."
    await check_log(front.stage, task)


async def test_what_was_said_before_the_kill_is_heard_after_it(theatre: Theatre) -> None:
    front = await theatre.open([theatre.lasting(), completion("Heard."), completion("Heard.")])
    front.needs("kill")
    front.needs("durable queue")
    task = await front.start("Work.")
    await until(lambda: front.stage.has("begun"))
    await front.say(task, "And mind the gap.")
    await until(lambda: front.stage.is_sent(task, "And mind the gap."))
    front.kill()
    await until(lambda: not front.stage.processes())
    again = await theatre.open_on(front.stage)
    await again.resume(task)
    assert (await again.until("ended", task)).text == "Heard."
    said = [
        record.event.message.text
        for record in await front.stage.records(task)
        if isinstance(record.event, MessageAdded) and record.event.message.role == "user"
    ]
    assert said.count("And mind the gap.") == 1


async def test_what_a_killed_process_asked_is_asked_and_answered_in_a_new_one(
    theatre: Theatre,
) -> None:
    write = calls(write_to_file={"path": "a.txt", "content": "hello\n"})
    front = await theatre.open([write, completion("Written.")], "ask")
    front.needs("kill")
    task = await front.start("Write a.txt.")
    await front.until("asked", task)
    front.kill()
    again = await theatre.open_on(front.stage)
    await again.resume(task)
    await again.until("asked", task)
    await again.approve(task)
    assert (await again.until("ended", task)).text == "Written."
    assert front.stage.has("a.txt")
    decided = Counter(type(record.event) for record in await front.stage.records(task))
    assert decided[ApprovalDecided] == 1
