"""Where secrets are kept: the operating system's keyring, else an encrypted file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from roo_code.config.keyring_vault import KeyringVault
from roo_code.config.paths import roo_home, settings_folder
from roo_code.config.safe_files import locked
from roo_code.config.secret_file import AskPassphrase, SecretFile
from roo_code.errors import ConfigError

BACKEND_VARIABLE = "ROO_SECRETS"
_FILE_NAME = "secrets.json"


class SecretStore:
    """Secrets by name, for several processes at once. Nothing here is shown by `repr`.

    The file wins over the keyring: it is written only where there was no keyring, later.
    """

    def __init__(
        self,
        home: Path | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        ask: AskPassphrase | None = None,
    ) -> None:
        home = home or roo_home()
        self._environ = os.environ if environ is None else environ
        self._file = SecretFile(settings_folder(home) / _FILE_NAME, environ=self._environ, ask=ask)
        self._keyring = KeyringVault(home)

    def __repr__(self) -> str:
        return f"SecretStore({str(self._file.path)!r})"

    def get(self, key: str) -> str | None:
        """The stored secret. Variables override it in `LayeredSettings`, which knows them."""
        return self.all().get(key)

    def all(self) -> dict[str, str]:
        """Every stored secret, read anew."""
        in_file = self._file.load()
        return {**self._keyring.load(), **in_file} if self._uses_keyring() else in_file

    def store_secret(self, key: str, value: str | None = None) -> None:
        """Keep the secret; without a value, delete it."""
        self.store_secrets({key: value})

    storeSecret = store_secret

    def store_secrets(self, values: Mapping[str, str | None]) -> None:
        """Several at once, together or not at all."""

        def change(secrets: dict[str, str]) -> dict[str, str]:
            merged: dict[str, str | None] = {**secrets, **values}
            return {key: value for key, value in merged.items() if value is not None}

        self.change(change)

    def change(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        """Put what `change` makes of the secrets in their place, with no other writer between."""
        with locked(self._file.path):
            before = self.all()
            after = change(dict(before))
            if after == before:
                return
            if self._uses_keyring() and self._keyring.backend():
                self._keyring.save(after)
                if self._file.exists():
                    self._file.save({})
            elif self._forced() == "keyring":
                raise ConfigError(
                    "There is no keyring of the operating system here.",
                    hint=f"Unset {BACKEND_VARIABLE} to keep secrets in an encrypted file.",
                )
            else:
                self._file.save(after)

    def rotate(self, passphrase: str | None = None) -> None:
        """Lock the file with a fresh key: a new passphrase's, or else the machine's."""
        with locked(self._file.path):
            if not self._file.exists():
                raise ConfigError(
                    "There is no file of secrets whose key could be changed.",
                    hint="Secrets in the operating system's keyring are locked by that.",
                )
            self._file.rotate(passphrase)

    def describe(self) -> str:
        """Which protection is in force, in a sentence."""
        backend = self._keyring.backend() if self._uses_keyring() else ""
        if backend and not self._file.exists():
            return f"Secrets are kept in the operating system's keyring ({backend})."
        where = f"Secrets are kept in {self._file.path}, encrypted"
        if self._file.key_kind() == "passphrase":
            return f"{where} with your passphrase."
        return (
            f"{where} with a key that lies beside it: this protects copies of the file alone, "
            "not against someone who can read your files. Set ROO_PASSPHRASE and run "
            "`roo config rotate` to lock it with a passphrase."
        )

    def _uses_keyring(self) -> bool:
        return self._forced() != "file"

    def _forced(self) -> str:
        return self._environ.get(BACKEND_VARIABLE, "")
