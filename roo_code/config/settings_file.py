"""Changing a settings file, whoever else changes it: no write is lost, no comment either."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from roo_code.config import migration
from roo_code.config.documents import (
    Document,
    is_yaml,
    parse_document,
    read_document,
)
from roo_code.config.edit_json import edit_json, same, written
from roo_code.config.edit_yaml import edit_yaml
from roo_code.config.migration import VERSION_KEY, Step
from roo_code.config.safe_files import locked, replace_file
from roo_code.config.secret_names import is_secret, refers
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError


class SettingsFile:
    """One file of settings, JSON or YAML by its name, which need not exist."""

    def __init__(self, path: Path, steps: Sequence[Step] = migration.STEPS) -> None:
        self.path = path
        self._steps = steps

    def update(self, changes: Mapping[str, Any], remove: Collection[str] = ()) -> None:
        """Set some values and remove others; all else stays as it is, byte by byte where it can."""
        self.change(lambda data: {k: v for k, v in {**data, **changes}.items() if k not in remove})

    def change(self, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> dict[str, Any]:
        """Put what `change` makes of the values in their place, with no other writer between.

        Returns the values as they are now.
        """
        path = self.path.resolve()  # of a link, the file it leads to is replaced
        with locked(path):
            before = self._read(path)
            data = before.data if before else {VERSION_KEY: migration.current_version(self._steps)}
            if migration.is_newer(data, self._steps):
                raise ConfigError(
                    f"{str(path)!r} was written by a newer version of Roo Code.",
                    hint="Upgrade Roo Code, or change the file by hand.",
                )
            wanted = dict(change(dict(data)))
            _refuse_secrets(wanted, data, path)
            if before is None or not same(wanted, before.data):
                self._write(path, before.text if before else "", wanted)
        return wanted

    def migrate(self) -> Path | None:
        """Bring the file to this version, once; where the original was kept, or None."""
        path = self.path.resolve()
        with locked(path):
            before = self._read(path)
            if before is None or not migration.is_older(before.data, self._steps):
                return None
            kept = path.with_name(f"{path.name}.v{migration.version_of(before.data)}")
            if not kept.exists():
                replace_file(kept, before.text.encode())
            self._write(path, before.text, migration.migrated(before.data, self._steps))
            return kept

    def _read(self, path: Path) -> Document | None:
        try:
            return read_document(path)
        except Unreadable as error:
            line = f" (line {error.line})" if error.line else ""
            raise ConfigError(
                f"{str(path)!r} cannot be changed: {error}{line}.",
                hint="Mend the file first; it is left as it is.",
            ) from None

    def _write(self, path: Path, text: str, wanted: Mapping[str, Any]) -> None:
        if is_yaml(path):
            edited = edit_yaml(text, wanted)
        elif text.strip():
            edited = edit_json(text, wanted)
        else:
            edited = written(wanted)
        if not same(parse_document(path, edited).data, dict(wanted)):
            raise ConfigError(
                f"{str(path)!r} cannot be changed without damage to what it holds.",
                hint="Change it by hand: roo config edit.",
            )
        replace_file(path, edited.encode())


def _refuse_secrets(wanted: Mapping[str, Any], before: Mapping[str, Any], path: Path) -> None:
    """What a person wrote there before is reported when it is read."""
    for key, value in wanted.items():
        if key in before and same(before[key], value):
            continue
        if is_secret(key, value) and not refers(value):
            raise ConfigError(
                f"{key!r} is a secret, and {str(path)!r} is no place for it.",
                hint=f"roo config set {key} stores it safely.",
            )
