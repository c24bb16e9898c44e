"""`roo modes`: look at the modes there are, make new ones, pass them on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from roo_code.cli.config_view import to_json, warn
from roo_code.config.mode import GROUPS, Mode
from roo_code.config.mode_exchange import ModePlace, export_mode, import_modes
from roo_code.config.mode_fields import SLUG
from roo_code.config.mode_files import as_fields, mode_faults
from roo_code.config.paths import roo_home
from roo_code.errors import ConfigError
from roo_code.modes.collection import Modes

_workspace = click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
_format = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="For a person or for a program.",
)  # fmt: skip
_global = click.option(
    "--global", "everywhere", is_flag=True, help="Among your own modes, not the project's."
)


@click.group("modes")
def modes() -> None:
    """Show, make and exchange modes.

    A mode is a role for the model: instructions, the groups of tools it may use and the files it
    may edit. Of two with one slug the project's counts before yours, and yours before a built-in.

    \b
    Where they stand:
      DIR/.roomodes                           the project's, as Roo keeps them
      DIR/.roo/modes/SLUG.yaml                the project's, one file each
      ROO_HOME/settings/custom_modes.yaml     yours, as Roo keeps them
      ROO_HOME/modes/SLUG.yaml                yours, one file each
    """


@modes.command("list")
@_workspace
@_format
def list_modes(workspace: str, form: str) -> None:
    """List the modes there are, and what each may do.

    \b
    Example:
      roo modes list
    """
    known = _modes(workspace)
    if form == "json":
        click.echo(to_json({"modes": [_as_json(mode) for mode in known.all]}))
        return
    width = max(len(mode.slug) for mode in known.all)
    for mode in known.all:
        click.echo(f"{mode.slug:<{width}}  {mode.source:<7}  {_rights(mode)}")


@modes.command("show")
@click.argument("slug")
@_workspace
@_format
def show(slug: str, workspace: str, form: str) -> None:
    """Show all of a mode.

    \b
    Example:
      roo modes show architect
    """
    mode = _mode(_modes(workspace), slug)
    if form == "json":
        click.echo(to_json(_as_json(mode)))
        return
    for title, text in (
        ("Mode", f"{mode.slug} ({mode.name})"),
        ("Source", f"{mode.source} {mode.file}".rstrip()),
        ("May use", _rights(mode)),
        ("When to use", mode.when_to_use),
        ("Description", mode.description),
        ("Prompt" if mode.system_prompt else "Role", mode.system_prompt or mode.role),
        ("Instructions", mode.instructions),
    ):
        if text:
            click.echo(f"{title}: {text}")


@modes.command("new")
@click.argument("slug")
@click.option("--name", metavar="NAME", help="What people see. Default: the slug.")
@click.option("--role", required=True, metavar="TEXT", help="Who the model is to be.")
@click.option(
    "--group", "groups", multiple=True, metavar="GROUP[=REGEX]",
    help=f"Tools it may use: {', '.join(GROUPS[:5])}. edit=REGEX: on files that match. "
    "May be given several times. Default: read.",
)  # fmt: skip
@click.option("--when", metavar="TEXT", default="", help="When to use it, for the model.")
@click.option("--instructions", metavar="TEXT", default="", help="What it is to heed.")
@_global
@_workspace
def new(
    slug: str,
    name: str | None,
    role: str,
    groups: tuple[str, ...],
    when: str,
    instructions: str,
    everywhere: bool,
    workspace: str,
) -> None:
    """Make a mode in the project's .roomodes, or among your own.

    \b
    Example:
      roo modes new docs --role "You write." --group read --group 'edit=\\.md$'
    """
    place = _place(everywhere, workspace)
    if SLUG.fullmatch(slug) is None:
        raise ConfigError(f"{slug!r} is no slug: letters, digits and dashes only.")
    given = [group.partition("=") for group in groups or ("read",)]
    fields = {
        "slug": slug,
        "name": name or slug,
        "roleDefinition": role,
        **{key: text for key, text in (("whenToUse", when), ("customInstructions", instructions))
           if text},
        "groups": [[n, {"fileRegex": regex}] if regex else n for n, _, regex in given],
    }  # fmt: skip
    if faults := [*mode_faults(fields)]:
        told = "; ".join(f"{'.'.join(map(str, f.path))}: {f.message}" for f in faults)
        raise ConfigError(f"The mode would not be valid: {told}.")
    place.save(fields)
    click.echo(f"The mode {slug} is in {place.file}.")


@modes.command("export")
@click.argument("slug")
@click.argument("file", required=False)
@_workspace
def export(slug: str, file: str | None, workspace: str) -> None:
    """Write a mode and its rules to a file, as Roo does.

    FILE may be -, the standard output.

    \b
    Examples:
      roo modes export docs               writes docs-export.yaml
      roo modes export docs - | less
    """
    mode = _mode(_modes(workspace), slug)
    is_project = mode.source == "project"
    text = export_mode(mode, _place(not is_project, workspace).rules(slug))
    target = Path(file or f"{slug}-export.yaml")
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{str(target)!r} cannot be written: {error.strerror}.") from error
    click.echo(f"The mode {slug} is in {target}.")


@modes.command("import")
@click.argument("file")
@_global
@_workspace
def import_(file: str, everywhere: bool, workspace: str) -> int:
    """Read modes and their rules from FILE, exported here or by Roo.

    Modes of the same slug, and their rules, are replaced. The exit status is 1 if none could be
    used.

    \b
    Example:
      roo modes import docs-export.yaml
    """
    place = _place(everywhere, workspace)
    imported = import_modes(Path(file), place)
    warn(imported.problems)
    if imported.slugs:
        count = imported.rules
        rules = f", with {count} file{'' if count == 1 else 's'} of rules" if count else ""
        click.echo(f"Imported into {place.file}: {', '.join(imported.slugs)}{rules}.")
    return 0 if imported.slugs else 1


def _modes(workspace: str) -> Modes:
    folder = _folder(workspace)
    found = Modes.of(folder)
    warn(found.problems)
    return found


def _mode(known: Modes, slug: str) -> Mode:
    if (mode := known.get(slug)) is not None:
        return mode
    listed = ", ".join(mode.slug for mode in known.all)
    raise ConfigError(f"There is no mode {slug!r}.", hint=f"There are: {listed}.")


def _place(everywhere: bool, workspace: str) -> ModePlace:
    return ModePlace.of_user(roo_home()) if everywhere else ModePlace.of_project(_folder(workspace))


def _folder(workspace: str) -> Path:
    folder = Path(workspace).resolve()
    if not folder.is_dir():
        raise ConfigError(f"The workspace {str(folder)!r} is not a folder.")
    return folder


def _rights(mode: Mode) -> str:
    named = [f"{g.name} ({g.file_regex})" if g.file_regex else g.name for g in mode.groups]
    return ", ".join(named) or "no tools but those to delegate and to answer"


def _as_json(mode: Mode) -> dict[str, Any]:
    return as_fields(mode) | {"source": mode.source} | ({"file": mode.file} if mode.file else {})
