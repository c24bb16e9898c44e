"""Which module speaks which wire format and makes which signature; a run loads only its own."""

# ruff: noqa: PLC0415 - each run needs one format, and a signature few

from __future__ import annotations

from typing import assert_never

from roo_code.config.schema import ProviderSettings
from roo_code.providers.protocols.base import WireFormat
from roo_code.providers.signing import Signer
from roo_code.providers.spec import ProviderSpec


def resolved(spec: ProviderSpec, settings: ProviderSettings) -> ProviderSettings:
    """The settings with the address and the model that only the service's own options tell."""
    if spec.signing == "aws":
        from roo_code.providers import bedrock_places

        return bedrock_places.resolved(settings, spec.default_model)
    if spec.signing == "qwen_oauth":
        from roo_code.providers import qwen_credentials

        return qwen_credentials.resolved(settings)
    return settings


def wire_format(spec: ProviderSpec, settings: ProviderSettings, model: str) -> WireFormat:
    match spec.protocol:
        case "openai_chat" if settings.api_provider == "openai":
            from roo_code.providers.protocols.chat_variants import compatible_format

            return compatible_format(spec.quirks, settings)
        case "openai_chat":
            from roo_code.providers.protocols.openai_chat import OpenAiChat

            return OpenAiChat(spec.quirks)
        case "anthropic_messages":
            from roo_code.providers.protocols.anthropic_messages import AnthropicMessages

            return AnthropicMessages(model)
        case "openai_responses":
            from roo_code.providers.protocols.openai_responses import OpenAiResponses

            return OpenAiResponses(spec.responses)
        case "gemini":
            from roo_code.providers.protocols.gemini import Gemini

            return Gemini()
        case "vertex":
            from roo_code.providers.protocols.vertex import vertex_format

            return vertex_format(settings, model)
        case "bedrock_converse":
            from roo_code.providers.protocols.bedrock_converse import BedrockConverse

            return BedrockConverse()
        case "ollama_chat":
            from roo_code.providers.protocols.ollama_chat import OllamaChat

            return OllamaChat()
        case _:
            assert_never(spec.protocol)


def signer(spec: ProviderSpec, settings: ProviderSettings) -> Signer | None:
    match spec.signing:
        case None:
            return None
        case "aws":
            from roo_code.providers.aws_signing import AwsSigner

            return AwsSigner(settings)
        case "google":
            from roo_code.providers.google_signing import GoogleSigner

            return GoogleSigner(settings)
        case "qwen_oauth":
            from roo_code.providers.qwen_signing import QwenSigner

            return QwenSigner(settings)
        case _:
            assert_never(spec.signing)
