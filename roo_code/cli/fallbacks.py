"""Fallback profiles of a run: as a task's log keeps them, and with their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roo_code.cli.secret_prompt import ask_passphrase
from roo_code.config.profiles import ProviderSettingsManager
from roo_code.config.schema import ProviderSettings
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue

KEYS = ("fallbackProfiles", "fallbackOn", "fallbackSeconds")
_PROFILE = "profile"
"""In what the log keeps: whose keys to use."""


@dataclass(frozen=True)
class Fallbacks:
    home: Path
    with_secrets: Callable[[ProviderSettings], ProviderSettings]
    """The key as for any other run, where the profile has none of its own."""

    def stored(self, settings: ProviderSettings) -> list[dict[str, JsonValue]]:
        """All of them but the keys, so that the log says what the task may go on with."""
        return [self._stored(entry) for entry in _listed(settings)]

    def named(self, settings: ProviderSettings) -> dict[str, ProviderSettings]:
        """With their keys, by the names that the user is told."""
        return dict(self._named(entry) for entry in self.stored(settings))

    def profile(self, name: str) -> ProviderSettings:
        """One profile with its keys."""
        return self._named(self._stored(name))[1]

    def _stored(self, entry: JsonValue) -> dict[str, JsonValue]:
        profile = entry if isinstance(entry, str) else None
        if isinstance(entry, dict):
            profile = entry.get(_PROFILE)
            fields: Mapping[str, Any] = {k: v for k, v in entry.items() if k != _PROFILE}
        elif profile is not None:
            fields = self._profiles.get(profile).settings
        else:
            raise _wrong("an entry is neither the name of a profile nor settings")
        settings = ProviderSettings.read({k: v for k, v in fields.items() if k not in KEYS})
        if settings.secrets or settings.headers:
            raise _wrong("settings there hold a key or headers, which belong in a profile")
        kept = settings.without_secrets()
        return {_PROFILE: profile, **kept} if profile is not None else kept

    def _named(self, entry: Mapping[str, Any]) -> tuple[str, ProviderSettings]:
        profile = entry.get(_PROFILE)
        settings = ProviderSettings.read({k: v for k, v in entry.items() if k != _PROFILE})
        if profile is None:
            model = f" {settings.api_model_id}" if settings.api_model_id else ""
            return settings.api_provider + model, self.with_secrets(settings)
        profiles = self._profiles
        own = profiles.secrets_of(profiles.get(profile).id)
        keyed = ProviderSettings.read({**settings.without_secrets(), **own})
        return profile, keyed if keyed.api_key else self.with_secrets(keyed)

    @property
    def _profiles(self) -> ProviderSettingsManager:
        return ProviderSettingsManager(self.home, SecretStore(self.home, ask=ask_passphrase()))


def _listed(settings: ProviderSettings) -> list[JsonValue]:
    listed = settings.options.get("fallbackProfiles") or []
    if not isinstance(listed, list):
        raise _wrong("it is not a list")
    return listed


def _wrong(why: str) -> ConfigError:
    return ConfigError(
        f"fallbackProfiles: {why}.", hint="Name profiles there; `roo profiles list` shows them."
    )
