"""What the settings say about one run: which service, with which key."""

from __future__ import annotations

from typing import Any

from roo_code.config.resolved import Settings
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.config.secret_values import profile_secrets, secret_value
from roo_code.config.secrets import SecretStore
from roo_code.config.service_keys import secrets_of_service
from roo_code.config.setting_types import PROVIDER_KEYS

_NOT_FOR_THE_SERVICE = frozenset({"consecutiveMistakeLimit", "todoListEnabled"})


def provider_options(settings: Settings) -> dict[str, Any]:
    """The chosen provider settings, by Roo's names and without secrets.

    For `ProviderSettings.read`; empty where nothing was chosen. What is a mere default of ours is
    left out, so that a task's log holds only what somebody wanted.
    """
    options = {
        key: settings.values[key]
        for key in settings.origins
        if key in PROVIDER_KEYS
        and key not in _NOT_FOR_THE_SERVICE
        and not key.startswith(("codeIndex", "codebaseIndex"))
    }
    if "apiRequestTimeout" in settings.origins:
        options["apiRequestTimeout"] = settings.values["apiRequestTimeout"]
    return options


def service_secrets(settings: Settings, provider: str, store: SecretStore) -> dict[str, Any]:
    """The secrets that may go to this service, by the names of their settings.

    The store is opened only if the environment and the task do not say them.
    """
    given = {key: entry.value for key, entry in settings.secrets.items() if key not in SECRET_KEYS}
    wanted = secrets_of_service(provider)
    layers = {key: entry.origin.layer for key, entry in settings.secrets.items()}
    if layers.get(wanted[0]) not in ("environment", "task"):
        given |= _stored(settings, wanted, store)
    for key in wanted:
        if key in settings.secrets and (key not in given or layers[key] in ("environment", "task")):
            given[key] = settings.secrets[key].value
    return given


def _stored(settings: Settings, wanted: tuple[str, ...], store: SecretStore) -> dict[str, Any]:
    """The profile's before those for all; a reference in a file before the latter."""
    everything = store.all()
    own = [key for key in wanted if key in everything and key not in settings.secrets]
    found = {key: secret_value(key, everything[key]) for key in own}
    if settings.profile and settings.profile.id:
        of_profile = profile_secrets(everything, settings.profile.id)
        found |= {k: v for k, v in of_profile.items() if k in wanted or k not in SECRET_KEYS}
    return found
