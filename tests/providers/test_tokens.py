"""Counting tokens without asking anyone."""

import struct
import subprocess
import sys
import zlib
from base64 import b64encode

import pytest

from roo_code.client import RooClient
from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.providers.image_size import image_size
from roo_code.providers.tokens import count, count_message, count_request
from roo_code.testing import ScriptedProvider
from tests.providers.requests import settings
from tests.providers.services import provider_at

READ = ToolDefinition(name="read_file", description="Read a file.", input_schema={"type": "object"})


def png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def image(data: bytes) -> ImageContent:
    return ImageContent(media_type="image/png", data=b64encode(data).decode())


@pytest.mark.requirement("providers:tokens:count")
async def test_tokens_are_counted_locally() -> None:
    assert count("") == 0
    assert count("hello world") == 2
    assert count("<|endoftext|>") > 1  # a text that names a control token holds none
    assert count("caf\udce9") > 0
    async with provider_at("http://127.0.0.1:1") as provider:
        assert provider.count_tokens("hello world") == 2


def test_all_that_a_message_holds_is_counted() -> None:
    nothing = count_message(Message(role="user", content=()))
    call = ToolUseContent(id="c", name="read_file", input={"path": "a"})
    counted: list[tuple[ContentBlock, int]] = [
        (TextContent(text="hello world"), 2),
        (ReasoningContent(text="hello world"), 2),
        (ToolResult(tool_use_id="c", content="hello world"), 2),
        (ToolUseContent(id="c", name="hello", invalid_input=" world"), 2),
        (call, count("read_file") + count('{"path":"a"}')),
        (image(png(750, 100)), 100),
        (image(png(9_000, 9_000)), 1600),
        (image(png(1, 1)), 1),
        (image(b"no image at all"), 1600),
    ]
    for block, tokens in counted:
        assert count_message(Message(role="user", content=(block,))) == nothing + tokens
    shown = ToolResult(tool_use_id="c", content="hello", images=(image(png(750, 100)),))
    assert count_message(Message(role="user", content=(shown,))) == nothing + 101


def test_instructions_and_tools_count_too() -> None:
    said = [Message.from_user("hello world")]
    alone = count_request("", said)
    assert count_request("Be brief.", said) > alone
    described = count("read_file") + count("Read a file.") + count('{"type":"object"}')
    assert count_request("", said, [READ]) >= alone + described


def test_what_the_service_reported_wins() -> None:
    told = Usage(input_tokens=1_000, cache_read_tokens=200, cache_write_tokens=30, output_tokens=4)
    reply = Message(role="assistant", content=(TextContent(text="word " * 999),), usage=told)
    fresh = Message.from_user("hello world")
    history = [Message.from_user("word " * 999), reply, fresh]
    client = RooClient(settings(), provider=ScriptedProvider("Hi."))
    client.create_message("Be brief.", history, [READ])
    assert client.count_context("Be brief.", history) == 1_234 + count_message(fresh)
    history[1] = reply.replace(usage=Usage(output_tokens=4))  # as a local server may report
    counted = count_request("Be brief.", history, [READ])
    assert client.count_context("Be brief.", history) == counted


JPEG = b"\xff\xd8\xff\xe0\x00\x06ABCD" + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", 20, 300)
WEBP = b"RIFF\x00\x00\x00\x00WEBP"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(300, 20), (300, 20)),
        (b"GIF89a" + struct.pack("<HH", 300, 20), (300, 20)),
        (JPEG, (300, 20)),
        (WEBP + b"VP8 " + bytes(10) + struct.pack("<HH", 300, 20), (300, 20)),
        (WEBP + b"VP8L" + bytes(5) + struct.pack("<I", 299 | 19 << 14) + bytes(5), (300, 20)),
        (WEBP + b"VP8X" + bytes(8) + b"\x2b\x01\x00\x13\x00\x00", (300, 20)),
        (WEBP + b"else" + bytes(14), None),
        (JPEG[:12], None),
        (b"\xff\xd8nothing", None),
        (b"", None),
    ],
)
def test_the_size_of_an_image_is_in_its_first_bytes(
    data: bytes, size: tuple[int, int] | None
) -> None:
    assert image_size(b64encode(data).decode()) == size
    assert image_size("!") is None


def test_the_tables_are_loaded_only_when_something_is_counted() -> None:
    program = "import sys, roo_code.client; print('splintr' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
