"""`roo profiles`: named provider settings."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from roo_code.cli.secret_prompt import ask_passphrase, ask_secret
from roo_code.cli.style import Style
from roo_code.config.layers import LayeredSettings
from roo_code.config.problem import shown
from roo_code.config.profiles import Profile, ProviderSettingsManager
from roo_code.config.safe_files import replace_file
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.config.secrets import SecretStore
from roo_code.config.service_keys import address_of_service, key_of_service, model_of_service
from roo_code.config.setting_types import KINDS, parse_text
from roo_code.config.settings_exchange import SettingsExchange
from roo_code.config.settings_file import SettingsFile
from roo_code.errors import ConfigError


def _matching_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    try:
        found = ProviderSettingsManager().list_profiles()
    except ConfigError:
        return []
    return [profile.name for profile in found if profile.name.startswith(incomplete)]


_name = click.argument("name", shell_complete=_matching_names)
_format = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="For a person or for a program.",
)  # fmt: skip
_yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
_pairs = click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...")
_ask_key = click.option(
    "--key", "ask_key", is_flag=True,
    help="Ask for the service's key, or read it from the standard input.",
)  # fmt: skip


@click.group()
def profiles() -> None:
    """Keep several sets of provider settings, and choose between them.

    A profile names a service, a model and what else the service is to be told. One profile is
    active; others may be kept for certain modes. Keys are not in the file of profiles but in the
    operating system's keyring or an encrypted file.
    """


@profiles.command("list")
@_format
def list_profiles(form: str) -> None:
    """List the profiles; * marks the active one.

    \b
    Example:
      roo profiles list
    """
    found = ProviderSettingsManager().list_profiles()
    if form == "json":
        click.echo(_json({"profiles": [_as_json(profile) for profile in found]}))
        return
    if not found:
        click.echo("There are none. See roo profiles create --help.", err=True)
    width = max((len(profile.name) for profile in found), default=0)
    style = Style.of(sys.stdout)
    for profile in found:
        model = "/".join(filter(None, (profile.provider, profile.model)))
        modes = f"  for {', '.join(profile.modes)}" if profile.modes else ""
        mark = "*" if profile.active else " "
        click.echo(f"{mark} {profile.name:<{width}}  {style.clean(model)}{style.dim(modes)}")


@profiles.command()
@_name
@_format
def show(name: str, form: str) -> None:
    """Show a profile; its secrets by name only.

    \b
    Example:
      roo profiles show work
    """
    profiles = _open()
    profile = profiles.get(name)
    secrets = sorted(profiles.secrets_of(profile.id))
    if form == "json":
        click.echo(_json(_as_json(profile) | {"settings": profile.settings, "secrets": secrets}))
        return
    for key, value in profile.settings.items():
        click.echo(f"{key} = {shown(key, value)}")
    for key in secrets:
        click.echo(f"{key} = (hidden)")


@profiles.command()
@_name
@click.option("--provider", metavar="NAME", help="The model service.")
@click.option("-m", "--model", metavar="MODEL", help="Its model.")
@click.option("--base-url", metavar="URL", help="Its address, if it is not the usual one.")
@_ask_key
@_pairs
def create(
    name: str,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    ask_key: bool,
    pairs: tuple[str, ...],
) -> None:
    """Create a profile. The first one is active at once.

    KEY is any provider setting, by Roo's names.

    \b
    Examples:
      roo profiles create work --provider anthropic -m claude-sonnet-4-5 --key
      roo profiles create home --provider ollama -m qwen3-coder ollamaNumCtx=32768
      pass show openrouter | roo profiles create or --provider openrouter --key
    """
    settings = _parsed(pairs)
    provider = provider or settings.get("apiProvider")
    if not provider:
        raise click.UsageError("It is not said which service: give --provider.")
    given = {
        "apiProvider": provider,
        model_of_service(provider): model,
        address_of_service(provider): base_url,
    }
    settings |= {key: value for key, value in given.items() if value is not None}
    profiles = _open()
    if any(profile.name == name for profile in profiles.list_profiles()):
        raise ConfigError(f"A profile {name!r} exists already.", hint="See roo profiles set.")
    if ask_key:
        settings |= _asked_key(provider)
    made = profiles.create(name, settings)
    click.echo(f"Profile {name!r} is made{' and active' if made.active else ''}.", err=True)


@profiles.command("set")
@_name
@_ask_key
@_pairs
def set_values(name: str, ask_key: bool, pairs: tuple[str, ...]) -> None:
    """Change settings of a profile; KEY= removes one.

    \b
    Examples:
      roo profiles set work apiModelId=claude-opus-4-1 modelTemperature=
      roo profiles set work --key
    """
    profiles = _open()
    changes = _parsed(pairs)
    if ask_key:
        provider = changes.get("apiProvider") or profiles.get(name).provider
        changes |= _asked_key(str(provider))
    if not changes:
        raise click.UsageError("Give KEY=VALUE, or --key.")
    profiles.update(name, changes)


@profiles.command()
@_name
@click.argument("new_name")
def rename(name: str, new_name: str) -> None:
    """Give a profile another name.

    \b
    Example:
      roo profiles rename work office
    """
    _open().rename(name, new_name)


@profiles.command("copy")
@_name
@click.argument("new_name")
def copy_profile(name: str, new_name: str) -> None:
    """Make a copy of a profile, its key too.

    \b
    Example:
      roo profiles copy work work-cheap
    """
    _open().copy(name, new_name)


@profiles.command()
@_name
@_yes
def delete(name: str, yes: bool) -> int:
    """Delete a profile and its key.

    \b
    Example:
      roo profiles delete work --yes
    """
    profiles = _open()
    profiles.get(name)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here; say --yes to delete the profile.")
        if not click.confirm(f"Delete profile {name!r} and its key?"):
            return 1
    profiles.delete(name)
    return 0


@profiles.command()
@click.argument("name", required=False, shell_complete=_matching_names)
@click.option("--mode", metavar="MODE", help="Only in this mode; without NAME, no longer.")
def use(name: str | None, mode: str | None) -> None:
    """Use a profile from now on, in all modes or in one.

    \b
    Examples:
      roo profiles use work
      roo profiles use thinker --mode architect
      roo profiles use --mode architect
    """
    profiles = ProviderSettingsManager()
    if name is not None:
        profiles.activate(name, mode)
    elif mode is not None:
        profiles.release_mode(mode)
    else:
        raise click.UsageError("Give the NAME of a profile.")
    origin = LayeredSettings(Path.cwd()).resolve().origin("currentApiConfigName")
    if mode is None and origin.layer not in ("default", "profile"):
        click.echo(f"Note: {origin} overrides it.", err=True)


@profiles.command("import")
@click.argument("file")
def import_file(file: str) -> None:
    """Import a settings file that Roo exported (roo-code-settings.json).

    Its profiles and settings are added to yours; those of the same name are replaced. Its keys go
    to the keyring or the encrypted file.

    \b
    Example:
      roo profiles import ~/Downloads/roo-code-settings.json
    """
    store = SecretStore(ask=ask_passphrase())
    report = _exchange(store).import_file(Path(file))
    for problem in report.problems:
        click.echo(f"Problem: {problem}", err=True)
    counts = (
        f"{len(report.profiles)} profiles, {len(report.settings)} settings and "
        f"{report.secrets} secrets are imported."
    )
    click.echo(counts, err=True)
    if report.secrets:
        click.echo(store.describe(), err=True)
        click.echo(f"The file still holds them in plain text: delete {file}", err=True)


@profiles.command("export")
@click.argument("file", default="-")
@click.option("--with-secrets", is_flag=True, help="Keys and tokens too, in plain text.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@_yes
def export(file: str, with_secrets: bool, force: bool, yes: bool) -> int:
    """Export profiles and settings as a file that Roo can import.

    Without FILE they go to the standard output.

    \b
    Examples:
      roo profiles export roo-code-settings.json
      roo profiles export --with-secrets --yes backup.json
    """
    if with_secrets and not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here; say --yes to export secrets.")
        if not click.confirm("Write all keys and tokens in plain text?", err=True):
            return 1
    exported = _exchange(SecretStore(ask=ask_passphrase())).export(with_secrets=with_secrets)
    if file == "-":
        click.echo(_json(exported))
        return 0
    path = Path(file).absolute()
    if path.exists() and not force:
        raise ConfigError(f"{file!r} is there already.", hint="Say --force to replace it.")
    replace_file(path, (_json(exported) + "\n").encode(), private=True)
    return 0


def _open() -> ProviderSettingsManager:
    return ProviderSettingsManager(secrets=SecretStore(ask=ask_passphrase()))


def _exchange(store: SecretStore) -> SettingsExchange:
    file = SettingsFile(LayeredSettings().files.user.preferred)
    return SettingsExchange(ProviderSettingsManager(secrets=store), file, store)


def _parsed(pairs: tuple[str, ...]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for pair in pairs:
        key, separator, text = pair.partition("=")
        if not separator:
            raise click.UsageError(f"{pair!r} is not KEY=VALUE.")
        if key in SECRET_KEYS and text:
            raise ConfigError(
                f"{key} is a secret; on the command line other users of the machine could see it.",
                hint="Say --key, and type it or pipe it in.",
            )
        try:
            parsed[key] = (parse_text(key, text) if key in KINDS else text) if text else None
        except ValueError as error:
            raise ConfigError(f"{key} {error}.") from None
    return parsed


def _asked_key(provider: str) -> dict[str, Any]:
    key = key_of_service(provider)
    return {key: ask_secret(key)}


def _as_json(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "id": profile.id,
        "apiProvider": profile.provider,
        "modelId": profile.model,
        "active": profile.active,
        "modes": list(profile.modes),
    }


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)
