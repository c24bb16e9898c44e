"""Secrets in the operating system's keyring, as one entry: one look-up brings all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roo_code.config.json_shapes import is_object
from roo_code.errors import ConfigError

SERVICE = "Roo Code"
_LEAST = 1
"""Priority of a keyring that may be recommended: those below keep plain text, or nothing."""


class KeyringVault:
    def __init__(self, home: Path) -> None:
        self._account = str(home)
        self._opened: Any = None

    def backend(self) -> str:
        """The name of the keyring, or "" where there is none that keeps anything."""
        import keyring  # noqa: PLC0415 - takes 100 ms
        from keyring.backends import fail, null  # noqa: PLC0415
        from keyring.errors import KeyringError  # noqa: PLC0415

        try:
            chosen = keyring.get_keyring()
        except (KeyringError, RuntimeError, OSError):
            return ""
        if isinstance(chosen, (fail.Keyring, null.Keyring)) or chosen.priority < _LEAST:
            return ""
        self._opened = chosen
        return str(chosen.name)

    def _keyring(self) -> Any:
        if self._opened is None:
            self.backend()
        return self._opened

    def load(self) -> dict[str, str]:
        """What is there; nothing where there is no keyring."""
        from keyring.errors import KeyringError  # noqa: PLC0415

        keyring = self._keyring()
        if keyring is None:
            return {}
        try:
            found = keyring.get_password(SERVICE, self._account)
        except (KeyringError, RuntimeError, OSError) as error:
            raise _refused(error) from None
        try:
            secrets: Any = json.loads(found) if found else {}
        except ValueError:
            secrets = None
        if not is_object(secrets):
            raise ConfigError(
                f"The entry {SERVICE!r} of the keyring is damaged.",
                hint="Delete it with the keyring's own program, then enter the keys again.",
            )
        return secrets

    def save(self, secrets: Mapping[str, str]) -> None:
        from keyring.errors import KeyringError  # noqa: PLC0415

        keyring = self._keyring()
        if keyring is None:
            return
        try:
            if secrets:
                text = json.dumps(dict(secrets), ensure_ascii=False)
                keyring.set_password(SERVICE, self._account, text)
            elif keyring.get_password(SERVICE, self._account) is not None:
                keyring.delete_password(SERVICE, self._account)
        except (KeyringError, RuntimeError, OSError) as error:
            raise _refused(error) from None


def _refused(error: Exception) -> ConfigError:
    # Only the kind of error: its text might repeat what was to be stored.
    return ConfigError(
        f"The keyring of the operating system refused: {type(error).__name__}.",
        hint="Unlock it, or set ROO_SECRETS=file to keep secrets in an encrypted file instead.",
    )
