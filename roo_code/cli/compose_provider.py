"""Which model service a run uses, and with which keys: from flags, settings and secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from roo_code.cli.options import RunOptions
from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Settings
from roo_code.config.run_settings import secrets_for, stored_provider
from roo_code.config.schema import ProviderSettings, WrongSettings
from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue
from roo_code.messages import Usage
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import CATALOG, create_provider
from roo_code.redaction import Redactor, header_secrets, named_secrets, redact

if TYPE_CHECKING:  # few runs are recorded or replayed, and every one waits for its imports
    from roo_code.cli.fallbacks import Fallbacks

_FIRST_CHOICES = ("anthropic", "openrouter", "openai")
_SIGNED_WITH: Mapping[str | None, tuple[str, ...]] = {
    "aws": ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
}
"""Variables that hold what requests are signed with, where that is no key of the row's."""
_FLAGS = {"api_provider": "--provider", "api_model_id": "--model", "api_base_url": "--base-url"}


def choose_provider(
    options: RunOptions,
    stored: Mapping[str, JsonValue] | None,
    given: Mapping[str, JsonValue] | None = None,
) -> dict[str, JsonValue]:
    """The provider settings of a task, all but the key; whatever is wrong with them is said now.

    `given` are settings for this task alone, perhaps with its key.
    """
    if stored is not None and isinstance(below := stored.get("subtasks"), dict):  # a workflow's
        return {**stored, "subtasks": choose_provider(options, below, given)}
    layers = LayeredSettings(Path(options.workspace or ".").resolve(), given=given)
    if stored is None:
        stored = _stored(options, layers.resolve({"mode": options.mode} if options.mode else None))
    settings = _settings(options, dict(stored))
    keyed = with_secrets(settings, options.api_key, layers, options.mode)
    info = create_provider(keyed).model_info()
    infos = [info]
    if settings.options.get("fallbackProfiles"):
        from roo_code.providers.fallback import FallbackPolicy  # noqa: PLC0415 - few runs have any

        FallbackPolicy.read(settings.options)  # whatever is wrong is said now
        spare = fallbacks(layers)
        settings = settings.replace(fallbackProfiles=spare.stored(settings))
        infos += [create_provider(o).model_info() for o in spare.named(settings).values()]
    for found in infos if options.max_cost is not None else ():
        if found.cost(Usage(input_tokens=1)) is None:
            raise ConfigError(
                f"The price of model {found.id!r} is not known, so --max-cost cannot be kept.",
                hint="Limit the task with --max-turns instead, or choose a model whose is.",
            )
    return settings.replace(api_model_id=info.id).without_secrets()


class OfferedModels(NamedTuple):
    models: list[dict[str, JsonValue]]
    """By Roo's names."""
    note: str
    """Why they are not the service's own list of just now, where they are not."""


async def offered_models(
    workspace: Path, provider: str | None, asking: Literal["if_old", "now", "never"]
) -> OfferedModels:
    """The models of the service named, else of the one that a run in the workspace would use."""
    from roo_code.providers.live_models import list_models  # noqa: PLC0415 - no run needs it
    from roo_code.providers.roo_facts import as_roo  # noqa: PLC0415

    layers = LayeredSettings(workspace)
    stored = stored_provider(layers.resolve())
    provider = provider or str(stored.get("api_provider") or _default_provider())
    if stored.get("api_provider") != provider:
        stored = {"api_provider": provider}
    settings = ProviderSettings.read(stored)
    if asking != "never":
        settings = with_secrets(settings, None, layers)
    found = await list_models(settings, asking)
    return OfferedModels([as_roo(info) for info in found.models], found.note)


def _stored(options: RunOptions, settings: Settings) -> dict[str, JsonValue]:
    """What the settings say, for the service they name or else the one that this run uses."""
    if settings.chosen("apiProvider") is not None:
        return stored_provider(settings)
    stored = stored_provider(settings, options.provider or _default_provider())
    if options.provider:  # a model without a service may be any other's
        stored.pop("api_model_id", None)
    return stored


def _settings(options: RunOptions, stored: dict[str, JsonValue]) -> ProviderSettings:
    if options.provider is not None and options.provider != stored.get("api_provider"):
        # Model and address were those of another service.
        stored = {key: value for key, value in stored.items() if key.startswith("fallback")}
    if not options.exit_on_error and stored.get("max_attempts") == 1:
        del stored["max_attempts"]
    effort = options.reasoning_effort
    given = {
        "api_provider": options.provider,
        "api_model_id": options.model,
        "api_base_url": options.base_url,
        "reasoning_effort": "disable" if effort == "disabled" else effort,
        "max_attempts": 1 if options.exit_on_error else None,
    }
    chosen = {**stored, **{name: value for name, value in given.items() if value is not None}}
    if effort == "unspecified":
        del chosen["reasoning_effort"]
    if not chosen.get("api_provider"):
        chosen["api_provider"] = _default_provider()
    try:
        return ProviderSettings.read(chosen)
    except WrongSettings as error:
        name, told = next(iter(error.problems.items()))
        raise ConfigError(f"{_FLAGS.get(name, name)} is wrong: {told}.") from error


def with_key(settings: ProviderSettings, key: str | None) -> ProviderSettings:
    return settings.replace(api_key=key) if key else settings


def with_secrets(
    settings: ProviderSettings, key: str | None, layers: LayeredSettings, mode: str | None = None
) -> ProviderSettings:
    """With the key given, else the environment's, that of the mode's profile or the one stored."""
    keyed = _with_secrets(settings, key, layers, mode)
    hide_keys([keyed])
    return keyed


def _with_secrets(
    settings: ProviderSettings, key: str | None, layers: LayeredSettings, mode: str | None
) -> ProviderSettings:
    spec = CATALOG.get(settings.api_provider)
    if key:
        return with_key(settings, key)
    from roo_code.cli.secret_prompt import ask_passphrase  # noqa: PLC0415 - not if a key is given
    from roo_code.config.secrets import SecretStore  # noqa: PLC0415

    store = SecretStore(layers.home, ask=ask_passphrase())
    variables = spec.key_variables if spec else ()
    try:
        secrets = secrets_for(settings.api_provider, variables, layers, store, mode)
    except ConfigError:
        if spec is None or spec.needs_key != "never" or spec.signing is not None:
            raise
        return settings  # a store that is locked is no reason not to ask a model at home
    return ProviderSettings.read({**settings.without_secrets(), **secrets}) if secrets else settings


def tool_secret(workspace: Path, name: str) -> str:
    """A key for a tool that asks a service of its own; looked up only when it does."""
    layers = LayeredSettings(workspace)
    if (given := layers.resolve().secrets.get(name)) is not None:
        return str(given.value)
    from roo_code.cli.secret_prompt import ask_passphrase  # noqa: PLC0415 - few runs need it
    from roo_code.config.secrets import SecretStore  # noqa: PLC0415

    return SecretStore(layers.home, ask=ask_passphrase()).get(name) or ""


def _default_provider() -> str:
    """The first service whose key is in the environment."""
    for name in (*_FIRST_CHOICES, *CATALOG):
        if any(os.environ.get(variable) for variable in CATALOG[name].key_variables):
            return name
    variables = [CATALOG[name].key_variables[0] for name in _FIRST_CHOICES]
    raise ConfigError(
        "It is not said which model service to use, and there is no key in the environment.",
        hint=f"Set {', '.join(variables)} or another service's key,\n"
        "or say which with --provider and --api-key. With a local model: --provider ollama.",
    )


def fallbacks(layers: LayeredSettings) -> Fallbacks:
    from roo_code.cli.fallbacks import Fallbacks  # noqa: PLC0415 - few runs have any

    return Fallbacks(layers.home, lambda settings: with_secrets(settings, None, layers))


def hide_keys(used: Iterable[ProviderSettings]) -> Redactor:
    """All keys in use, whether they came by flag, settings or a variable, and what looks like one.

    They are known to this process from here on: its log and its errors do not tell them either.
    """
    secrets = list(named_secrets(os.environ))
    for settings in used:
        spec = CATALOG.get(settings.api_provider)
        variables = (*spec.key_variables, *_SIGNED_WITH.get(spec.signing, ())) if spec else ()
        secrets += [os.environ.get(name, "") for name in variables]
        secrets += [*header_secrets(settings.headers), *settings.secrets]
    redact.add(secrets)
    return Redactor(secrets)


def described(settings: ProviderSettings) -> ModelInfo:
    """What is known of the model without a key to ask it."""
    try:
        return create_provider(with_key(settings, "unused")).model_info()
    except ConfigError:  # a provider of another program's
        return ModelInfo(id=settings.api_model_id or settings.api_provider)
