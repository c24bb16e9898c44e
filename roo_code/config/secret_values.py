"""Secrets as settings: which of some values they are, and how they are stored as text.

Those of a profile are one entry of the store, under the profile's id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from roo_code.config.json_shapes import as_object
from roo_code.config.secret_names import is_secret, refers
from roo_code.config.secrets import SecretStore
from roo_code.config.setting_types import KINDS


def split_secrets(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What may stand in a file, and what may not."""
    secret = {k: v for k, v in settings.items() if is_secret(k, v) and not refers(v)}
    return {k: v for k, v in settings.items() if k not in secret}, secret


def secret_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def secret_value(key: str, text: str) -> Any:
    return text if KINDS.get(key, str) is str else json.loads(text)


def secret_name(profile_id: str) -> str:
    return f"profile:{profile_id}"


def profile_secrets(stored: Mapping[str, str], profile_id: str) -> dict[str, Any]:
    """Of all that is stored, what belongs to the profile, by the names of the settings."""
    return as_object(json.loads(stored.get(secret_name(profile_id), "{}")))


def store_profile_secrets(
    store: SecretStore, profile_id: str, changes: Mapping[str, Any], removed: set[str]
) -> None:
    def change(secrets: dict[str, str]) -> dict[str, str]:
        after = {**profile_secrets(secrets, profile_id), **changes}
        after = {key: value for key, value in after.items() if key not in removed}
        secrets.pop(secret_name(profile_id), None)
        if after:
            secrets[secret_name(profile_id)] = json.dumps(after, ensure_ascii=False)
        return secrets

    store.change(change)
