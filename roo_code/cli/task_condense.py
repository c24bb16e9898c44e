"""Have the history of a stored task condensed, here if no other process drives it."""

from __future__ import annotations

from collections.abc import Sequence

from roo_code.cli.compose import HostOptions, open_host
from roo_code.cli.task_context import history_of
from roo_code.commands import CondenseContext
from roo_code.errors import UserFacingError
from roo_code.events import ContextCondensed, Event, RunFailed
from roo_code.task.store import ENDED, TaskSummary


async def condense(task: TaskSummary, api_key: str | None) -> str:
    """What became of it, in a sentence."""
    spared = frozenset({task.parent_id} if task.parent_id else ())
    async with open_host(HostOptions(api_key=api_key, spared=spared)) as composed:
        history = await history_of(composed.store, task.id)
        if history.condenses or len(history.messages) < 2:
            return "There is nothing to condense."
        command = CondenseContext(task_id=task.id)
        if await composed.store.is_driven(task.id):
            await composed.store.send(command)
            return "The process that drives the task condenses before it asks the model again."
        if task.status not in ENDED or history.pending:
            await composed.store.send(command)
            return f"It is condensed when the task goes on: roo tasks resume {task.id}"
        await composed.host.handle(command)
        await composed.executor.finish(task.id)
        records = await composed.store.read(task.id, task.last_seq)
    return _told([record.event for record in records])


def _told(events: Sequence[Event]) -> str:
    for event in events:
        match event:
            case ContextCondensed(error="", tokens_before=before, tokens_after=after):
                return f"Condensed {before:,} tokens to {after:,}."
            case ContextCondensed(error=error):
                raise UserFacingError(f"The history stays as it is: {error}")
            case RunFailed(error=error, hint=hint):
                raise UserFacingError(error, hint=hint)
            case _:
                pass
    return "Nothing was condensed."
