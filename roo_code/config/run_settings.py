"""What the settings say about one run: which service, with which key."""

from __future__ import annotations

from typing import Any

from roo_code.config.resolved import Settings
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.config.secret_values import profile_secrets, secret_value
from roo_code.config.secrets import SecretStore
from roo_code.config.service_keys import key_of_service, secrets_of_service
from roo_code.config.setting_types import PROVIDER_KEYS

_GIVEN = ("environment", "task")
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

    A task's or the environment's win, then the profile's, then what a file refers to, then what
    is stored for all. The store is not opened if one of the first two has the service's key.
    """
    addresses = PROVIDER_KEYS - SECRET_KEYS  # some have a password in them
    allowed = {*secrets_of_service(provider), *addresses}
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
