"""Which settings hold a service's key, model and address: Roo has names of its own for most."""

from __future__ import annotations

from collections.abc import Mapping

from roo_code.config.roo_provider_names import ADDRESS, KEY, MODEL, OF_PROVIDER, roo_name
from roo_code.json_text import JsonValue

_MORE_SECRETS = {
    "bedrock": ("awsAccessKey", "awsSecretKey", "awsSessionToken"),
    "openai": ("openAiHeaders",),
    "vertex": ("vertexJsonCredentials",),
}
MODEL_KEYS = (
    "apiModelId",
    *(name for provider in OF_PROVIDER if (name := roo_name(provider, MODEL))),
    "lmStudioDraftModelId",
)


def key_of_service(provider: str) -> str:
    return roo_name(provider, KEY) or f"{provider.replace('-', '')}ApiKey"


def secrets_of_service(provider: str) -> tuple[str, ...]:
    """All that may be sent to a service; the keys of others may not."""
    return (key_of_service(provider), *_MORE_SECRETS.get(provider, ()))


def brings_own_key(given: Mapping[str, JsonValue], provider: str) -> bool:
    """Whether settings name a service or its key: then a key from elsewhere is not for it."""
    return "apiProvider" in given or key_of_service(provider) in given


def model_of_service(provider: str) -> str:
    return roo_name(provider, MODEL) or "apiModelId"


def address_of_service(provider: str) -> str:
    return roo_name(provider, ADDRESS) or "apiBaseUrl"
