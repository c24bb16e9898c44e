"""Roo's exported settings file, `roo-code-settings.json`: read and written without loss."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roo_code.config.documents import read_document
from roo_code.config.json_shapes import as_object, is_object
from roo_code.config.migration import VERSION_KEY
from roo_code.config.problem import Problem, shown
from roo_code.config.profiles import ProviderSettingsManager, new_id
from roo_code.config.secret_values import (
    profile_secrets,
    secret_name,
    secret_text,
    secret_value,
    split_secrets,
)
from roo_code.config.secrets import SecretStore
from roo_code.config.setting_types import GLOBAL_KEYS, KINDS, faults_of
from roo_code.config.settings_file import SettingsFile
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError

_MEMBERS = ("providerProfiles", "globalSettings")
_MERGED = ("apiConfigs", "modeApiConfigs")
_OTHERS = "exportedWith"
"""Where members of the exported file that we do not know are kept."""


@dataclass
class ImportReport:
    profiles: list[str] = field(default_factory=list[str])
    settings: list[str] = field(default_factory=list[str])
    secrets: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])


class SettingsExchange:
    """Imports add to what is there; what has the same name is replaced, as Roo does it."""

    def __init__(
        self, profiles: ProviderSettingsManager, settings: SettingsFile, secrets: SecretStore
    ) -> None:
        self._profiles = profiles
        self._settings = settings
        self._secrets = secrets

    def import_file(self, path: Path) -> ImportReport:
        try:
            document = read_document(path)
        except Unreadable as error:
            line = f" (line {error.line})" if error.line else ""
            raise ConfigError(f"{str(path)!r} cannot be imported: {error}{line}.") from None
        if document is None:
            raise ConfigError(f"There is no file {str(path)!r}.")
        if not {*_MEMBERS} & {*document.data}:
            raise ConfigError(
                f"{str(path)!r} is no settings file of Roo: it has neither providerProfiles "
                "nor globalSettings.",
                hint="In Roo, export one with Settings > About > Export.",
            )
        report = ImportReport()
        incoming = as_object(document.data.get("providerProfiles"))
        configs = self._accepted(incoming, str(path), report)
        self._import_profiles(incoming, configs, document.data, report)
        self._import_settings(as_object(document.data.get("globalSettings")), report)
        return report

    def _accepted(
        self, incoming: Mapping[str, Any], file: str, report: ImportReport
    ) -> dict[str, dict[str, Any]]:
        accepted: dict[str, dict[str, Any]] = {}
        for name, config in as_object(incoming.get("apiConfigs")).items():
            if is_object(config):
                id = config.get("id")
                report.problems += _faults(file, name, config)
                accepted[name] = {"id": id if isinstance(id, str) and id else new_id(), **config}
            else:
                problem = Problem(file=file, key=name, message="this profile is no object; skipped")
                report.problems.append(problem)
        return accepted

    def _import_profiles(
        self,
        incoming: Mapping[str, Any],
        configs: Mapping[str, Mapping[str, Any]],
        exported: Mapping[str, Any],
        report: ImportReport,
    ) -> None:
        plain: dict[str, Any] = {}
        secrets: dict[str, str | None] = {}
        for name, config in configs.items():
            plain[name], secret = split_secrets(config)
            encoded = json.dumps(secret, ensure_ascii=False) if secret else None
            secrets[secret_name(str(config["id"]))] = encoded
            report.secrets += len(secret)
        gone = {p.id for p in self._profiles.list_profiles() if p.name in plain}
        gone -= {str(config["id"]) for config in configs.values()}
        secrets |= {secret_name(id): None for id in gone}
        self._secrets.store_secrets(secrets)
        others = self._keep_others(exported)

        def change(data: dict[str, Any]) -> dict[str, Any]:
            merged = {**data, **{k: v for k, v in incoming.items() if k not in _MERGED}}
            merged["apiConfigs"] = {**as_object(data.get("apiConfigs")), **plain}
            modes = as_object(data.get("modeApiConfigs"))
            if modes or "modeApiConfigs" in incoming:
                merged["modeApiConfigs"] = {**modes, **as_object(incoming.get("modeApiConfigs"))}
            return {**merged, _OTHERS: others} if others else merged

        self._profiles.change(change)
        report.profiles = list(plain)

    def _keep_others(self, exported: Mapping[str, Any]) -> dict[str, Any]:
        """Members of the exported file that we do not know."""
        unknown = {k: v for k, v in exported.items() if k not in _MEMBERS}
        plain, secret = split_secrets(unknown)
        self._secrets.store_secret(_OTHERS, json.dumps(secret) if secret else None)
        return plain

    def _import_settings(self, incoming: Mapping[str, Any], report: ImportReport) -> None:
        plain, secret = split_secrets({k: v for k, v in incoming.items() if k != "taskHistory"})
        self._secrets.store_secrets({key: secret_text(value) for key, value in secret.items()})
        if plain:
            self._settings.update(plain)
        report.settings = list(plain)
        report.secrets += len(secret)

    def export(self, *, with_secrets: bool = False) -> dict[str, Any]:
        """What Roo's own export would hold; with secrets only if asked for."""
        data = {k: v for k, v in self._profiles.data().items() if k != VERSION_KEY}
        others = as_object(data.pop(_OTHERS, None))
        stored = self._secrets.all() if with_secrets else {}
        others |= as_object(json.loads(stored.get(_OTHERS, "{}")))
        configs: dict[str, Any] = {}
        for name, config in as_object(data.get("apiConfigs")).items():
            id = str(as_object(config).get("id", ""))
            configs[name] = {**as_object(config), **profile_secrets(stored, id)}
        profiles = {"currentApiConfigName": "default", **data, "apiConfigs": configs}
        settings = self._exported_settings(stored)
        return {"providerProfiles": profiles, "globalSettings": settings, **others}

    def _exported_settings(self, stored: Mapping[str, str]) -> dict[str, Any]:
        document = read_document(self._settings.path)
        data = document.data if document else {}
        plain, _ = split_secrets({k: v for k, v in data.items() if k != VERSION_KEY})
        secrets = {k: secret_value(k, v) for k, v in stored.items() if k in GLOBAL_KEYS}
        return {**plain, **secrets}


def _faults(file: str, name: str, config: Mapping[str, Any]) -> list[Problem]:
    """What will not be used, though it is kept."""
    return [
        Problem(file=file, key=f"{name}.{key}", value=shown(key, value), message=fault.message)
        for key, value in config.items()
        if key in KINDS
        for fault in faults_of(key, value)
    ]
