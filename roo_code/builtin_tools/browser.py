"""browser_action: use a web page as a person does, and see it."""

from __future__ import annotations

import asyncio
import base64

from roo_code.builtin_tools.browser_chromium import require_playwright
from roo_code.builtin_tools.browser_input import BrowserActionInput
from roo_code.builtin_tools.browser_picture import format_of, picture, quality
from roo_code.builtin_tools.browser_session import NAVIGATION, BrowserSession
from roo_code.builtin_tools.browser_steps import STEPS
from roo_code.errors import ToolError
from roo_code.messages import ImageContent
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.files import replace_file
from roo_code.workspace.opening import told_plainly

_PATIENCE = 20.0
"""Seconds for a step on a page, and for looking at it: a busy page may never answer."""
_LAUNCH_PATIENCE = 60.0


class BrowserAction(Tool[BrowserActionInput]):
    name = "browser_action"
    description = (
        "Use a web page in a real browser. Each action but close answers with a screenshot, what "
        "the console says and where the page is. Begin with launch; the browser stays open "
        "between calls, so close it when you are done. Coordinates are those of the last "
        "screenshot: click in the middle of things."
    )
    group = "browser"
    input_type = BrowserActionInput

    async def execute(self, arguments: BrowserActionInput, context: ToolContext) -> ToolOutcome:
        session = context.resources.get(BrowserSession, BrowserSession)
        if arguments.action == "close":
            await session.aclose()
            return ToolOutcome("The browser is closed.")
        if arguments.action != "launch":
            _ = session.page  # says what to do if there is none, before anything is loaded
        if arguments.path is not None:
            format_of(arguments.path)
            context.workspace.resolve(arguments.path)  # refused before anything is done
        require_playwright()
        from playwright.async_api import Error  # noqa: PLC0415 - large, and an extra

        launching = arguments.action == "launch"
        try:
            async with asyncio.timeout(_LAUNCH_PATIENCE if launching else _PATIENCE):
                await STEPS[arguments.action](session, arguments, context)
            return await _seen(session, arguments, context)
        except TimeoutError as error:
            raise ToolError(
                "The page does not answer; a script in it may be busy. Navigate elsewhere, or "
                "close the browser and launch it again."
            ) from error
        except Error as error:
            await session.settle()  # a page that could not be opened gives way to one that says so
            raise ToolError(_failure(arguments, session, str(error.message))) from error


async def _seen(
    session: BrowserSession, arguments: BrowserActionInput, context: ToolContext
) -> ToolOutcome:
    """The page after a step."""
    async with asyncio.timeout(_PATIENCE):
        await session.settle()
        page = session.page
        await page.wait_for_load_state("domcontentloaded", timeout=NAVIGATION)
        shown = await picture(page, "webp", quality(context.settings))
        title = await page.title()
        saved = await _save(session, arguments.path, context) if arguments.path else ""
    image = ImageContent(media_type="image/webp", data=base64.b64encode(shown).decode("ascii"))
    cursor = (
        "" if session.cursor is None else f"Cursor: {session.cursor[0]:g},{session.cursor[1]:g}\n"
    )
    text = (
        f"Done: {arguments.action}.{saved}\n"
        f"URL: {page.url}\nTitle: {title}\nViewport: {session.viewport}\n{cursor}"
        f"Console:\n{session.log.take() or '(nothing new)'}"
    )
    return ToolOutcome(text, images=(image,))


async def _save(session: BrowserSession, path: str, context: ToolContext) -> str:
    target = context.workspace.resolve(path)
    data = await picture(session.page, format_of(path), quality(context.settings))
    home = context.workspace.home_of(target)
    with told_plainly(path):
        await asyncio.to_thread(replace_file, home, target, data)
    return f" Saved to {context.workspace.relative(target)}."


def _failure(arguments: BrowserActionInput, session: BrowserSession, message: str) -> str:
    reason = message.partition("\nCall log:")[0].strip()[:1000]
    said = session.log.take()
    return f"{arguments.action} failed: {reason}" + (f"\nConsole:\n{said}" if said else "")
