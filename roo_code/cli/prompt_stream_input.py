"""The commands that `--stdin-prompt-stream` reads: one JSON object a line."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue

RequestId: TypeAlias = Annotated[str, Meta(min_length=1)]


class StreamCommand(Struct, frozen=True, tag_field="command", rename="camel"):
    request_id: RequestId

    @property
    def name(self) -> str:
        return str(self.__struct_config__.tag)


class Start(StreamCommand, frozen=True, tag="start"):
    prompt: str
    task_id: str | None = None
    images: tuple[str, ...] = ()
    configuration: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class Say(StreamCommand, frozen=True, tag="message"):
    prompt: str
    images: tuple[str, ...] = ()


class Cancel(StreamCommand, frozen=True, tag="cancel"):
    pass


class Ping(StreamCommand, frozen=True, tag="ping"):
    pass


class Shutdown(StreamCommand, frozen=True, tag="shutdown"):
    pass


_decoder = msgspec.json.Decoder(Start | Say | Cancel | Ping | Shutdown)


def parse(line: bytes) -> StreamCommand:
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        told = str(error).removeprefix("Object ").replace("`", "")
        raise ConfigError(
            f"A line of the standard input is not a command: {told}.",
            hint='Such as {"command":"start","requestId":"1","prompt":"Fix the test."}',
        ) from error
