"""`roo doctor`: what is wrong on this machine, and how to mend it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from roo_code.cli.doctor_children import check_children
from roo_code.cli.doctor_environment import check_environment
from roo_code.cli.doctor_finding import Finding
from roo_code.cli.doctor_sandbox import check_sandbox
from roo_code.cli.doctor_settings import check_settings
from roo_code.cli.doctor_store import check_store
from roo_code.cli.doctor_trust import check_trust
from roo_code.cli.style import Style


@click.command()
@click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Project to look at. Default: here."
)
@click.option("--thorough", is_flag=True, help="Read every page of the task store; takes longer.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="For a person or for a program.",
)  # fmt: skip
def doctor(workspace: str, thorough: bool, form: str) -> int:
    """Check the environment, the settings and the task store.

    One line for each, with the remedy below it where something is amiss. The exit status is 1 if
    something is broken; what is merely missing does not count.

    \b
    Examples:
      roo doctor
      roo doctor --thorough --format json
    """
    findings = [
        *check_environment(),
        *check_sandbox(Path(workspace).resolve()),
        *check_children(Path(workspace).resolve()),
        *check_settings(Path(workspace).resolve()),
        check_trust(Path(workspace).resolve()),
        *check_store(thorough=thorough),
    ]
    broken = [finding for finding in findings if finding.state == "broken"]
    if form == "json":
        listed = [finding._asdict() for finding in findings]
        click.echo(json.dumps({"broken": len(broken), "findings": listed}, indent=2))
    else:
        style = Style.of(sys.stdout)
        for finding in findings:
            click.echo(_line(finding, style))
        click.echo(f"{len(broken)} broken." if broken else "Nothing is broken.")
    return 1 if broken else 0


def _line(finding: Finding, style: Style) -> str:
    mark = {
        "ok": style.good("ok     "),
        "note": style.ask("note   "),
        "missing": style.ask("missing"),
        "broken": style.bad("BROKEN "),
    }[finding.state]
    line = f"{mark}  {finding.name:<12} {style.clean(finding.text)}"
    return f"{line}\n         {'':<12} {style.clean(finding.fix)}" if finding.fix else line
