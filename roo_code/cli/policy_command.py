"""`roo policy`: what may run unasked, and why."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.options import LEVELS
from roo_code.cli.session import workspace as checked_workspace
from roo_code.config.layers import LayeredSettings
from roo_code.json_text import to_json
from roo_code.policy.explaining import Explained, explained
from roo_code.policy.grants import readable_folders
from roo_code.policy.levels import PolicyApprover
from roo_code.policy.roo_switches import approval_of, level_named
from roo_code.sandbox.chosen_sandbox import confinement_of
from roo_code.workspace.workspace import Workspace

_STATUS = {"allow": 0, "ask": 2, "deny": 3}  # 1 is an error's


@click.group("policy")
def policy() -> None:
    """Say what may run unasked, and why."""


@policy.command("explain")
@click.argument("command")
@click.option("--json", "as_json", is_flag=True, help="For a program.")
@click.option(
    "--approve", type=click.Choice(LEVELS), metavar="LEVEL", help="As if roo had this --approve."
)
@click.option(
    "--allow", "allowed", multiple=True, metavar="WORDS", help="As if allowedCommands had it."
)
@click.option(
    "--deny", "denied", multiple=True, metavar="WORDS", help="As if deniedCommands had it."
)
@click.option(
    "--no-profile", is_flag=True, help="By the lists alone, without the everyday commands."
)
@click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
def explain(command: str, as_json: bool, workspace: str, **given: Any) -> int:
    """Print whether a shell command may run: allow, ask or deny.

    Your settings decide as they would in a task there, the project's narrowing counted in. The
    exit status is 0 for allow, 2 for ask and 3 for deny. Nothing is run.

    \b
    Examples:
      roo policy explain 'git log | head'
      roo policy explain 'find . -delete' --json
      roo policy explain 'terraform plan' --allow 'terraform plan'
      roo policy explain 'make test' --approve edits
    """
    folder = Path(checked_workspace(workspace))
    settings = LayeredSettings(folder).resolve()
    approval = _with_options(approval_of(settings), **given)
    place = Workspace(folder, readable=readable_folders(approval))
    sandbox = "required" if approval.level == "full-auto-in-sandbox" else ""
    approver = PolicyApprover(
        approval, place, confinement=lambda: confinement_of(folder, settings.values, sandbox)
    )
    found = asyncio.run(explained(command, approval, place, approver))
    click.echo(to_json(found) if as_json else _text(found))
    return _STATUS[found.decision]


def _with_options(
    approval: ApprovalSettings,
    *,
    approve: str | None,
    allowed: tuple[str, ...],
    denied: tuple[str, ...],
    no_profile: bool,
) -> ApprovalSettings:
    return approval.replace(
        level=level_named(approve) if approve else approval.level,
        allowed_commands=(*approval.allowed_commands, *allowed),
        denied_commands=(*approval.denied_commands, *denied),
        profile="" if no_profile else approval.profile,
    )


def _text(explained: Explained) -> str:
    lines = [f"{explained.decision}: {explained.reason}"]
    for judged in explained.commands:
        via = f" (by {', '.join(judged.via)})" if judged.via else ""
        why = judged.reason or judged.rule or "only starts another command"
        lines.append(f"  {judged.decision:5}  {judged.command}{via}: {why}")
    lines += [f"  write  {target}" for target in explained.writes]
    return "\n".join(lines)
