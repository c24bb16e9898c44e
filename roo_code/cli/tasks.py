"""`roo tasks`: look at stored tasks and steer them, whichever process drives them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import click

from roo_code.approval_values import ApprovalScope
from roo_code.cli.bystander import Tasks, open_tasks
from roo_code.cli.listing import workspace_path
from roo_code.cli.options import Amount, RunOptions
from roo_code.cli.style import Style
from roo_code.cli.task_answer import Answer, commands_for, is_picked_up
from roo_code.cli.task_view import ask_lines, record_lines, task_lines, task_table
from roo_code.cli.task_watch import json_printer, text_printer, watch_until_end
from roo_code.errors import UserFacingError
from roo_code.task.asks import open_asks
from roo_code.task.store import TaskQuery, TaskSummary

_STATUSES = ("created", "running", "parked", "completed", "failed", "cancelled")
_CONTEXT_RECORDS = 10


def _format(default: str = "text") -> Any:
    return click.option(
        "--format", "form", type=click.Choice(["text", "json"]), default=default,
        show_default=True, help="For a person or for a program.",
    )  # fmt: skip


_task_id = click.argument("task_id", metavar="ID")


@click.group()
def tasks() -> None:
    """List, show, watch, answer, cancel, resume, record and delete tasks.

    Tasks are kept in ROO_HOME and outlive the process that drives them: one terminal may run a
    task while another watches it, answers what it asks, or cancels it. ID is a task's id or, if
    no other begins so, its first 4 characters or more.
    """


@tasks.command("list")
@click.option("-w", "--workspace", metavar="DIR", help="Tasks of this folder. Default: here.")
@click.option("--all", "everywhere", is_flag=True, help="Tasks of every folder.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only those in this state.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True,
              help="At most so many.")  # fmt: skip
@click.option("--before", metavar="ID", help="The next page: those older than this task.")
@_format()
def list_tasks(
    workspace: str | None,
    everywhere: bool,
    status: Any,
    limit: int,
    before: str | None,
    form: str,
) -> None:
    """List tasks, the last used first.

    \b
    Examples:
      roo tasks list --all --status parked
      roo tasks list --limit 50 --before 3f2a91bc
    """
    folder = None if everywhere else workspace_path(workspace)

    async def work() -> None:
        async with open_tasks() as stored:
            older_than = await stored.find(before) if before else None
            query = TaskQuery(workspace=folder, status=status, before=older_than, limit=limit + 1)
            found = await stored.host.tasks(query)
            page = found[:limit]
            stopped = {task.id for task in page if await _is_stopped(stored, task)}
        oldest = page[-1].id if len(found) > limit else None
        if form == "json":
            listed = [task.to_dict() | {"stopped": task.id in stopped} for task in page]
            _print_json({"tasks": listed, "before": oldest})
        elif page:
            click.echo(task_table(page, stopped, Style.of(sys.stdout)))
            if oldest:
                click.echo(f"There are older ones: --before {oldest}", err=True)
        else:
            where = f" in {folder}; --all looks everywhere" if folder else ""
            click.echo(f"No such tasks{where}.", err=True)

    asyncio.run(work())


@tasks.command()
@_task_id
@click.option("--last", type=click.IntRange(0), default=30, show_default=True, metavar="N",
              help="Show the last N records of its log.")  # fmt: skip
@click.option("--context", is_flag=True, help="Show what its model would get now instead.")
@_format()
def show(task_id: str, last: int, context: bool, form: str) -> None:
    """Show where a task stands, and the end of its log.

    The log keeps all that was said. The model gets less once it was condensed: see --context.

    \b
    Examples:
      roo tasks show 3f2a91bc --last 100
      roo tasks show 3f2a91bc --context
    """
    if context:
        asyncio.run(_show_context(task_id, form))
        return

    async def work() -> None:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
            records = await stored.store.tail(task.id, last) if last else []
            asks = await open_asks(stored.store, task.id)
            stopped = await _is_stopped(stored, task)
        if form == "json":
            _print_json({
                "task": task.to_dict() | {"stopped": stopped},
                "waiting_for": [ask.to_dict() for ask in asks],
                "records": [record.to_dict() for record in records],
            })  # fmt: skip
            return
        style = Style.of(sys.stdout)
        click.echo(task_lines(task, style, stopped=stopped))
        if records:
            click.echo()
        for record in records:
            click.echo(record_lines(record, style))
        for ask in asks:
            click.echo("\n" + ask_lines(ask, task.id, style))

    asyncio.run(work())


async def _show_context(task_id: str, form: str) -> None:
    from roo_code.cli.task_context import context_lines, history_of  # noqa: PLC0415 - few ask

    async with open_tasks() as stored:
        history = await history_of(stored.store, (await stored.find(task_id)).id)
    if form == "json":
        _print_json([message.to_dict() for message in history.messages])
    else:
        click.echo(context_lines(history.messages, Style.of(sys.stdout)))


@tasks.command("condense")
@_task_id
@click.option("-k", "--api-key", metavar="KEY", help="Key for the service.")
def condense_task(task_id: str, api_key: str | None) -> None:
    """Have a summary stand for the older part of a task's history.

    A task that has ended stays so. One that runs or waits is condensed before its model is asked
    again.

    \b
    Example:
      roo tasks condense 3f2a91bc
    """
    from roo_code.cli.task_condense import condense  # noqa: PLC0415 - loads what drives tasks

    async def work() -> str:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
        return await condense(task, api_key)

    click.echo(asyncio.run(work()))


@tasks.command()
@_task_id
@click.option("--from", "first", type=click.IntRange(1), metavar="SEQ",
              help="Begin with this record. Default: a few before the last.")  # fmt: skip
@_format()
def watch(task_id: str, first: int | None, form: str) -> int:
    """Follow a task until it ends, and tell what it waits for.

    The exit status is 0 if the task was completed.

    \b
    Examples:
      roo tasks watch 3f2a91bc
      roo tasks watch 3f2a91bc --from 1 --format json
    """

    async def work() -> int:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
            after = max(0, task.last_seq - _CONTEXT_RECORDS) if first is None else first - 1
            show = json_printer() if form == "json" else text_printer()
            ended = await watch_until_end(stored, task, after, show)
        click.echo(f"Task {ended.id} {ended.status}.", err=True)
        return 0 if ended.status == "completed" else 1

    return asyncio.run(work())


@tasks.command()
@_task_id
@click.argument("text", required=False)
@click.option("--approve/--refuse", "approved", default=None, help="Whether the call may run.")
@click.option("--task", "scope", flag_value="task",
              help="Approve this call and its like in the task.")  # fmt: skip
@click.option("--always", "scope", flag_value="always",
              help="As --task, and write the rule to your settings.")  # fmt: skip
@click.option("--call", "calls", multiple=True, metavar="CALL_ID",
              help="Which call, if several wait. Repeatable.")  # fmt: skip
@click.option("--message", default="", metavar="TEXT", help="Words to the model with it.")
@click.option("--resume", is_flag=True, help="Then drive the task on here.")
@click.option("-k", "--api-key", metavar="KEY", help="For --resume: key for the model service.")
def answer(
    task_id: str,
    text: str | None,
    approved: bool | None,
    scope: ApprovalScope | None,
    calls: tuple[str, ...],
    message: str,
    resume: bool,
    api_key: str | None,
) -> int:
    """Answer what a task waits for.

    That is an approval (--approve, --refuse) or a question (TEXT).

    The process that drives the task takes the answer up. If there is none, the answer waits in
    the store until the task is resumed. TEXT to a task that asks nothing is a message to it.

    \b
    Examples:
      roo tasks answer 3f2a91bc --approve
      roo tasks answer 3f2a91bc --refuse --message "use the staging server"
      roo tasks answer 3f2a91bc "the second one" --resume
    """
    if scope is not None:
        if approved is False:
            raise click.UsageError(f"--{scope} approves; it does not go with --refuse.")
        approved = True
    if (approved is None) == (text is None):
        raise click.UsageError("Give either --approve, --refuse, or a TEXT.")
    if approved is None and (calls or message):
        raise click.UsageError("--call and --message go with --approve or --refuse.")
    said = message if text is None else text
    given = Answer(approved=approved, calls=calls, text=said, scope=scope or "call")
    task, taken = asyncio.run(_answer(task_id, given, wait=not resume))
    if resume:
        return _drive(task.id, {"api_key": api_key})
    if taken is None:
        click.echo("The answer is stored; the process that drives the task takes it up in time.")
    elif taken:
        click.echo("The process that drives the task has taken it up.")
    else:
        click.echo(f"The answer is stored. To go on: roo tasks resume {task.id}")
    return 0


async def _answer(task_id: str, answer: Answer, *, wait: bool) -> tuple[TaskSummary, bool | None]:
    """The task, and whether the answer was taken up; None if that is only a matter of time."""
    async with open_tasks() as stored:
        task = await stored.find(task_id)
        commands = await commands_for(stored, task, answer)
        for command in commands:
            await stored.host.handle(command)
        taken = wait and await is_picked_up(stored.store, task.id, commands)
        return task, taken or (None if await stored.store.is_driven(task.id) else False)


@tasks.command("cancel")
@_task_id
@click.option("--reason", default="", metavar="TEXT", help="Kept in the task's log.")
def cancel_task(task_id: str, reason: str) -> None:
    """End a task, whether or not a process drives it.

    Waits until it has ended. Its log stays, and `roo tasks resume` goes on where it ended.

    \b
    Example:
      roo tasks cancel 3f2a91bc
    """
    from roo_code.cli.task_cancel import cancel  # noqa: PLC0415 - loads what drives tasks

    async def work() -> str:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
            ended = await cancel(stored, task, reason)
        if ended.status != "cancelled" or ended.last_seq == task.last_seq:
            return f"Task {ended.id} had ended before: {ended.status}."
        return f"Task {ended.id} is cancelled. To go on with it: roo tasks resume {ended.id}"

    click.echo(asyncio.run(work()))


@tasks.command("resume")
@_task_id
@click.option("-m", "--model", metavar="MODEL", help="Go on with another model of its service.")
@click.option("-k", "--api-key", metavar="KEY", help="Key for the service.")
@click.option("--max-turns", type=click.IntRange(min=1), metavar="N",
              help="Another limit of model calls, earlier ones counted in.")  # fmt: skip
@click.option("--max-cost", type=Amount(), metavar="USD",
              help="Another limit of cost, counted likewise.")  # fmt: skip
def resume_task(task_id: str, **settings: Any) -> int:
    """Drive a task on here from where its log ends.

    A task that another process drives is followed instead, and taken over if that process dies.
    One that waits for an answer nobody has given shows what it waits for. Ctrl-C cancels it.

    \b
    Examples:
      roo tasks resume 3f2a91bc
      roo tasks resume 3f2a91bc --max-cost 5
    """
    return _drive(task_id, settings)


def _drive(task_id: str, settings: dict[str, Any]) -> int:
    from roo_code.cli.task_resume import resume  # noqa: PLC0415 - loads what drives tasks

    async def work() -> int:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
            spec = await stored.store.spec(task.id)
        return await resume(task, spec, RunOptions(session_id=task.id, **settings))

    return asyncio.run(work())


@tasks.command("record")
@_task_id
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False))
def record_task(task_id: str, file: str) -> None:
    """Make a recording of a task for `roo --replay`.

    What was asked is told by the task's log; the replies come without their pace. Keys are left
    out.

    \b
    Example:
      roo tasks record 3f2a91bc fix.jsonl
    """
    from roo_code.cli.task_record import record  # noqa: PLC0415 - loads what drives tasks

    async def work() -> int:
        async with open_tasks() as stored:
            return await record(stored.store, await stored.find(task_id), Path(file))

    click.echo(f"{file}: {asyncio.run(work())} replies. To play it: roo --replay {file}")


@tasks.command()
@_task_id
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete(task_id: str, yes: bool) -> int:
    """Delete a task for good, its subtasks and all they left behind.

    \b
    Example:
      roo tasks delete 3f2a91bc --yes
    """

    async def work() -> int:
        async with open_tasks() as stored:
            task = await stored.find(task_id)
            if await stored.store.is_driven(task.id):
                raise UserFacingError(
                    f"Task {task.id!r} is running.", hint=f"roo tasks cancel {task.id}"
                )
            title = Style.of(sys.stdout).cut(task.title, 60)
            if not yes and not click.confirm(f"Delete task {task.id} ({title})?"):
                click.echo("It is kept.")
                return 1
            await stored.host.delete(task.id)
        click.echo(f"Task {task.id} is deleted.")
        return 0

    if not yes and not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here; say --yes to delete the task.")
    return asyncio.run(work())


async def _is_stopped(stored: Tasks, task: TaskSummary) -> bool:
    unfinished = task.status in ("created", "running")
    return unfinished and not await stored.store.is_driven(task.id)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
