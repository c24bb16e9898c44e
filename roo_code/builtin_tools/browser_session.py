"""The browser of a task: one Chromium, the page that is in front, and what pages have said."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from roo_code.builtin_tools.browser_chromium import find_chromium, is_root
from roo_code.builtin_tools.browser_log import BrowserLog
from roo_code.builtin_tools.browser_processes import BrowserProcesses
from roo_code.errors import ToolError
from roo_code.workspace.uncut import uncut

if TYPE_CHECKING:
    from playwright.async_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Download,
        Page,
        Playwright,
        Route,
        WebError,
    )

QUIET = 0.5
"""Seconds without a message or a navigation after which a page is taken to have settled."""
LONGEST_UNREST = 3.0
NAVIGATION = 15_000
"""Milliseconds, as the library wants them."""
_CLOSING = 5.0
_LINES_OF_STACK = 4

Answer = Callable[["Route"], Awaitable[None]]


class Size(NamedTuple):
    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


class BrowserSession:
    """One per task, kept in its resources; it can be launched again after it was closed."""

    def __init__(self) -> None:
        self.log = BrowserLog()
        self.cursor: tuple[float, float] | None = None
        self.viewport = Size(900, 600)
        self._pages: list[Page] = []
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._processes: BrowserProcesses | None = None

    @property
    def page(self) -> Page:
        """The page in front: the one that was opened last and is still open."""
        if not self._pages:
            raise ToolError("No page is open. Open one with the action launch and a url.")
        return self._pages[-1]

    async def launch(self, viewport: Size, answer_file: Answer) -> None:
        """A new browser with an empty page, in place of the one there may be."""
        await self.aclose()
        try:
            # Cut short, it would leave a process that nobody knows.
            await uncut(self._start_playwright())
            await self._start_chromium(viewport, answer_file)
        except BaseException:
            await self.aclose()
            raise

    async def settle(self) -> None:
        """Wait until nothing has happened in the page for a while, but not for long."""
        self.log.touch()
        until = time.monotonic() + LONGEST_UNREST
        while (rest := min(self.log.last + QUIET, until) - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(rest)

    async def aclose(self) -> None:
        """Close the browser and see that none of its processes stays."""
        await uncut(self._close())

    async def _start_playwright(self) -> None:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - large, and an extra

        self._playwright = await async_playwright().start()

    async def _start_chromium(self, viewport: Size, answer_file: Answer) -> None:
        from playwright.async_api import Error  # noqa: PLC0415

        assert self._playwright is not None
        chromium = self._playwright.chromium
        program = find_chromium(chromium.executable_path)
        self._processes = BrowserProcesses()
        try:
            self._browser = await chromium.launch(
                executable_path=program,
                chromium_sandbox=not is_root(),
                env=self._processes.environment,
                handle_sigint=False,  # whoever handles it here closes the task, and so this too
                handle_sigterm=False,
                handle_sighup=False,
            )
            await self._processes.watch()
            context = await self._browser.new_context(
                viewport={"width": viewport.width, "height": viewport.height},
                accept_downloads=False,
            )
            await self._listen(context, answer_file)
            await context.new_page()
        except Error as error:
            reason = str(error.message).strip()[:1500]
            raise ToolError(f"{program} could not be started: {reason}") from error
        self.viewport = viewport

    async def _listen(self, context: BrowserContext, answer_file: Answer) -> None:
        context.on("page", self._attach)
        context.on("console", self._note_console)
        context.on("weberror", self._note_error)
        context.on("dialog", self._dismiss)
        await context.route(_is_file, answer_file)

    def _attach(self, page: Page) -> None:
        self._pages.append(page)
        page.on("close", self._detach)
        page.on("crash", lambda page: self.log.add("crash", f"the page {page.url} has crashed"))
        page.on("framenavigated", lambda frame: self.log.touch())
        page.on("download", self._note_download)

    def _detach(self, page: Page) -> None:
        if page in self._pages:
            self._pages.remove(page)

    def _note_console(self, message: ConsoleMessage) -> None:
        self.log.add(message.type, message.text)

    def _note_error(self, error: WebError) -> None:
        where = (error.error.stack or error.error.message).splitlines()
        self.log.add("page error", "\n".join(where[:_LINES_OF_STACK]))

    def _note_download(self, download: Download) -> None:
        self.log.add("download", f"{download.suggested_filename} was not downloaded")

    async def _dismiss(self, dialog: Dialog) -> None:
        from playwright.async_api import Error  # noqa: PLC0415

        self.log.add("dialog", f"{dialog.type}, dismissed: {dialog.message}")
        with contextlib.suppress(Error):  # the page may be gone
            await dialog.dismiss()

    async def _close(self) -> None:
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        processes, self._processes = self._processes, None
        self._pages.clear()
        self.cursor = None
        try:
            # Asked, it removes its profile; who does not answer is ended below.
            if browser is not None:
                await _in_time(browser.close())
            if playwright is not None:
                await _in_time(playwright.stop())
        finally:
            if processes is not None:
                await processes.end()


async def _in_time(closing: Awaitable[None]) -> None:
    from playwright.async_api import Error  # noqa: PLC0415

    with contextlib.suppress(Error, TimeoutError):
        await asyncio.wait_for(closing, _CLOSING)


def _is_file(url: Any) -> bool:
    return str(url).lower().startswith("file:")
