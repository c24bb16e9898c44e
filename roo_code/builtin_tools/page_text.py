"""A page of the web as lines of readable text. Runs in a worker: pages may be made to do harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import partial
from html.parser import HTMLParser
from typing import BinaryIO, NamedTuple
from urllib.parse import urljoin, urlsplit

from roo_code.builtin_tools.page_tables import TabledLines

_CODE_AND_MEDIA = {
    *("script", "style", "template", "svg", "math", "iframe", "object", "canvas"),
    *("audio", "video", "select", "textarea"),
}
_AROUND_THE_PAGE = {"nav", "dialog", "menu"}
_VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"),
    *("param", "source", "track", "wbr"),
}
_BLOCKS = (
    *("address", "article", "aside", "body", "caption", "dd", "details", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "legend"),
    *("main", "section", "summary", "tbody", "tfoot", "thead"),
)
_HEADINGS = {f"h{level}": partial(TabledLines.open_heading, level=level) for level in range(1, 7)}
_PARAGRAPH = partial(TabledLines.break_line, apart=True)

_OPENED: dict[str, Callable[[TabledLines], None]] = {
    **dict.fromkeys(_BLOCKS, TabledLines.break_line),
    **_HEADINGS,
    **dict.fromkeys(("code", "kbd", "samp"), TabledLines.open_tick),
    **dict.fromkeys(("td", "th"), TabledLines.open_cell),
    "p": _PARAGRAPH,
    "br": TabledLines.break_line,
    "hr": TabledLines.rule,
    "ul": partial(TabledLines.open_list, ordered=False),
    "ol": partial(TabledLines.open_list, ordered=True),
    "li": TabledLines.open_item,
    "pre": TabledLines.open_code,
    "blockquote": TabledLines.open_quote,
    "table": TabledLines.open_table,
    "tr": TabledLines.open_row,
}
_CLOSED: dict[str, Callable[[TabledLines], None]] = {
    **dict.fromkeys((*_BLOCKS, "li"), TabledLines.break_line),
    **dict.fromkeys(("p", *_HEADINGS), _PARAGRAPH),
    **dict.fromkeys(("code", "kbd", "samp"), TabledLines.close_tick),
    **dict.fromkeys(("ul", "ol"), TabledLines.close_list),
    "pre": TabledLines.close_code,
    "blockquote": TabledLines.close_quote,
    "table": TabledLines.close_table,
    "tr": TabledLines.close_row,
}
_PLAIN_SCHEMES = {"http", "https"}
_SPACES = re.compile(r"\s+")


def page_lines(file: BinaryIO) -> Iterator[str]:
    """The text of an HTML page in UTF-8, with its headings, lists, links, code and tables."""
    html = file.read().decode("utf-8", "replace")
    page = _read(html, _CODE_AND_MEDIA | _AROUND_THE_PAGE)
    if page.is_lost:  # navigation that never ends would swallow the page
        page = _read(html, _CODE_AND_MEDIA)
    if page.title:
        yield f"Title: {page.title}"
        yield ""
    yield from page.lines.finished()


def _read(html: str, dropped: Set[str]) -> _Page:
    page = _Page(dropped)
    page.feed(html)
    page.close()
    return page


class _Link(NamedTuple):
    target: str
    start: int
    """Where its text begins in what is being written."""


class _Page(HTMLParser):
    """Follows the tags; what they make of the text is up to `TabledLines`."""

    def __init__(self, dropped: Set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = TabledLines()
        self.title = ""
        self._dropped = dropped
        self._skipped: list[str] = []
        """The open tags of one name from the one on whose content is left out."""
        self._base = ""
        self._links: list[_Link | None] = []
        self._in_title = False

    @property
    def is_lost(self) -> bool:
        return bool(self._skipped) or self.lines.is_empty

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if self._skipped:
            if tag == self._skipped[0]:
                self._skipped.append(tag)
        elif self._is_dropped(tag, given):
            self._skipped.append(tag)
        elif tag == "title":
            self._in_title = not self.title
        elif tag == "base":
            self._base = _joined(self._base, given.get("href", ""))
        else:
            self._start(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<div/>` opens a div in HTML, as if there were no slash; only drawings are otherwise."""
        if tag not in {"svg", "math"}:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[0]:
                self._skipped.pop()
        elif tag == "title":
            self._in_title = False
        else:
            self._end(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = _SPACES.sub(" ", self.title + data).strip()[:300]
        elif not self._skipped:
            self.lines.write(data)

    def _is_dropped(self, tag: str, given: dict[str, str]) -> bool:
        if tag in _VOID or tag in {"html", "body"}:
            return False
        if tag in self._dropped:
            return True
        hides = "hidden" in given or given.get("aria-hidden") == "true"
        around = hides or given.get("role") == "navigation"
        return around and self._dropped >= _AROUND_THE_PAGE

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if tag == "a":
            self._open_link(given.get("href", ""))
        elif tag == "img" and (alt := _SPACES.sub(" ", given.get("alt", "")).strip()):
            self.lines.write(f"[image: {alt}]")
        elif opens := _OPENED.get(tag):
            opens(self.lines)

    def _end(self, tag: str) -> None:
        if tag == "a":
            self._close_link()
        elif closes := _CLOSED.get(tag):
            closes(self.lines)

    def _open_link(self, href: str) -> None:
        target = _joined(self._base, href.strip())
        shown = urlsplit(target).scheme in _PLAIN_SCHEMES and not href.startswith("#")
        self._links.append(_Link(target, self.lines.place) if shown else None)

    def _close_link(self) -> None:
        if self._links and (link := self._links.pop()) is not None:
            self.lines.link(link.start, link.target)


def _joined(base: str, href: str) -> str:
    try:
        target = urljoin(base, href)
        urlsplit(target)
    except ValueError:
        return base
    return target if target.isprintable() else base
