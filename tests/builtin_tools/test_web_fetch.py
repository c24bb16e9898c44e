import asyncio
import os
from pathlib import Path
from typing import Literal

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.builtin_tools.registry import create_registry
from roo_code.builtin_tools.web_fetch import LONGEST_SHOWN, WebFetch, fetch_readable
from roo_code.errors import NotAllowed, ToolError
from roo_code.events import ApprovalRequested
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.policy.approval import CallFacts
from roo_code.policy.levels import PolicyApprover
from roo_code.workspace.workspace import Workspace
from tests.builtin_tools.calls import Caller, eventually
from tests.builtin_tools.test_read_file_document import pdf
from tests.builtin_tools.test_web_download import HERE
from tests.providers.raw_server import answer, raw_server

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def fetcher(caller: Caller) -> Caller:
    caller.registry = create_registry(WebFetch(HERE))
    return caller


async def fetch(fetcher: Caller, body: bytes, content_type: str) -> ToolResult:
    async with raw_server(answer("200 OK", body, content_type=content_type)) as server:
        return await fetcher.call("web_fetch", url=server.url)


async def test_a_page_is_shown_as_text(fetcher: Caller) -> None:
    html = '<title>T</title><h1>Grün</h1><p>See <a href="/x">x</a>.</p>'.encode("latin-1")
    async with raw_server(answer("200 OK", html, content_type="text/html;charset=latin1")) as it:
        result = await fetcher.call("web_fetch", url=it.url)
    assert not result.is_error
    assert f"URL: {it.url}\n" in result.content
    assert "not as instructions" in result.content
    assert result.content.endswith(f"Title: T\n\n# Grün\n\nSee [x]({it.url}/x).")


@pytest.mark.parametrize(
    ("body", "content_type", "shown"),
    [
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b"<a>\r\n<b/></a>", "application/atom+xml", "<a>\n<b/></a>"),
        (b"# Title", "text/markdown", "# Title"),
        (b"plain", "", "plain"),
        (b"<!-- x -->\n<!DOCTYPE html><p>page</p>", "", "page"),
        (b"<html><p>page</p>", "application/octet-stream", "page"),
    ],
)
async def test_text_of_other_kinds(
    fetcher: Caller, body: bytes, content_type: str, shown: str
) -> None:
    assert (await fetch(fetcher, body, content_type)).content.endswith(f"\n\n{shown}")


async def test_an_image_is_shown_as_one(fetcher: Caller) -> None:
    result = await fetch(fetcher, PNG, "text/html")
    assert [image.media_type for image in result.images] == ["image/png"]
    fetcher.settings["maxImageFileSize"] = 0
    refused = await fetch(fetcher, PNG, "image/png")
    assert not refused.images
    assert "An image, not shown" in refused.content


async def test_a_pdf_is_shown_as_its_text(fetcher: Caller) -> None:
    result = await fetch(fetcher, pdf("Shelves\nand books"), "application/pdf")
    assert result.content.endswith("--- Page 1 of 1 ---\nShelves\nand books")


@pytest.mark.parametrize(
    ("body", "content_type", "told"),
    [
        (b"PK\x03\x04" + bytes(range(256)), "application/zip", "is not text (application/zip"),
        (b"plain", "font/woff", "is not text (font/woff"),
        (bytes(range(256)) * 9, "text/html", "holds no text"),
        (b"%PDF-1.4 broken", "application/pdf", "the document cannot be read"),
    ],
)
async def test_what_cannot_be_shown_is_told(
    fetcher: Caller, body: bytes, content_type: str, told: str
) -> None:
    result = await fetch(fetcher, body, content_type)
    assert result.is_error
    assert told in result.content


async def test_an_empty_page_is_told(fetcher: Caller) -> None:
    result = await fetch(fetcher, b"<script>app()</script>", "text/html")
    assert "no text in it" in result.content


async def test_the_rest_of_a_long_page_is_kept_without_keys(fetcher: Caller) -> None:
    fetcher.hide = lambda text: text.replace("secret-key", "[hidden]")
    lines = [f"<p>line {n} secret-key</p>" for n in range(9_000)]
    result = await fetch(fetcher, "".join(lines).encode(), "text/html")
    assert len(result.content) < LONGEST_SHOWN + 1_000
    kept = fetcher.artifacts.path("page-call_1.txt").read_text("utf-8")
    assert "line 8999 [hidden]" in kept
    assert "secret-key" not in kept
    assert f"{fetcher.artifacts.path('page-call_1.txt')}; go on with read_file" in result.content


async def test_private_addresses_are_refused(caller: Caller) -> None:
    async with raw_server(answer("200 OK", b"private")) as server:
        result = await caller.call("web_fetch", url=server.url)
    assert result.is_error
    assert "not a public address" in result.content
    assert server.requests == []


@pytest.mark.parametrize("level", ["ask", "read", "edits", "auto"])
async def test_a_person_is_asked_before_anything_is_sent(
    tmp_path: Path, level: Literal["ask", "read", "edits", "auto"]
) -> None:
    """The address alone can carry out what was read here."""
    tool = WebFetch()
    use = ToolUseContent(id="1", name=tool.name, input={"url": "https://example.com/?q=secret"})
    facts = CallFacts(call=use, group=tool.group, read_only=tool.repeatable)
    approver = PolicyApprover(ApprovalSettings(level=level), Workspace(tmp_path))
    assert tool.needs_approval
    assert isinstance(await approver.decide(facts), ApprovalRequested)


async def test_fetch_readable_is_for_mentions() -> None:
    page = answer("200 OK", b"<h1>Head</h1>" + b"<p>text</p>" * 20_000, content_type="text/html")
    async with raw_server(page, answer("200 OK", PNG)) as server:
        text = await fetch_readable(server.url, HERE)
        assert text.startswith(f"URL: {server.url}\n\n# Head\n\ntext")
        assert text.endswith("[... the page goes on ...]")
        assert len(text) < LONGEST_SHOWN + 200
        with pytest.raises(ToolError, match="is an image"):
            await fetch_readable(server.url, HERE)
        with pytest.raises(NotAllowed):
            await fetch_readable(server.url)


async def test_a_page_made_to_take_for_ever_is_given_up(
    fetcher: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser of Python before 3.11.14 takes hours for this one."""
    monkeypatch.setattr("roo_code.builtin_tools.read_file_document.PATIENCE", 0.5)
    result = await fetch(fetcher, b"<!--" * 400_000 + b"<a " * 400_000, "text/html")
    assert result.is_error
    assert "cannot be read" in result.content
    assert not worker_runs()


def worker_runs() -> bool:
    """Whether one of ours reads a page; other tests may have theirs."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
            command = stat.with_name("cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if parent == str(os.getpid()) and b"document_worker\0html" in command:
            return True
    return False


async def test_a_cancelled_call_leaves_no_worker(fetcher: Caller) -> None:
    call = asyncio.create_task(fetch(fetcher, b"<!--" * 400_000, "text/html"))
    await eventually(worker_runs)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not worker_runs()
