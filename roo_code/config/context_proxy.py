"""One door to all settings and secrets: typed, and read from memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.layers import LayeredSettings
from roo_code.config.paths import settings_folder
from roo_code.config.problem import Problem
from roo_code.config.resolved import Settings
from roo_code.config.safe_files import locked, replace_file
from roo_code.config.secret_names import SECRET_KEYS, is_secret
from roo_code.config.secret_values import secret_text, secret_value
from roo_code.config.secrets import SecretStore
from roo_code.config.setting_types import KINDS, closest, faults_of
from roo_code.config.settings_file import SettingsFile
from roo_code.errors import ConfigError

PASS_THROUGH_KEYS = frozenset({"taskHistory"})
"""So large that they are read and written where they lie."""


class SettingsValues(dict[str, Any]):
    """Settings and secrets together, whose text hides the latter."""

    def __repr__(self) -> str:
        shown = {k: "(hidden)" if is_secret(k, v) else v for k, v in self.items()}
        return f"SettingsValues({shown!r})"


class ContextProxy:
    """Values by the names of `RooCodeSettings`, as they are in force.

    Reads come from memory, filled when it is made and by `reload`. A write goes to the user's
    own settings, or to the secret store, and to memory with it. Values are the caller's: what is
    read may be changed without effect.
    """

    def __init__(self, layers: LayeredSettings, secrets: SecretStore | None = None) -> None:
        self._layers = layers
        self._secrets = secrets or SecretStore(layers.home)
        self._lock = threading.RLock()
        self._settings = Settings({}, {})
        self._secret_cache: dict[str, str] = {}
        self._secret_problem: ConfigError | None = None
        self.reload()

    def __repr__(self) -> str:
        return f"ContextProxy({str(self._layers.home)!r})"

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._settings.problems

    def reload(self) -> None:
        """Fill memory anew. Secrets that cannot be opened stop nothing but their own use."""
        with self._lock:
            self._settings = self._layers.resolve()
            try:
                self._secret_cache = self._secrets.all()
                self._secret_problem = None
            except ConfigError as error:
                self._secret_problem = error

    def get_value(self, key: str) -> Any:
        """The value in force, or None where there is none."""
        _refuse_unknown(key)
        if key in PASS_THROUGH_KEYS:
            return self._read_large(key)
        with self._lock:
            if key in self._secret_names():
                return self._secret(key)
            return _copied(self._settings.get(key))

    def set_value(self, key: str, value: Any) -> None:
        """Store the value; None removes it, so that what is below holds."""
        self.set_values({key: value})

    def get_values(self) -> SettingsValues:
        """All that is set or has a default, secrets too; without what is passed through."""
        with self._lock:
            values = SettingsValues(_copied(dict(self._settings.values)))
            for key in sorted(self._secret_names()):
                if self._secret_problem is None and (secret := self._secret(key)) is not None:
                    values[key] = secret
        return values

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Store several: all are checked before any is written."""
        for key, value in values.items():
            check_value(key, value)
        secrets = {k: v for k, v in values.items() if is_secret(k, v) or k in SECRET_KEYS}
        large = {k: v for k, v in values.items() if k in PASS_THROUGH_KEYS}
        plain = {k: v for k, v in values.items() if k not in secrets and k not in large}
        with self._lock:
            secrets |= {key: None for key in plain if key in self._secret_cache}
            if secrets:
                self._secrets.store_secrets({k: secret_text(v) for k, v in secrets.items()})
            for key, value in large.items():
                self._write_large(key, value)
            if plain:
                file = SettingsFile(self._layers.files.user.preferred)
                removed = [key for key, value in plain.items() if value is None]
                file.update({k: v for k, v in plain.items() if v is not None}, removed)
            self.reload()

    getValue, setValue = get_value, set_value
    getValues, setValues = get_values, set_values

    def _secret_names(self) -> set[str]:
        """An address with a password in it is a secret too."""
        stored = {key for key in self._secret_cache if key in KINDS}
        return {*SECRET_KEYS, *self._settings.secrets, *stored}

    def _secret(self, key: str) -> Any:
        """What the environment or a reference in a file says, else what is stored."""
        if entry := self._settings.secrets.get(key):
            return _copied(entry.value)
        if self._secret_problem is not None:
            raise self._secret_problem
        stored = self._secret_cache.get(key)
        return secret_value(key, stored) if stored is not None else None

    def _large_file(self, key: str) -> Any:
        return settings_folder(self._layers.home) / f"{key}.json"

    def _read_large(self, key: str) -> Any:
        try:
            return json.loads(self._large_file(key).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise ConfigError(
                f"{str(self._large_file(key))!r} is damaged: {error}.", hint="Delete or restore it."
            ) from None

    def _write_large(self, key: str, value: Any) -> None:
        path = self._large_file(key)
        with locked(path):
            if value is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, json.dumps(value, ensure_ascii=False).encode(), private=True)


def check_value(key: str, value: Any) -> None:
    """A ConfigError that names the key if it is unknown or the value not of its type."""
    _refuse_unknown(key)
    faults = faults_of(key, value) if value is not None else []
    if faults:
        name = ".".join(map(str, (key, *faults[0].path)))
        raise ConfigError(f"The setting {name!r} {faults[0].message}.")


def _refuse_unknown(key: str) -> None:
    if key not in KINDS:
        meant = closest(key)
        raise ConfigError(
            f"There is no setting {key!r}.",
            hint=f"Did you mean {meant}?" if meant else "roo config list --all shows all of them.",
        )


def _copied(value: Any) -> Any:
    if is_object(value):
        return {name: _copied(item) for name, item in value.items()}
    return [_copied(item) for item in value] if is_list(value) else value
