"""What a sandbox on this machine holds back, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.errors import ConfigError
from roo_code.sandbox.detection import find_sandbox, open_sandbox
from roo_code.sandbox.policy import SandboxPolicy


def check_sandbox(workspace: Path) -> Iterator[Finding]:
    found = find_sandbox()
    if found.open is None:
        text = f"none, commands would run with all your rights: {found.reason}"
        yield Finding("sandbox", "missing", text, found.fix)
        return
    try:
        sandbox = open_sandbox(SandboxPolicy(), workspace)
    except (ConfigError, OSError) as error:
        hint = error.hint if isinstance(error, ConfigError) else ""
        yield Finding("sandbox", "note", f"none for this workspace: {error}", hint)
        return
    sandbox.close()
    held = "files, processes, network, memory, time"
    yield Finding("sandbox", "ok", f"{sandbox.name} works here and can hold back {held}")
    for warning in sandbox.warnings:
        yield Finding("sandbox", "note", warning)
