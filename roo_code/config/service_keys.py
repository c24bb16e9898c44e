"""Which settings hold a service's key, model and address: Roo has names of its own for most."""

from __future__ import annotations

from roo_code.config.roo_provider_names import ADDRESS, KEY, MODEL, OF_PROVIDER, roo_name

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


def model_of_service(provider: str) -> str:
    return roo_name(provider, MODEL) or "apiModelId"


def address_of_service(provider: str) -> str:
    return roo_name(provider, ADDRESS) or "apiBaseUrl"
