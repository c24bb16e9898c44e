"""How the end of a command is told to the model."""

from __future__ import annotations

import signal
from pathlib import Path

from roo_code.builtin_tools.command_output import CommandOutput

_DUMPS = {
    signal.SIGQUIT,
    signal.SIGILL,
    signal.SIGABRT,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGSEGV,
}


def status_line(status: int) -> str:
    if status == 0:
        return "Exit code: 0"
    if status < 0:
        return f"Process terminated by signal {_signal_name(-status)}"
    hint = ""
    if 128 < status < 128 + signal.NSIG and status - 128 in set(signal.Signals):
        hint = f" (it may have been ended by signal {_signal_name(status - 128)})"
    return f"The command did not succeed; look at its output.\nExit code: {status}{hint}"


def _signal_name(number: int) -> str:
    try:
        known = signal.Signals(number)
    except ValueError:
        return str(number)
    return f"{known.name}, which usually leaves a core dump" if known in _DUMPS else known.name


def finished(folder: Path, status: int, output: CommandOutput) -> str:
    state = status_line(status)
    if output.artifact is not None:
        return f"Command executed in '{folder}'. {state}\n\n{_shown(output, 'Preview:')}"
    where = f"Command executed in terminal within working directory '{folder}'. {state}"
    return f"{where}\n{_shown(output, 'Output:')}"


def still_running(folder: Path, group: int, seconds: float, output: CommandOutput) -> str:
    return (
        f"Command still running in '{folder}' after {seconds:g} s. It goes on in the background "
        f"as process group {group}; `kill -- -{group}` ends it.\n\n"
        f"{_shown(output, 'Output so far:')}"
    )


def timed_out(folder: Path, seconds: float, output: CommandOutput) -> str:
    return (
        f"Command in '{folder}' terminated: it ran longer than the {seconds:g} s that the user "
        "allows. It and all it started were killed. Do not run it again as it is; find one that "
        f"takes less time.\n\n{_shown(output, 'Output until then:')}"
    )


def _shown(output: CommandOutput, heading: str) -> str:
    shown = f"{heading}\n{output.preview()}"
    if output.artifact is not None:
        part = "" if output.saved == output.total else f", the first {size(output.saved)} of it"
        return (
            f"Output ({size(output.total)}{part}) persisted. "
            f"Artifact ID: {output.artifact.name}\n"
            f"Read parts of it with read_file from {output.artifact}.\n\n{shown}"
        )
    return shown if output.complete else f"{shown}\n(What was left out is not kept.)"


def size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.1f} MB"
