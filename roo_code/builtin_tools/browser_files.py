"""Addresses a browser may open: the web, and the files that the workspace lets it read."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from roo_code.errors import ToolError
from roo_code.workspace.files import read_bytes
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:
    from playwright.async_api import Route

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d)", re.IGNORECASE)
_OF_THE_WEB = {"http", "https", "data"}
_HERE = re.compile(r"(?:localhost|127\.|0\.0\.0\.0|\[::1\])")


def address(url: str, workspace: Workspace) -> str:
    """What the browser is to open; an error if it is not to."""
    url = url.strip()
    if url == "about:blank":
        return url
    if scheme := _SCHEME.match(url):
        name = scheme[1].lower()
        if name in _OF_THE_WEB:
            return url
        if name != "file":
            raise ToolError(f"{url!r}: only http, https and file addresses can be opened.")
        parts = urlsplit(url)
        found = workspace.resolve_readable(_path(url)).as_uri().removeprefix("file://")
        return parts._replace(netloc="", path=found).geturl()
    path, mark, place = url.partition("#")
    if os.path.exists(workspace.root / path):  # noqa: PTH110 - whatever it may be
        return f"{workspace.resolve_readable(path).as_uri()}{mark}{place}"
    return f"{'http' if _HERE.match(url) else 'https'}://{url}"


class WorkspaceFiles:
    """Answers what pages ask of files; Chromium itself opens none."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def answer(self, route: Route) -> None:
        from playwright.async_api import Error  # noqa: PLC0415 - large, and an extra

        url = route.request.url
        try:
            data = await asyncio.to_thread(self._read, url)
        except (ToolError, OSError, ValueError):
            data = None
        try:
            if data is None:
                await route.abort("accessdenied")
            else:
                kind = mimetypes.guess_type(urlsplit(url).path)[0] or "text/plain"
                await route.fulfill(body=data, content_type=kind)
        except Error:
            return  # the page has gone elsewhere meanwhile

    def _read(self, url: str) -> bytes | None:
        path = self._workspace.resolve_readable(_path(url))
        return read_bytes(self._workspace.home_of(path), path)


def _path(url: str) -> str:
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"}:
        raise ToolError(f"{url!r} names a file of another machine.")
    return unquote(parts.path)
