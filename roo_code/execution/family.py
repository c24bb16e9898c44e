"""Parents and subtasks: what a task's pause or end means for the tasks around it.

All of it follows from the store, with ids fixed beforehand, so it can be worked out again by
whoever drives next: a process that dies in between loses nothing and repeats nothing.
"""

from __future__ import annotations

from roo_code.commands import CancelTask, Command, ReportSubtask, StartTask
from roo_code.errors import TaskNotFound
from roo_code.events import (
    Limits,
    ParentCall,
    RunCancelled,
    RunCompleted,
    RunEnded,
    RunFailed,
    SubtaskStarted,
    TaskCreated,
)
from roo_code.task.store import ENDED, TaskQuery, TaskStore, TaskSummary
from roo_code.task.task import Task


async def what_follows(store: TaskStore, task: Task) -> list[Command]:
    """The commands to send now that this process has stopped driving the task."""
    created = (await store.read(task.id, 0, 1))[0].event
    assert isinstance(created, TaskCreated)
    summary = await store.summary(task.id)
    commands: list[Command] = []
    if task.ended is None:
        commands += [
            await _start_or_report(store, summary, created, subtask) for subtask in task.subtasks
        ]
    if isinstance(task.ended, RunCancelled):
        children = await store.summaries(TaskQuery(parent=task.id, subtasks=True, limit=1000))
        commands += [_cancel(child) for child in children if child.status not in ENDED]
    if created.spec.parent is not None and task.ended is not None:
        commands.append(_report(summary, created.spec.parent, task.ended))
    return commands


async def order_from_above(store: TaskStore, task_id: str) -> CancelTask | None:
    """The cancel that a subtask did not hear of, since its parent's process died just then."""
    task = await store.summary(task_id)
    if task.parent_id is None or task.status in ENDED:
        return None
    try:
        parent = await store.summary(task.parent_id)
    except TaskNotFound:
        return None
    is_older = task.updated_at <= parent.updated_at  # else somebody has taken it up since
    return _cancel(task) if parent.status == "cancelled" and is_older else None


def _cancel(subtask: TaskSummary) -> CancelTask:
    return CancelTask(
        task_id=subtask.id,
        command_id=f"cancel-{subtask.id}-{subtask.last_seq}",
        reason="The task that started this one was cancelled.",
    )


async def _start_or_report(
    store: TaskStore, waiting: TaskSummary, created: TaskCreated, subtask: SubtaskStarted
) -> Command:
    """Start the subtask, or say how it ended if it ran while nobody listened."""
    above = created.spec.parent.depth if created.spec.parent else 0
    parent = ParentCall(task_id=waiting.id, tool_use_id=subtask.tool_use_id, depth=above + 1)
    try:
        summary = await store.summary(subtask.subtask_id)
    except TaskNotFound:
        summary = None
    if summary is not None and summary.status in ENDED:
        ended = (await store.tail(subtask.subtask_id, 1))[-1].event
        if isinstance(ended, RunEnded):
            return _report(summary, parent, ended, asked_at=waiting.last_seq)
    spec = created.spec.replace(
        prompt=subtask.prompt,
        images=(),
        mode=subtask.mode,
        provider=subtask.provider or created.spec.provider,
        limits=Limits(),  # the parent's budget counts it in
        parent=parent,
    )
    return StartTask(task_id=subtask.subtask_id, spec=spec)


def _report(
    subtask: TaskSummary,
    parent: ParentCall,
    ended: RunCompleted | RunFailed | RunCancelled,
    asked_at: int = 0,
) -> ReportSubtask:
    subtask_id = subtask.id
    match ended:
        case RunCompleted(result=result):
            text, is_error = f"Subtask {subtask_id} completed.\n\nResult:\n{result}", False
        case RunFailed(error=error):
            text, is_error = f"Subtask {subtask_id} failed: {error}", True
        case RunCancelled(reason=reason):
            text, is_error = f"Subtask {subtask_id} was cancelled. {reason}".strip(), True
    return ReportSubtask(
        task_id=parent.task_id,
        # A parent that had ended and goes on asks anew; one that has its answer ignores the rest.
        command_id=f"report-{subtask_id}-{subtask.last_seq}-{asked_at}",
        tool_use_id=parent.tool_use_id,
        subtask_id=subtask_id,
        result=text,
        is_error=is_error,
    )
