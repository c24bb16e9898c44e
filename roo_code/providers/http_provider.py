"""HttpProvider: any service of the catalog, as wire format times row."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager

from roo_code.config.schema import ProviderSettings
from roo_code.errors import AuthenticationFailed, ConnectionCut, RooCodeError, TransportError
from roo_code.json_text import to_json
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.chosen_model import chosen_model
from roo_code.providers.endpoints import find_address, request_headers
from roo_code.providers.formats import resolved, signer, wire_format
from roo_code.providers.framing import WireEvent
from roo_code.providers.http import Endpoint, HttpService
from roo_code.providers.pacing import wait_turn
from roo_code.providers.signing import RenewingSigner, Signer
from roo_code.providers.spec import ProviderSpec
from roo_code.redaction import Redactor
from roo_code.stream import StreamChunk

_DRAIN_SECONDS = 0.25


class HttpProvider(BaseProvider):
    def __init__(self, spec: ProviderSpec, settings: ProviderSettings, key: str | None) -> None:
        self._settings = settings = resolved(spec, settings)
        self._info = chosen_model(spec, settings)
        self._format = wire_format(spec, settings, self._info.id)
        self._signer = signer(spec, settings)
        self._task_header = spec.task_header
        self._endpoint = Endpoint(
            provider=settings.api_provider,
            address=find_address(spec, settings, self._info.id, self._format.path(self._info)),
            idle_seconds=settings.request_timeout,
            total_seconds=settings.request_total_timeout,
            headers=request_headers(
                spec, settings, self._format.accept, self._format.headers(key, settings)
            ),
        )
        self._service = HttpService(self._endpoint)
        self._scrub = Redactor.of_request(key, settings.headers)
        self._advice = spec.advice

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        await wait_turn(self._settings.api_provider, self._settings.rate_limit_seconds)
        body = to_json(self._format.encode(request, self._settings_for(request), self._info))
        decoder = self._format.decoder(self._endpoint.who)
        # In one piece, and what has arrived together stays together up to here: every generator
        # that a chunk passes through costs as much as half of its decoding.
        with self._explained():
            async with aclosing(self._send(body, request)) as arriving:
                try:
                    async for events in arriving:
                        for event in events:
                            chunks = decoder.feed(event)
                            if decoder.done:
                                await _drain(arriving)
                            for chunk in chunks:
                                yield chunk
                            if decoder.done:
                                return
                except ConnectionCut:
                    if not decoder.may_end:
                        raise
                for chunk in decoder.end():
                    yield chunk

    def _settings_for(self, request: ModelRequest) -> ProviderSettings:
        if request.max_tokens is None:
            return self._settings
        allowed = self._settings.max_tokens or request.max_tokens
        return self._settings.replace(max_tokens=min(request.max_tokens, allowed))

    @contextmanager
    def _explained(self) -> Generator[None]:
        """Errors without secrets, and with the service's advice."""
        try:
            yield
        except RooCodeError as error:
            error.args = (self._scrub(str(error)),)
            for words, advice in self._advice.items():
                if words in str(error):
                    error.hint = advice.replace("{model}", self._info.id)
            raise

    def _send(self, body: bytes, request: ModelRequest) -> AsyncGenerator[list[WireEvent]]:
        task = request.metadata.get("task_id")
        own = {self._task_header: task} if self._task_header and task else {}
        if self._signer:
            return self._send_signed(body, own, self._signer)
        return self._service.post(body, self._format.framing(), own)

    async def _send_signed(
        self, body: bytes, own: dict[str, str], signer: Signer
    ) -> AsyncGenerator[list[WireEvent]]:
        """What is refused although it is signed is signed anew, once."""
        for renewing in (signer if isinstance(signer, RenewingSigner) else None, None):
            signature = await signer.sign(self._endpoint.address, body)
            arriving = self._service.post(body, self._format.framing(), own | signature)
            try:
                async with aclosing(arriving):
                    async for events in arriving:
                        yield events
                return
            except RooCodeError as error:
                error.args = (Redactor.of_request(None, signature)(str(error)),)
                is_refused = isinstance(error, AuthenticationFailed) and error.status == 401
                if not (renewing and is_refused and renewing.distrusted(signature)):
                    raise

    def model_info(self) -> ModelInfo:
        return self._info

    async def aclose(self) -> None:
        await self._service.aclose()


async def _drain(arriving: AsyncGenerator[list[WireEvent]]) -> None:
    """Read the end of the answer too, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in arriving:
                pass
    except (TimeoutError, TransportError):
        pass  # the reply is whole; the next request makes a new connection
