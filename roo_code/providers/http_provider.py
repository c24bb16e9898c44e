"""HttpProvider: any service of the catalog, as wire format times row."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError, ConnectionCut, RooCodeError, TransportError
from roo_code.json_text import to_json
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.dialing import Address, parse_address
from roo_code.providers.formats import signer, wire_format
from roo_code.providers.framing import WireEvent
from roo_code.providers.http import Endpoint, HttpService
from roo_code.providers.models import model_info
from roo_code.providers.pacing import wait_turn
from roo_code.providers.protocols.base import Decoder
from roo_code.providers.scrubbing import Scrubber
from roo_code.providers.spec import ProviderSpec
from roo_code.stream import StreamChunk
from roo_code.version import VERSION

_DRAIN_SECONDS = 0.25
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e\t]*")


class HttpProvider(BaseProvider):
    def __init__(self, spec: ProviderSpec, settings: ProviderSettings, key: str | None) -> None:
        self._settings = settings
        self._info = _model(spec, settings)
        self._format = wire_format(spec, settings, self._info.id)
        self._signer = signer(spec, settings)
        self._endpoint = Endpoint(
            provider=settings.api_provider,
            address=_address(spec, settings, self._format.path(self._info)),
            idle_seconds=settings.request_timeout,
            headers=_headers(
                spec, settings, self._format.accept, self._format.headers(key, settings)
            ),
        )
        self._service = HttpService(self._endpoint)
        self._scrub = Scrubber(key, settings.headers)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        await wait_turn(self._settings.api_provider, self._settings.rate_limit_seconds)
        body = to_json(self._format.encode(request, self._settings, self._info))
        decoder = self._format.decoder(self._endpoint.who)
        try:
            async with (
                aclosing(await self._send(body)) as events,
                aclosing(_decode(events, decoder)) as chunks,
            ):
                async for chunk in chunks:
                    yield chunk
        except RooCodeError as error:
            error.args = (self._scrub(str(error)),)
            raise

    async def _send(self, body: bytes) -> AsyncGenerator[WireEvent]:
        signature = await self._signer.sign(self._endpoint.address, body) if self._signer else None
        return self._service.post(body, self._format.framing(), signature)

    def model_info(self) -> ModelInfo:
        return self._info

    async def aclose(self) -> None:
        await self._service.aclose()


async def _decode(
    events: AsyncGenerator[WireEvent], decoder: Decoder
) -> AsyncGenerator[StreamChunk]:
    try:
        async for event in events:
            chunks = decoder.feed(event)
            if decoder.done:
                await _drain(events)
            for chunk in chunks:
                yield chunk
            if decoder.done:
                return
    except ConnectionCut:
        if not decoder.may_end:
            raise
    for chunk in decoder.end():
        yield chunk


async def _drain(events: AsyncGenerator[WireEvent]) -> None:
    """Read the end of the answer too, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in events:
                pass
    except (TimeoutError, TransportError):
        pass  # the reply is whole; the next request makes a new connection


def _model(spec: ProviderSpec, settings: ProviderSettings) -> ModelInfo:
    model = settings.api_model_id or spec.default_model
    if not model:
        raise ConfigError(
            f"No model is named for {settings.api_provider}, which has no default.",
            hint="Name one with --model.",
        )
    info = model_info(settings.api_provider, model)
    custom = settings.options.get("openAiCustomModelInfo")
    return replace(info, **_custom_facts(custom)) if isinstance(custom, dict) else info


def _custom_facts(custom: Mapping[str, Any]) -> dict[str, Any]:
    """What the user says of a model that no table knows, by Roo's names."""
    names = {
        "contextWindow": "context_window",
        "maxTokens": "max_output_tokens",
        "inputPrice": "input_price",
        "outputPrice": "output_price",
        "cacheReadsPrice": "cache_read_price",
        "cacheWritesPrice": "cache_write_price",
    }
    facts = {
        ours: custom[theirs]
        for theirs, ours in names.items()
        if isinstance(custom.get(theirs), int | float) and custom[theirs] >= 0
    }
    if isinstance(custom.get("supportsImages"), bool):
        facts["supports_images"] = custom["supportsImages"]
    return facts


def _address(spec: ProviderSpec, settings: ProviderSettings, path: str) -> Address:
    chosen = settings.options.get(spec.endpoint_option)
    url = settings.api_base_url or spec.endpoints.get(str(chosen)) or _home(spec, settings)
    path, _, query = path.partition("?")
    address = parse_address(url)
    base = address.path.rstrip("/").removesuffix(path)
    if spec.replaced_path and base.endswith(spec.replaced_path[0]):
        base = base.removesuffix(spec.replaced_path[0]) + spec.replaced_path[1]
    if not base.endswith(spec.version_path):
        base += spec.version_path
    return replace(address, path=base + path, query="&".join(filter(None, (address.query, query))))


def _home(spec: ProviderSpec, settings: ProviderSettings) -> str:
    url = spec.base_url
    for name, default in spec.url_options.items():
        url = url.replace(f"{{{name}}}", str(settings.options.get(name) or default))
    return url


def _headers(
    spec: ProviderSpec, settings: ProviderSettings, accept: str, of_format: Mapping[str, str]
) -> dict[str, str]:
    """Names in lower case, so that the settings replace ours whatever their spelling."""
    headers = {
        "accept": accept,
        "accept-encoding": "identity",  # nothing may hold pieces back to pack them
        "content-type": "application/json",
        "user-agent": f"RooCode/{VERSION}",
        **spec.headers,
        **of_format,
        **{name.lower(): value for name, value in settings.headers.items()},
    }
    for name, value in headers.items():
        if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            what = "The key" if name in of_format else f"The header {name!r}"
            raise ConfigError(f"{what} holds characters that cannot be sent.")
    return headers
