"""Profiles: named provider settings, one of them active, others for certain modes.

They lie in one file by Roo's own names, without their secrets, which go to the secret store.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roo_code.config.documents import read_document
from roo_code.config.json_shapes import as_object, is_object
from roo_code.config.paths import profiles_file, roo_home
from roo_code.config.secret_values import (
    profile_secrets,
    secret_name,
    split_secrets,
    store_profile_secrets,
)
from roo_code.config.secrets import SecretStore
from roo_code.config.service_keys import MODEL_KEYS, model_of_service
from roo_code.config.setting_types import KINDS, PROVIDER_KEYS, faults_of
from roo_code.config.settings_file import SettingsFile
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError


@dataclass(frozen=True)
class Profile:
    name: str
    id: str
    settings: Mapping[str, Any] = field(repr=False)
    """Without secrets."""
    active: bool = False
    modes: tuple[str, ...] = ()
    """Those it is kept for."""

    @property
    def provider(self) -> str:
        return str(self.settings.get("apiProvider") or "")

    @property
    def model(self) -> str:
        own = model_of_service(self.provider)
        names = (str(self.settings[key]) for key in (own, *MODEL_KEYS) if self.settings.get(key))
        return next(names, "")


class ProviderSettingsManager:
    """Create, change, choose and remove profiles, whichever process else does so."""

    def __init__(self, home: Path | None = None, secrets: SecretStore | None = None) -> None:
        home = home or roo_home()
        self._file = SettingsFile(profiles_file(home))
        self._secrets = secrets or SecretStore(home)

    def __repr__(self) -> str:
        return f"ProviderSettingsManager({str(self._file.path)!r})"

    def list_profiles(self) -> list[Profile]:
        data = self.data()
        active, modes = data.get("currentApiConfigName"), as_object(data.get("modeApiConfigs"))
        return [
            Profile(
                name,
                str(config.get("id", "")),
                {key: value for key, value in config.items() if key != "id"},
                name == active,
                tuple(mode for mode, id in modes.items() if id == config.get("id")),
            )
            for name, config in as_object(data.get("apiConfigs")).items()
            if is_object(config)
        ]

    def get(self, name: str) -> Profile:
        profiles = self.list_profiles()
        for profile in profiles:
            if profile.name == name:
                return profile
        there = ", ".join(profile.name for profile in profiles)
        raise ConfigError(
            f"There is no profile {name!r}.",
            hint=f"There are: {there}." if there else f"roo profiles create {name} makes one.",
        )

    def secrets_of(self, id: str) -> dict[str, Any]:
        """The secrets of the profile with this id, by the names of the settings."""
        return profile_secrets(self._secrets.all(), id)

    def create(self, name: str, settings: Mapping[str, Any]) -> Profile:
        """A new profile; the first one is active at once."""
        self._save(name, settings, must_be_new=True)
        return self.get(name)

    def update(self, name: str, changes: Mapping[str, Any]) -> Profile:
        """Set some of its settings; None removes one."""
        self.get(name)
        self._save(name, changes, must_be_new=False)
        return self.get(name)

    def rename(self, name: str, new_name: str) -> None:
        """Its id stays, and with it its secrets and the modes it is kept for."""
        self.get(name)
        _check_name(new_name)

        def change(data: dict[str, Any]) -> dict[str, Any]:
            configs = as_object(data.get("apiConfigs"))
            if new_name in configs and new_name != name:
                raise _taken(new_name)
            data["apiConfigs"] = {new_name if n == name else n: c for n, c in configs.items()}
            if data.get("currentApiConfigName") == name:
                data["currentApiConfigName"] = new_name
            return data

        self.change(change)

    def copy(self, name: str, new_name: str) -> Profile:
        """The same settings and secrets under another name, from now on apart."""
        profile = self.get(name)
        return self.create(new_name, {**profile.settings, **self.secrets_of(profile.id)})

    def delete(self, name: str) -> None:
        """Remove it and its secrets; if it was active, the first that remains is."""
        profile = self.get(name)

        def change(data: dict[str, Any]) -> dict[str, Any]:
            configs = {n: c for n, c in as_object(data.get("apiConfigs")).items() if n != name}
            modes = as_object(data.get("modeApiConfigs"))
            data["apiConfigs"] = configs
            data["modeApiConfigs"] = {m: id for m, id in modes.items() if id != profile.id}
            if data.get("currentApiConfigName") == name:
                data["currentApiConfigName"] = next(iter(configs), "default")
            return data

        self.change(change)
        self._secrets.store_secret(secret_name(profile.id))

    def activate(self, name: str, mode: str | None = None) -> None:
        """Use the profile from now on, or only in a mode."""
        profile = self.get(name)

        def change(data: dict[str, Any]) -> dict[str, Any]:
            if mode is None:
                data["currentApiConfigName"] = name
            else:
                modes = as_object(data.get("modeApiConfigs"))
                data["modeApiConfigs"] = {**modes, mode: profile.id}
            return data

        self.change(change)

    def release_mode(self, mode: str) -> None:
        """Let the active profile hold for the mode again."""

        def change(data: dict[str, Any]) -> dict[str, Any]:
            modes = as_object(data.get("modeApiConfigs"))
            data["modeApiConfigs"] = {m: id for m, id in modes.items() if m != mode}
            return data

        self.change(change)

    def change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Change the whole file at once, by Roo's names; refused if a secret is left in it."""

        def checked(data: dict[str, Any]) -> dict[str, Any]:
            changed = change(data)
            for name, config in as_object(changed.get("apiConfigs")).items():
                if secret := split_secrets(as_object(config))[1]:
                    raise ConfigError(
                        f"Profile {name!r}: {', '.join(secret)} must not stand in the file."
                    )
            return changed

        self._file.change(checked)

    def data(self) -> dict[str, Any]:
        """The whole file, by Roo's names."""
        try:
            document = read_document(self._file.path)
        except Unreadable as error:
            line = f" (line {error.line})" if error.line else ""
            raise ConfigError(
                f"The profiles in {str(self._file.path)!r} cannot be read: {error}{line}.",
                hint="Mend the file, or move it away.",
            ) from None
        return document.data if document else {}

    def _save(self, name: str, changes: Mapping[str, Any], *, must_be_new: bool) -> None:
        _check_name(name)
        for key, value in changes.items():
            check_provider_setting(key, value)
        plain, secret = split_secrets({k: v for k, v in changes.items() if v is not None})
        removed = {key for key, value in changes.items() if value is None}
        id = new_id() if must_be_new else self.get(name).id
        before = {} if must_be_new else self.secrets_of(id)
        if secret or before:  # before the rest: without a profile they are in nobody's way
            store_profile_secrets(self._secrets, id, secret, removed | {*plain})

        def change(data: dict[str, Any]) -> dict[str, Any]:
            configs = as_object(data.get("apiConfigs"))
            if must_be_new and name in configs:
                raise _taken(name)
            config = as_object(configs.get(name)) or {"id": id}
            merged = {k: v for k, v in {**config, **plain}.items() if k not in removed | {*secret}}
            data["apiConfigs"] = {**configs, name: merged}
            if not configs:
                data["currentApiConfigName"] = name
            return data

        try:
            self.change(change)
        except ConfigError:
            if secret or before:
                store_profile_secrets(self._secrets, id, before, {*secret} - {*before})
            raise


def check_provider_setting(key: str, value: Any) -> None:
    if key not in KINDS:
        return  # of a provider we do not know
    if key not in PROVIDER_KEYS:
        raise ConfigError(
            f"{key!r} is no setting of a provider.", hint=f"Set it for all: roo config set {key}"
        )
    if value is not None and (faults := faults_of(key, value)):
        raise ConfigError(f"The setting {key!r} {faults[0].message}.")


def new_id() -> str:
    return os.urandom(8).hex()


def _check_name(name: str) -> None:
    if not name.strip() or any(not character.isprintable() for character in name):
        raise ConfigError(f"{name!r} cannot be the name of a profile.", hint="Choose another.")


def _taken(name: str) -> ConfigError:
    return ConfigError(f"A profile {name!r} exists already.", hint="Choose another name.")
