"""`roo config`: look at the settings and change them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from roo_code.cli.config_view import (
    secret_names_set,
    setting_as_json,
    setting_line,
    to_json,
    warn,
)
from roo_code.cli.secret_prompt import ask_passphrase, ask_secret
from roo_code.cli.style import Style
from roo_code.config.context_proxy import PASS_THROUGH_KEYS, ContextProxy, check_value
from roo_code.config.layers import LayeredSettings
from roo_code.config.project_rules import Refused, narrowed
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.config.secrets import SecretStore
from roo_code.config.setting_types import KINDS, kind_name, parse_text
from roo_code.config.settings_file import SettingsFile
from roo_code.errors import ConfigError


def _matching_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [key for key in KINDS if key.lower().startswith(incomplete.lower())]


_key = click.argument("key", shell_complete=_matching_keys)
_workspace = click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
_format = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="For a person or for a program.",
)  # fmt: skip
_project = click.option(
    "--project", is_flag=True, help="In the project's .roo/settings.json, not in your own."
)


@click.group("config")
def config() -> None:
    """Show and change settings.

    \b
    A later one wins:
      defaults
      /etc/roo/settings.json          host-wide; or ROO_HOST_SETTINGS
      ROO_HOME/settings/settings.json yours
      the profile in force            see roo profiles
      DIR/.roo/settings.json          the project's; it may forbid, never allow
      environment                     ROO_MODE sets mode, and so on
      the command line

    Files may be JSON with comments, or YAML; ${env:NAME} in a value stands for a variable. Keys
    and tokens are in none of them but in the operating system's keyring or an encrypted file.
    """


@config.command("get")
@_key
@_workspace
@_format
def get(key: str, workspace: str, form: str) -> int:
    """Print the value of a setting.

    The exit status is 1 if there is none.

    \b
    Examples:
      roo config get mode
      roo config get allowedCommands --format json
    """
    check_value(key, None)
    layers = _layers(workspace)
    settings = layers.resolve()
    warn(settings.problems, key)
    if key in SECRET_KEYS or key in settings.secrets:
        known = key in settings.secrets or SecretStore(layers.home).get(key) is not None
        click.echo("It is set, and hidden." if known else "It is not set.", err=True)
        return 0 if known else 1
    value = settings.get(key)
    if form == "json":
        origin = settings.origin(key)
        click.echo(to_json({"key": key, "value": value, "origin": str(origin)}))
    elif value is not None:
        click.echo(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return 1 if value is None else 0


@config.command("set")
@_key
@click.argument("value", required=False)
@_project
@_workspace
def set_value(key: str, value: str | None, project: bool, workspace: str) -> None:
    """Set a setting.

    Lists and objects are given as JSON. The value of a key or token is not given here, where
    other users of the machine could see it: it is asked for, or read from the standard input.

    \b
    Examples:
      roo config set mode architect
      roo config set allowedCommands '["git status", "npm test"]'
      roo config set openRouterApiKey < key.txt
    """
    check_value(key, None)
    layers = _layers(workspace)
    if key in SECRET_KEYS:
        _set_secret(layers, key, value)
        return
    if key in PASS_THROUGH_KEYS:
        raise ConfigError(f"{key!r} is not set by hand.")
    if value is None:
        raise click.UsageError(f"A value is missing: {key} is {kind_name(key)}.")
    parsed = _parsed(key, value)
    if project:
        _set_in_project(layers, key, parsed)
    else:
        ContextProxy(layers).set_value(key, parsed)
    _tell_override(layers, key, "project" if project else "user")


def _parsed(key: str, text: str) -> Any:
    try:
        parsed = parse_text(key, text)
    except ValueError as error:
        raise ConfigError(f"{key} {error}.") from None
    check_value(key, parsed)
    return parsed


def _set_secret(layers: LayeredSettings, key: str, value: str | None) -> None:
    if value is not None:
        raise ConfigError(
            f"{key} is a secret; on the command line other users of the machine could see it.",
            hint=f"Run `roo config set {key}` and type it, or: roo config set {key} < FILE",
        )
    secret = ask_secret(key)
    parsed = _parsed(key, secret)
    store = SecretStore(layers.home, ask=ask_passphrase())
    ContextProxy(layers, store).set_value(key, parsed)
    click.echo(store.describe(), err=True)
    _tell_override(layers, key, "user")


def _set_in_project(layers: LayeredSettings, key: str, value: Any) -> None:
    place = layers.files.project
    assert place is not None  # a workspace was given
    try:
        narrowed(key, value, layers.resolve().get(key))
    except Refused as refused:
        raise ConfigError(f"{key}: {refused}.", hint=f"roo config set {key}") from None
    SettingsFile(place.preferred).update({key: value})


def _tell_override(layers: LayeredSettings, key: str, layer: str) -> None:
    """Where what was just written does not hold."""
    settings = layers.resolve()
    warn(settings.problems, key)
    origin = settings.origin(key)
    if origin.layer not in ("default", layer):
        click.echo(f"Note: {origin} overrides it.", err=True)


@config.command("unset")
@_key
@_project
@_workspace
def unset(key: str, project: bool, workspace: str) -> None:
    """Remove a setting, or delete a key or token.

    What the layer below says holds then.

    \b
    Example:
      roo config unset mode
    """
    layers = _layers(workspace)
    place = layers.files.project if project else layers.files.user
    assert place is not None  # a workspace was given
    if key in KINDS and not project:
        ContextProxy(layers, SecretStore(layers.home, ask=ask_passphrase())).set_value(key, None)
    else:
        SettingsFile(place.preferred).update({}, [key])


@config.command("list")
@click.option("--origin", is_flag=True, help="Say which file and line, or variable, set it.")
@click.option("--all", "everything", is_flag=True, help="Defaults and unset ones too.")
@_workspace
@_format
def list_settings(origin: bool, everything: bool, workspace: str, form: str) -> None:
    """List what is set, and what is wrong with it.

    \b
    Examples:
      roo config list --origin
      roo config list --all
      roo config list --format json
    """
    layers = _layers(workspace)
    settings = layers.resolve()
    secrets, problems = secret_names_set(layers, settings)
    names = sorted(KINDS if everything else {*settings.origins, *secrets}, key=str.lower)
    if form == "json":
        present = [name for name in names if name in settings.values]
        listed = {name: setting_as_json(settings, name, origin) for name in present}
        data = {"settings": listed, "secrets": sorted(secrets)}
        click.echo(to_json(data | {"problems": [problem.as_json() for problem in problems]}))
        return
    style = Style.of(sys.stdout)
    width = max((len(name) for name in names), default=0)
    for name in names:
        click.echo(setting_line(settings, name, secrets, width, style, with_origin=origin))
    if not names:
        click.echo("Nothing is set; the defaults hold. See roo config list --all.", err=True)
    warn(problems)


@config.command("path")
@_workspace
@_format
def path(workspace: str, form: str) -> None:
    """Print where settings are read from, the strongest last.

    \b
    Example:
      roo config path
    """
    layers = _layers(workspace)
    rows = [(place.layer, place.preferred) for place in layers.files.places]
    before_project = len(rows) - (layers.files.project is not None)
    rows.insert(before_project, ("profile", layers.files.profiles))
    if form == "json":
        listed = [
            {"layer": layer, "path": str(file), "exists": file.exists()} for layer, file in rows
        ]
        click.echo(to_json({"files": listed}))
        return
    for layer, file in rows:
        click.echo(f"{layer:<8} {file}{'' if file.exists() else '  (not there)'}")


@config.command("edit")
@_project
@_workspace
def edit(project: bool, workspace: str) -> int:
    """Open the settings in your editor.

    VISUAL or EDITOR says which. What is wrong afterwards is told.

    \b
    Example:
      EDITOR=nano roo config edit
    """
    layers = _layers(workspace)
    place = layers.files.project if project else layers.files.user
    assert place is not None  # a workspace was given
    file = place.preferred
    if not file.exists():
        SettingsFile(file).update({})
    while True:
        click.edit(filename=str(file))
        problems = [problem for problem in layers.resolve().problems if problem.file == str(file)]
        warn(problems)
        if not problems:
            return 0
        if not (sys.stdin.isatty() and click.confirm("Edit again?", default=True)):
            return 1


@config.command("rotate")
@click.option("--passphrase", is_flag=True, help="Ask for a new passphrase to lock them with.")
def rotate(passphrase: bool) -> None:
    """Lock the file of secrets with a new key.

    With --passphrase or ROO_PASSPHRASE it is locked with that, else with a new key that is
    kept beside it. Secrets in a keyring are not affected.

    \b
    Example:
      roo config rotate --passphrase
    """
    store = SecretStore(ask=ask_passphrase())
    new: str | None = None
    if passphrase:
        new = click.prompt("New passphrase", hide_input=True, confirmation_prompt=True)
    store.rotate(new)
    click.echo(store.describe(), err=True)


def _layers(workspace: str) -> LayeredSettings:
    return LayeredSettings(Path(workspace).resolve())
