import asyncio
import base64
import re
from collections.abc import Callable, Iterator

import pytest

from roo_code.builtin_tools import browser, browser_session
from roo_code.messages import ToolResult
from tests.builtin_tools.calls import Caller
from tests.builtin_tools.web import needs_browser, served

pytestmark = needs_browser

At = Callable[[str], str]


@pytest.fixture(scope="module")
def at() -> Iterator[At]:
    with served() as address:
        yield address


@pytest.fixture(autouse=True)
def _sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_session, "QUIET", 0.2)


async def act(caller: Caller, action: str, **input: object) -> ToolResult:
    return await caller.call("browser_action", action=action, **input)


def picture_of(result: ToolResult) -> bytes:
    [image] = result.images
    assert image.media_type == "image/webp"
    data = base64.b64decode(image.data)
    assert data[:4] + data[8:12] == b"RIFFWEBP"
    return data


def size_of(webp: bytes) -> tuple[int, int]:
    """As a lossy picture without extras says."""
    start = webp.index(b"\x9d\x01\x2a") + 3
    width, height = (webp[start + n] | webp[start + n + 1] << 8 for n in (0, 2))
    return width & 0x3FFF, height & 0x3FFF


@pytest.mark.requirement("tools:browser-action:control")
async def test_a_page_is_used_from_launch_to_close(caller: Caller, at: At) -> None:
    opened = await act(caller, "launch", url=at("form"))
    assert f"URL: {at('form')}\nTitle: Form\nViewport: 900x600\n" in opened.content
    assert size_of(picture_of(opened)) == (900, 600)
    clicked = await act(caller, "click", coordinate="350,250@900x600")
    assert "[info] mousedown 350 250" in clicked.content
    assert "Cursor: 350,250" in clicked.content
    await act(caller, "click", element="#name")
    typed = await act(caller, "type", text="Ada")
    assert "[log] key false A\n" in typed.content
    saved = await act(caller, "click", element="Save")
    assert "[log] saved Ada" in saved.content
    scrolled = await act(caller, "scroll_down")
    assert re.search(r"scrolled to 600\b", scrolled.content)
    for step in (clicked, typed, saved, scrolled):
        assert not step.is_error
        picture_of(step)
    closed = await act(caller, "close")
    assert (closed.content, closed.images) == ("The browser is closed.", ())
    assert "Open one with the action launch" in (await act(caller, "scroll_up")).content


async def test_places_are_scaled_from_the_picture_to_the_page(caller: Caller, at: At) -> None:
    caller.settings = {"browserViewportSize": "1200x800", "screenshotQuality": 10}
    opened = await act(caller, "launch", url=at("form"))
    assert size_of(picture_of(opened)) == (1200, 800)
    hovered = await act(caller, "hover", coordinate="175,125@600x400")
    assert "[info] mousemove 350 250" in hovered.content
    clicked = await act(caller, "click", coordinate=[350, 250])
    assert "mousedown 350 250" in clicked.content


async def test_elements_are_found_by_selector_text_and_label(caller: Caller, at: At) -> None:
    await act(caller, "launch", url=at("form"))
    await act(caller, "type", element="Your name", text="Bob")
    await act(caller, "type", element="Your town", text="Rome")
    assert "saved Bob" in (await act(caller, "click", element="button >> nth=0")).content
    assert "chose blue" in (await act(caller, "type", element="#colour", text="blue")).content
    assert "mousemove" in (await act(caller, "hover", element="#box")).content
    twice = await act(caller, "click", element="Twice")
    assert twice.is_error
    assert "2 elements match 'Twice'" in twice.content
    assert '<button class="two">Twice</button>' in twice.content


async def test_what_is_not_there_is_an_error(
    caller: Caller, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roo_code.builtin_tools.browser_elements._PATIENCE", 0.1)
    await act(caller, "launch", url=at("form"))
    for element in ("#nothing", "Nothing", "[[["):
        result = await act(caller, "click", element=element)
        assert result.is_error
        assert "No visible element matches" in result.content
    assert "outside the page" in (await act(caller, "click", coordinate="950,10")).content


async def test_following_links_back_and_new_windows(caller: Caller, at: At) -> None:
    await act(caller, "launch", url=at("form"))
    onward = await act(caller, "click", element="Onward")
    assert f"URL: {at('second')}\nTitle: Second\n" in onward.content
    assert "Title: Form\n" in (await act(caller, "back")).content
    opened = await act(caller, "click", element="New window")
    assert "Title: Second\n" in opened.content
    assert "Title: Form\n" in (await act(caller, "navigate", url=at("form"))).content


async def test_keys_and_sizes(caller: Caller, at: At) -> None:
    await act(caller, "launch", url=at("form"))
    assert "key false Enter" in (await act(caller, "press", text="return")).content
    assert "key true a" in (await act(caller, "press", text="ctrl+a")).content
    resized = await act(caller, "resize", size="500,400")
    assert "Viewport: 500x400" in resized.content
    assert size_of(picture_of(resized)) == (500, 400)
    assert "scrolled to 400" in (await act(caller, "scroll_down")).content
    assert "scrolled to 0" in (await act(caller, "scroll_up")).content
    for wrong in ({"text": "NoSuchKey"}, {}):
        assert (await act(caller, "press", **wrong)).is_error
    assert "100 to 4096" in (await act(caller, "resize", size="1x1")).content


@pytest.mark.requirement("tools:browser-action:control")
async def test_what_pages_say_is_told(caller: Caller, at: At) -> None:
    opened = await act(caller, "launch", url=at("trouble"))
    for line in ("[warning] careful", "[error] bad", "[page error] TypeError: it broke"):
        assert line in opened.content
    assert "Failed to load resource" in opened.content
    assert "[dialog] confirm, dismissed: Sure?" in opened.content
    assert "Console:\n(nothing new)" in (await act(caller, "screenshot")).content


async def test_a_flood_of_messages_is_bounded(caller: Caller, at: At) -> None:
    opened = await act(caller, "launch", url=at("flood"))
    assert len(opened.content) < 120_000
    assert "earlier messages left out" in opened.content


async def test_a_screenshot_can_be_saved(caller: Caller, at: At) -> None:
    await act(caller, "launch", url=at("second"))
    for name, head in (("a.png", b"\x89PNG"), ("b.jpg", b"\xff\xd8\xff"), ("c.webp", b"RIFF")):
        saved = await act(caller, "screenshot", path=name)
        assert f"Done: screenshot. Saved to {name}." in saved.content
        assert (caller.folder / name).read_bytes().startswith(head)
    for path, message in (("../out.png", "outside the workspace"), ("a.txt", "is saved as .png")):
        result = await act(caller, "screenshot", path=path)
        assert result.is_error
        assert message in result.content


async def test_a_page_that_cannot_be_reached_is_told_and_another_can_be(
    caller: Caller, at: At
) -> None:
    with served() as gone:
        address = gone("form")
    failed = await act(caller, "launch", url=address)
    assert failed.is_error
    assert "ERR_CONNECTION_REFUSED" in failed.content
    assert "Title: Second" in (await act(caller, "navigate", url=at("second"))).content
    assert (await act(caller, "navigate", url="chrome://version")).is_error


async def test_a_busy_page_does_not_hold_us_up(
    caller: Caller, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    await act(caller, "launch", url=at("busy"))
    monkeypatch.setattr(browser, "_PATIENCE", 2.0)
    hung = await act(caller, "click", element="Hang")
    assert hung.is_error
    assert "does not answer" in hung.content
    monkeypatch.undo()
    assert "Title: Second" in (await act(caller, "launch", url=at("second"))).content


async def test_files_of_the_workspace_can_be_opened_and_no_others(
    caller: Caller, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.js"
    outside.write_text("console.log('secret')", encoding="utf-8")
    (caller.folder / "link.js").symlink_to(outside)
    (caller.folder / "own.js").write_text("console.log('own')", encoding="utf-8")
    (caller.folder / "page one.html").write_text(
        f"<title>Mine</title><script src='own.js'></script><script src='link.js'></script>"
        f"<script src='{outside.as_uri()}'></script>",
        encoding="utf-8",
    )
    for url in ("page one.html", (caller.folder / "page one.html").as_uri()):
        opened = await act(caller, "launch", url=url)
        assert "Title: Mine" in opened.content
        assert "[log] own" in opened.content
        assert "[log] secret" not in opened.content
    for url in (outside.as_uri(), "file:///etc/passwd", "link.js"):
        result = await act(caller, "navigate", url=url)
        assert result.is_error
        assert "outside the workspace" in result.content


async def test_each_step_says_what_it_needs(caller: Caller, at: At) -> None:
    assert "launch needs url" in (await act(caller, "launch")).content
    await act(caller, "launch", url=at("form"))
    for action, needed in (
        ("navigate", "url"),
        ("click", "coordinate or element"),
        ("hover", "coordinate or element"),
        ("type", "text"),
        ("press", "text"),
        ("resize", "size"),
    ):
        assert f"{action} needs {needed}" in (await act(caller, action)).content


async def test_a_browser_that_died_can_be_launched_again(caller: Caller, at: At) -> None:
    await act(caller, "launch", url=at("form"))
    session = caller.resources.find(browser_session.BrowserSession)
    assert session is not None
    connected = asyncio.Event()
    session.page.context.on("close", lambda context: connected.set())
    assert session._processes is not None  # pyright: ignore[reportPrivateUsage]
    await session._processes.end()  # pyright: ignore[reportPrivateUsage]
    await asyncio.wait_for(connected.wait(), 20)
    assert "No page is open" in (await act(caller, "screenshot")).content
    assert "Title: Form" in (await act(caller, "launch", url=at("form"))).content
