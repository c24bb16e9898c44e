"""Every provider as a row, and how the settings choose one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import BaseProvider
from roo_code.providers.http_provider import HttpProvider
from roo_code.providers.protocols.openai_chat import ChatQuirks
from roo_code.providers.spec import ProviderSpec

CATALOG: Mapping[str, ProviderSpec] = {
    "anthropic": ProviderSpec(
        protocol="anthropic_messages",
        base_url="https://api.anthropic.com",
        version_path="/v1",
        default_model="claude-sonnet-4-5",
        key_variables=("ANTHROPIC_API_KEY",),
    ),
    "baseten": ProviderSpec(
        base_url="https://inference.baseten.co/v1",
        default_model="zai-org/GLM-4.6",
        key_variables=("BASETEN_API_KEY",),
        quirks=ChatQuirks(always_limit=True),
    ),
    "deepseek": ProviderSpec(
        base_url="https://api.deepseek.com",
        default_model="deepseek-chat",
        key_variables=("DEEPSEEK_API_KEY",),
        quirks=ChatQuirks(always_limit=True, returns_reasoning=True),
    ),
    "fireworks": ProviderSpec(
        base_url="https://api.fireworks.ai/inference/v1",
        default_model="accounts/fireworks/models/kimi-k2-instruct-0905",
        key_variables=("FIREWORKS_API_KEY",),
        quirks=ChatQuirks(always_limit=True),
    ),
    "groq": ProviderSpec(
        base_url="https://api.groq.com/openai/v1",
        default_model="openai/gpt-oss-120b",
        key_variables=("GROQ_API_KEY",),
        quirks=ChatQuirks(limit_field="max_completion_tokens"),
    ),
    "litellm": ProviderSpec(
        base_url="http://localhost:4000",
        default_model="claude-3-7-sonnet-20250219",
        key_variables=("LITELLM_API_KEY",),
        needs_key="never",
        quirks=ChatQuirks(limit_field="by_model"),
    ),
    "lmstudio": ProviderSpec(
        base_url="http://localhost:1234",
        version_path="/v1",
        default_model="mistralai/devstral-small-2505",
        key_variables=("LMSTUDIO_API_KEY",),
        needs_key="never",
    ),
    "minimax": ProviderSpec(
        protocol="anthropic_messages",
        base_url="https://api.minimax.io/anthropic",
        replaced_path=("/v1", "/anthropic"),  # Roo's settings name the other format's address
        version_path="/v1",
        default_model="MiniMax-M2.7",
        key_variables=("MINIMAX_API_KEY",),
    ),
    "mistral": ProviderSpec(
        base_url="https://api.mistral.ai/v1",
        default_model="codestral-latest",
        key_variables=("MISTRAL_API_KEY",),
        quirks=ChatQuirks(reports_usage_unasked=True, short_call_ids=True),
    ),
    "moonshot": ProviderSpec(
        base_url="https://api.moonshot.ai/v1",
        default_model="kimi-k2-0905-preview",
        key_variables=("MOONSHOT_API_KEY",),
        quirks=ChatQuirks(always_limit=True, returns_reasoning=True),
    ),
    "ollama": ProviderSpec(
        base_url="http://localhost:11434",
        version_path="/v1",
        default_model="devstral:24b",
        key_variables=("OLLAMA_API_KEY",),
        needs_key="never",
    ),
    "openai": ProviderSpec(
        base_url="https://api.openai.com/v1",
        default_model="gpt-5.1",
        key_variables=("OPENAI_API_KEY",),
        needs_key="at_home",
        quirks=ChatQuirks(limit_field="by_model"),
    ),
    "openrouter": ProviderSpec(
        base_url="https://openrouter.ai/api/v1",
        default_model="anthropic/claude-sonnet-4.5",
        key_variables=("OPENROUTER_API_KEY",),
        headers={"x-title": "Roo Code"},
        quirks=ChatQuirks(reasoning="object", reports_cost=True, passes_cache_marks=True),
    ),
    "requesty": ProviderSpec(
        base_url="https://router.requesty.ai/v1",
        default_model="coding/claude-4-sonnet",
        key_variables=("REQUESTY_API_KEY",),
        quirks=ChatQuirks(passes_cache_marks=True),
    ),
    "sambanova": ProviderSpec(
        base_url="https://api.sambanova.ai/v1",
        default_model="Meta-Llama-3.3-70B-Instruct",
        key_variables=("SAMBANOVA_API_KEY",),
        quirks=ChatQuirks(always_limit=True),
    ),
    "together": ProviderSpec(
        base_url="https://api.together.xyz/v1",
        default_model="Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8",
        key_variables=("TOGETHER_API_KEY",),
    ),
    "unbound": ProviderSpec(
        base_url="https://api.getunbound.ai/v1",
        default_model="anthropic/claude-sonnet-4-5",
        key_variables=("UNBOUND_API_KEY",),
    ),
    "vercel-ai-gateway": ProviderSpec(
        base_url="https://ai-gateway.vercel.sh/v1",
        default_model="anthropic/claude-sonnet-4",
        key_variables=("AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"),
        quirks=ChatQuirks(limit_field="max_completion_tokens"),
    ),
    "xai": ProviderSpec(
        base_url="https://api.x.ai/v1",
        default_model="grok-code-fast-1",
        key_variables=("XAI_API_KEY",),
        quirks=ChatQuirks(reports_usage_unasked=True),
    ),
    "zai": ProviderSpec(
        base_url="https://api.z.ai/api/coding/paas/v4",
        default_model="glm-4.6",
        key_variables=("ZAI_API_KEY",),
        endpoint_option="zaiApiLine",
        endpoints={
            "china_coding": "https://open.bigmodel.cn/api/coding/paas/v4",
            "international_api": "https://api.z.ai/api/paas/v4",
            "china_api": "https://open.bigmodel.cn/api/paas/v4",
        },
        quirks=ChatQuirks(reasoning="switch", always_limit=True, returns_reasoning=True),
    ),
}

ProviderFactory = Callable[[ProviderSettings], BaseProvider]
_registered: dict[str, ProviderFactory] = {}


def register_provider(id: str, factory: ProviderFactory) -> None:
    """Let settings whose `api_provider` is this id choose a provider from outside."""
    if id in CATALOG:
        raise ConfigError(f"The provider id {id!r} is taken by one of ours; choose another.")
    _registered[id] = factory


def known_providers() -> list[str]:
    return sorted({*CATALOG, *_registered})


def create_provider(settings: ProviderSettings) -> BaseProvider:
    """The provider the settings name. Nothing is sent before its first request."""
    if factory := _registered.get(settings.api_provider):
        return factory(settings)
    spec = CATALOG.get(settings.api_provider)
    if spec is None:
        raise _unknown(settings.api_provider)
    return HttpProvider(spec, settings, _find_key(spec, settings))


def _find_key(spec: ProviderSpec, settings: ProviderSettings) -> str | None:
    given = settings.api_key.get_secret_value() if settings.api_key else None
    in_environment = (os.environ.get(name) for name in spec.key_variables)
    key = next((k.strip() for k in (given, *in_environment) if k and k.strip()), None)
    is_needed = spec.needs_key == "always" or (
        spec.needs_key == "at_home" and settings.api_base_url is None
    )
    if key is None and is_needed:
        variables = " or ".join(spec.key_variables)
        raise ConfigError(
            f"There is no API key for {settings.api_provider}: "
            f"give one with --api-key or in the environment variable {variables}."
        )
    return key


def _unknown(id: str) -> ConfigError:
    known = known_providers()
    close = _closest(id, known)
    return ConfigError(
        f"There is no provider {id!r}. Known providers: {', '.join(known)}.",
        hint=f"Did you mean {close!r}?" if close else "",
    )


def _closest(id: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - for this message only

    return next(iter(get_close_matches(id.lower(), known, 1)), None)
