"""Whether the settings and secrets can be read, and what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.doctor_finding import Finding
from roo_code.cli.options import RunOptions
from roo_code.config.layers import LayeredSettings
from roo_code.config.paths import settings_folder
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError

_RIGHTS_OF_OTHERS = {
    "secrets.json": (0o077, "read"),
    "secrets-*.key": (0o077, "read"),
    "profiles.json": (0o022, "write"),
    "settings.*": (0o022, "write"),
}
"""Which nobody but the owner should have."""


def check_settings(workspace: Path) -> Iterator[Finding]:
    layers = LayeredSettings(workspace)
    settings = layers.resolve()
    for problem in settings.problems:
        state = "note" if problem.harmless else "broken"
        yield Finding("settings", state, str(problem), problem.hint)
    if not settings.problems:
        count = len(settings.origins)
        yield Finding("settings", "ok", f"{count} set" if count else "none set; the defaults hold")
    yield _profile(layers)
    secrets = _secrets()
    yield secrets
    if secrets.state == "ok":  # else the key cannot be looked for
        yield _model(workspace)
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


def _model(workspace: Path) -> Finding:
    """Whether a task could be started here as it is."""
    try:
        chosen = choose_provider(RunOptions(workspace=str(workspace)), None)
    except ConfigError as error:
        return Finding("model", "missing", str(error), " ".join(error.hint.split()))
    return Finding("model", "ok", f"{chosen['api_provider']}/{chosen['api_model_id']}")


def _rights() -> Iterator[Finding]:
    for pattern, (rights, verb) in _RIGHTS_OF_OTHERS.items():
        for path in settings_folder().glob(pattern):
            if path.stat().st_mode & rights:
                yield Finding("rights", "broken", f"others may {verb} {path}", f"chmod 600 {path}")
