"""Vertex: the formats of Google and Anthropic, with the model named in the path."""

from __future__ import annotations

import os
import re
from typing import Any, ClassVar, NamedTuple
from urllib.parse import quote

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.framing import Framing
from roo_code.providers.google_signing import given_account
from roo_code.providers.protocols.anthropic_events import AnthropicDecoder
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.base import WireFormat
from roo_code.providers.protocols.claude_models import betas
from roo_code.providers.protocols.gemini import Gemini, name_in_path

VERSION = "vertex-2023-10-16"
DEFAULT_REGION = "us-east5"
_PROJECT_VARIABLES = ("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID")
_REGION = re.compile(r"[a-z0-9-]+")

Json = dict[str, Any]


def vertex_format(settings: ProviderSettings, model: str) -> WireFormat:
    place = _place(settings)
    return ClaudeOnVertex(place, model) if model.startswith("claude") else GeminiOnVertex(place)


class Place(NamedTuple):
    """Where the models of a project are."""

    project: str
    region: str

    def path(self, publisher: str, info: ModelInfo, method: str) -> str:
        project = quote(self.project, safe=":")
        return (
            f"/projects/{project}/locations/{self.region}/publishers/{publisher}"
            f"/models/{name_in_path(info)}:{method}"
        )


class GeminiOnVertex(Gemini):
    """Differs in the path, and in that requests are signed and hold no key."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place

    def path(self, info: ModelInfo) -> str:
        return self._place.path("google", info, "streamGenerateContent?alt=sse")

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        return {}


class ClaudeOnVertex:
    accept: ClassVar[str] = AnthropicMessages.accept

    def __init__(self, place: Place, model: str) -> None:
        self._place = place
        self._model = model
        self._messages = AnthropicMessages(model)

    def framing(self) -> Framing:
        return self._messages.framing()

    def path(self, info: ModelInfo) -> str:
        return self._place.path("anthropic", info, "streamRawPredict")

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]:
        long_context = settings.options.get("vertex1MContext") is True
        wanted = betas(self._model.removesuffix(":thinking"), long_context=long_context)
        if "haiku" in self._model:  # for which this service, unlike Anthropic's own, refuses it
            wanted = [beta for beta in wanted if not beta.startswith("interleaved-thinking")]
        return {"anthropic-beta": ",".join(wanted)} if wanted else {}

    def encode(self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> Json:
        body = self._messages.encode(request, settings, info)
        del body["model"]
        return {"anthropic_version": VERSION, **body}

    def decoder(self, who: str) -> AnthropicDecoder:
        return self._messages.decoder(who)


def _place(settings: ProviderSettings) -> Place:
    region = str(settings.options.get("vertexRegion") or DEFAULT_REGION)
    if not _REGION.fullmatch(region):
        raise ConfigError(
            f"{region!r} is not a region of Google Cloud (setting vertexRegion).",
            hint="Such as us-east5, europe-west1 or global.",
        )
    variables = (os.environ.get(name) for name in _PROJECT_VARIABLES)
    account = given_account(settings) or {}
    named = (settings.options.get("vertexProjectId"), account.get("project_id"), *variables)
    project = next((str(name) for name in named if name), None)
    if project is None:
        raise ConfigError(
            "No Google Cloud project is named for vertex.",
            hint=f"Name it in the setting vertexProjectId or in {_PROJECT_VARIABLES[0]}.",
        )
    return Place(project, region)
