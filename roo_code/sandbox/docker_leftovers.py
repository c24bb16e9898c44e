"""Containers whose keeper was killed too, so that nobody could remove them."""

from __future__ import annotations

import os
from pathlib import Path

from roo_code.sandbox.docker_client import DockerClient

LABEL = "roo-code"


def own_label() -> str:
    """Tells whose a container is: numbers of processes mean something in one namespace only."""
    return f"{LABEL}={_namespace()}{os.getpid()}"


def remove_orphans(client: DockerClient) -> None:
    """Remove those whose owner is gone."""
    form = f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}'
    listed = client.ask("ps", "--all", "--filter", f"label={LABEL}", "--format", form)
    owners = dict(line.split() for line in listed.splitlines())
    gone = [id for id, owner in owners.items() if _is_gone(owner)]
    if gone:
        client.ask("rm", "--force", "--volumes", *gone)


def _is_gone(owner: str) -> bool:
    pid = owner.removeprefix(_namespace())
    return pid != owner and pid.isdecimal() and not Path("/proc", pid).exists()


def _namespace() -> str:
    return f"{Path('/proc/self/ns/pid').stat().st_ino}-"
