"""What the layers came to: each value, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from roo_code.config.documents import Document
from roo_code.config.problem import Problem

Layer: TypeAlias = Literal["default", "host", "user", "profile", "project", "environment", "task"]


class Origin(NamedTuple):
    """Where a value comes from."""

    layer: Layer
    source: str = "default"
    """A file, a variable, or words."""
    document: Document | None = None
    path: tuple[str | int, ...] = ()
    """Of names, to the value in the document."""

    @property
    def line(self) -> int | None:
        return self.document.line_of(*self.path) if self.document else None

    def __str__(self) -> str:
        if self.layer == "environment":
            return f"environment variable {self.source}"
        return f"{self.source}:{line}" if (line := self.line) else self.source


DEFAULT = Origin("default")


class Entry(NamedTuple):
    """One value as it stands in one layer."""

    key: str
    value: Any
    origin: Origin


class ChosenProfile(NamedTuple):
    name: str
    id: str


class Settings:
    """The settings in force. Secrets are apart and in no text made of this."""

    def __init__(
        self,
        values: Mapping[str, Any],
        origins: Mapping[str, Origin],
        problems: tuple[Problem, ...] = (),
        *,
        profile: ChosenProfile | None = None,
        unknown: Mapping[str, Entry] | None = None,
        secrets: Mapping[str, Entry] | None = None,
    ) -> None:
        self.values = values
        self.origins = origins
        """Of what is not a default."""
        self.problems = problems
        self.profile = profile
        self.unknown = unknown or {}
        self.secrets = secrets or {}
        """From the environment, the task, or named by a reference in a file; not those stored."""

    def __repr__(self) -> str:
        return f"Settings({ {key: self.values[key] for key in self.origins}!r})"

    def get(self, key: str, default: Any = None) -> Any:
        """The value in force, a default of ours where nobody set one."""
        return self.values.get(key, default)

    def chosen(self, key: str, default: Any = None) -> Any:
        """The value if anybody set one: what a default of ours would say is left to the caller."""
        return self.values[key] if key in self.origins else default

    def origin(self, key: str) -> Origin:
        found = self.secrets.get(key)
        return found.origin if found else self.origins.get(key, DEFAULT)
