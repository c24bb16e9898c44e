"""`roo trust`: what of a workspace may run, by consent to its exact content."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

import click

from roo_code.cli.config_view import to_json
from roo_code.cli.style import Style
from roo_code.cli.trust_prompt import KINDS, ask_for_each, described
from roo_code.config.paths import roo_home
from roo_code.config.trust import TrustedContent, TrustEntry, TrustStore, workspace_path
from roo_code.config.trust_contents import contents
from roo_code.errors import ConfigError

_SHORTEST_DIGEST = 8
_ANY_TERMINAL = Style(terminal=True)

_workspace = click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)


@click.group("trust")
def trust() -> None:
    """Say what of a workspace may run, and see what could."""


@trust.command("list")
@_workspace
@click.option("--json", "as_json", is_flag=True, help="For a program.")
def list_trust(workspace: str, as_json: bool) -> None:
    """List what a workspace could run, and what you have said of it.

    pending: nobody was asked. granted, refused: you said so of just this content. changed: you
    said so of another content; it is not used. gone: it is not there any more.

    \b
    Examples:
      roo trust list
      roo trust list --json -w ~/src/project
    """
    found = contents(Path(workspace))
    entries = TrustStore(roo_home()).entries()
    rows = [_row(content, entries) for content in found]
    here = workspace_path(Path(workspace))
    rows += [_gone(e, here) for e in entries if not any(e.is_about(c) for c in found)]
    if as_json:
        click.echo(to_json(rows))
        return
    for row in rows:
        where = f"  ({row['workspace']})" if row["workspace"] != here else ""
        line = f"{row['state']:8} {row['digest'][:16]:16} {row['kind']:16} {row['name']}{where}"
        click.echo(_ANY_TERMINAL.clean(line))
    if not rows:
        click.echo("There is nothing here that could run, and nothing was granted anywhere.")


@trust.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_workspace
@click.option("--all", "everything", is_flag=True, help="All that is there now.")
@click.option("--yes", is_flag=True, help="Do not ask; for what you have looked at before.")
def grant(names: tuple[str, ...], workspace: str, everything: bool, yes: bool) -> None:
    """Consent to what a workspace could run, as it is now.

    NAME is that of an MCP server, or a path such as .roo/tools. What would run is shown first.
    Whatever changes afterwards is not used before you have consented again.

    \b
    Examples:
      roo trust grant .roo/tools
      roo trust grant --all
    """
    store = TrustStore(roo_home())
    found = contents(Path(workspace))
    if names:
        meant = [_named(name, found) for name in names]
    else:
        meant = [content for content in found if not store.is_trusted(content)]
    if not names and not everything and not sys.stdin.isatty():
        raise ConfigError("It is not said what to trust.", hint="Name it, or say --all.")
    if not meant:
        click.echo("There is nothing here that needs consent.")
        return
    if yes:
        for content in meant:
            store.grant(content)
            click.echo(f"granted {described(content)}")
    elif sys.stdin.isatty():
        ask_for_each(meant, store)
    else:
        raise ConfigError("Nobody can be asked.", hint="Look at it, then say --yes.")


@trust.command()
@click.argument("names", nargs=-1, metavar="[NAME|DIGEST]...")
@_workspace
@click.option("--all", "everything", is_flag=True, help="All of this workspace.")
def revoke(names: tuple[str, ...], workspace: str, everything: bool) -> None:
    """Take consent back; what runs already goes on until it ends.

    A name is one of this workspace; the first eight or more characters of a digest are one of any.

    \b
    Examples:
      roo trust revoke .roo/tools
      roo trust revoke --all
    """
    if not names and not everything:
        raise ConfigError("It is not said what to revoke.", hint="Name it, or say --all.")
    here = workspace_path(Path(workspace))

    def is_meant(entry: TrustEntry) -> bool:
        if entry.workspace == here and (everything or any(_is_name(n, entry.name) for n in names)):
            return True
        return any(len(n) >= _SHORTEST_DIGEST and entry.digest.startswith(n) for n in names)

    revoked = TrustStore(roo_home()).revoke(is_meant)
    if not revoked:
        raise ConfigError("Nothing of that name was granted.", hint="See roo trust list.")
    for entry in revoked:
        click.echo(_ANY_TERMINAL.clean(f"revoked {KINDS[entry.kind]}: {entry.name}"))


def _row(content: TrustedContent, entries: Iterable[TrustEntry]) -> dict[str, Any]:
    entry = next((entry for entry in entries if entry.is_about(content)), None)
    if entry is None:
        state = "pending"
    elif entry.digest != content.digest:
        state = "changed"
    else:
        state = "granted" if entry.is_granted else "refused"
    return {
        "state": state,
        "kind": content.kind,
        "name": content.name,
        "workspace": content.workspace,
        "digest": content.digest,
        "at": entry.at if entry else None,
        "shown": content.shown,
    }


def _gone(entry: TrustEntry, here: str) -> dict[str, Any]:
    said = "granted" if entry.is_granted else "refused"
    return {
        "state": "gone" if entry.workspace == here else said,
        "kind": entry.kind,
        "name": entry.name,
        "workspace": entry.workspace,
        "digest": entry.digest,
        "at": entry.at,
        "shown": "",
    }


def _named(name: str, found: list[TrustedContent]) -> TrustedContent:
    exact = [content for content in found if content.name == name]
    meant = exact or [content for content in found if _is_name(name, content.name)]
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(content.name for content in meant or found)
    if meant:
        raise ConfigError(f"{name!r} may be several things.", hint=f"Say which: {listed}")
    hint = f"These do: {listed}" if listed else "Nothing here needs consent."
    raise ConfigError(f"There is nothing of the name {name!r} that needs consent.", hint=hint)


def _is_name(said: str, name: str) -> bool:
    """Whether it is the name, its last part, or that without what follows the dot."""
    return os.path.normpath(said) in (name, PurePath(name).name, PurePath(name).stem)
