"""Logins at a real authorisation server: registration, PKCE, loopback, paste, refresh."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError, ToolError
from roo_code.mcp_access import McpUser
from roo_code.mcp_client.circumstances import LoginWays
from roo_code.mcp_client.client_callbacks import ClientCallbacks
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.login import log_in, read_answer
from roo_code.mcp_client.oauth import LoginStore, secret_name
from tests.mcp_client.http_servers import free_port, listens
from tests.mcp_client.hubs import Place


class Vault:
    """Secrets in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.kept.get(key)

    def store_secret(self, key: str, value: str | None = None) -> None:
        self.kept.pop(key, None)
        if value is not None:
            self.kept[key] = value


@asynccontextmanager
async def guarded(life: int = 3600) -> AsyncGenerator[ServerEntry]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.mcp_client.oauth_server", str(port), str(life)
    )
    try:
        async with asyncio.timeout(30):
            while not await listens(port):
                await asyncio.sleep(0.02)
        url = f"http://127.0.0.1:{port}/mcp"
        yield ServerEntry(name="g", source="global", type="streamable-http", url=url)
    finally:
        process.kill()
        await process.wait()


async def browse(url: str) -> None:
    """What a user's browser does, who is let in without a question."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        page = await browser.get(url)
        assert "logged in" in page.text


def callbacks() -> ClientCallbacks:
    return ClientCallbacks("g", Path("/"), McpUser())


def named(place: Place, entry: ServerEntry) -> None:
    place.name(g={"type": entry.type, "url": entry.url})


async def test_a_login_lets_the_hub_in(place: Place) -> None:
    vault = Vault()
    async with guarded() as entry:
        named(place, entry)
        async with place.servers(secrets=lambda: vault) as servers:
            (status,) = servers.statuses()
            assert (status.condition, status.needs_login) == ("disconnected", True)
            assert "roo mcp login g" in status.error
            shown: list[str] = []

            async def show(url: str) -> None:
                shown.append(url)
                await browse(url)

            assert await log_in(entry, lambda: vault, LoginWays(show), callbacks()) == 1
            assert "code_challenge_method=S256" in shown[0]
            assert "http%3A%2F%2F127.0.0.1%3A" in shown[0]
            answer = await servers.call_tool("g", "whoami", {})
            assert answer.text == "known, refreshed 0 times"


async def test_a_machine_without_a_browser_pastes_the_address(place: Place) -> None:
    vault = Vault()
    async with guarded() as entry:
        urls: list[str] = []

        async def show(url: str) -> None:
            urls.append(url)

        async def paste() -> str:
            async with httpx2.AsyncClient() as elsewhere:
                return (await elsewhere.get(urls[0])).headers["location"]

        assert await log_in(entry, lambda: vault, LoginWays(show, paste), callbacks()) == 1
        assert list(vault.kept) == [secret_name(entry)]


async def test_an_expired_token_is_refreshed_by_a_later_process(place: Place) -> None:
    vault = Vault()
    async with guarded(life=1) as entry:
        await log_in(entry, lambda: vault, LoginWays(browse), callbacks())
        store = LoginStore(entry, lambda: vault)
        tokens = await store.get_tokens()
        assert tokens is not None
        await store.set_tokens(tokens.model_copy(update={"expires_in": -5}))
        named(place, entry)
        async with place.servers(secrets=lambda: vault) as servers:
            answer = await servers.call_tool("g", "whoami", {})
            assert "refreshed 0 times" not in answer.text


async def test_a_login_that_the_server_forgot_is_asked_for_again(place: Place) -> None:
    vault = Vault()
    async with guarded() as entry:
        await log_in(entry, lambda: vault, LoginWays(browse), callbacks())
        named(place, entry)
        async with httpx2.AsyncClient() as client:
            await client.post(entry.url.replace("/mcp", "/forget"))
        async with place.servers(secrets=lambda: vault) as servers:
            with pytest.raises(ToolError, match="roo mcp login g"):
                await servers.call_tool("g", "whoami", {})


async def test_tokens_are_among_the_users_secrets_and_bound_to_the_address(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_SECRETS", "file")
    async with guarded() as entry:
        await log_in(entry, lambda: SecretStore(place.home), LoginWays(browse), callbacks())
        (name,) = SecretStore(place.home).all()
        assert name == secret_name(entry)
        text = "".join(
            file.read_text(encoding="utf-8", errors="replace")
            for file in place.home.rglob("*")
            if file.is_file()
        )
        tokens = await LoginStore(entry, lambda: SecretStore(place.home)).get_tokens()
        assert tokens is not None
        assert tokens.access_token not in text
    other = ServerEntry(name="g", source="project", type="sse", url="https://evil.example/mcp")
    assert secret_name(other) != secret_name(entry)


def test_a_refusal_and_a_wrong_address_are_said() -> None:
    with pytest.raises(ConfigError, match="refused: not you"):
        read_answer("http://127.0.0.1/callback?error=access_denied&error_description=not+you")
    with pytest.raises(ConfigError, match="no code"):
        read_answer("http://127.0.0.1/callback")
    assert read_answer(" http://127.0.0.1/callback?code=a&state=b ").state == "b"
