"""Follow a task that another process drives, as its log grows."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import aclosing

import click

from roo_code.cli.bystander import Tasks
from roo_code.cli.render_text import TextRenderer
from roo_code.cli.style import Style
from roo_code.cli.task_view import ask_lines
from roo_code.events import EventRecord
from roo_code.task.asks import may_ask, open_asks
from roo_code.task.store import ENDED, TaskSummary

_SILENCE_SECONDS = 2.0
Print = Callable[[EventRecord], None]


def text_printer() -> Print:
    renderer = TextRenderer(Style.of(sys.stdout))

    def show(record: EventRecord) -> None:
        click.echo("".join(renderer.show(record)), nl=False)

    return show


def json_printer() -> Print:
    return lambda record: click.echo(record.to_json())


async def watch_until_end(tasks: Tasks, task: TaskSummary, after: int, show: Print) -> TaskSummary:
    """Show what came after `after` and what comes, until the task has ended."""
    mentioning = asyncio.create_task(_mention_if_nobody_drives(tasks, task.id))
    try:
        if after >= task.last_seq:
            if task.status in ENDED:
                return task
            await tell_asks(tasks, task.id)
        async with aclosing(tasks.host.follow(task.id, after)) as records:
            async for record in records:
                show(record)
                if record.seq < task.last_seq:
                    continue
                task = await tasks.store.summary(task.id)
                if task.status in ENDED and record.seq >= task.last_seq:
                    return task
                if may_ask(record.event):
                    await tell_asks(tasks, task.id)
    finally:
        mentioning.cancel()
    raise AssertionError("a task is followed for as long as one listens")


async def tell_asks(tasks: Tasks, task_id: str) -> None:
    """To stderr: it is not part of the log."""
    style = Style.of(sys.stderr)
    for ask in await open_asks(tasks.store, task_id):
        click.echo(ask_lines(ask, task_id, style), err=True)


async def _mention_if_nobody_drives(tasks: Tasks, task_id: str) -> None:
    """Once: such a task would be watched in vain."""
    while True:
        await asyncio.sleep(_SILENCE_SECONDS)
        status = (await tasks.store.summary(task_id)).status
        if status in ("created", "running") and not await tasks.store.is_driven(task_id):
            click.echo(
                f"No process drives this task. To go on: roo tasks resume {task_id}", err=True
            )
            return
