import asyncio
import base64
import zlib
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools import image_gen
from roo_code.json_text import from_json, to_json
from roo_code.messages import ToolResult
from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller, identity
from tests.providers.raw_server import RawServer, answer, raw_server

KEY = "sk-test-image-0123456789"
JPEG = b"\xff\xd8\xff\xe0" + bytes(40)
ADDRESSES = {
    "openrouter": ("openRouterBaseUrl", "openRouterImageApiKey"),
    "openai": ("openAiNativeBaseUrl", "openAiNativeApiKey"),
    "gemini": ("googleGeminiBaseUrl", "geminiApiKey"),
}


def png() -> bytes:
    """A picture of one pixel, valid to the last checksum."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    header = (1).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    pixels = zlib.compress(b"\0\xff\0\0")
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


PNG = png()


def said(provider: str, data: bytes) -> bytes:
    """What the service says with a picture."""
    text = base64.b64encode(data).decode()
    shapes: dict[str, Any] = {
        "openai": {"created": 1, "data": [{"b64_json": text}]},
        "gemini": {
            "candidates": [
                {
                    "content": {
                        "parts": [
                            {"text": "Here it is"},
                            {"inlineData": {"mimeType": "image/png", "data": text}},
                        ]
                    }
                }
            ]
        },
        "openrouter": {
            "choices": [
                {
                    "message": {
                        "content": "Here it is",
                        "images": [{"image_url": {"url": f"data:image/png;base64,{text}"}}],
                    }
                }
            ]
        },
    }
    return answer("200 OK", to_json(shapes[provider]), content_type="application/json")


@pytest.fixture(autouse=True)
def nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def set_up(caller: Caller, provider: str, server: RawServer) -> None:
    address, key = ADDRESSES[provider]
    base = f"{server.url}/api/v1" if provider == "openrouter" else server.url
    caller.settings |= {
        "experiments": {"imageGeneration": True},
        "imageGenerationProvider": provider,
        address: base,
    }
    caller.secrets[key] = KEY


async def make(caller: Caller, provider: str, *answers: bytes, **input: str) -> ToolResult:
    async with raw_server(*answers) as server:
        set_up(caller, provider, server)
        return await caller.call("generate_image", **{"prompt": "A cat", "path": "a.png", **input})


def parts(request: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    first, _, rest = head.partition(b"\r\n")
    return first.decode(), dict(BytesParser(policy=HTTP).parsebytes(rest).items()), body


@pytest.mark.requirement("tools:generate-image:file")
@pytest.mark.parametrize("provider", ADDRESSES)
async def test_a_picture_is_saved_and_shown(caller: Caller, provider: str) -> None:
    result = await make(caller, provider, said(provider, PNG), path="art/cat.png")
    assert not result.is_error
    assert (caller.folder / "art/cat.png").read_bytes() == PNG
    assert "saved as art/cat.png" in result.content
    [image] = result.images
    assert (image.media_type, base64.b64decode(image.data)) == ("image/png", PNG)
    assert result.seen_files == {"art/cat.png": digest(PNG)}


@pytest.mark.parametrize(
    ("provider", "path", "key", "body"),
    [
        (
            "openai",
            "/v1/images/generations",
            ("authorization", f"Bearer {KEY}"),
            {"model": "gpt-image-1", "prompt": "A cat"},
        ),
        (
            "gemini",
            "/v1beta/models/gemini-2.5-flash-image:generateContent",
            ("x-goog-api-key", KEY),
            {
                "contents": [{"role": "user", "parts": [{"text": "A cat"}]}],
                "generationConfig": {"responseModalities": ["TEXT", "IMAGE"]},
            },
        ),
        (
            "openrouter",
            "/api/v1/chat/completions",
            ("authorization", f"Bearer {KEY}"),
            {
                "model": "google/gemini-2.5-flash-image",
                "messages": [{"role": "user", "content": [{"type": "text", "text": "A cat"}]}],
                "modalities": ["image", "text"],
            },
        ),
    ],
)
async def test_each_service_is_asked_in_its_own_way(
    caller: Caller, provider: str, path: str, key: tuple[str, str], body: dict[str, Any]
) -> None:
    async with raw_server(said(provider, PNG)) as server:
        set_up(caller, provider, server)
        await caller.call("generate_image", prompt="A cat", path="a.png")
    first, headers, sent = parts(server.requests[0])
    assert first == f"POST {path} HTTP/1.1"
    assert headers[key[0]] == key[1]
    assert from_json(sent) == body


@pytest.mark.parametrize("provider", ["gemini", "openrouter"])
async def test_a_picture_to_start_from_is_sent(caller: Caller, provider: str) -> None:
    (caller.folder / "old.jpg").write_bytes(JPEG)
    async with raw_server(said(provider, PNG)) as server:
        set_up(caller, provider, server)
        await caller.call("generate_image", prompt="Greener", path="new.png", image="old.jpg")
    sent = parts(server.requests[0])[2]
    assert base64.b64encode(JPEG) in sent
    assert b"image/jpeg" in sent


async def test_openai_gets_a_picture_as_a_form(caller: Caller) -> None:
    (caller.folder / "old.jpg").write_bytes(JPEG)
    async with raw_server(said("openai", PNG)) as server:
        set_up(caller, "openai", server)
        caller.settings["imageGenerationModel"] = "dall-e-2"
        await caller.call("generate_image", prompt="Grün", path="new.png", image="old.jpg")
    first, headers, body = parts(server.requests[0])
    assert first == "POST /v1/images/edits HTTP/1.1"
    form = BytesParser(policy=HTTP).parsebytes(
        f"content-type: {headers['content-type']}\r\n\r\n".encode() + body
    )
    fields = {
        str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
        for part in form.iter_parts()
    }
    assert fields == {
        "model": b"dall-e-2",
        "prompt": "Grün".encode(),
        "response_format": b"b64_json",
        "image": JPEG,
    }


@pytest.mark.parametrize(
    ("path", "data", "saved"),
    [
        ("cat", PNG, "cat.png"),
        ("cat.png", JPEG, "cat.jpg"),
        ("cat.JPEG", JPEG, "cat.JPEG"),
        ("v1.2/cat.v3", PNG, "v1.2/cat.v3.png"),
        ("cat.webp", b"RIFF\0\0\0\0WEBPVP8 ", "cat.webp"),
        ("cat.png", b"GIF89a....", "cat.gif"),
    ],
)
async def test_the_name_fits_what_it_is(caller: Caller, path: str, data: bytes, saved: str) -> None:
    result = await make(caller, "openai", said("openai", data), path=path)
    assert f"saved as {saved} " in result.content
    assert (caller.folder / saved).read_bytes() == data


async def test_a_corrected_name_replaces_nothing(caller: Caller) -> None:
    other = caller.folder / "cat.jpg"
    other.write_bytes(b"precious")
    result = await make(caller, "openai", said("openai", JPEG), path="cat.png")
    assert "saved as cat-2.jpg " in result.content
    assert other.read_bytes() == b"precious"


async def test_the_file_that_was_named_is_replaced(caller: Caller) -> None:
    (caller.folder / "cat.png").write_bytes(b"old")
    await make(caller, "openai", said("openai", PNG), path="cat.png")
    assert (caller.folder / "cat.png").read_bytes() == PNG


@pytest.mark.parametrize(
    ("provider", "shape", "told"),
    [
        ("openai", {"data": []}, "made no picture"),
        ("openai", {"data": [{"b64_json": "!!"}]}, "cannot be read"),
        ("openai", {"data": [{"b64_json": "aGVsbG8="}]}, "no picture; nothing was saved"),
        ("openai", ["odd"], "made no picture"),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "blocked (SAFETY)"),
        ("gemini", {"candidates": [{"finishReason": "IMAGE_SAFETY"}]}, "IMAGE_SAFETY"),
        (
            "gemini",
            {"candidates": [{"content": {"parts": [{"text": "I would rather not."}]}}]},
            "It said: I would rather not.",
        ),
        ("openrouter", {"choices": [{"message": {"content": "No."}}]}, "It said: No."),
    ],
)
async def test_no_picture_is_told(caller: Caller, provider: str, shape: Any, told: str) -> None:
    reply = answer("200 OK", to_json(shape), content_type="application/json")
    result = await make(caller, provider, reply)
    assert result.is_error
    assert told in result.content
    assert list(caller.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        ("401 Unauthorized", f"Incorrect API key provided: {KEY}", "valid key"),
        ("429 Too Many Requests", "slow down", "slow down"),
        ("400 Bad Request", "Your request was rejected by our safety system", "safety system"),
        ("500 Internal Server Error", "oops", "oops"),
    ],
)
async def test_a_refusal_is_told_without_the_key(
    caller: Caller, status: str, message: str, told: str
) -> None:
    body = to_json({"error": {"message": message}})
    result = await make(caller, "openai", answer(status, body, content_type="application/json"))
    assert result.is_error
    assert told in result.content
    assert KEY not in result.content


async def test_a_service_that_hangs_up_is_told(caller: Caller) -> None:
    result = await make(caller, "gemini", b"")
    assert result.is_error
    assert result.content.startswith("No picture was made. gemini (")


async def test_it_is_off_unless_the_user_switched_it_on(caller: Caller) -> None:
    caller.secrets["openRouterImageApiKey"] = KEY
    result = await caller.call("generate_image", prompt="A cat", path="a.png")
    assert result.is_error
    assert '"imageGeneration": true' in result.content


async def test_the_first_service_with_a_key_is_taken(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with raw_server(said("gemini", PNG)) as server:
        set_up(caller, "gemini", server)
        del caller.settings["imageGenerationProvider"]
        caller.secrets.clear()
        missing = await caller.call("generate_image", prompt="A cat", path="a.png")
        assert missing.is_error
        assert "OPENROUTER_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY" in missing.content
        monkeypatch.setenv("GOOGLE_API_KEY", KEY)
        made = await caller.call("generate_image", prompt="A cat", path="a.png")
    assert not made.is_error
    assert parts(server.requests[0])[1]["x-goog-api-key"] == KEY


async def test_a_service_that_is_not_there_is_told(caller: Caller) -> None:
    caller.settings |= {
        "experiments": {"imageGeneration": True},
        "imageGenerationProvider": "roo",
    }
    result = await caller.call("generate_image", prompt="A cat", path="a.png")
    assert "pictures can be had of: openrouter, openai, gemini" in result.content


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("missing.png", None, "no picture 'missing.png'"),
        ("text.png", b"text", "not a PNG"),
        ("../outside.png", None, "outside the workspace"),
    ],
)
async def test_a_bad_picture_to_start_from_is_told_before_anything_is_paid_for(
    caller: Caller, name: str, content: bytes | None, told: str
) -> None:
    if content is not None:
        (caller.folder / name).write_bytes(content)
    async with raw_server(said("openai", PNG)) as server:
        set_up(caller, "openai", server)
        result = await caller.call("generate_image", prompt="A cat", path="a.png", image=name)
    assert told in result.content
    assert server.requests == []


async def test_a_path_outside_is_refused_before_anything_is_paid_for(
    caller: Caller, tmp_path: Path
) -> None:
    async with raw_server(said("openai", PNG)) as server:
        set_up(caller, "openai", server)
        result = await caller.call("generate_image", prompt="A cat", path="../a.png")
    assert result.is_error
    assert server.requests == []
    assert not (tmp_path / "a.png").exists()


async def test_silence_is_not_waited_for_for_ever(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_gen, "PATIENCE", 0.05)
    connected: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: connected.append(writer), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    set_up(caller, "openai", RawServer(url))
    result = await caller.call("generate_image", prompt="A cat", path="a.png")
    assert result.is_error
    for writer in connected:
        writer.close()
    server.close()
    await server.wait_closed()


async def test_a_failed_call_leaves_the_file_as_it_was(caller: Caller) -> None:
    file = caller.folder / "a.png"
    file.write_bytes(PNG)
    before = identity(file)
    await make(caller, "openai", answer("500 Oops", b"{}", content_type="application/json"))
    assert identity(file) == before
