"""Which settings hold a service's key, model and address: Roo has names of its own for most."""

from __future__ import annotations

_KEYS = {
    "anthropic": "apiKey",
    "bedrock": "awsApiKey",
    "deepseek": "deepSeekApiKey",
    "openai": "openAiApiKey",
    "openai-native": "openAiNativeApiKey",
    "openrouter": "openRouterApiKey",
    "sambanova": "sambaNovaApiKey",
    "vercel-ai-gateway": "vercelAiGatewayApiKey",
}
_MORE_SECRETS = {
    "bedrock": ("awsAccessKey", "awsSecretKey", "awsSessionToken"),
    "openai": ("openAiHeaders",),
    "vertex": ("vertexJsonCredentials",),
}
_MODELS = {
    "litellm": "litellmModelId",
    "lmstudio": "lmStudioModelId",
    "ollama": "ollamaModelId",
    "openai": "openAiModelId",
    "openrouter": "openRouterModelId",
    "requesty": "requestyModelId",
    "unbound": "unboundModelId",
    "vercel-ai-gateway": "vercelAiGatewayModelId",
}
_ADDRESSES = {
    "anthropic": "anthropicBaseUrl",
    "deepseek": "deepSeekBaseUrl",
    "litellm": "litellmBaseUrl",
    "lmstudio": "lmStudioBaseUrl",
    "minimax": "minimaxBaseUrl",
    "moonshot": "moonshotBaseUrl",
    "ollama": "ollamaBaseUrl",
    "openai": "openAiBaseUrl",
    "openai-native": "openAiNativeBaseUrl",
    "openrouter": "openRouterBaseUrl",
    "poe": "poeBaseUrl",
    "requesty": "requestyBaseUrl",
}
MODEL_KEYS = ("apiModelId", *_MODELS.values(), "lmStudioDraftModelId")


def key_of_service(provider: str) -> str:
    return _KEYS.get(provider) or f"{provider.replace('-', '')}ApiKey"


def secrets_of_service(provider: str) -> tuple[str, ...]:
    """All that may be sent to a service; the keys of others may not."""
    return (key_of_service(provider), *_MORE_SECRETS.get(provider, ()))


def model_of_service(provider: str) -> str:
    return _MODELS.get(provider, "apiModelId")


def address_of_service(provider: str) -> str:
    return _ADDRESSES.get(provider, "apiBaseUrl")
