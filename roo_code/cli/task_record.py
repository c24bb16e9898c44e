"""A recording of a stored task, made afterwards from its log."""

from __future__ import annotations

from pathlib import Path

from roo_code.cli.compose import record_stored
from roo_code.errors import UserFacingError
from roo_code.events import Event, MessageAdded
from roo_code.task.store import TaskQuery, TaskStore, TaskSummary

_PAGE = 500
_MOST_SUBTASKS = 1000


async def record(store: TaskStore, task: TaskSummary, path: Path) -> int:
    """How many replies are in it, those of subtasks counted in."""
    logs = {id: await _log(store, id) for id in await _family(store, task.id)}
    if not any(map(_is_reply, logs[task.id])):
        raise UserFacingError(f"There is nothing to record: no model has answered task {task.id}.")
    return record_stored(path, logs)


def _is_reply(event: Event) -> bool:
    return isinstance(event, MessageAdded) and event.message.role == "assistant"


async def _family(store: TaskStore, task_id: str) -> list[str]:
    """The task, then all that it started, and they."""
    ids = [task_id]
    for known in ids:
        query = TaskQuery(parent=known, subtasks=True, limit=_MOST_SUBTASKS)
        ids += [found.id for found in reversed(await store.summaries(query))]
    return ids


async def _log(store: TaskStore, task_id: str) -> list[Event]:
    events: list[Event] = []
    after = 0
    while page := await store.read(task_id, after, _PAGE):
        events += [record.event for record in page]
        after = page[-1].seq
    return events
