"""Secrets in a file: AES-256-GCM, its key from a passphrase (scrypt) or kept beside it.

The whole map is one sealed text. The header is sealed with it, so that nothing in the file can
be changed unnoticed; it says which key is needed and can tell a wrong one from damage.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from roo_code.config.json_shapes import is_object
from roo_code.config.safe_files import replace_file
from roo_code.errors import ConfigError

PASSPHRASE_VARIABLE = "ROO_PASSPHRASE"
KeyKind: TypeAlias = Literal["passphrase", "machine"]
AskPassphrase: TypeAlias = Callable[[], str]

_VERSION = 1
_COST = {"n": 1 << 15, "r": 8, "p": 3}
_MOST_COST = {"n": 1 << 20, "r": 16, "p": 8}
"""More is refused: a file must not be able to fill the memory."""


class SecretFile:
    """Load and save the secrets; the caller holds the lock of `path`."""

    def __init__(
        self,
        path: Path,
        *,
        environ: Mapping[str, str] | None = None,
        ask: AskPassphrase | None = None,
    ) -> None:
        self.path = path
        self._environ = os.environ if environ is None else environ
        self._ask = ask
        self._keys: dict[str, bytes] = {}
        """Derived keys by salt: deriving one takes a tenth of a second."""

    def exists(self) -> bool:
        return self.path.exists()

    def key_kind(self) -> KeyKind:
        """What the file in force is, or a new one would be, locked with."""
        if self.exists():
            return "machine" if "key_id" in self._header(self._read()) else "passphrase"
        return "passphrase" if self._environ.get(PASSPHRASE_VARIABLE) else "machine"

    def load(self) -> dict[str, str]:
        """What the file holds. Needs no lock: if it was changed meanwhile, it is read again."""
        while self.exists():
            file = self._read()
            try:
                return self._open(file)
            except ConfigError:
                if not self.exists() or self._read() == file:
                    raise
        return {}

    def _open(self, file: Mapping[str, Any]) -> dict[str, str]:
        header = self._header(file)
        key = self._key(header)
        if not hmac.compare_digest(_check(key), _bytes(file, "check")):
            raise self._wrong_key(header)
        try:
            nonce, data = _bytes(file, "nonce"), _bytes(file, "data")
            opened = _cipher(key).decrypt(nonce, data, _sealed(header))
        except (_invalid_tag(), ValueError):  # the latter: a nonce of the wrong length
            raise self._damaged("it was changed or damaged since it was written") from None
        secrets: Any = json.loads(opened)
        return secrets

    def save(self, secrets: Mapping[str, str]) -> None:
        """With the key in force; a first file chooses one."""
        header = self._header(self._read()) if self.exists() else self._new_header(None)
        self._write(header, secrets)

    def rotate(self, passphrase: str | None = None) -> None:
        """Lock everything with a new key: the passphrase's, `ROO_PASSPHRASE`'s, or the machine's.

        A kill leaves the old file with its key, or the new one with its own.
        """
        secrets = self.load()
        header = self._new_header(passphrase)
        self._write(header, secrets)
        for old in self.path.parent.glob(f"{self.path.stem}-*.key"):
            if "key_id" not in header or old != self._key_file(header):
                old.unlink(missing_ok=True)

    def _write(self, header: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
        key, nonce = self._key(header), os.urandom(12)
        plain = json.dumps(dict(secrets), ensure_ascii=False).encode()
        file = {
            **header,
            "check": _text(_check(key)),
            "nonce": _text(nonce),
            "data": _text(_cipher(key).encrypt(nonce, plain, _sealed(header))),
        }
        replace_file(self.path, (json.dumps(file, indent=2) + "\n").encode(), private=True)

    def _new_header(self, passphrase: str | None) -> dict[str, Any]:
        if passphrase is None:
            passphrase = self._environ.get(PASSPHRASE_VARIABLE) or None
        if passphrase is None:
            header: dict[str, Any] = {"version": _VERSION, "key_id": os.urandom(4).hex()}
            encoded = base64.b64encode(os.urandom(32)) + b"\n"
            replace_file(self._key_file(header), encoded, private=True)
            return header
        salt = _text(os.urandom(16))
        header = {"version": _VERSION, "salt": salt, **_COST}
        self._keys[salt] = _derive(passphrase, header)
        return header

    def _key(self, header: Mapping[str, Any]) -> bytes:
        if "key_id" in header:
            return self._machine_key(header)
        salt = header["salt"]
        if salt not in self._keys:
            self._keys[salt] = _derive(self._passphrase(), header)
        return self._keys[salt]

    def _passphrase(self) -> str:
        given = self._environ.get(PASSPHRASE_VARIABLE) or (self._ask() if self._ask else "")
        if not given:
            raise ConfigError(
                f"The secrets in {str(self.path)!r} are locked with a passphrase.",
                hint=f"Set {PASSPHRASE_VARIABLE}, or run the command on a terminal.",
            )
        return given

    def _machine_key(self, header: Mapping[str, Any]) -> bytes:
        path = self._key_file(header)
        try:
            key = base64.b64decode(path.read_bytes(), validate=False)
        except (OSError, ValueError):
            key = b""
        if len(key) != 32:
            raise self._damaged(f"its key {path.name} is missing or damaged")
        return key

    def _key_file(self, header: Mapping[str, Any]) -> Path:
        return self.path.with_name(f"{self.path.stem}-{header['key_id']}.key")

    def _read(self) -> dict[str, Any]:
        try:
            file: Any = json.loads(self.path.read_bytes())
        except OSError as error:
            raise self._damaged((error.strerror or "unknown error").lower()) from None
        except ValueError:
            file = None
        if not is_object(file):
            raise self._damaged("it is not what was written")
        if file.get("version") != _VERSION:
            raise self._damaged("it was written by another version of Roo Code")
        return file

    def _header(self, file: Mapping[str, Any]) -> dict[str, Any]:
        header = {k: v for k, v in file.items() if k not in ("check", "nonce", "data")}
        if not _is_plausible(header):
            raise self._damaged("it was changed or damaged since it was written")
        return header

    def _wrong_key(self, header: Mapping[str, Any]) -> ConfigError:
        if "key_id" in header:
            return self._damaged(f"{self._key_file(header).name} is not its key")
        self._keys.clear()
        return ConfigError(
            f"The passphrase does not open {str(self.path)!r}.",
            hint=f"Correct {PASSPHRASE_VARIABLE}, or delete the file and enter the keys again.",
        )

    def _damaged(self, reason: str) -> ConfigError:
        return ConfigError(
            f"The secrets in {str(self.path)!r} cannot be opened: {reason}.",
            hint="Restore it and its key from a backup, or delete it and enter the keys again.",
        )


def _is_plausible(header: Mapping[str, Any]) -> bool:
    """Before anything is done with it: this part can only be verified with the key."""
    if "key_id" in header:
        return isinstance(header["key_id"], str) and header["key_id"].isalnum()
    costs = ((header.get(name), most) for name, most in _MOST_COST.items())
    bounded = all(isinstance(cost, int) and 0 < cost <= most for cost, most in costs)
    return bounded and isinstance(header.get("salt"), str)


def _derive(passphrase: str, header: Mapping[str, Any]) -> bytes:
    n, r, p = header["n"], header["r"], header["p"]
    salt = base64.b64decode(header["salt"])
    return hashlib.scrypt(
        passphrase.encode(), salt=salt, n=n, r=r, p=p, maxmem=129 * n * r * p + (1 << 20), dklen=32
    )


def _check(key: bytes) -> bytes:
    return hmac.new(key, b"roo secrets", hashlib.sha256).digest()[:16]


def _sealed(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, sort_keys=True).encode()


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - takes 40 ms
        AESGCM,
    )

    return AESGCM(key)


def _invalid_tag() -> type[Exception]:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415

    return InvalidTag


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(file: Mapping[str, Any], name: str) -> bytes:
    try:
        return base64.b64decode(file[name])
    except (KeyError, TypeError, ValueError):
        return b""
