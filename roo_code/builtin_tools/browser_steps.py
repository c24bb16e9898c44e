"""The steps a browser can be told to take, one function each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from roo_code.builtin_tools.browser_elements import find_element
from roo_code.builtin_tools.browser_files import WorkspaceFiles, address
from roo_code.builtin_tools.browser_input import Action, BrowserActionInput, key, place, read_size
from roo_code.builtin_tools.browser_session import NAVIGATION, BrowserSession, Size
from roo_code.errors import ToolError
from roo_code.tools import ToolContext

if TYPE_CHECKING:
    from playwright.async_api import FloatRect

_PATIENCE = 5000
"""Milliseconds for an element to become usable."""
_DEFAULT_VIEWPORT = Size(900, 600)

Step = Callable[[BrowserSession, BrowserActionInput, ToolContext], Awaitable[None]]


async def _launch(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    url = address(_needed(given.url, given, "url"), context.workspace)
    wanted = context.settings.get("browserViewportSize")
    viewport = read_size(wanted) if isinstance(wanted, str) else _DEFAULT_VIEWPORT
    await session.launch(viewport, WorkspaceFiles(context.workspace).answer)
    await _go(session, url)


async def _navigate(
    session: BrowserSession, given: BrowserActionInput, context: ToolContext
) -> None:
    await _go(session, address(_needed(given.url, given, "url"), context.workspace))


async def _go(session: BrowserSession, url: str) -> None:
    from playwright.async_api import TimeoutError as NotInTime  # noqa: PLC0415 - large, an extra

    try:
        await session.page.goto(url, timeout=NAVIGATION)
    except NotInTime:
        if session.page.url in {"", "about:blank"}:
            raise
        session.log.add("slow", "the page has not loaded in time, and is shown as far as it has")


async def _back(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    if await session.page.go_back(timeout=NAVIGATION) is None:
        session.log.add("back", "there is no earlier page, or it is one without an answer")


async def _click(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    if given.element is not None:
        element = await find_element(session.page, given.element)
        await element.scroll_into_view_if_needed(timeout=_PATIENCE)
        session.cursor = _middle(await element.bounding_box())
        await element.click(timeout=_PATIENCE)
    else:
        session.cursor = place(_needed(given.coordinate, given, "coordinate"), session.viewport)
        await session.page.mouse.click(*session.cursor)


async def _hover(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    if given.element is not None:
        element = await find_element(session.page, given.element)
        await element.hover(timeout=_PATIENCE)
        session.cursor = _middle(await element.bounding_box())
    else:
        session.cursor = place(_needed(given.coordinate, given, "coordinate"), session.viewport)
        await session.page.mouse.move(*session.cursor)


async def _type(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    text = given.text if given.text is not None else _needed(None, given, "text")
    if given.coordinate is not None:
        await _click(session, given, context)
    if given.element is None:
        await session.page.keyboard.type(text)
        return
    element = await find_element(session.page, given.element)
    if await element.evaluate("e => e.tagName") == "SELECT":  # its list is in no screenshot
        await element.select_option(label=text, timeout=_PATIENCE)
    else:
        await element.fill(text, timeout=_PATIENCE)


async def _press(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    text = given.text if given.text is not None else _needed(None, given, "text")
    await session.page.keyboard.press(key(text))


async def _scroll_down(
    session: BrowserSession, given: BrowserActionInput, context: ToolContext
) -> None:
    await _scroll(session, session.viewport.height)


async def _scroll_up(
    session: BrowserSession, given: BrowserActionInput, context: ToolContext
) -> None:
    await _scroll(session, -session.viewport.height)


async def _scroll(session: BrowserSession, distance: int) -> None:
    """By a page, in whatever is under the cursor."""
    if session.cursor is None:
        session.cursor = (session.viewport.width / 2, session.viewport.height / 2)
        await session.page.mouse.move(*session.cursor)
    await session.page.mouse.wheel(0, distance)


async def _resize(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    size = read_size(_needed(given.size, given, "size"))
    await session.page.set_viewport_size({"width": size.width, "height": size.height})
    session.viewport = size


async def _look(session: BrowserSession, given: BrowserActionInput, context: ToolContext) -> None:
    """The picture is taken after every step."""


def _needed(value: str | None, given: BrowserActionInput, name: str) -> str:
    if not value:
        other = " or element" if name == "coordinate" else ""
        raise ToolError(f"The action {given.action} needs {name}{other}.")
    return value


def _middle(box: FloatRect | None) -> tuple[float, float] | None:
    if box is None:
        return None
    return round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)


STEPS: Mapping[Action, Step] = {
    "launch": _launch,
    "navigate": _navigate,
    "back": _back,
    "click": _click,
    "hover": _hover,
    "type": _type,
    "press": _press,
    "scroll_down": _scroll_down,
    "scroll_up": _scroll_up,
    "resize": _resize,
    "screenshot": _look,
}
