"""Every key of Roo's provider settings, and what becomes of it."""

from typing import Any

import pytest

from roo_code.config.roo_provider_names import OF_PROVIDER
from roo_code.config.roo_settings import ProviderOptions
from roo_code.config.schema import ProviderSettings
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.config.service_keys import MODEL_KEYS, address_of_service, key_of_service
from roo_code.providers.catalog import CATALOG

KEYS: dict[str, str] = {
    "anthropic": "apiModelId apiKey anthropicBaseUrl anthropicUseAuthToken anthropicBeta1MContext",
    "openrouter": "openRouterApiKey openRouterModelId openRouterBaseUrl openRouterSpecificProvider",
    "bedrock": "apiModelId awsAccessKey awsSecretKey awsSessionToken awsRegion "
    "awsUseCrossRegionInference awsUseGlobalInference awsUsePromptCache awsProfile awsUseProfile "
    "awsApiKey awsUseApiKey awsCustomArn awsModelContextWindow awsBedrockEndpointEnabled "
    "awsBedrockEndpoint awsBedrock1MContext awsBedrockServiceTier",
    "vertex": "apiModelId vertexKeyFile vertexJsonCredentials vertexProjectId vertexRegion "
    "vertex1MContext",
    "openai": "openAiBaseUrl openAiApiKey openAiR1FormatEnabled openAiModelId "
    "openAiCustomModelInfo openAiUseAzure azureApiVersion openAiStreamingEnabled "
    "openAiHostHeader openAiHeaders",
    "ollama": "ollamaModelId ollamaBaseUrl ollamaApiKey ollamaNumCtx",
    "lmstudio": "lmStudioModelId lmStudioBaseUrl lmStudioDraftModelId "
    "lmStudioSpeculativeDecodingEnabled",
    "gemini": "apiModelId geminiApiKey googleGeminiBaseUrl",
    "openai-native": "apiModelId openAiNativeApiKey openAiNativeBaseUrl openAiNativeServiceTier",
    "mistral": "apiModelId mistralApiKey mistralCodestralUrl",
    "deepseek": "apiModelId deepSeekBaseUrl deepSeekApiKey",
    "poe": "apiModelId poeApiKey poeBaseUrl",
    "moonshot": "apiModelId moonshotBaseUrl moonshotApiKey",
    "minimax": "apiModelId minimaxBaseUrl minimaxApiKey",
    "requesty": "requestyBaseUrl requestyApiKey requestyModelId",
    "unbound": "unboundApiKey unboundModelId",
    "xai": "apiModelId xaiApiKey",
    "baseten": "apiModelId basetenApiKey",
    "litellm": "litellmBaseUrl litellmApiKey litellmModelId litellmUsePromptCache",
    "sambanova": "apiModelId sambaNovaApiKey",
    "zai": "apiModelId zaiApiKey zaiApiLine",
    "fireworks": "apiModelId fireworksApiKey",
    "qwen-code": "apiModelId qwenCodeOauthPath",
    "roo": "apiModelId rooApiKey",
    "vercel-ai-gateway": "vercelAiGatewayApiKey vercelAiGatewayModelId",
    "groq": "apiModelId groqApiKey",
    "together": "apiModelId togetherApiKey",
}
"""As Roo's schema lists them by provider, and two services more."""

IN_EDITOR_ONLY = {"vsCodeLmModelSelector", "geminiCliOAuthPath", "geminiCliProjectId", "fakeAi"}
COMMON: dict[str, tuple[str, Any]] = {
    "modelTemperature": ("temperature", 0.5),
    "rateLimitSeconds": ("rate_limit_seconds", 2),
    "reasoningEffort": ("reasoning_effort", "high"),
    "modelMaxTokens": ("max_tokens", 1_000),
    "modelMaxThinkingTokens": ("max_thinking_tokens", 2_000),
    "apiRequestTimeout": ("request_timeout", 30),
    "requestTotalTimeout": ("request_total_timeout", 60),
}
PASSED_ON = {
    "includeMaxTokens": True,
    "verbosity": "low",
    "todoListEnabled": True,
    "toolProtocol": "xml",
    "fallbackProfiles": ["spare"],
    "fallbackOn": ["quota"],
    "fallbackSeconds": 60,
}
OTHERS = {"apiProvider", "consecutiveMistakeLimit", "enableReasoningEffort", "apiBaseUrl"}


def value_of(key: str) -> Any:
    """Some value of the kind the key has."""
    if "Url" in key or key == "awsBedrockEndpoint":
        return f"https://{key.lower()}.example/v1"
    if key == "openAiHeaders":
        return {"x-team": "a"}
    if key == "openAiCustomModelInfo":
        return {"contextWindow": 1}
    return True if ProviderOptions.__annotations__[key] is bool else f"{key}-value"


@pytest.mark.parametrize("provider", sorted(KEYS))
def test_every_key_of_a_provider_is_read(provider: str) -> None:
    own = OF_PROVIDER.get(provider, {})
    profile = {key: value_of(key) for key in KEYS[provider].split()}
    found = ProviderSettings.read({"apiProvider": provider, **profile})
    options = dict(found.options)
    for key, value in profile.items():
        field = own.get(key) or {"apiModelId": "api_model_id", "openAiHeaders": "headers"}.get(key)
        if field == "api_key":
            assert found.api_key is not None
            assert found.api_key.get_secret_value() == value
        elif field is not None:
            assert getattr(found, field) == value
        else:
            assert options.pop(key) == value
    assert options == {}
    assert SECRET_KEYS.isdisjoint(found.without_secrets())


def test_no_key_of_roos_is_missing_here() -> None:
    of_providers = {key for keys in KEYS.values() for key in keys.split()}
    listed = of_providers | set(COMMON) | set(PASSED_ON) | OTHERS | IN_EDITOR_ONLY
    index = {key for key in ProviderOptions.__annotations__ if key.startswith("code")}
    assert listed - {"apiRequestTimeout"} == set(ProviderOptions.__annotations__) - index
    assert set(KEYS) == {id for id in CATALOG if CATALOG[id].base_url}


@pytest.mark.parametrize("provider", sorted(KEYS))
def test_what_all_providers_have_is_read_for_each(provider: str) -> None:
    values = {key: value for key, (_, value) in COMMON.items()}
    found = ProviderSettings.read({"apiProvider": provider, **values, **PASSED_ON})
    for field, value in COMMON.values():
        assert getattr(found, field) == value
    assert found.options == PASSED_ON


def test_the_keys_of_other_providers_are_not_taken_for_ones_own() -> None:
    others = {
        key: value_of(key)
        for provider, keys in KEYS.items()
        for key in keys.split()
        if provider != "zai" and key not in ("apiKey", "apiModelId", "openAiHeaders")
    }
    found = ProviderSettings.read({"apiProvider": "zai", **others})
    assert (found.api_key, found.api_model_id, found.api_base_url) == (None, "", None)


def test_the_names_are_known_the_other_way_round_too() -> None:
    assert key_of_service("anthropic") == "apiKey"
    assert key_of_service("sambanova") == "sambaNovaApiKey"
    assert key_of_service("somebody-elses") == "somebodyelsesApiKey"
    assert address_of_service("gemini") == "googleGeminiBaseUrl"
    assert address_of_service("xai") == "apiBaseUrl"
    assert {"apiModelId", "openRouterModelId", "lmStudioDraftModelId"} <= set(MODEL_KEYS)
