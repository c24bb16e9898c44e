"""What children are started with, and whether any outlived who started it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.layers import LayeredSettings
from roo_code.workspace.child_environment import child_environment
from roo_code.workspace.running import running


def check_children(workspace: Path, environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    added = LayeredSettings(workspace).resolve().get("commandEnvironment")
    handed = sorted(child_environment(added, environ))
    text = f"commands get {len(handed)} of your {len(environ)} variables: {', '.join(handed)}"
    yield Finding("environment", "ok", text, "To hand on others: the setting commandEnvironment.")
    for child in running():
        if child.is_orphan:
            text = f"{child.kind} {child.pid} outlived process {child.owner}: {child.command[:100]}"
            yield Finding("processes", "note", text, f"End it: kill {child.pid}")
