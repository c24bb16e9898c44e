"""Models of Google and Anthropic on Vertex: paths, bodies, tokens."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from roo_code.errors import AuthenticationFailed, ConfigError, ConnectionFailed
from roo_code.messages import Message, ToolResult
from roo_code.providers.base import BaseProvider
from roo_code.providers.catalog import CATALOG, create_provider
from roo_code.providers.http_provider import HttpProvider
from roo_code.providers.models import model_info
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.gemini import Gemini
from roo_code.providers.protocols.vertex import DEFAULT_REGION, vertex_format
from roo_code.testing import ModelServer
from roo_code.testing.vertex_service import VertexAnthropicService
from tests.providers.google_accounts import key_for, know_no_credentials, token
from tests.providers.histories import asking, histories
from tests.providers.oracles.serving import Reply, Server, json_reply, serving, stream
from tests.providers.prefixes import Layout, check_prefixes
from tests.providers.requests import request, settings
from tests.providers.services import ask

SONNET, FLASH = "claude-sonnet-4-5@20250929", "gemini-2.5-flash"
GEMINI_REPLY = Path(__file__).parent / "fixtures" / "gemini" / "vertex.sse"
PROJECT = "/v1/projects/my-project/locations"


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    know_no_credentials(monkeypatch)


def whole(**fields: Any) -> str:
    """The address of requests."""
    provider = create_provider(settings("vertex", **{"vertexProjectId": "my-project", **fields}))
    assert isinstance(provider, HttpProvider)
    return provider._endpoint.address.whole


@asynccontextmanager
async def vertex_at(url: str, tokens: Server, **fields: Any) -> AsyncGenerator[BaseProvider]:
    found = create_provider(
        settings("vertex", api_base_url=url, vertexJsonCredentials=key_for(tokens), **fields)
    )
    try:
        yield found
    finally:
        await found.aclose()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {},
            f"https://us-east5-aiplatform.googleapis.com{PROJECT}/us-east5"
            f"/publishers/anthropic/models/{SONNET}:streamRawPredict",
        ),
        (
            {"api_model_id": FLASH, "vertexRegion": "europe-west1"},
            f"https://europe-west1-aiplatform.googleapis.com{PROJECT}/europe-west1"
            f"/publishers/google/models/{FLASH}:streamGenerateContent?alt=sse",
        ),
        (
            {"api_model_id": "gemini-3-pro-preview", "vertexRegion": "global"},
            f"https://aiplatform.googleapis.com{PROJECT}/global"
            "/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse",
        ),
        (
            {"api_model_id": "claude-3-7-sonnet@20250219:thinking", "vertexRegion": "eu"},
            f"https://aiplatform.eu.rep.googleapis.com{PROJECT}/eu"
            "/publishers/anthropic/models/claude-3-7-sonnet@20250219:streamRawPredict",
        ),
        (
            {"api_base_url": "https://proxy.example/v1", "vertexProjectId": "example.com:own/x"},
            "https://proxy.example/v1/projects/example.com:own%2Fx/locations/us-east5"
            f"/publishers/anthropic/models/{SONNET}:streamRawPredict",
        ),
    ],
)
def test_project_region_and_model_stand_in_the_address(
    fields: dict[str, Any], expected: str
) -> None:
    assert whole(**fields) == expected


def test_the_region_is_the_same_in_host_and_path() -> None:
    assert CATALOG["vertex"].url_options == {"vertexRegion": DEFAULT_REGION}


def test_the_project_may_be_that_of_the_key_or_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = json.dumps({"type": "service_account", "project_id": "of-the-key"})
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "of-the-environment")
    of_key = whole(vertexProjectId=None, vertexJsonCredentials=key)
    assert "/projects/of-the-key/" in of_key
    assert "/projects/of-the-environment/" in whole(vertexProjectId=None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"vertexProjectId": None}, "No Google Cloud project"),
        ({"vertexRegion": "evil.example/#"}, "not a region"),
        ({"vertexKeyFile": "/nowhere/key.json"}, "cannot be read"),
    ],
)
def test_what_is_missing_or_wrong_is_said_before_anything_is_sent(
    fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        whole(**fields)


def test_claude_is_asked_as_by_anthropic_but_for_version_and_model() -> None:
    info = model_info("vertex", SONNET)
    wire = vertex_format(settings("vertex", vertexProjectId="p"), SONNET)
    for messages in histories(SONNET).values():
        options = settings("vertex", reasoning_effort="high")
        body = wire.encode(asking(messages), options, info)
        plain = AnthropicMessages(SONNET).encode(asking(messages), options, info)
        assert body.pop("anthropic_version") == "vertex-2023-10-16"
        assert {"model": SONNET, **body} == plain
        versioned = {"anthropic_version": "vertex-2023-10-16", **body}
        assert VertexAnthropicService().problem(versioned, {}) is None


@pytest.mark.parametrize(
    ("model", "fields", "betas"),
    [
        (SONNET, {}, ["fine-grained-tool-streaming", "interleaved-thinking"]),
        (
            SONNET,
            {"vertex1MContext": True},
            ["fine-grained-tool-streaming", "interleaved-thinking", "context-1m"],
        ),
        ("claude-haiku-4-5@20251001", {"vertex1MContext": True}, ["fine-grained-tool-streaming"]),
        ("claude-3-7-sonnet@20250219:thinking", {}, ["fine-grained-tool-streaming"]),
    ],
)
def test_what_claude_must_be_asked_for_by_name(
    model: str, fields: dict[str, Any], betas: list[str]
) -> None:
    options = settings("vertex", vertexProjectId="p", **fields)
    sent = vertex_format(options, model).headers("unused key", options)
    assert list(sent) == ["anthropic-beta"]
    assert [beta[:-11] for beta in sent["anthropic-beta"].split(",")] == betas


def test_gemini_is_asked_as_by_google_and_without_a_key() -> None:
    options = settings("vertex", vertexProjectId="p")
    wire, info = vertex_format(options, FLASH), model_info("vertex", FLASH)
    assert wire.headers("unused key", options) == {}
    for messages in histories(FLASH).values():
        asked = asking(messages)
        assert wire.encode(asked, options, info) == Gemini().encode(asked, options, info)


@pytest.mark.parametrize(
    ("model", "layout"),
    [
        (SONNET, Layout(system="system", marks=frozenset({"cache_control"}))),
        (FLASH, Layout(messages="contents", system="systemInstruction")),
    ],
)
def test_what_was_sent_before_comes_first_again(model: str, layout: Layout) -> None:
    wire = vertex_format(settings("vertex", vertexProjectId="p"), model)
    check_prefixes(wire, model_info("vertex", model), layout)


@pytest.mark.requirement("providers:vertex:native")
@pytest.mark.parametrize("model", [SONNET, "gemini-3-flash-preview"])
async def test_a_task_with_calls_authenticates_with_google_credentials(model: str) -> None:
    call = {"id": "c1", "name": "read_file", "input": {"path": "a"}}
    with serving(token("ya29.mine")) as tokens:
        async with (
            ModelServer(
                [{"text": "I look.", "tool_calls": [call]}, "A."], key="ya29.mine"
            ) as server,
            vertex_at(server.url, tokens, api_model_id=model, vertexRegion="europe-west1") as own,
        ):
            asked = Message.from_user("What is in a?")
            reply = await ask(own, request((asked,)))
            results = Message.from_tools([ToolResult(tool_use_id="c1", content="A")])
            answer = await ask(own, request((asked, reply, results)))
    assert server.problems() == []
    assert len(tokens.requests) == 1
    assert (reply.tool_uses[0].input, answer.text) == ({"path": "a"}, "A.")
    publisher = "anthropic" if model == SONNET else "google"
    place = f"{PROJECT}/europe-west1/publishers/{publisher}/models/{model}:"
    assert all(request.path.startswith(place) for request in server.requests)


def refused(said: str = "Request had invalid authentication credentials.") -> Reply:
    error = {"code": 401, "message": said, "status": "UNAUTHENTICATED"}
    return json_reply({"error": error}, 401)


async def test_a_token_that_is_refused_is_renewed_once() -> None:
    with (
        serving(token("withdrawn"), token("fresh")) as tokens,
        serving(refused(), stream(GEMINI_REPLY.read_bytes())) as server,
    ):
        async with vertex_at(server.url, tokens, api_model_id="gemini-3-flash-preview") as own:
            assert (await ask(own)).text == "Good day."
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer withdrawn", "Bearer fresh"]
    assert server.requests[0].body == server.requests[1].body


async def test_credentials_that_stay_refused_are_an_error_that_does_not_show_them() -> None:
    with (
        serving(token("ya29.hunter2")) as tokens,
        serving(refused("No: ya29.hunter2")) as server,
    ):
        async with vertex_at(server.url, tokens, api_model_id=FLASH) as own:
            with pytest.raises(AuthenticationFailed, match=r"No: \*\*\*"):
                await ask(own)
    assert len(server.requests) == 2


async def test_another_refusal_is_not_repeated() -> None:
    error = {"code": 403, "message": "Vertex AI API is disabled.", "status": "PERMISSION_DENIED"}
    with (
        serving(token("good")) as tokens,
        serving(json_reply([{"error": error}], 403)) as server,
    ):
        async with vertex_at(server.url, tokens, api_model_id=FLASH) as own:
            with pytest.raises(AuthenticationFailed, match="Vertex AI API is disabled"):
                await ask(own)
    assert len(server.requests) == 1


async def test_no_request_is_sent_without_a_token() -> None:
    with serving(token("never")) as tokens:
        pass
    with serving(refused()) as server:
        async with vertex_at(server.url, tokens, api_model_id=FLASH) as own:
            with pytest.raises(ConnectionFailed):
                await ask(own)
    assert server.requests == []


async def test_a_request_can_be_cancelled_while_its_token_is_fetched() -> None:
    asked, go = Event(), Event()

    def slowly() -> Any:
        asked.set()
        go.wait(10)
        yield b"{}"

    with serving(Reply(slowly())) as tokens, serving(refused()) as server:
        async with vertex_at(server.url, tokens, api_model_id=FLASH) as own:
            waiting = asyncio.create_task(ask(own))
            assert await asyncio.to_thread(asked.wait, 10)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            go.set()
    assert server.requests == []
