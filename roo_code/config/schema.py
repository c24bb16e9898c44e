"""Provider settings, by our names and by Roo's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    field_validator,
    model_validator,
)

ReasoningEffort = Literal["disable", "none", "minimal", "low", "medium", "high", "xhigh"]

_ROO_NAMES = {
    "apiProvider": "api_provider",
    "apiKey": "api_key",
    "apiModelId": "api_model_id",
    "model": "api_model_id",
    "baseUrl": "api_base_url",
    "apiBaseUrl": "api_base_url",
    "maxTokens": "max_tokens",
    "modelMaxTokens": "max_tokens",
    "modelTemperature": "temperature",
    "reasoningEffort": "reasoning_effort",
    "modelMaxThinkingTokens": "max_thinking_tokens",
    "rateLimitSeconds": "rate_limit_seconds",
    "apiRequestTimeout": "request_timeout",
    "openAiHeaders": "headers",
}
_ROO_SUFFIXES = {"ModelId": "api_model_id", "ApiKey": "api_key", "BaseUrl": "api_base_url"}
"""Roo keeps a key per provider, such as `openRouterModelId`; all mean the same here."""


class ProviderSettings(BaseModel):
    """Which model of which service, and how to reach it.

    Fields it does not know are kept in `options` for the provider.
    """

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    api_provider: str = Field(min_length=1)
    api_model_id: str = ""
    """Empty means the provider's default model."""
    api_key: SecretStr | None = None
    api_base_url: str | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    temperature: float | None = Field(default=None, ge=0, le=2)
    reasoning_effort: ReasoningEffort | None = None
    max_thinking_tokens: int | None = Field(default=None, gt=0)
    rate_limit_seconds: float = Field(default=0, ge=0)
    request_timeout: float = Field(default=600, gt=0)
    """Seconds in which something must arrive."""
    max_attempts: int = Field(default=6, ge=1)
    headers: dict[str, str] = Field(default_factory=dict[str, str])

    @model_validator(mode="before")
    @classmethod
    def _accept_roo_names(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        named: dict[str, Any] = {}
        for key, value in data.items():  # pyright: ignore[reportUnknownVariableType]
            name = _our_name(str(key))  # pyright: ignore[reportUnknownArgumentType]
            if named.get(name) is None:
                named[name] = value
        return named

    @field_validator("api_base_url")
    @classmethod
    def _check_address(cls, url: str | None) -> str | None:
        if url and not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not an address; it must start with http:// or https://")
        return url.rstrip("/") if url else None

    @property
    def options(self) -> dict[str, JsonValue]:
        """What is meant for one provider only."""
        return dict(self.model_extra or {})

    def without_secrets(self) -> dict[str, JsonValue]:
        """What may be stored and shown."""
        secret = ("key", "token", "secret", "password", "credential")
        dumped: dict[str, JsonValue] = self.model_dump(
            mode="json", exclude_none=True, exclude_defaults=True, exclude={"api_key", "headers"}
        )
        return {
            k: v for k, v in dumped.items() if k == "max_tokens" or not _names_secret(k, secret)
        }


def _our_name(key: str) -> str:
    if key in _ROO_NAMES:
        return _ROO_NAMES[key]
    if "_" not in key:
        for suffix, name in _ROO_SUFFIXES.items():
            if key.endswith(suffix) and not key.startswith(("codebaseIndex", "codeIndex", "aws")):
                return name
    return key


def _names_secret(key: str, words: tuple[str, ...]) -> bool:
    lowered = key.lower()
    return any(word in lowered for word in words) and not lowered.endswith(("_tokens", "tokens"))
