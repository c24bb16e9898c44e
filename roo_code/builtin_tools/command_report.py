"""How a command is told of to the model: how it ended, or that it goes on."""

from __future__ import annotations

from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.builtin_tools.command_run import CommandRun
from roo_code.builtin_tools.command_status import status_line
from roo_code.tools import ToolOutcome

_LONGEST_LINE = 200


def report(run: CommandRun, name: str) -> ToolOutcome:
    """The command as it stands, which the model knows by `name`."""
    if run.timed_out:
        return ToolOutcome(_timed_out(run), is_error=True)
    if run.status is None:
        return ToolOutcome(_still_running(run, name))
    return ToolOutcome(_finished(run, run.status) + _left_behind(run, name))


def summary(run: CommandRun, name: str) -> str:
    """One line of a list."""
    if run.status is None:
        state = f"running for {run.seconds:.1f} s"
    elif run.timed_out:
        state = "killed when the user's limit was over"
    else:
        state = status_line(run.status).replace("\n", " ")
        state += ", but processes of it still run" if run.group.left_behind() else ""
    command = run.command.replace("\n", " ")[:_LONGEST_LINE]
    return f"{name}: `{command}` in '{run.folder}': {state}"


def _finished(run: CommandRun, status: int) -> str:
    state = status_line(status)
    if run.output.artifact is not None:
        return f"Command executed in '{run.folder}'. {state}\n\n{_shown(run.output, 'Preview:')}"
    where = f"Command executed in terminal within working directory '{run.folder}'. {state}"
    return f"{where}\n{_shown(run.output, 'Output:')}"


def _left_behind(run: CommandRun, name: str) -> str:
    if not (pids := run.group.left_behind()):
        return ""
    return (
        f"\n(Still running in the background: {', '.join(map(str, sorted(pids)))}.)"
        f"\n(background_command stops {name}, as the end of the task does.)"
    )


def _still_running(run: CommandRun, name: str) -> str:
    return (
        f"Command still running in '{run.folder}' after {run.seconds:.1f} s. It goes on in the "
        f"background as {name} until the task ends: background_command waits for it or stops it.\n"
        f"\n{_shown(run.output, 'Output so far:')}"
    )


def _timed_out(run: CommandRun) -> str:
    return (
        f"Command in '{run.folder}' terminated: it ran longer than the {run.limit:g} s that the "
        "user allows. It and all it started were killed. Do not run it again as it is; find one "
        f"that takes less time.\n\n{_shown(run.output, 'Output until then:')}"
    )


def _shown(output: CommandOutput, heading: str) -> str:
    shown = f"{heading}\n{output.preview()}"
    if output.artifact is not None:
        name = output.artifact.name
        part = "" if output.saved == output.total else f", the first {size(output.saved)} of it"
        return (
            f"Output ({size(output.total)}{part}) persisted. Artifact ID: {name}\n"
            f"Read or search all of it with read_command_output.\n\n{shown}"
        )
    return shown if output.complete else f"{shown}\n(What was left out is not kept.)"


def size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.1f} MB"
