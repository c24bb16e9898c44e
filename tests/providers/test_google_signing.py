"""Access tokens of Google Cloud: fetched once, renewed in time, and never shown."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from google.auth import exceptions

from roo_code.errors import (
    AuthenticationFailed,
    ConfigError,
    ConnectionFailed,
    RooCodeError,
    ServerFailed,
)
from roo_code.providers.dialing import parse_address
from roo_code.providers.google_signing import GoogleSigner
from roo_code.providers.google_tokens import load, renew
from tests.providers.google_accounts import (
    EMAIL,
    account,
    claims,
    key_for,
    know_no_credentials,
    token,
)
from tests.providers.oracles.serving import Reply, json_reply, serving
from tests.providers.requests import settings

ADDRESS = parse_address("https://us-east5-aiplatform.googleapis.com/v1")


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    know_no_credentials(monkeypatch)


def signer(**fields: Any) -> GoogleSigner:
    return GoogleSigner(settings("vertex", **fields))


async def bearer(signer: GoogleSigner) -> str:
    headers = await signer.sign(ADDRESS, b"{}")
    assert list(headers) == ["authorization"]
    return headers["authorization"].removeprefix("Bearer ")


def held(reply: Reply, go: Event) -> Reply:
    """The reply once the event is set."""

    def body() -> Iterator[bytes]:
        go.wait(10)
        assert isinstance(reply.body, bytes)
        yield reply.body

    return reply._replace(body=body())


async def test_a_service_account_gets_a_token_and_keeps_it() -> None:
    with serving(token("first"), token("second")) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        assert [await bearer(own) for _ in range(3)] == ["first"] * 3
        claimed = claims(server)
    assert len(server.requests) == 1
    assert claimed["iss"] == EMAIL
    assert claimed["aud"] == "https://oauth2.googleapis.com/token"
    assert claimed["scope"] == "https://www.googleapis.com/auth/cloud-platform"


async def test_a_key_may_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(token("mine")) as server:
        (tmp_path / "key.json").write_text(key_for(server))
        assert await bearer(signer(vertexKeyFile="~/key.json")) == "mine"


async def test_without_a_key_it_is_what_the_machine_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "default.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    with serving(token("of the machine")) as server:
        file.write_text(key_for(server))
        assert await bearer(signer()) == "of the machine"


async def test_a_machine_that_knows_none_is_told_how_to_get_some() -> None:
    with pytest.raises(ConfigError, match="no usable credentials") as raised:
        await signer().sign(ADDRESS, b"")
    assert "vertexKeyFile" in raised.value.hint
    assert "gcloud auth application-default login" in raised.value.hint


def test_a_user_who_signed_in_has_credentials_too() -> None:
    user = {
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "s",
        "refresh_token": "r",
    }
    found: Any = load(user)
    assert found.refresh_token == "r"
    assert not found.valid


async def test_a_token_is_renewed_before_it_expires() -> None:
    with serving(token("short", seconds=60), token("long")) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        assert [await bearer(own) for _ in range(3)] == ["short", "long", "long"]


async def test_many_requests_at_once_fetch_one_token() -> None:
    go = Event()
    with serving(held(token("shared"), go)) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        waiting = [asyncio.create_task(bearer(own)) for _ in range(20)]
        await asyncio.sleep(0)
        go.set()
        assert await asyncio.gather(*waiting) == ["shared"] * 20
    assert len(server.requests) == 1


async def test_who_leaves_does_not_spoil_it_for_the_others() -> None:
    go = Event()
    with serving(held(token("shared"), go), token("in vain")) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        leaving, staying = (asyncio.create_task(bearer(own)) for _ in range(2))
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        go.set()
        assert await staying == "shared"
    assert len(server.requests) == 1


async def test_a_token_that_nobody_waited_for_is_used_by_the_next() -> None:
    go = Event()
    with serving(held(token("shared"), go), token("in vain")) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        leaving = asyncio.create_task(bearer(own))
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        go.set()
        assert await bearer(own) == "shared"
    assert len(server.requests) == 1


def test_a_signer_outlives_the_event_loop_it_began_in() -> None:
    go = Event()
    with serving(held(token("lost"), go), token("fresh")) as server:
        own = signer(vertexJsonCredentials=key_for(server))

        async def leave() -> None:
            async with asyncio.timeout(0):
                await bearer(own)

        with pytest.raises(TimeoutError):
            asyncio.run(leave())
        go.set()
        assert asyncio.run(bearer(own)) in ("lost", "fresh")


async def test_a_distrusted_token_is_renewed_once_whoever_says_so() -> None:
    with serving(token("first"), token("second"), token("third")) as server:
        own = signer(vertexJsonCredentials=key_for(server))
        old = await own.sign(ADDRESS, b"")
        assert own.distrusted(old)
        assert await bearer(own) == "second"
        assert own.distrusted(old)  # of another request that was refused with the old one
        assert await bearer(own) == "second"


async def test_a_refusal_says_why_and_holds_no_secret() -> None:
    said = "Invalid JWT Signature. eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJyb2JvdCJ9.c2lnbmF0dXJl"
    refusal = json_reply({"error": "invalid_grant", "error_description": said}, 400)
    with serving(refusal) as server:
        key = key_for(server)
        with pytest.raises(AuthenticationFailed) as raised:
            await signer(vertexJsonCredentials=key).sign(ADDRESS, b"")
    assert "invalid_grant: Invalid JWT Signature. ***" in str(raised.value)
    assert "vertexKeyFile" in raised.value.hint


async def test_a_service_that_cannot_be_reached_is_a_failed_connection() -> None:
    with serving(token("never")) as server:
        key = key_for(server)
    with pytest.raises(ConnectionFailed, match="access tokens could not be reached"):
        await signer(vertexJsonCredentials=key).sign(ADDRESS, b"")


def test_a_service_that_fails_may_be_asked_again() -> None:
    class Failing:
        token: str | None = None
        valid = False

        def refresh(self, request: object) -> None:
            raise exceptions.RefreshError("internal_failure: None", retryable=True)

        def apply(self, headers: dict[str, str]) -> None: ...

    with pytest.raises(ServerFailed, match="internal_failure") as raised:
        renew(Failing())
    assert raised.value.retryable


async def test_a_missing_library_is_named_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "google.auth", None)
    monkeypatch.delitem(sys.modules, "roo_code.providers.google_tokens")
    with pytest.raises(ConfigError) as raised:
        await signer().sign(ADDRESS, b"")
    assert "pip install 'roo-code[vertex]'" in raised.value.hint


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"private_key": "-----BEGIN hunter2"}, "incomplete or damaged"),
        ({"client_email": None}, "incomplete or damaged|no usable credentials"),
        ({"type": "external_account"}, "neither a service account's nor a user's"),
    ],
)
async def test_a_damaged_key_is_refused_without_showing_it(
    changes: dict[str, Any], said: str
) -> None:
    damaged = {**account("http://127.0.0.1:1"), **changes}
    left = {name: value for name, value in damaged.items() if value is not None}
    with pytest.raises(ConfigError, match=said) as raised:
        await signer(vertexJsonCredentials=json.dumps(left)).sign(ADDRESS, b"")
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("text", ["hunter2", "[]", '"hunter2"', "{"])
def test_what_is_no_key_is_refused_without_showing_it(text: str, tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(text)
    for fields in ({"vertexJsonCredentials": text}, {"vertexKeyFile": str(file)}):
        with pytest.raises(ConfigError, match=next(iter(fields))) as raised:
            signer(**fields)
        assert "hunter2" not in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name, reason in (("missing", "No such file"), ("binary", "it is not text")):
        with pytest.raises(RooCodeError, match=reason) as raised:
            signer(vertexKeyFile=str(tmp_path / name))
        assert name in str(raised.value)
