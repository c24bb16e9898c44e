"""`roo policy`: what may run unasked, and why."""

from __future__ import annotations

from pathlib import Path

import click

from roo_code.json_text import to_json
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules, ShellVerdict
from roo_code.workspace.workspace import Workspace

_STATUS = {"allow": 0, "ask": 2, "deny": 3}  # 1 is an error's


@click.group("policy")
def policy() -> None:
    """Say what may run unasked, and why."""


@policy.command("explain")
@click.argument("command")
@click.option("--json", "as_json", is_flag=True, help="For a program.")
@click.option(
    "--allow", "allowed", multiple=True, metavar="WORDS", help="As if allowedCommands had it."
)
@click.option(
    "--deny", "denied", multiple=True, metavar="WORDS", help="As if deniedCommands had it."
)
@click.option(
    "--no-profile", is_flag=True, help="By the lists alone, without the developer profile."
)
@click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
def explain(
    command: str,
    as_json: bool,
    allowed: tuple[str, ...],
    denied: tuple[str, ...],
    no_profile: bool,
    workspace: str,
) -> int:
    """Print whether a shell command may run: allow, ask or deny.

    The exit status is 0 for allow, 2 for ask and 3 for deny. Nothing is run.

    \b
    Examples:
      roo policy explain 'git log | head'
      roo policy explain 'find . -delete' --json
      roo policy explain 'terraform plan' --allow 'terraform plan'
    """
    rules = ShellRules(allowed, denied, "" if no_profile else "developer")
    verdict = judge(command, rules, Places(Workspace(Path(workspace))))
    click.echo(to_json(verdict) if as_json else _text(verdict))
    return _STATUS[verdict.decision]


def _text(verdict: ShellVerdict) -> str:
    lines = [f"{verdict.decision}: {verdict.reason}"]
    for judged in verdict.commands:
        via = f" (by {', '.join(judged.via)})" if judged.via else ""
        why = judged.reason or judged.rule or "only starts another command"
        lines.append(f"  {judged.decision:5}  {judged.command}{via}: {why}")
    lines += [f"  write  {target}" for target in verdict.writes]
    return "\n".join(lines)
