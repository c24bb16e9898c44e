"""Pictures of a page."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, cast

from roo_code.errors import ToolError
from roo_code.json_text import JsonValue

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

_FORMATS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
_DEFAULT_QUALITY = 75
_MORE_ATTEMPTS = 5
_PAUSE = 0.2


def format_of(path: str) -> str:
    try:
        return _FORMATS[PurePath(path).suffix.lower()]
    except KeyError as error:
        raise ToolError(f"{path!r}: a screenshot is saved as .png, .jpg or .webp.") from error


def quality(settings: Mapping[str, JsonValue]) -> int:
    wanted = settings.get("screenshotQuality")
    return min(max(int(wanted), 1), 100) if isinstance(wanted, int | float) else _DEFAULT_QUALITY


async def picture(page: Page, kind: str, quality: int) -> bytes:
    """What is seen of the page, in its own size. The library itself knows no WebP."""
    from playwright.async_api import Error  # noqa: PLC0415 - large, and an extra

    options: dict[str, Any] = {"format": kind}
    if kind != "png":
        options["quality"] = quality
    session = await page.context.new_cdp_session(page)
    for _ in range(_MORE_ATTEMPTS):
        with contextlib.suppress(Error):  # a page that is just being drawn anew has no picture
            return await _capture(session, options)
        await asyncio.sleep(_PAUSE)
    return await _capture(session, options)


async def _capture(session: CDPSession, options: dict[str, Any]) -> bytes:
    taken = await cast(_Untyped, session).send("Page.captureScreenshot", options)
    await session.detach()
    return base64.b64decode(taken["data"])


class _Untyped(Protocol):
    """A session of the protocol, as the library would type it if it did."""

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]: ...
