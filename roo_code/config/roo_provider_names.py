"""Roo's names for what every provider has, by provider: key, model and address.

All other keys of Roo's profiles (`awsRegion`, `zaiApiLine`, …) go to the provider as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

KEY, MODEL, ADDRESS = "api_key", "api_model_id", "api_base_url"

COMMON: Mapping[str, str] = {
    "apiProvider": "api_provider",
    "apiKey": KEY,
    "apiModelId": MODEL,
    "model": MODEL,
    "baseUrl": ADDRESS,
    "apiBaseUrl": ADDRESS,
    "maxTokens": "max_tokens",
    "modelMaxTokens": "max_tokens",
    "modelTemperature": "temperature",
    "reasoningEffort": "reasoning_effort",
    "modelMaxThinkingTokens": "max_thinking_tokens",
    "rateLimitSeconds": "rate_limit_seconds",
    "apiRequestTimeout": "request_timeout",
    "requestTotalTimeout": "request_total_timeout",
    "openAiHeaders": "headers",
}
"""Of any provider. `apiKey` is Anthropic's, and ours for services without a name of their own."""

OF_PROVIDER: Mapping[str, Mapping[str, str]] = {
    "anthropic": {"apiKey": KEY, "anthropicBaseUrl": ADDRESS},
    "baseten": {"basetenApiKey": KEY},
    "bedrock": {"awsApiKey": KEY},
    "deepseek": {"deepSeekApiKey": KEY, "deepSeekBaseUrl": ADDRESS},
    "fireworks": {"fireworksApiKey": KEY},
    "gemini": {"geminiApiKey": KEY, "googleGeminiBaseUrl": ADDRESS},
    "groq": {"groqApiKey": KEY},
    "litellm": {"litellmApiKey": KEY, "litellmModelId": MODEL, "litellmBaseUrl": ADDRESS},
    "lmstudio": {"lmStudioModelId": MODEL, "lmStudioBaseUrl": ADDRESS},
    "minimax": {"minimaxApiKey": KEY, "minimaxBaseUrl": ADDRESS},
    "mistral": {"mistralApiKey": KEY},
    "moonshot": {"moonshotApiKey": KEY, "moonshotBaseUrl": ADDRESS},
    "ollama": {"ollamaApiKey": KEY, "ollamaModelId": MODEL, "ollamaBaseUrl": ADDRESS},
    "openai": {"openAiApiKey": KEY, "openAiModelId": MODEL, "openAiBaseUrl": ADDRESS},
    "openai-native": {"openAiNativeApiKey": KEY, "openAiNativeBaseUrl": ADDRESS},
    "openrouter": {
        "openRouterApiKey": KEY,
        "openRouterModelId": MODEL,
        "openRouterBaseUrl": ADDRESS,
    },
    "poe": {"poeApiKey": KEY, "poeBaseUrl": ADDRESS},
    "requesty": {"requestyApiKey": KEY, "requestyModelId": MODEL, "requestyBaseUrl": ADDRESS},
    "roo": {"rooApiKey": KEY},
    "sambanova": {"sambaNovaApiKey": KEY},
    "together": {"togetherApiKey": KEY},
    "unbound": {"unboundApiKey": KEY, "unboundModelId": MODEL},
    "vercel-ai-gateway": {"vercelAiGatewayApiKey": KEY, "vercelAiGatewayModelId": MODEL},
    "xai": {"xaiApiKey": KEY},
    "zai": {"zaiApiKey": KEY},
}

_SUFFIXES = {"ApiKey": KEY, "ModelId": MODEL, "BaseUrl": ADDRESS}


def own_field(key: str, provider: str) -> str | None:
    """Our field for a key that is this provider's own; None for the keys of others."""
    if field := OF_PROVIDER.get(provider, {}).get(key):
        return field
    # A provider that registers itself may have names like Roo's.
    for suffix, field in _SUFFIXES.items():
        owner = key.removesuffix(suffix).lower()
        if key.endswith(suffix) and owner == provider.replace("-", "").lower():
            return field
    return None


def roo_name(provider: str, field: str) -> str | None:
    """The provider's own name for a field; None where it has none."""
    names = OF_PROVIDER.get(provider, {})
    return next((key for key, ours in names.items() if ours == field), None)
