"""What a wire format is: a request as JSON, and a reply out of events."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.framing import Framing, WireEvent
from roo_code.stream import StreamChunk


class Decoder(Protocol):
    """Reads one reply. It raises ProtocolError for what is not the format, nothing else odd."""

    @property
    def done(self) -> bool:
        """True once the format's own end has come."""
        ...

    @property
    def may_end(self) -> bool:
        """True where nothing of the reply is missing, though the end has not come."""
        ...

    def feed(self, event: WireEvent) -> list[StreamChunk]: ...

    def end(self) -> list[StreamChunk]:
        """The last chunks of a reply whose connection has ended, or ConnectionCut."""
        ...


class WireFormat(Protocol):
    accept: ClassVar[str]
    """The media type of the reply."""

    def framing(self) -> Framing:
        """What cuts one reply into events."""
        ...

    def path(self, info: ModelInfo) -> str:
        """Where requests go, from the service's address on; a query may follow."""
        ...

    def headers(self, key: str | None, settings: ProviderSettings) -> dict[str, str]: ...

    def encode(
        self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo
    ) -> dict[str, Any]:
        """The body of the request. The same messages give the same parts, made only once."""
        ...

    def decoder(self, who: str) -> Decoder:
        """For one reply of the service that messages call `who`."""
        ...
