"""Consent of the user to what a workspace brings along and could run.

A workspace may come from anyone, and may change with every pull. So consent is to one exact
content, under one name, in one workspace: a copy elsewhere asks again, because relative paths and
the folder it works on mean something else there, and a change asks again whoever made it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from roo_code.config.safe_files import locked, replace_file
from roo_code.config.trust_files import opened
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError

TrustedKind: TypeAlias = Literal[
    "mcp_server", "slash_command", "user_tool", "skill", "project_settings"
]

_FILE_NAME = "trust.json"
_VERSION = 1


class TrustedContent(Struct, frozen=True):
    """Something of a workspace that could run, as it is now."""

    kind: TrustedKind
    name: str
    workspace: str
    """Its real path: a link to it is the same workspace."""
    digest: str
    """SHA-256 over all that is executed."""
    shown: str = ""
    """What would run, for the one who is asked; without values of variables and headers."""


class TrustEntry(Struct, frozen=True):
    """What the user said of one content."""

    kind: TrustedKind
    name: str
    workspace: str
    digest: str
    at: str
    is_granted: bool = True

    def is_about(self, content: TrustedContent) -> bool:
        """Whether it is about this name, be its content what it may."""
        return (self.kind, self.name, self.workspace) == (
            content.kind,
            content.name,
            content.workspace,
        )


class _Stored(Struct):
    version: int
    entries: list[TrustEntry]


def workspace_path(workspace: Path) -> str:
    """How a workspace is named here: links are followed, so no link can borrow its trust."""
    return os.path.realpath(workspace)


class TrustStore:
    """What was consented to, in one file of the user's, for several processes at once.

    Of each name one content is remembered, the last that was answered for. A file that is damaged,
    or that others may write, grants nothing and is never overwritten.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / _FILE_NAME

    def is_trusted(self, content: TrustedContent) -> bool:
        return self.answer(content) is True

    def answer(self, content: TrustedContent) -> bool | None:
        """What the user said of just this content, None if nobody was asked or can tell."""
        if not content.digest:
            return None  # it could not be read whole
        try:
            entries = self.entries()
        except ConfigError:  # told by those who list or change it
            return None
        same = (e for e in entries if e.is_about(content) and e.digest == content.digest)
        return next((entry.is_granted for entry in same), None)

    def entries(self) -> list[TrustEntry]:
        """All answers; ConfigError where the file cannot be relied on."""
        try:
            with opened(self.path) as (file, status):
                data = file.read()
        except FileNotFoundError:
            return []
        except (OSError, Unreadable) as error:
            reason = getattr(error, "strerror", None) or error
            raise self._unusable(f"it cannot be read: {reason}") from None
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise self._unusable("others than you may write to it")
        try:
            stored = msgspec.json.decode(data, type=_Stored)
        except (ValueError, RecursionError):
            raise self._unusable("it is damaged") from None
        if stored.version != _VERSION:
            raise self._unusable("it was written by another version of Roo Code")
        return stored.entries

    def grant(self, content: TrustedContent) -> None:
        self._answer(content, is_granted=True)

    def refuse(self, content: TrustedContent) -> None:
        """Remember that the answer is no, so that nobody is asked again before it changes."""
        self._answer(content, is_granted=False)

    def revoke(self, is_meant: Callable[[TrustEntry], bool]) -> list[TrustEntry]:
        """Forget these answers; returns those that there were."""
        with locked(self.path):
            entries = self.entries()
            revoked = [entry for entry in entries if is_meant(entry)]
            if revoked:
                self._write([entry for entry in entries if not is_meant(entry)])
        return revoked

    def _answer(self, content: TrustedContent, *, is_granted: bool) -> None:
        if is_granted and not content.digest:
            raise ConfigError(
                f"{content.name!r} cannot be trusted: {content.shown}",
                hint="Only what can be read whole can be vouched for: replace linked folders by "
                "copies.",
            )
        entry = TrustEntry(
            kind=content.kind,
            name=content.name,
            workspace=content.workspace,
            digest=content.digest,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            is_granted=is_granted,
        )
        with locked(self.path):
            self._write([*(e for e in self.entries() if not e.is_about(content)), entry])

    def _write(self, entries: list[TrustEntry]) -> None:
        encoded = msgspec.json.encode(_Stored(_VERSION, entries))
        replace_file(self.path, msgspec.json.format(encoded) + b"\n", private=True)

    def _unusable(self, reason: str) -> ConfigError:
        return ConfigError(
            f"Nothing of any workspace is trusted, because {str(self.path)!r} cannot be relied "
            f"on: {reason}.",
            hint="Look at it, then mend it or delete it and grant anew: roo trust grant.",
        )
