"""Pictures that a model can be shown."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from roo_code.json_text import JsonValue
from roo_code.messages import ImageContent

_MEGABYTE = 1024 * 1024


def media_type(head: bytes) -> str | None:
    """The kind of picture by its first bytes: a wrong name must not reach a provider."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return None


@dataclass
class ImageAllowance:
    """How much more picture one call may return."""

    per_file: float
    left: float

    @classmethod
    def from_settings(cls, settings: Mapping[str, JsonValue]) -> ImageAllowance:
        return cls(
            per_file=_megabytes(settings.get("maxImageFileSize"), 5),
            left=_megabytes(settings.get("maxTotalImageSize"), 20),
        )

    def refusal(self, size: int) -> str | None:
        """Why a picture of this size is not shown, or None if it is."""
        if size > self.per_file:
            return f"it is larger than the {self.per_file / _MEGABYTE:g} MB allowed for one image"
        if size > self.left:
            return "the images of this call together would be larger than allowed"
        return None

    def take(self, kind: str, data: bytes) -> ImageContent:
        self.left -= len(data)
        return ImageContent(media_type=kind, data=base64.b64encode(data).decode("ascii"))


def _megabytes(setting: JsonValue | None, default: float) -> float:
    number = setting if isinstance(setting, int | float) else default
    return number * _MEGABYTE
