"""Provider settings, by our names and by Roo's."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, cast, get_type_hints
from urllib.parse import unquote

from msgspec import Meta, convert

from roo_code.config.roo_provider_names import COMMON, own_field
from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue

ReasoningEffort: TypeAlias = Literal["disable", "none", "minimal", "low", "medium", "high", "xhigh"]

_SECRET_WORDS = ("key", "token", "secret", "password", "credential")


class Secret:
    """A text that shows itself to nobody who does not ask for it by name."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret('**********')"


class WrongSettings(ConfigError):
    """Fields of the provider's settings are wrong: each with what is wrong with it."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        told = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
        super().__init__(f"The provider's settings are wrong: {told}")
        self.problems = dict(problems)


class ProviderSettings:
    """Which model of which service, and how to reach it.

    Made from fields by our names or Roo's; those it does not know are kept in `options` for the
    provider. Never changed once made; `WrongSettings` names each field that is wrong.
    """

    api_provider: Annotated[str, Meta(min_length=1)]
    api_model_id: str = ""
    """Empty means the provider's default model."""
    api_key: Secret | None = None
    api_base_url: str | None = None
    max_tokens: Annotated[int, Meta(gt=0)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    reasoning_effort: ReasoningEffort | None = None
    max_thinking_tokens: Annotated[int, Meta(gt=0)] | None = None
    rate_limit_seconds: Annotated[float, Meta(ge=0)] = 0
    """Between the starts of two requests, over all tasks of the process."""
    request_timeout: Annotated[float, Meta(gt=0)] = 600
    """Seconds in which something must arrive."""
    request_total_timeout: Annotated[float, Meta(gt=0)] = 3600
    """Seconds in which all of a reply must."""
    max_attempts: Annotated[int, Meta(ge=1)] = 6
    headers: dict[str, str]
    """Sent with every request; they may hold secrets."""

    def __init__(self, **fields: Any) -> None:
        extra: dict[str, JsonValue | Secret] = {}
        problems: dict[str, str] = {}
        values: dict[str, Any] = {"headers": {}}
        for name, value in _with_our_names(fields).items():
            if name not in _FIELDS:
                extra[name] = value
                continue
            try:
                values[name] = _checked(name, value)
            except ValueError as error:
                problems[name] = str(error)
        if "api_provider" not in values | problems:
            problems["api_provider"] = "it is missing"
        if problems:
            raise WrongSettings(problems)
        self.__dict__.update(values, _extra=extra)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> ProviderSettings:
        """From stored settings, whatever their keys are."""
        return cls(**dict(data))

    def replace(self, **changes: Any) -> ProviderSettings:
        """The same with some fields changed; None takes one back to its default."""
        return ProviderSettings(**{**self._given(), **changes})

    @property
    def options(self) -> dict[str, JsonValue]:
        """What is meant for one provider only."""
        extra: dict[str, JsonValue | Secret] = self.__dict__["_extra"]
        return {
            key: value.get_secret_value() if isinstance(value, Secret) else value
            for key, value in extra.items()
        }

    @property
    def secrets(self) -> list[str]:
        """Every value of the settings that must not be shown."""
        given = self._given().values()
        return [value.get_secret_value() for value in given if isinstance(value, Secret)]

    def without_secrets(self) -> dict[str, JsonValue]:
        """What may be stored and shown, but for defaults."""
        return {
            key: value
            for key, value in self._given().items()
            if key != "headers"
            and not isinstance(value, Secret)
            and (key not in _FIELDS or value != getattr(ProviderSettings, key, None))
        }

    def _given(self) -> dict[str, Any]:
        fields = dict(self.__dict__)
        extra = fields.pop("_extra")
        return {**fields, **extra}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Settings are never changed; use replace({name}=...).")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProviderSettings) and other.__dict__ == self.__dict__

    __hash__ = None  # pyright: ignore[reportAssignmentType] - it holds dictionaries

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value!r}" for name, value in self._given().items() if name != "headers"
        )
        return f"ProviderSettings({shown})"


_FIELDS: Mapping[str, Any] = get_type_hints(ProviderSettings, include_extras=True)


def _checked(name: str, value: Any) -> Any:
    """The value as its field has it; a number may come as text."""
    if name == "api_key":
        if isinstance(value, str):
            return Secret(value)
        if not isinstance(value, Secret):
            raise ValueError("it is not a text")
        return value
    checked: Any = convert(value, _FIELDS[name], strict=False)
    if name == "api_base_url":
        if not checked.startswith(("http://", "https://")):
            raise ValueError("an address must start with http:// or https://")
        return checked.rstrip("/")
    return checked


def _with_our_names(data: dict[str, Any]) -> dict[str, Any]:
    """Of several names for one field the most particular wins; an empty value is none."""
    provider = str(data.get("api_provider") or data.get("apiProvider") or "")
    named: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    for key, value in data.items():
        name, rank = _our_name(key, provider)
        if hasattr(value, "get_secret_value"):  # of another library's kind
            value = Secret(value.get_secret_value())
        if value not in (None, "") and rank > ranks.get(name, -1):
            named[name], ranks[name] = value, rank
    for key, value in named.items():
        if ranks[key] == 0 and isinstance(value, str) and _names_secret(key):
            named[key] = Secret(value)
    return _with_hidden_password(_with_effort(named))


def _our_name(key: str, provider: str) -> tuple[str, int]:
    """Our name for a field, and how far it outranks other names of it."""
    if key in _FIELDS:
        return key, 3
    if key in COMMON:
        return COMMON[key], 1
    own = own_field(key, provider)
    return (own, 2) if own else (key, 0)


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
