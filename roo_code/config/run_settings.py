"""What the settings say about one run: which service, and with which key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Settings
from roo_code.config.schema import ProviderSettings
from roo_code.config.secret_values import profile_secrets, secret_value
from roo_code.config.secrets import SecretStore
from roo_code.config.service_keys import address_of_service, key_of_service, secrets_of_service
from roo_code.config.setting_types import PROVIDER_KEYS
from roo_code.json_text import JsonValue

_GIVEN = ("environment", "task")
_OF_ANY_SERVICE = {
    "apiModelId": "api_model_id",
    **{key: key for key in ("fallbackProfiles", "fallbackOn", "fallbackSeconds")},
}
"""What is kept where the service is yet to be chosen, and our names for it."""
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


def stored_provider(settings: Settings, otherwise: str | None = None) -> dict[str, JsonValue]:
    """The same as a task's log keeps it: by our names, checked, and without secrets.

    `otherwise` is the service chosen elsewhere, where the settings name none: what they say, such
    as a temperature, is meant for it. Without it, what only a service can make sense of is left.
    """
    options = provider_options(settings)
    if "apiProvider" in options or otherwise:
        return ProviderSettings.read({"apiProvider": otherwise, **options}).without_secrets()
    return {ours: options[key] for key, ours in _OF_ANY_SERVICE.items() if options.get(key)}


def service_secrets(settings: Settings, provider: str, store: SecretStore) -> dict[str, Any]:
    """The secrets that may go to this service, by the names of their settings.

    A task's or the environment's win, then the profile's, then what a file refers to, then what
    is stored for all. The store is not opened if one of the first two has the service's key.
    """
    address = address_of_service(provider)  # it may have a password in it
    allowed = {*secrets_of_service(provider), address, "apiBaseUrl"}
    named = {key: entry for key, entry in settings.secrets.items() if key in allowed}
    given = {k: entry.value for k, entry in named.items() if entry.origin.layer in _GIVEN}
    found = {} if key_of_service(provider) in given else store.all()
    profile = settings.profile.id if settings.profile else ""
    return {
        **{key: secret_value(key, text) for key, text in found.items() if key in allowed},
        **{key: entry.value for key, entry in named.items()},
        **{k: v for k, v in profile_secrets(found, profile).items() if k in allowed},
        **given,
    }


def secrets_for(
    provider: str,
    variables: Iterable[str],
    layers: LayeredSettings,
    store: SecretStore,
    mode: str | None = None,
) -> dict[str, Any]:
    """`service_secrets`, or none if one of the service's own variables has its key.

    What a task stored names its service; the profile and layers in force now have the key.
    """
    settings = layers.resolve({"mode": mode} if mode else None)
    named = settings.secrets.get(key_of_service(provider))
    given = named is not None and named.origin.layer in _GIVEN
    if not given and any(layers.environ.get(name, "").strip() for name in variables):
        return {}
    return service_secrets(settings, provider, store)
