"""Pictures as Roo sends them: data URIs."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable

from roo_code.errors import ConfigError
from roo_code.messages import ImageContent

_DATA_URI = re.compile(r"data:(image/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)


def from_data_uris(uris: Iterable[str]) -> tuple[ImageContent, ...]:
    """ConfigError for one that is not a picture."""
    return tuple(_image(place, uri) for place, uri in enumerate(uris, 1))


def to_data_uris(images: Iterable[ImageContent]) -> tuple[str, ...]:
    return tuple(f"data:{image.media_type};base64,{image.data}" for image in images)


def _image(place: int, uri: str) -> ImageContent:
    found = _DATA_URI.fullmatch(uri.strip())
    try:
        if found is None:
            raise ValueError
        data = "".join(found[2].split())
        b64decode(data, validate=True)
    except (ValueError, binascii.Error):
        raise ConfigError(
            f"Image {place} is not a data URI of a picture.",
            hint="Such as data:image/png;base64,iVBORw0KGgo=",
        ) from None
    return ImageContent(media_type=found[1].lower(), data=data)
