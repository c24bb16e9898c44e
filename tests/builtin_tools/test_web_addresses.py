from collections.abc import Sequence

import pytest

from roo_code.builtin_tools.web_addresses import Reach, web_address, web_url
from roo_code.errors import NotAllowed, ToolError


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "[::1]", "[::]"],
)
async def test_this_machine_is_refused_however_it_is_written(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "")
    with pytest.raises(NotAllowed, match="not a public address"):
        await Reach().connect(web_address(web_url(f"http://{host}:9/")))


async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(NotAllowed, match=r"10\.0\.0\.1"):
        await Reach(resolve=resolve).connect(web_address("http://mixed.example/"))


async def test_a_name_that_cannot_be_found_is_told() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(ToolError, match=r"no host 'nowhere\.example'"):
        await Reach(resolve=resolve).connect(web_address("http://nowhere.example/"))


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "intranet", "printer.local", "vault.internal", "a.localhost"]
)
async def test_a_proxy_is_not_asked_for_private_hosts(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        if host[0].isdigit():
            return [host]
        raise OSError(-2, "Name or service not known")

    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:1")
    with pytest.raises(NotAllowed):
        await Reach(resolve=resolve).connect(web_address(f"http://{host}/"))


async def test_a_proxy_of_another_kind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.example:1")
    with pytest.raises(ToolError, match="socks5"):
        await Reach().connect(web_address("http://page.example/"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("example.com/a b", "https://example.com/a%20b"),
        (" http://example.com/ü?q=ü#part ", "http://example.com/%C3%BC?q=%C3%BC"),
        ("https://example.com/a%20b?x=%2F&y[]=1", "https://example.com/a%20b?x=%2F&y[]=1"),
    ],
)
def test_an_address_is_put_as_it_can_be_sent(written: str, meant: str) -> None:
    assert web_url(written) == meant


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("file:///etc/passwd", "Only http and https"),
        ("gopher://example.com/", "Only http and https"),
        ("https://user:secret@example.com/", "user name or password"),
        ("http://[half", "not a URL"),
    ],
)
def test_what_is_no_page_is_told(written: str, told: str) -> None:
    with pytest.raises(ToolError, match=told) as refused:
        web_url(written)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("written", ["http://", "http:///path", "http://a:99999/", "http://a b/"])
def test_impossible_addresses_are_told(written: str) -> None:
    with pytest.raises(ToolError, match="not a possible address"):
        web_address(web_url(written))
