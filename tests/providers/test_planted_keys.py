"""No key of any row is told by an error, an event, a log, a recording or a repr."""

import json
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.errors import RooCodeError, explain
from roo_code.providers import http_provider
from roo_code.providers.catalog import CATALOG, create_provider
from roo_code.providers.dialing import Address
from roo_code.providers.places import Places
from roo_code.providers.retry import RetryPolicy
from roo_code.providers.run_recorder import RecordedCall, RunRecorder
from roo_code.providers.spec import ProviderSpec
from tests.providers.raw_server import answer, raw_server

KEY = "pk-planted-7351-key"
TOKEN = "planted-4462-token"
HEADER = "planted-9917-header"
SECRET = "planted-5528-aws-secret"
PLANTED = (KEY, TOKEN, HEADER, SECRET)
REFUSALS = ("503 Too busy", "429 Slow down", "401 Unauthorized")


class Signer:
    """In place of those that fetch a token first."""

    async def sign(self, address: Address, body: bytes) -> dict[str, str]:
        return {"authorization": f"Bearer {TOKEN}"}


def signer(spec: ProviderSpec, settings: ProviderSettings) -> Signer:
    return Signer()


def resolved(spec: ProviderSpec, settings: ProviderSettings) -> ProviderSettings:
    return settings


def echo(request: bytes, status: str) -> bytes:
    """Refuse with all that was sent."""
    body = json.dumps({"error": {"message": f"I do not like {request.decode()}"}})
    return answer(status, body.encode(), content_type="application/json")


def settings_at(url: str, row: str) -> ProviderSettings:
    signing = CATALOG[row].signing
    fields: dict[str, Any] = {"api_key": None if signing == "aws" else KEY}
    if signing == "aws":
        fields |= {"awsAccessKey": KEY, "awsSecretKey": SECRET, "awsSessionToken": TOKEN}
    return ProviderSettings(
        api_provider=row, api_base_url=url, headers={"x-secret": HEADER}, **fields
    )


def chain(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield from (str(error), repr(error), repr(error.args), repr(vars(error)))
        yield getattr(error, "hint", "")
        error = error.__cause__ or error.__context__


async def _collect(client: RooClient, events: list[str]) -> None:
    async for event in Agent(client, metadata={"task_id": "t"}).iter("Hello"):
        events.append(event.to_json())  # noqa: PERF401 - they count although it ends in an error


async def run_to_its_refusal(client: RooClient) -> tuple[list[str], RooCodeError]:
    """Every event as JSON, and the error of the last attempt."""
    events: list[str] = []
    with pytest.raises(RooCodeError) as raised:
        await _collect(client, events)
    return events, raised.value


@pytest.mark.parametrize("row", sorted(CATALOG))
async def test_a_service_that_repeats_the_request_tells_nothing_through_us(
    row: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-project")
    if CATALOG[row].signing in ("google", "qwen_oauth"):
        monkeypatch.setattr(http_provider, "signer", signer)
        monkeypatch.setattr(http_provider, "resolved", resolved)
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "recording.jsonl"
    recorder = RunRecorder(file)
    async with raw_server(*(partial(echo, status=status) for status in REFUSALS)) as server:
        settings = settings_at(server.url, row)
        places = Places.here(tmp_path, tmp_path / "artifacts")
        call = RecordedCall(task_id="t", is_subtask=False, settings=settings, places=places)
        provider = recorder.recorded(create_provider(settings), call)
        client = RooClient(settings, provider=provider, retry=RetryPolicy(base=0, jitter=0))
        events, error = await run_to_its_refusal(client)
        await client.aclose()
        sent = b"".join(server.requests).decode()
    recorder.close()
    assert len(server.requests) == len(REFUSALS)
    assert "I do not like POST" in str(error)
    assert [text for text in PLANTED if text in sent] != []
    shown = [
        *events,
        *chain(error),
        *chain(explain(error)),
        repr((client, vars(client), provider, vars(provider), settings, call)),
        repr((create_provider(settings), vars(create_provider(settings)))),
        json.dumps(settings.without_secrets()),
        caplog.text,
        file.read_text(encoding="utf-8"),
    ]
    assert [(text, key) for text in shown for key in PLANTED if key in text] == []
