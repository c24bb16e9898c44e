"""What a sandbox on this machine holds back, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Settings
from roo_code.errors import ConfigError
from roo_code.sandbox.chosen_sandbox import open_chosen_sandbox
from roo_code.sandbox.detection import find_sandbox


def check_sandbox(workspace: Path) -> Iterator[Finding]:
    settings = LayeredSettings(workspace).resolve()
    found = find_sandbox(settings.get("sandboxBackend"))
    if found.open is None:
        text = f"none, commands would run with all your rights: {found.reason}"
        yield Finding("sandbox", "missing", text, found.fix)
        return
    try:
        sandbox = open_chosen_sandbox({**settings.values, "sandbox": "required"}, workspace)
    except (ConfigError, OSError) as error:
        hint = error.hint if isinstance(error, ConfigError) else ""
        yield Finding("sandbox", "note", f"none for this workspace: {error}", hint)
        return
    sandbox.close()
    held = "files, processes, network, memory, time"
    yield Finding("sandbox", "ok", f"{sandbox.name} works here and can hold back {held}")
    yield _in_use(settings)
    if sandbox.name == "docker":
        told = "whoever may speak to Docker's daemon (group docker) is as good as root"
        yield Finding("sandbox", "note", told, "bubblewrap needs no such rights.")
    for warning in sandbox.warnings:
        yield Finding("sandbox", "note", warning)


def _in_use(settings: Settings) -> Finding:
    if settings.get("sandbox") == "off":
        fix = "To use it: --sandbox auto, or roo config set sandbox auto."
        return Finding("sandbox", "note", "it is off: commands run with all your rights", fix)
    if settings.get("sandbox") == "unasked":
        fix = "For all commands: --sandbox auto, or roo config set sandbox auto."
        told = "the project's own code runs in it where nobody was asked; other commands do not"
        return Finding("sandbox", "ok", told, fix)
    hosts = ", ".join(settings.get("sandboxHosts") or ()) or "no hosts, for none are listed"
    network = {"off": "no network", "hosts": hosts, "on": "the whole network"}
    reached = network[settings.get("sandboxNetwork")]
    return Finding("sandbox", "ok", f"commands run in it, with {reached}")
