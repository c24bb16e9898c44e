"""Signatures for Bedrock: made with botocore, computed again by hand, and never by blocking."""

import asyncio
import hashlib
import hmac
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from roo_code.errors import AuthenticationFailed, ConfigError, ConnectionFailed, RooCodeError
from roo_code.providers import own_thread
from roo_code.providers.aws_signing import AwsSigner
from roo_code.providers.bedrock_places import resolved
from roo_code.providers.dialing import Address, parse_address
from roo_code.testing import ModelServer
from tests.providers.requests import settings
from tests.providers.services import ask, provider_at

KEY_ID, SECRET, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCY", "session/+=="
STATIC: dict[str, Any] = {"awsAccessKey": KEY_ID, "awsSecretKey": SECRET}
BODY = b'{"messages":[]}'
HOST = "bedrock-runtime.eu-west-1.amazonaws.com"
PATH = "/model/eu.anthropic.claude-x-v1%3A0/converse-stream"
ADDRESS = parse_address(f"https://{HOST}{PATH}")


@pytest.fixture(autouse=True)
def _nothing_of_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = (
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"),
        *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_BEARER_TOKEN_BEDROCK"),
        *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    )
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def _without_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.auth", None)
    monkeypatch.delitem(sys.modules, "roo_code.providers.aws_credentials", raising=False)
    monkeypatch.delattr("roo_code.providers.aws_credentials", raising=False)


def signer(**fields: Any) -> AwsSigner:
    return AwsSigner(resolved(settings("bedrock", awsRegion="eu-west-1", **fields), "m"))


async def sign(address: Address = ADDRESS, **fields: Any) -> dict[str, str]:
    return await signer(**fields).sign(address, BODY)


def credential(headers: dict[str, str]) -> str:
    """The id of the key that signed."""
    return headers["authorization"].partition("Credential=")[2].partition("/")[0]


def by_hand(headers: dict[str, str], host: str, path: str) -> str:
    """Signature version 4 as its documentation tells it."""
    names = sorted({"host": host, **headers}.keys() - {"authorization"})
    values = {"host": host, **headers}
    canonical = "\n".join(
        [
            "POST",
            quote(path, safe="/-_.~"),
            "",
            *(f"{name}:{values[name]}" for name in names),
            "",
            ";".join(names),
            hashlib.sha256(BODY).hexdigest(),
        ]
    )
    date = headers["x-amz-date"]
    scope = f"{date[:8]}/eu-west-1/bedrock/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = "\n".join(["AWS4-HMAC-SHA256", date, scope, digest])
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    return (
        f"AWS4-HMAC-SHA256 Credential={KEY_ID}/{scope}, SignedHeaders={';'.join(names)}, "
        f"Signature={signature}"
    )


@pytest.mark.requirement("providers:bedrock:native")
@pytest.mark.parametrize("token", [None, TOKEN])
@pytest.mark.parametrize("host", [HOST, "localhost:8443"])
async def test_the_signature_is_what_the_rules_give(token: str | None, host: str) -> None:
    address = parse_address(f"https://{host}{PATH}")
    headers = await sign(address, **STATIC, awsSessionToken=token)
    assert headers["authorization"] == by_hand(headers, host, PATH)
    assert headers.get("x-amz-security-token") == token
    assert address.shown == host


async def test_the_signature_is_botocores_own() -> None:
    headers = await sign(**STATIC, awsSessionToken=TOKEN)
    awsrequest: Any = import_module("botocore.awsrequest")  # it has no types
    again = awsrequest.AWSRequest(method="POST", url=f"https://{HOST}{PATH}", data=BODY)
    again.context["timestamp"] = headers["x-amz-date"]
    again.headers["X-Amz-Date"] = headers["x-amz-date"]
    again.headers["X-Amz-Security-Token"] = TOKEN
    credentials: Any = import_module("botocore.credentials")
    read_only = credentials.ReadOnlyCredentials(KEY_ID, SECRET, TOKEN)
    auth: Any = import_module("botocore.auth").SigV4Auth(read_only, "bedrock", "eu-west-1")
    text = auth.string_to_sign(again, auth.canonical_request(again))
    assert headers["authorization"].endswith(f"Signature={auth.signature(text, again)}")


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"awsApiKey": "abc"}, "abc"),
        ({"awsApiKey": "abc", "awsUseApiKey": True, **STATIC}, "abc"),
        ({"api_key": " given "}, "given"),
        ({}, "of-the-environment"),
        ({"awsApiKey": "abc", "awsUseApiKey": False}, "of-the-environment"),
    ],
)
async def test_a_bearer_key_needs_no_botocore(
    fields: dict[str, Any], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-the-environment")
    _without_botocore(monkeypatch)
    assert await sign(**fields) == {"authorization": f"Bearer {key}"}


async def test_credentials_that_are_named_come_before_a_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-the-environment")
    assert credential(await sign(**STATIC)) == KEY_ID
    (tmp_path / "credentials").write_text(
        "[work]\naws_access_key_id = OFPROFILE\naws_secret_access_key = x\n"
    )
    assert credential(await sign(awsUseProfile=True, awsProfile="work", **STATIC)) == "OFPROFILE"


async def test_without_botocore_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_botocore(monkeypatch)
    with pytest.raises(ConfigError) as raised:
        await sign(**STATIC)
    assert "pip install 'roo-code[bedrock]'" in raised.value.hint


async def test_credentials_are_found_where_amazons_tools_find_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "give.py"
    script.write_text(
        "import json; print(json.dumps({'Version': 1, 'AccessKeyId': 'OFPROGRAM',"
        " 'SecretAccessKey': 's', 'SessionToken': 't'}))"
    )
    (tmp_path / "config").write_text(
        f"[profile program]\ncredential_process = {sys.executable} {script}\n"
    )
    (tmp_path / "credentials").write_text(
        "[default]\naws_access_key_id = OFDEFAULT\naws_secret_access_key = x\n"
    )
    program = await sign(awsUseProfile=True, awsProfile="program")
    assert (credential(program), program["x-amz-security-token"]) == ("OFPROGRAM", "t")
    assert credential(await sign()) == "OFDEFAULT"
    assert credential(await sign(awsUseProfile=True)) == "OFDEFAULT"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "OFENVIRONMENT")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    assert credential(await sign()) == "OFENVIRONMENT"


async def test_credentials_that_expire_are_fetched_again(tmp_path: Path) -> None:
    script = tmp_path / "give.py"
    script.write_text(
        "import json, pathlib\n"
        f"count = pathlib.Path({str(tmp_path / 'count')!r})\n"
        "n = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(n))\n"
        "print(json.dumps({'Version': 1, 'AccessKeyId': f'KEY{n}', 'SecretAccessKey': 's',"
        " 'SessionToken': 't', 'Expiration': '2020-01-01T00:00:00Z' if n == 1 else"
        " '2999-01-01T00:00:00Z'}))\n"
    )
    (tmp_path / "config").write_text(f"[default]\ncredential_process = {sys.executable} {script}\n")
    own = signer()
    found = [credential(await own.sign(ADDRESS, BODY)) for _ in range(2)]
    assert found == ["KEY2", "KEY2"]


@pytest.mark.parametrize(
    ("config", "fields", "kind", "words"),
    [
        ("", {}, ConfigError, "There are no credentials"),
        ("", {"awsUseProfile": True, "awsProfile": "gone"}, ConfigError, "gone"),
        ("[profile e]\n", {"awsUseProfile": True, "awsProfile": "e"}, ConfigError, "'e' holds no"),
        ("", {"awsAccessKey": "a"}, ConfigError, "awsSecretKey is missing"),
        ("", {"awsSecretKey": "a"}, ConfigError, "awsAccessKey is missing"),
        ("[default\n", {}, ConfigError, "parse"),
        ("[default]\nmfa_serial = x\nrole_arn = y\n", {}, ConfigError, "code of a device"),
        (
            "[default]\ncredential_process = false\n",
            {},
            AuthenticationFailed,
            "AWS credentials",
        ),
        (
            "[default]\nsso_start_url = https://x\nsso_region = eu-west-1\n"
            "sso_account_id = 1\nsso_role_name = r\n",
            {},
            AuthenticationFailed,
            "SSO",
        ),
    ],
)
async def test_what_is_wrong_is_told_with_what_to_do(
    config: str, fields: dict[str, Any], kind: type[RooCodeError], words: str, tmp_path: Path
) -> None:
    own = AwsSigner(settings("bedrock", awsRegion="eu-west-1", **fields))
    (tmp_path / "config").write_text(config)
    with pytest.raises(kind, match=words) as raised:
        await own.sign(ADDRESS, BODY)
    assert raised.value.hint


async def test_a_service_that_cannot_be_reached_is_a_failed_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text(
        "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile=s\n"
    )
    (tmp_path / "credentials").write_text("[s]\naws_access_key_id = a\naws_secret_access_key = b\n")
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1:1"):
        await sign()


async def test_the_event_loop_goes_on_while_credentials_are_looked_up() -> None:
    asked, answered = threading.Event(), threading.Event()

    def look_up() -> str:
        asked.set()
        answered.wait(10)
        return "found"

    work = asyncio.create_task(own_thread.in_own_thread(look_up, 10))
    while not asked.is_set():
        await asyncio.sleep(0)
    assert not work.done()
    answered.set()
    assert await work == "found"


async def test_a_look_up_that_takes_too_long_is_left_alone() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError):
        await own_thread.in_own_thread(lambda: never.wait(10), 0.01)
    never.set()


async def test_nothing_of_a_secret_is_shown() -> None:
    own = signer(**STATIC, awsSessionToken=TOKEN, awsApiKey="bearer-key", awsUseApiKey=False)
    await own.sign(ADDRESS, BODY)
    shown = repr(own) + repr(vars(own))
    assert not [secret for secret in (SECRET, TOKEN, "bearer-key") if secret in shown]


@pytest.mark.requirement("providers:bedrock:native")
async def test_a_signed_request_is_answered_over_the_event_stream() -> None:
    reply = {"reasoning": "Hm.", "text": "Grüße.", "tool_calls": [{"id": "a", "name": "one"}]}
    async with (
        ModelServer([{**reply, "write_size": 7}]) as server,
        provider_at(server.url, "bedrock", api_key=None, **STATIC) as provider,
    ):
        found = await ask(provider)
    assert (found.text, [c.name for c in found.tool_uses]) == ("Grüße.", ["one"])
    assert server.problems() == []
    (sent,) = server.requests
    assert sent.headers["authorization"].startswith(f"AWS4-HMAC-SHA256 Credential={KEY_ID}/")
    assert sent.path == "/model/scripted/converse-stream"
