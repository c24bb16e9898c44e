"""The services that make pictures: how each is asked, and where the picture is in its answer."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from roo_code.errors import ToolError
from roo_code.json_text import to_json

_DATA_URL = re.compile(r"data:[\w.+/-]*;base64,", re.IGNORECASE)
_LONGEST_REMARK = 1_000


class Picture(NamedTuple):
    kind: str
    data: bytes


class Order(NamedTuple):
    """What is wanted of a service."""

    prompt: str
    model: str
    picture: Picture | None = None
    """What the new picture is to be made from."""


class Form(NamedTuple):
    """An order as the service takes it."""

    path: str
    body: bytes
    content_type: str = "application/json"


class ImageService(NamedTuple):
    provider: str
    """By the name that the catalog of providers has for it."""
    keys: tuple[str, ...]
    """The settings that may hold its key, the first that does wins."""
    address: str
    """The setting that may say where it is."""
    model: str
    key_header: Callable[[str], dict[str, str]]
    encode: Callable[[Order], Form]
    decode: Callable[[Any], str]
    """The picture in base64; KeyError, IndexError or TypeError where there is none."""
    remark: Callable[[Any], str]
    """What the model said in place of a picture."""


def picture_in(service: ImageService, answer: Any) -> bytes:
    """The picture of an answer, or an error that says what came in its place."""
    try:
        text = service.decode(answer)
        return base64.b64decode(_DATA_URL.sub("", text, count=1), validate=True)
    except (LookupError, TypeError, AttributeError):
        pass
    except (ValueError, binascii.Error) as error:
        raise ToolError("The service sent a picture that cannot be read.") from error
    try:
        remark = str(service.remark(answer))[:_LONGEST_REMARK]
    except (LookupError, TypeError, AttributeError):
        remark = ""
    said = f" It said: {remark}" if remark else ""
    raise ToolError(f"The model made no picture.{said} Change the prompt, or tell the user.")


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def _google_key(key: str) -> dict[str, str]:
    return {"x-goog-api-key": key}


def _data_url(picture: Picture) -> str:
    return f"data:{picture.kind};base64,{_base64(picture)}"


def _base64(picture: Picture) -> str:
    return base64.b64encode(picture.data).decode("ascii")


def _to_openrouter(order: Order) -> Form:
    content: list[Any] = [{"type": "text", "text": order.prompt}]
    if order.picture:
        content.append({"type": "image_url", "image_url": {"url": _data_url(order.picture)}})
    body = {
        "model": order.model,
        "messages": [{"role": "user", "content": content}],
        "modalities": ["image", "text"],
    }
    return Form("/chat/completions", to_json(body))


def _from_openrouter(answer: Any) -> str:
    return answer["choices"][0]["message"]["images"][0]["image_url"]["url"]


def _openrouter_remark(answer: Any) -> str:
    return answer["choices"][0]["message"]["content"] or ""


def _to_gemini(order: Order) -> Form:
    parts: list[Any] = [{"text": order.prompt}]
    if picture := order.picture:
        parts.append({"inlineData": {"mimeType": picture.kind, "data": _base64(picture)}})
    body = {
        "contents": [{"role": "user", "parts": parts}],
        "generationConfig": {"responseModalities": ["TEXT", "IMAGE"]},
    }
    return Form(f"/models/{order.model}:generateContent", to_json(body))


def _gemini_parts(answer: Any) -> Iterator[Any]:
    yield from answer["candidates"][0]["content"]["parts"]


def _from_gemini(answer: Any) -> str:
    found = [part["inlineData"] for part in _gemini_parts(answer) if "inlineData" in part]
    return found[-1]["data"]  # models that think may show drafts first


def _gemini_remark(answer: Any) -> str:
    blocked = answer.get("promptFeedback", {}).get("blockReason")
    if blocked:
        return f"blocked ({blocked})"
    if "content" not in answer["candidates"][0]:
        return str(answer["candidates"][0].get("finishReason", ""))
    return " ".join(part.get("text", "") for part in _gemini_parts(answer))


def _to_openai(order: Order) -> Form:
    fields = {"model": order.model, "prompt": order.prompt}
    if order.model.startswith("dall-e"):  # the others always send the picture itself
        fields["response_format"] = "b64_json"
    if order.picture is None:
        return Form("/images/generations", to_json(fields))
    boundary = f"roo-{os.urandom(16).hex()}"
    return Form(
        "/images/edits",
        b"".join(_multipart(boundary, fields, order.picture)),
        f"multipart/form-data; boundary={boundary}",
    )


def _from_openai(answer: Any) -> str:
    return answer["data"][0]["b64_json"]


def _no_remark(answer: Any) -> str:
    return ""


def _multipart(boundary: str, fields: dict[str, str], picture: Picture) -> Iterator[bytes]:
    for name, value in fields.items():
        yield f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n'.encode()
        yield f"{value}\r\n".encode("utf-8", "replace")
    suffix = picture.kind.removeprefix("image/")
    yield (
        f'--{boundary}\r\ncontent-disposition: form-data; name="image"; '
        f'filename="image.{suffix}"\r\ncontent-type: {picture.kind}\r\n\r\n'
    ).encode()
    yield picture.data
    yield f"\r\n--{boundary}--\r\n".encode()


IMAGE_SERVICES: dict[str, ImageService] = {
    "openrouter": ImageService(
        provider="openrouter",
        keys=("openRouterImageApiKey", "openRouterApiKey"),
        address="openRouterBaseUrl",
        model="google/gemini-2.5-flash-image",
        key_header=_bearer,
        encode=_to_openrouter,
        decode=_from_openrouter,
        remark=_openrouter_remark,
    ),
    "openai": ImageService(
        provider="openai-native",
        keys=("openAiNativeApiKey",),
        address="openAiNativeBaseUrl",
        model="gpt-image-1",
        key_header=_bearer,
        encode=_to_openai,
        decode=_from_openai,
        remark=_no_remark,
    ),
    "gemini": ImageService(
        provider="gemini",
        keys=("geminiApiKey",),
        address="googleGeminiBaseUrl",
        model="gemini-2.5-flash-image",
        key_header=_google_key,
        encode=_to_gemini,
        decode=_from_gemini,
        remark=_gemini_remark,
    ),
}
"""By what `imageGenerationProvider` calls them; without it, the first whose key is known."""
