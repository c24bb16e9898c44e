"""Provider settings, by our names and by Roo's."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import unquote

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from roo_code.errors import ConfigError

ReasoningEffort: TypeAlias = Literal["disable", "none", "minimal", "low", "medium", "high", "xhigh"]

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
"""Roo keeps these per provider, such as `openRouterModelId`."""
_SECRET_WORDS = ("key", "token", "secret", "password", "credential")


class ProviderSettings(BaseModel):
    """Which model of which service, and how to reach it.

    Fields it does not know are kept in `options` for the provider.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        defer_build=True,
        hide_input_in_errors=True,  # the input holds the key
    )

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
    """Between the starts of two requests, over all tasks of the process."""
    request_timeout: float = Field(default=600, gt=0)
    """Seconds in which something must arrive."""
    max_attempts: int = Field(default=6, ge=1)
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Sent with every request; they may hold secrets."""

    @classmethod
    def read(cls, data: Mapping[str, JsonValue]) -> ProviderSettings:
        """The settings, or a ConfigError that names each field that is wrong."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            problems = [
                f"{'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}"
                for detail in error.errors(include_url=False, include_input=False)
            ]
            raise ConfigError(f"The provider's settings are wrong: {'; '.join(problems)}") from None

    @model_validator(mode="before")
    @classmethod
    def _accept_roo_names(cls, data: Any) -> Any:
        return _with_our_names({**data}) if isinstance(data, Mapping) else data

    @field_validator("api_base_url")
    @classmethod
    def _check_address(cls, url: str | None) -> str | None:
        if url and not url.startswith(("http://", "https://")):
            raise ValueError("an address must start with http:// or https://")
        return url.rstrip("/") if url else None

    @property
    def options(self) -> dict[str, JsonValue]:
        """What is meant for one provider only."""
        extra: dict[str, Any] = self.model_extra or {}
        return {
            key: value.get_secret_value() if isinstance(value, SecretStr) else value
            for key, value in extra.items()
        }

    def without_secrets(self) -> dict[str, JsonValue]:
        """What may be stored and shown."""
        dumped: dict[str, JsonValue] = self.model_dump(
            mode="json", exclude_none=True, exclude_defaults=True, exclude={"api_key", "headers"}
        )
        return {
            key: value
            for key, value in dumped.items()
            if not (isinstance(value, str) and _names_secret(key))
        }


def _with_our_names(data: dict[str, Any]) -> dict[str, Any]:
    """Of several names for one field the most particular wins; an empty value is none."""
    provider = str(data.get("api_provider") or data.get("apiProvider") or "")
    named: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    for key, value in data.items():
        name, rank = _our_name(key, provider)
        if value not in (None, "") and rank > ranks.get(name, -1):
            named[name], ranks[name] = value, rank
    for key, value in named.items():
        if ranks[key] == 0 and isinstance(value, str) and _names_secret(key):
            named[key] = SecretStr(value)
    return _with_hidden_password(_with_effort(named))


def _our_name(key: str, provider: str) -> tuple[str, int]:
    """Our name for a field, and how far it outranks other names of it."""
    if key in ProviderSettings.model_fields:
        return key, 3
    if key in _ROO_NAMES:
        return _ROO_NAMES[key], 1
    for suffix, name in _ROO_SUFFIXES.items():
        owner = key.removesuffix(suffix).lower()
        if key.endswith(suffix) and owner == provider.replace("-", "").lower():
            return name, 2
    return key, 0


def _with_effort(named: dict[str, Any]) -> dict[str, Any]:
    """Roo switches reasoning on and off apart from how much of it there is to be."""
    enabled = named.pop("enableReasoningEffort", None)
    if enabled is False:
        named["reasoning_effort"] = "disable"
    elif enabled is True:
        named.setdefault("reasoning_effort", "medium")
    return named


def _with_hidden_password(named: dict[str, Any]) -> dict[str, Any]:
    """An address is stored and shown, so a password in it becomes a header."""
    address, headers = named.get("api_base_url"), named.get("headers", {})
    found = re.match(r"(https?://)([^/?#]*)@(.*)", address) if isinstance(address, str) else None
    if not found or not isinstance(headers, dict):
        return named
    password = b64encode(unquote(found[2]).encode()).decode()
    with_password = {"authorization": f"Basic {password}", **cast("dict[str, Any]", headers)}
    return {**named, "api_base_url": found[1] + found[3], "headers": with_password}


def _names_secret(key: str) -> bool:
    lowered = key.lower()
    return any(word in lowered for word in _SECRET_WORDS) and not lowered.endswith("tokens")
