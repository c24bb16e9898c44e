"""Every provider as a row, and how the settings choose one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import BaseProvider
from roo_code.providers.http_provider import HttpProvider
from roo_code.providers.not_services import NOT_OURS, NOT_SERVICES
from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.responses_quirks import ResponsesQuirks
from roo_code.providers.spec import ModelEndpoint, ModelsAt, ProviderSpec
from roo_code.version import VERSION

_OUR_NAME = {"http-referer": "https://github.com/RooVetGit/Roo-Cline", "x-title": "Roo Code"}
"""What routers show of the programs that use them."""

CATALOG: Mapping[str, ProviderSpec] = {
    "anthropic": ProviderSpec(
        protocol="anthropic_messages",
        base_url="https://api.anthropic.com",
        version_path="/v1",
        default_model="claude-sonnet-4-5",
        key_variables=("ANTHROPIC_API_KEY",),
        models=ModelsAt("/models?limit=1000"),
    ),
    "baseten": ProviderSpec(
        base_url="https://inference.baseten.co/v1",
        default_model="zai-org/GLM-4.6",
        key_variables=("BASETEN_API_KEY",),
        quirks=ChatQuirks(always_limit=True),
    ),
    "bedrock": ProviderSpec(
        protocol="bedrock_converse",
        signing="aws",
        base_url="https://bedrock-runtime.{awsRegion}.amazonaws.com",
        url_options={"awsRegion": "us-east-1"},
        default_model="anthropic.claude-sonnet-4-5-20250929-v1:0",
        key_variables=("AWS_BEARER_TOKEN_BEDROCK",),
        needs_key="never",
        models=None,
        advice={
            "on-demand throughput": (
                "Set awsUseCrossRegionInference to true, or name the ARN of an inference profile "
                "in awsCustomArn."
            ),
        },
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
    "gemini": ProviderSpec(
        protocol="gemini",
        base_url="https://generativelanguage.googleapis.com",
        version_path="/v1beta",
        default_model="gemini-3.1-pro-preview",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        models=ModelsAt("/models?pageSize=1000", "gemini"),
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
        models=ModelsAt("/v1/model/info", "litellm", at_root=True),
        quirks=ChatQuirks(limit_field="by_model", cache_marks="litellmUsePromptCache"),
    ),
    "lmstudio": ProviderSpec(
        base_url="http://localhost:1234",
        version_path="/v1",
        default_model="mistralai/devstral-small-2505",
        key_variables=("LMSTUDIO_API_KEY",),
        needs_key="never",
        models=ModelsAt("/api/v0/models", at_root=True),
    ),
    "minimax": ProviderSpec(
        protocol="anthropic_messages",
        base_url="https://api.minimax.io/anthropic",
        replaced_path=("/v1", "/anthropic"),  # Roo's settings name the other format's address
        version_path="/v1",
        default_model="MiniMax-M2.7",
        key_variables=("MINIMAX_API_KEY",),
        models=None,
    ),
    "mistral": ProviderSpec(
        base_url="https://api.mistral.ai/v1",
        model_endpoint=ModelEndpoint(
            "codestral-", "mistralCodestralUrl", "https://codestral.mistral.ai/v1"
        ),
        version_path="/v1",
        default_model="codestral-latest",
        key_variables=("MISTRAL_API_KEY",),
        quirks=ChatQuirks(
            always_limit=True,
            reports_usage_unasked=True,
            short_call_ids=True,
            joins_results=True,
        ),
    ),
    "moonshot": ProviderSpec(
        base_url="https://api.moonshot.ai/v1",
        default_model="kimi-k2-0905-preview",
        key_variables=("MOONSHOT_API_KEY",),
        quirks=ChatQuirks(always_limit=True, returns_reasoning=True),
    ),
    "ollama": ProviderSpec(
        protocol="ollama_chat",
        base_url="http://localhost:11434",
        replaced_path=("/v1", ""),  # where its other format is, which settings may name
        version_path="/api",
        default_model="devstral:24b",
        key_variables=("OLLAMA_API_KEY",),
        needs_key="never",
        models=ModelsAt("/tags", "ollama"),
        advice={
            "Could not connect": "Start Ollama with `ollama serve`, or set ollamaBaseUrl.",
            "not found": "Get the model with `ollama pull {model}`; `ollama list` shows what is.",
        },
    ),
    "openai": ProviderSpec(
        base_url="https://api.openai.com/v1",
        default_model="gpt-5.1",
        key_variables=("OPENAI_API_KEY",),
        needs_key="at_home",
        quirks=ChatQuirks(limit_field="by_model", cache_marks="supportsPromptCache"),
    ),
    "openai-native": ProviderSpec(
        protocol="openai_responses",
        base_url="https://api.openai.com",
        version_path="/v1",
        default_model="gpt-5.1-codex-max",
        key_variables=("OPENAI_API_KEY",),
    ),
    "openrouter": ProviderSpec(
        base_url="https://openrouter.ai/api/v1",
        default_model="anthropic/claude-sonnet-4.5",
        key_variables=("OPENROUTER_API_KEY",),
        headers=_OUR_NAME,
        models=ModelsAt(is_public=True),
        quirks=ChatQuirks(
            reasoning="object", returns_details=True, reports_cost=True, cache_marks="always"
        ),
    ),
    "poe": ProviderSpec(
        base_url="https://api.poe.com/v1",
        default_model="Claude-Sonnet-4.5",
        key_variables=("POE_API_KEY",),
    ),
    "qwen-code": ProviderSpec(
        signing="qwen_oauth",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        default_model="qwen3-coder-plus",
        needs_key="never",
        models=None,
    ),
    "requesty": ProviderSpec(
        base_url="https://router.requesty.ai/v1",
        default_model="coding/claude-4-sonnet",
        key_variables=("REQUESTY_API_KEY",),
        headers=_OUR_NAME,
        models=ModelsAt(is_public=True),
        quirks=ChatQuirks(cache_marks="always", task_field="requesty"),
    ),
    "roo": ProviderSpec(
        base_url="https://api.roocode.com/proxy",
        address_variable="ROO_CODE_PROVIDER_URL",
        version_path="/v1",
        default_model="xai/grok-code-fast-1",
        key_variables=("ROO_API_KEY", "ROO_CODE_CLOUD_TOKEN"),
        headers={"x-roo-app-version": VERSION, **_OUR_NAME},
        task_header="x-roo-task-id",
        quirks=ChatQuirks(reasoning="switched_object", returns_details=True, cache_marks="always"),
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
        headers=_OUR_NAME,
        models=ModelsAt(at_root=True, is_public=True),
        quirks=ChatQuirks(task_field="unbound_metadata"),
    ),
    "vercel-ai-gateway": ProviderSpec(
        base_url="https://ai-gateway.vercel.sh/v1",
        default_model="anthropic/claude-sonnet-4",
        key_variables=("AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"),
        headers=_OUR_NAME,
        models=ModelsAt(is_public=True),
        quirks=ChatQuirks(limit_field="max_completion_tokens", cache_marks="always"),
    ),
    "vertex": ProviderSpec(
        protocol="vertex",
        signing="google",
        base_url="https://{vertexRegion}-aiplatform.googleapis.com",
        url_options={"vertexRegion": "us-east5"},
        endpoint_option="vertexRegion",
        endpoints={
            "global": "https://aiplatform.googleapis.com",
            "us": "https://aiplatform.us.rep.googleapis.com",
            "eu": "https://aiplatform.eu.rep.googleapis.com",
        },
        version_path="/v1",
        default_model="claude-sonnet-4-5@20250929",
        needs_key="never",
        models=None,
    ),
    "xai": ProviderSpec(
        protocol="openai_responses",
        base_url="https://api.x.ai/v1",
        default_model="grok-4.20",
        key_variables=("XAI_API_KEY",),
        responses=ResponsesQuirks(always_reasons=True, summarizes=False),
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
        endpoint_facts={"china_coding": "zai-cn", "china_api": "zai-cn"},
        quirks=ChatQuirks(reasoning="switch", always_limit=True, returns_reasoning=True),
    ),
}

ProviderFactory = Callable[[ProviderSettings], BaseProvider]
_registered: dict[str, ProviderFactory] = {}


def register_provider(id: str, factory: ProviderFactory) -> None:
    """Let settings whose `api_provider` is this id choose a provider from outside."""
    if id in CATALOG or id in NOT_SERVICES:
        raise ConfigError(f"The provider id {id!r} is taken by one of ours; choose another.")
    _registered[id] = factory


def known_providers() -> list[str]:
    return sorted({*CATALOG, *NOT_SERVICES, *_registered})


def create_provider(settings: ProviderSettings) -> BaseProvider:
    """The provider the settings name. Nothing is sent before its first request."""
    if own := NOT_SERVICES.get(settings.api_provider):
        return own(settings)
    provider = _service(settings)
    protocol = settings.options.get("toolProtocol")
    if protocol == "native" or (protocol != "xml" and provider.model_info().supports_tools):
        return provider
    from roo_code.providers.text_tools import TextToolsProvider  # noqa: PLC0415 - for few models

    return TextToolsProvider(provider)


def _service(settings: ProviderSettings) -> BaseProvider:
    id = settings.api_provider
    if factory := _registered.get(id):
        return factory(settings)
    spec = CATALOG.get(id)
    if spec is None:
        raise unknown_provider(id)
    return HttpProvider(spec, settings, find_key(spec, settings))


def find_key(spec: ProviderSpec, settings: ProviderSettings) -> str | None:
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


def unknown_provider(id: str) -> ConfigError:
    known = known_providers()
    if advice := NOT_OURS.get(id):
        return ConfigError(f"There is no provider {id!r} here.", hint=advice)
    close = _closest(id, known)
    return ConfigError(
        f"There is no provider {id!r}. Known providers: {', '.join(known)}.",
        hint=f"Did you mean {close!r}?" if close else "",
    )


def _closest(id: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - for this message only

    return next(iter(get_close_matches(id.lower(), known, 1)), None)
