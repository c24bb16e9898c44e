"""The token of a sign-in to Qwen: read, renewed once for all who wait, and kept."""

import asyncio
import json
import stat
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from roo_code.errors import AuthenticationFailed, ConfigError, ServerFailed
from roo_code.providers.catalog import create_provider
from roo_code.providers.dialing import parse_address
from roo_code.providers.http_provider import HttpProvider
from roo_code.providers.qwen_credentials import good_sign_in, read_sign_in
from roo_code.providers.qwen_signing import QwenSigner
from roo_code.testing import ModelServer
from tests.providers.oracles.serving import Reply, json_reply, serving
from tests.providers.requests import settings
from tests.providers.services import ask

ADDRESS = parse_address("https://portal.qwen.ai/v1/chat/completions")
NEW = {
    "access_token": "new-access",
    "refresh_token": "new-refresh",
    "token_type": "Bearer",
    "resource_url": "portal.qwen.ai",
    "expires_in": 21_600,
}


def write(folder: Path, seconds: float = 3600, **fields: Any) -> Path:
    path = folder / "oauth_creds.json"
    kept: dict[str, Any] = {
        "access_token": "old-access",
        "refresh_token": "old-refresh",
        "token_type": "Bearer",
        "expiry_date": int((time.time() + seconds) * 1000),
        "of_another_program": [1],
        **fields,
    }
    path.write_text(json.dumps(kept))
    return path


def signer(path: Path, token_url: str = "http://127.0.0.1:1/token") -> QwenSigner:
    return QwenSigner(settings("qwen-code", qwenCodeOauthPath=str(path)), token_url)


async def token(signer: QwenSigner) -> str:
    return (await signer.sign(ADDRESS, b""))["authorization"].removeprefix("Bearer ")


async def test_a_good_token_is_used_and_nobody_is_asked(tmp_path: Path) -> None:
    own = signer(write(tmp_path))
    assert await token(own) == "old-access"
    write(tmp_path, access_token="renewed-by-another")
    assert await token(own) == "renewed-by-another"


@pytest.mark.parametrize("seconds", [-100, 0, 29])
async def test_an_old_token_is_renewed_a_little_early_and_kept(
    seconds: float, tmp_path: Path
) -> None:
    path = write(tmp_path, seconds)
    path.chmod(0o644)
    with serving(json_reply(NEW)) as server:
        assert await token(signer(path, server.url)) == "new-access"
    (asked,) = server.requests
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(asked.body.decode()) == {
        "grant_type": ["refresh_token"],
        "refresh_token": ["old-refresh"],
        "client_id": ["f0304373b74a44d2b584a3fb70ca9e56"],
    }
    kept = json.loads(path.read_bytes())
    assert (kept["access_token"], kept["refresh_token"]) == ("new-access", "new-refresh")
    assert kept["of_another_program"] == [1]
    assert abs(kept["expiry_date"] / 1000 - time.time() - 21_600) < 60
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["oauth_creds.json"]


async def test_what_the_answer_leaves_out_stays(tmp_path: Path) -> None:
    path = write(tmp_path, -1, resource_url="portal.qwen.ai")
    with serving(json_reply({"access_token": "new-access"})) as server:
        assert await token(signer(path, server.url)) == "new-access"
    kept = read_sign_in(path)
    assert (kept.fields["refresh_token"], kept.address) == (
        "old-refresh",
        "https://portal.qwen.ai/v1",
    )


async def test_many_who_wait_have_it_renewed_once(tmp_path: Path) -> None:
    path = write(tmp_path, -1)
    with serving(json_reply(NEW)) as server:
        signers = [signer(path, server.url) for _ in range(5)]
        found = await asyncio.gather(*(token(own) for own in signers * 2))
    assert set(found) == {"new-access"}
    assert len(server.requests) == 1


async def test_a_token_that_is_refused_is_renewed_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    with serving(json_reply(NEW)) as server:
        own = signer(path, server.url)
        refused = await own.sign(ADDRESS, b"")
        assert own.distrusted(refused)
        assert await token(own) == "new-access"
        assert own.distrusted(refused)
        assert await token(own) == "new-access"
    assert len(server.requests) == 1


async def test_who_leaves_does_not_lose_the_new_token(tmp_path: Path) -> None:
    path = write(tmp_path, -1)
    held = asyncio.Event()
    loop = asyncio.get_running_loop()

    def body() -> Any:
        loop.call_soon_threadsafe(held.set)
        yield json.dumps(NEW).encode()

    answer = Reply(body(), headers={"content-type": "application/json"})
    with serving(answer) as server:
        waiting = asyncio.create_task(token(signer(path, server.url)))
        await held.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with asyncio.timeout(10):
            while read_sign_in(path).token != "new-access":
                await asyncio.sleep(0)


@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"error": "invalid_grant", "error_description": "old-refresh is bad"}, 400),
        json_reply({"error": "old-refresh"}, 401),
        json_reply({"status": "odd"}),
        json_reply(["odd"]),
        Reply(b"no json", headers={"content-type": "application/json"}),
    ],
)
async def test_a_sign_in_that_is_over_says_so_and_no_more(reply: Reply, tmp_path: Path) -> None:
    path = write(tmp_path, -1)
    before = path.read_bytes()
    with serving(reply) as server, pytest.raises(AuthenticationFailed) as raised:
        await token(signer(path, server.url))
    assert "old-refresh" not in str(raised.value)
    assert "`qwen`" in raised.value.hint
    assert path.read_bytes() == before


async def test_what_qwen_code_renewed_meanwhile_is_used(tmp_path: Path) -> None:
    path = write(tmp_path, -1)

    def body() -> Any:
        write(tmp_path, access_token="renewed-by-another")
        yield b'{"error": "invalid_grant"}'

    with serving(Reply(body(), 400, {"content-type": "application/json"})) as server:
        assert await token(signer(path, server.url)) == "renewed-by-another"


def test_a_service_that_fails_may_be_asked_again(tmp_path: Path) -> None:
    path = write(tmp_path, -1)
    with serving(json_reply({}, 500)) as server, pytest.raises(ServerFailed):
        good_sign_in(path, "", server.url)


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read"), ("{", "does not hold"), ("[]", "does not hold")],
)
async def test_without_a_sign_in_it_says_how_to_get_one(
    content: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "oauth_creds.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=words) as raised:
        await token(signer(path))
    assert "qwenCodeOauthPath" in raised.value.hint


@pytest.mark.parametrize(
    ("resource", "address"),
    [
        (None, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"),
        ("portal.qwen.ai", "https://portal.qwen.ai/v1/chat/completions"),
        ("https://portal.qwen.ai/v1/", "https://portal.qwen.ai/v1/chat/completions"),
    ],
)
def test_requests_go_where_the_sign_in_says(
    resource: str | None, address: str, tmp_path: Path
) -> None:
    path = write(tmp_path, resource_url=resource)
    provider = create_provider(settings("qwen-code", qwenCodeOauthPath=str(path)))
    assert isinstance(provider, HttpProvider)
    assert provider._endpoint.address.whole == address


async def test_a_reply_with_the_token_of_the_sign_in(tmp_path: Path) -> None:
    async with ModelServer(["Hi."], key="old-access") as server:
        path = write(tmp_path, resource_url=server.url)
        provider = create_provider(settings("qwen-code", qwenCodeOauthPath=str(path)))
        assert (await ask(provider)).text == "Hi."
        await provider.aclose()
    assert server.problems() == []


async def test_a_key_takes_the_place_of_a_sign_in(tmp_path: Path) -> None:
    own = QwenSigner(settings("qwen-code", api_key="k", qwenCodeOauthPath=str(tmp_path / "none")))
    assert await own.sign(ADDRESS, b"") == {}
    assert own.distrusted({}) is False


async def test_nothing_of_a_secret_is_shown(tmp_path: Path) -> None:
    path = write(tmp_path)
    own = signer(path)
    own.distrusted(await own.sign(ADDRESS, b""))
    shown = repr(read_sign_in(path)) + repr(own)
    assert "old-access" not in shown
    assert "old-refresh" not in shown
