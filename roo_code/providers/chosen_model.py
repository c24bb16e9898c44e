"""The model that the settings choose, with what the settings say about it."""

from __future__ import annotations

from msgspec.structs import replace

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import ModelInfo
from roo_code.providers.models import model_info
from roo_code.providers.roo_facts import read_facts
from roo_code.providers.spec import ProviderSpec

_LONG_CONTEXT = {
    "anthropic": "anthropicBeta1MContext",
    "bedrock": "awsBedrock1MContext",
    "vertex": "vertex1MContext",
}
_SERVICE_TIER = {"bedrock": "awsBedrockServiceTier", "openai-native": "openAiNativeServiceTier"}
_USUAL_TIERS = ("default", "standard")


def chosen_model(spec: ProviderSpec, settings: ProviderSettings) -> ModelInfo:
    model = settings.api_model_id or spec.default_model
    if not model:
        raise ConfigError(
            f"No model is named for {settings.api_provider}, which has no default.",
            hint="Name one with --model.",
        )
    options, provider = settings.options, settings.api_provider
    table = spec.endpoint_facts.get(str(options.get(spec.endpoint_option)), provider)
    known_as = str(options.get("modelKnownAs") or model)
    info = replace(model_info(table, known_as, settings.api_base_url or ""), id=model)
    if options.get(_LONG_CONTEXT.get(provider, "")) is True and info.extended_context_window:
        info = replace(info, context_window=info.extended_context_window)
    tier = str(options.get(_SERVICE_TIER.get(provider, "")) or "").lower()
    if tier and tier not in _USUAL_TIERS:
        info = replace(info, service_tier=tier)
    if isinstance(window := options.get("awsModelContextWindow"), int) and window > 0:
        info = replace(info, context_window=window)
    custom = options.get("openAiCustomModelInfo")
    return replace(info, **read_facts(custom)) if isinstance(custom, dict) else info
