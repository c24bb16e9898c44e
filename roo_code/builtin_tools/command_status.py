"""How the exit status of a command is told to the model."""

from __future__ import annotations

import signal

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
