"""Whether the settings and secrets can be read, and what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.layers import LayeredSettings
from roo_code.config.paths import settings_folder
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError

_PRIVATE = ("secrets.json", "secrets-*.key", "profiles.json", "settings.*")


def check_settings(workspace: Path) -> Iterator[Finding]:
    layers = LayeredSettings(workspace)
    settings = layers.resolve()
    for problem in settings.problems:
        yield Finding("settings", "broken", str(problem), problem.hint)
    if not settings.problems:
        count = len(settings.origins)
        yield Finding("settings", "ok", f"{count} set" if count else "none set; the defaults hold")
    yield _profile(layers)
    yield _secrets()
    yield from _rights()


def _profile(layers: LayeredSettings) -> Finding:
    settings = layers.resolve()
    if settings.profile is None:
        return Finding("profile", "ok", "none is active")
    provider = settings.get("apiProvider")
    if not provider:
        return Finding(
            "profile", "broken", f"{settings.profile.name!r} names no service",
            f"roo profiles set {settings.profile.name} apiProvider=NAME",
        )  # fmt: skip
    return Finding("profile", "ok", f"{settings.profile.name!r}: {provider}")


def _secrets() -> Finding:
    store = SecretStore()
    try:
        count = len(store.all())
        return Finding("secrets", "ok", f"{count} stored. {store.describe()}")
    except ConfigError as error:
        return Finding("secrets", "broken", str(error), error.hint)


def _rights() -> Iterator[Finding]:
    """Files of ours that others may read."""
    for pattern in _PRIVATE:
        for path in settings_folder().glob(pattern):
            if path.stat().st_mode & 0o077:
                fix = f"chmod 600 {path}"
                yield Finding("rights", "broken", f"others may read or write {path}", fix)
