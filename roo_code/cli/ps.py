"""`roo ps`: what runs now of all that was started for tasks."""

from __future__ import annotations

import json
import sys
import time

import click

from roo_code.cli.style import Style
from roo_code.workspace.process_list import marks_are_seen
from roo_code.workspace.running import RunningChild, running

_COLUMNS_BEFORE = 40


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for a program.")
def ps(as_json: bool) -> None:
    """List what runs: commands, servers, browsers and workers of every roo of yours.

    The list comes from the processes themselves, so it holds whoever was killed. What is left
    behind by a roo that is gone is ended within moments; if it is not, kill it by its number.

    \b
    Examples:
      roo ps
      roo ps --json
    """
    found = running()
    if as_json:
        click.echo(json.dumps({"running": [child._asdict() for child in found]}, indent=2))
    elif not marks_are_seen():
        click.echo("This system does not show what processes belong to whom.", err=True)
    elif not found:
        click.echo("Nothing runs.", err=True)
    else:
        style = Style.of(sys.stdout)
        click.echo(style.bold(_row("PID", "KIND", "TIME", "TASK", "COMMAND")))
        for child in found:
            click.echo(_line(child, style))


def _line(child: RunningChild, style: Style) -> str:
    more = f" (+{child.processes - 1})" if child.processes > 1 else ""
    command = style.cut(child.command, _COLUMNS_BEFORE + len(more)) + more
    command += style.bad(" left behind") if child.is_orphan else ""
    taken = f"{max(0.0, time.time() - child.started):.0f}s"
    return _row(str(child.pid), child.kind, taken, child.task_id[:8] or "-", command)


def _row(pid: str, kind: str, taken: str, task: str, command: str) -> str:
    return f"{pid:>8}  {kind:<10} {taken:>7}  {task:<8}  {command}"
