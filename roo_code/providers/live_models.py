"""The models a service offers now, asked of the service itself, or as it last told them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError, ProtocolError, RooCodeError, TimedOut
from roo_code.json_text import from_json, to_json
from roo_code.providers.base import ModelInfo
from roo_code.providers.catalog import CATALOG, find_key, known_providers, unknown_provider
from roo_code.providers.dialing import Address
from roo_code.providers.endpoints import find_address, request_headers
from roo_code.providers.formats import resolved, signer, wire_format
from roo_code.providers.http import Endpoint, HttpService
from roo_code.providers.listed_models import (
    READERS,
    Facts,
    read_ollama_model,
    read_ollama_names,
)
from roo_code.providers.model_cache import VERSION, ModelList, read_list, write_list
from roo_code.providers.models import known_models, model_info
from roo_code.providers.spec import ModelsAt, ProviderSpec
from roo_code.redaction import Redactor

Asking: TypeAlias = Literal["if_old", "now", "never"]

FRESH_SECONDS = 300.0
LIST_SECONDS = 10.0
_AT_ONCE = 4
"""Models that Ollama is asked about at the same time."""


class Listed(NamedTuple):
    models: tuple[ModelInfo, ...]
    note: str = ""
    """Why these are not the service's own words of just now, for people."""


async def list_models(
    settings: ProviderSettings, asking: Asking = "if_old", now: Callable[[], float] = time.time
) -> Listed:
    """The service's list; the last one it gave where it cannot be asked; else our table.

    Raises:
        ConfigError: There is no such service.
    """
    provider, address = settings.api_provider, settings.api_base_url or ""
    spec = CATALOG.get(provider)
    if provider not in known_providers():
        raise unknown_provider(provider)
    if spec is None or spec.models is None:
        return Listed(_of_table(settings, spec))
    cached = read_list(provider, address)
    is_fresh = cached is not None and 0 <= now() - cached.fetched_at < FRESH_SECONDS
    if cached and (asking == "never" or (asking == "if_old" and is_fresh)):
        return Listed(cached.models, "" if is_fresh else f"{_told(provider, cached, now())}.")
    if asking == "never":
        return Listed(_of_table(settings, spec), f"{provider} was not asked: {_OUR_TABLE}.")
    try:
        models = await fetch_models(settings)
    except RooCodeError as error:
        why = str(error).rstrip(".")
        if cached:
            return Listed(cached.models, f"{why}. {_told(provider, cached, now())}.")
        return Listed(_of_table(settings, spec), f"{why}. {_OUR_TABLE.capitalize()}.")
    return Listed(models, _keep(provider, ModelList(VERSION, now(), address, models)))


_OUR_TABLE = "these are the models that this version knows"


def _told(provider: str, cached: ModelList, now: float) -> str:
    minutes = max(0, round((now - cached.fetched_at) / 60))
    hours, days = round(minutes / 60), round(minutes / 1440)
    age = f"{minutes} min" if minutes < 90 else f"{hours} h" if hours < 36 else f"{days} days"
    return f"This is what {provider} told {age} ago"


def _keep(provider: str, found: ModelList) -> str:
    try:
        write_list(provider, found)
    except ConfigError as error:
        return str(error)  # the list itself is good
    return ""


def _of_table(settings: ProviderSettings, spec: ProviderSpec | None) -> tuple[ModelInfo, ...]:
    known = known_models(settings.api_provider)
    default = spec.default_model if spec else ""
    if default and not any(model.id == default for model in known):
        known.insert(0, model_info(settings.api_provider, default))
    return tuple(known)


async def fetch_models(settings: ProviderSettings) -> tuple[ModelInfo, ...]:
    """Ask the service. What it does not tell of a model is taken from our table.

    Raises:
        TransportError: It could not be reached.
        ProviderError: It refused.
        ProtocolError: It gave no list, or an empty one.
        ConfigError: There is no key for it.
    """
    spec = CATALOG[settings.api_provider]
    if spec.models is None:
        raise ConfigError(f"{settings.api_provider} does not list its models.")
    settings = resolved(spec, settings)
    # Some show their list to everybody.
    asked_of = replace(spec, needs_key="never") if spec.models.is_public else spec
    key = find_key(asked_of, settings)
    lister = _Lister(spec, settings, key)
    try:
        async with asyncio.timeout(LIST_SECONDS):
            told = await lister.ask(spec.models)
    except TimeoutError as error:
        raise TimedOut(f"{lister.who} gave no list in {LIST_SECONDS:g} s.") from error
    except RooCodeError as error:
        error.args = (Redactor.of_request(key, settings.headers)(str(error)),)
        raise
    if not told:
        raise ProtocolError(f"{lister.who} lists no models.")
    merged = (_merged(settings, id, facts) for id, facts in told.items())
    return tuple(sorted(merged, key=lambda model: model.id))


def _merged(settings: ProviderSettings, id: str, facts: Facts) -> ModelInfo:
    return replace(model_info(settings.api_provider, id, settings.api_base_url or ""), **facts)


class _Lister:
    """Asks one service about its models."""

    def __init__(self, spec: ProviderSpec, settings: ProviderSettings, key: str | None) -> None:
        self._spec = spec
        self._settings = settings
        format = wire_format(spec, settings, settings.api_model_id or spec.default_model)
        self._headers = request_headers(
            spec, settings, "application/json", format.headers(key, settings)
        )
        self._signer = signer(spec, settings)
        self.who = self._endpoint(spec.models or ModelsAt()).who

    async def ask(self, at: ModelsAt) -> dict[str, Facts]:
        answer = await self._fetch(at)
        if at.shape != "ollama":
            return READERS[at.shape](answer)
        limit = asyncio.Semaphore(_AT_ONCE)

        async def show(name: str) -> tuple[str, Facts]:
            async with limit:
                shown = await self._fetch(at._replace(path="/show"), {"model": name})
            return name, read_ollama_model(shown)

        return dict(await asyncio.gather(*map(show, read_ollama_names(answer))))

    async def _fetch(self, at: ModelsAt, body: dict[str, Any] | None = None) -> Any:
        sent = None if body is None else to_json(body)
        endpoint = self._endpoint(at)
        if self._signer:
            signature = await self._signer.sign(endpoint.address, sent or b"")
            endpoint = replace(endpoint, headers={**endpoint.headers, **signature})
        async with _service(endpoint) as service:
            answer = await service.fetch(sent)
        try:
            return from_json(answer)
        except ValueError as error:
            raise ProtocolError(f"The list of {endpoint.who} is not JSON: {error}.") from error

    def _endpoint(self, at: ModelsAt) -> Endpoint:
        return Endpoint(
            provider=self._settings.api_provider,
            address=self._address(at),
            idle_seconds=LIST_SECONDS,
            headers=self._headers,
        )

    def _address(self, at: ModelsAt) -> Address:
        spec = replace(self._spec, model_endpoint=None)
        if not at.at_root:
            return find_address(spec, self._settings, "", at.path)
        base = find_address(spec, self._settings, "", "")
        return replace(base, path=base.path.removesuffix("/v1") + at.path)


@asynccontextmanager
async def _service(endpoint: Endpoint) -> AsyncGenerator[HttpService]:
    service = HttpService(endpoint)
    try:
        yield service
    finally:
        await service.aclose()
