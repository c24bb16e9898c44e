"""Asking for consent to what a workspace brings along, before anything of it is used."""

from __future__ import annotations

import os
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from roo_code.cli.options import RunOptions
from roo_code.cli.screen import Screen
from roo_code.cli.style import Style
from roo_code.config.paths import roo_home
from roo_code.errors import ConfigError

if TYPE_CHECKING:  # most workspaces have nothing of the kind
    from roo_code.config.trust import TrustedContent, TrustStore

Answer: TypeAlias = Literal["yes", "no", "never"]

KINDS = {
    "mcp_server": "MCP server",
    "slash_command": "slash command with shell",
    "user_tool": "tools",
    "skill": "skill with scripts",
    "project_settings": "settings that give rights",
}
_TOLD_WHERE_USED = ("user_tool", "project_settings", "mcp_server")
_ANSWERS: dict[str, Answer] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "never": "never"}
_ANY_TERMINAL = Style(terminal=True)


def settle_trust(options: RunOptions, screen: Screen, *, interactive: bool) -> None:
    """Ask at a terminal for what nobody has answered yet; elsewhere say what is left out."""
    workspace = Path(options.workspace or ".").resolve()
    is_elsewhere = options.session_id and not options.workspace  # the task has its own workspace
    # What may not even be looked at is for those to tell who cannot do without.
    if is_elsewhere or not any(os.path.isdir(workspace / name) for name in (".roo", ".agents")):  # noqa: PTH112
        return
    from roo_code.config.trust import TrustStore  # noqa: PLC0415 - few workspaces have any
    from roo_code.config.trust_contents import contents  # noqa: PLC0415

    store = TrustStore(roo_home())
    unanswered = [found for found in contents(workspace) if store.answer(found) is None]
    if not unanswered:
        return
    try:
        if interactive:
            store.entries()  # if they cannot be relied on, do not ask in vain
            ask_for_each(unanswered, store)
            return
    except ConfigError as error:
        screen.notice(f"{error} {error.hint}")
        return
    left_out = [found for found in unanswered if found.kind not in _TOLD_WHERE_USED]
    if left_out:
        screen.notice(f"{_not_used(left_out)} See roo trust list; to consent: roo trust grant NAME")


def ask_for_each(found: list[TrustedContent], store: TrustStore) -> None:
    click.echo("This workspace brings along what could run with your rights.", err=True)
    for content in found:
        click.echo("\n" + described(content), err=True)
        if not content.digest:
            continue  # nobody can vouch for it
        answer = _ask()
        if answer == "yes":
            store.grant(content)
        elif answer == "never":
            store.refuse(content)


def described(content: TrustedContent) -> str:
    """What would run, for any terminal: its author must not be able to hide or forge a line."""
    title = f"{KINDS[content.kind]}: {content.name}"
    shown = _ANY_TERMINAL.clean(content.shown).splitlines()
    digest = f"(SHA-256 {content.digest[:16]})" if content.digest else "(cannot be trusted)"
    return "\n".join([f"{_ANY_TERMINAL.cut(title)} {digest}", *(f"  {line}" for line in shown)])


def _not_used(left_out: list[TrustedContent]) -> str:
    names = ", ".join(f"{found.name} ({KINDS[found.kind]})" for found in left_out)
    return _ANY_TERMINAL.clean(f"Not used, because nobody has consented to it: {names}.")


def _ask() -> Answer:
    with suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)  # typed before it was shown
    while True:
        said: str = click.prompt(
            "Trust it as it is now? yes, no, never",
            default="no",
            prompt_suffix=" [no]: ",
            show_default=False,
            err=True,
        )
        if answer := _ANSWERS.get(said.strip().lower()):
            return answer
