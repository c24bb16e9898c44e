"""`roo workflow`: run phases of subtasks from a file, go on with them, show them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from roo_code.cli.answers import Answers, UnattendedAnswers
from roo_code.cli.bystander import Tasks, open_tasks
from roo_code.cli.compose_workflow import (
    checkpoint_file,
    workflow_of,
    workflow_spec,
    workflow_state,
)
from roo_code.cli.options import RunOptions, collect, run_parameters
from roo_code.cli.run import Run
from roo_code.cli.screen import Screen
from roo_code.cli.session import Opener, known_mode
from roo_code.cli.settings_options import notices, read_settings, with_settings
from roo_code.cli.terminal_input import TerminalInput
from roo_code.errors import UserFacingError
from roo_code.events import Event, TaskSpec
from roo_code.task.store import TaskSummary
from roo_code.workflows.checkpoint import as_json
from roo_code.workflows.file import Workflow, read_workflow
from roo_code.workflows.graph import as_mermaid, as_text, bar
from roo_code.workflows.state import WorkflowState

_PAGE = 500
_TRY_AGAIN = "Try again."
_RUN_OPTIONS = frozenset({
    "workspace", "provider", "model", "api_key", "base_url", "reasoning_effort", "approve",
    "require_approval", "allow_command", "deny_command", "max_turns", "max_cost", "sandbox",
    "print", "output_format", "debug", "record", "replay",
})  # fmt: skip


@click.group()
def workflow() -> None:
    """Run phases of subtasks from a file.

    A workflow is a task that starts tasks: it is stored, and whatever ends its process, it goes
    on where it was. The format of the file is in docs/workflows.md.
    """


class WorkflowRun(Run):
    def __init__(
        self, options: RunOptions, screen: Screen, flow: Workflow | None, *, interactive: bool
    ) -> None:
        super().__init__(options, screen, interactive=interactive)
        self._flow = flow

    def _new_spec(self, opener: Opener, prompt: str | None) -> TaskSpec:
        assert self._flow is not None
        spec = opener.new_spec()
        for phase in self._flow.phases:  # a mode that is missing is not found out half-way
            for subtask in phase.subtasks:
                known_mode(subtask.mode or phase.mode, spec.workspace)
        return workflow_spec(spec, self._flow)

    def _answers(self, input: TerminalInput | None, prompt: str | None) -> Answers:
        """A gate waits for a person, however long; questions of subtasks do not."""
        if input is None and not self._options.require_approval:
            return UnattendedAnswers()
        return super()._answers(input, prompt)


def _start(flow: Workflow | None, options: RunOptions) -> int:
    screen = Screen(sys.stdout, sys.stderr)
    interactive = not options.print and sys.stdin.isatty() and sys.stdout.isatty()
    if not options.resumes:
        settings = read_settings(options)
        for notice in notices(settings):
            screen.notice(notice)
        options = with_settings(options, settings)
    return WorkflowRun(options, screen, flow, interactive=interactive).run()


def _run(file: str, **given: Any) -> int:
    """Run a workflow from a file.

    The exit status is 0 if every phase was completed.

    \b
    Examples:
      roo workflow run release.yaml
      roo workflow run release.yaml -p --allow-command "make test" --max-cost 5
    """
    flow = read_workflow(Path(file))
    options = collect({"prompt": (flow.name,), **given})
    return _start(flow, replace(options, oneshot=True))


def _resume(task_id: str, **given: Any) -> int:
    """Go on with a workflow.

    What has failed is tried again; what is done is not.

    \b
    Example:
      roo workflow resume 3f2a91bc
    """
    found = asyncio.run(_find(task_id))
    said = (_TRY_AGAIN,) if found.status in ("failed", "cancelled") else ()
    options = collect({"prompt": said, "session_id": found.id, **given})
    return _start(None, replace(options, oneshot=True))


def _command(name: str, argument: click.Argument, work: Any) -> click.Command:
    options = [option for option in run_parameters() if option.name in _RUN_OPTIONS]
    return click.Command(name, params=[argument, *options], callback=work, help=work.__doc__)


workflow.add_command(_command("run", click.Argument(["file"]), _run))
workflow.add_command(_command("resume", click.Argument(["task_id"], metavar="ID"), _resume))


@workflow.command()
@click.argument("task_id", metavar="[ID]", required=False)
@click.option("--json", "as_data", is_flag=True, help="For a program.")
def status(task_id: str | None, as_data: bool) -> None:
    """Show how far a workflow has come; without ID, all of them.

    \b
    Examples:
      roo workflow status
      roo workflow status 3f2a91bc --json
    """

    async def work() -> None:
        async with open_tasks() as stored:
            if task_id is not None:
                _show(*await _read(stored, await stored.find(task_id)), as_data=as_data)
                return
            ids = [path.stem for path in sorted(checkpoint_file("").parent.glob("*.json"))]
            for id in await stored.store.ids("", 1_000_000):
                if id in ids:
                    task = await stored.store.summary(id)
                    flow, state = await _read(stored, task)
                    click.echo(f"{task.id}  {task.status:<9}  {bar(state)}  {flow.name}")

    asyncio.run(work())


@workflow.command()
@click.argument("file")
@click.option("--mermaid", is_flag=True, help="For pages that draw Mermaid.")
def graph(file: str, mermaid: bool) -> None:
    """Draw the phases of a file and what each consists of.

    \b
    Examples:
      roo workflow graph release.yaml
      roo workflow graph release.yaml --mermaid > release.mmd
    """
    flow = read_workflow(Path(file))
    text = as_text(flow.name, WorkflowState(phases=flow.phases))
    click.echo(as_mermaid(flow) if mermaid else text)


def _show(flow: Workflow, state: WorkflowState, *, as_data: bool) -> None:
    if as_data:
        click.echo(json.dumps({"name": flow.name, **as_json(state)}, ensure_ascii=False, indent=2))
    else:
        click.echo(f"{as_text(flow.name, state)}\n{bar(state)}")


async def _find(task_id: str) -> TaskSummary:
    async with open_tasks() as stored:
        task = await stored.find(task_id)
        await _read(stored, task)
        return task


async def _read(stored: Tasks, task: TaskSummary) -> tuple[Workflow, WorkflowState]:
    flow = workflow_of(await stored.store.spec(task.id))
    if flow is None:
        raise UserFacingError(
            f"Task {task.id} does not run a workflow.",
            hint="roo workflow status lists those that do.",
        )
    events: list[Event] = []
    seq = 0
    while page := await stored.store.read(task.id, seq, _PAGE):
        events += [record.event for record in page]
        seq = page[-1].seq
    return flow, workflow_state(flow, events)
