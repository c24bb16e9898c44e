"""Finding the element that the model means."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roo_code.errors import ToolError

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

_PATIENCE = 3.0
_PAUSE = 0.1
_SHOWN = 5


async def find_element(page: Page, element: str) -> Locator:
    """The one visible element that matches as a selector, or else by its text or label."""
    until = time.monotonic() + _PATIENCE
    while True:
        for candidate in _candidates(page, element):
            if found := await _visible(candidate):
                return await _only_one(found, element)
        if time.monotonic() > until:
            raise ToolError(
                f"No visible element matches {element!r}, neither as a CSS selector nor by its "
                "text or label. Look at the screenshot, scroll, or use a coordinate."
            )
        await asyncio.sleep(_PAUSE)


def _candidates(page: Page, element: str) -> Iterator[Locator]:
    yield page.locator(element)
    yield page.get_by_text(element, exact=True)
    yield page.get_by_label(element)
    yield page.get_by_placeholder(element)
    yield page.get_by_text(element)


async def _visible(locator: Locator) -> Locator | None:
    from playwright.async_api import Error  # noqa: PLC0415 - large, and an extra

    visible = locator.filter(visible=True)
    try:
        return visible if await visible.count() else None
    except Error:  # not a selector
        return None


async def _only_one(found: Locator, element: str) -> Locator:
    count = await found.count()
    if count <= 1:
        return found
    shown = await found.evaluate_all(
        "(all, most) => all.slice(0, most).map(e => e.outerHTML.slice(0, 120))", _SHOWN
    )
    raise ToolError(
        f"{count} elements match {element!r}; say which with a longer selector, such as one with "
        "an id or :nth-match(), or use a coordinate:\n" + "\n".join(map(str, shown))
    )
