"""Chat completions where an endpoint of the user's own differs: on Azure, or without a stream."""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import quote

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.dialing import parse_address
from roo_code.providers.framing import Framing, WholeParser
from roo_code.providers.protocols.openai_chat import ChatQuirks, OpenAiChat

_AZURE_VERSION = "2024-08-01-preview"
_INFERENCE_VERSION = "2024-05-01-preview"
_STREAM_FIELDS = ("stream", "stream_options")


def compatible_format(quirks: ChatQuirks, settings: ProviderSettings) -> OpenAiChat:
    """The variant that the settings ask for, or that their address tells."""
    streams = settings.options.get("openAiStreamingEnabled") is not False
    if not _is_azure(settings):
        return OpenAiChat(quirks) if streams else WholeChat(quirks)
    return AzureChat(quirks, settings) if streams else WholeAzureChat(quirks, settings)


def _is_azure(settings: ProviderSettings) -> bool:
    if settings.options.get("openAiUseAzure"):
        return True
    address = settings.api_base_url
    return bool(address) and f".{parse_address(address).host}".endswith(".azure.com")


class WholeChat(OpenAiChat):
    """For servers that cannot stream: the reply comes at once."""

    accept: ClassVar[str] = "application/json"

    def framing(self) -> Framing:
        return WholeParser()

    def encode(
        self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo
    ) -> dict[str, Any]:
        body = super().encode(request, settings, info)
        return {name: value for name, value in body.items() if name not in _STREAM_FIELDS}


class AzureChat(OpenAiChat):
    """Azure names the deployment in the path, the version in the query, and has its own header."""

    def __init__(self, quirks: ChatQuirks, settings: ProviderSettings) -> None:
        super().__init__(quirks)
        if not settings.api_base_url:
            raise ConfigError(
                "Azure has no address for all: each resource has its own.",
                hint="Set openAiBaseUrl, such as https://NAME.openai.azure.com.",
            )
        address = parse_address(settings.api_base_url)
        self._base = address.path.rstrip("/")
        self._is_inference = address.host.endswith(".services.ai.azure.com")
        usual = _INFERENCE_VERSION if self._is_inference else _AZURE_VERSION
        self._version = str(settings.options.get("azureApiVersion") or usual)

    def path(self, info: ModelInfo) -> str:
        if self._base.endswith("/openai/v1"):  # the newer kind, as OpenAI's own
            return "/chat/completions"
        return f"{self._place(info)}/chat/completions?api-version={quote(self._version)}"

    def _place(self, info: ModelInfo) -> str:
        """What the address in the settings leaves out."""
        if self._is_inference:
            return "" if "/models" in self._base else "/models"
        if "/deployments/" in self._base:
            return ""
        deployment = f"/deployments/{quote(info.id, safe='')}"
        return deployment if self._base.endswith("/openai") else f"/openai{deployment}"

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {"api-key": key} if key else {}


class WholeAzureChat(WholeChat, AzureChat):
    """Both at once."""
