"""Requests to Vertex and replies of it, as the SDKs of Anthropic and Google make and read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.vertex import AnthropicVertex
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from roo_code.messages import Message
from roo_code.providers.base import ModelRequest
from roo_code.providers.catalog import create_provider
from tests.providers.google_accounts import key_for, token
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import fixtures, names
from tests.providers.oracles.serving import Received, Server, serving, stream
from tests.providers.requests import settings
from tests.providers.services import ask

CLAUDE, GEMINI = "claude-sonnet-4-5@20250929", "gemini-3-flash-preview"
PLACE: Any = {"vertexProjectId": "my-project", "vertexRegion": "us-east5"}
REPLIES = [path for path in fixtures("anthropic_messages") if path.suffix == ".sse"]


async def ask_ours(server: Server, model: str, request: ModelRequest) -> Message:
    with serving(token("ya29.mine")) as tokens:
        provider = create_provider(
            settings(
                "vertex",
                api_base_url=server.url,
                api_model_id=model,
                vertexJsonCredentials=key_for(tokens),
                **PLACE,
            )
        )
        try:
            return await ask(provider, request)
        finally:
            await provider.aclose()


def claude(server: Server) -> AnthropicVertex:
    return AnthropicVertex(
        region="us-east5",
        project_id="my-project",
        access_token="ya29.mine",
        base_url=f"{server.url}/v1",
        max_retries=0,
    )


@pytest.mark.requirement("providers:vertex:native")
@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_claude_is_asked_and_read_as_by_the_sdk(path: Path) -> None:
    request = asking(histories(CLAUDE)["parallel_tools"])
    with serving(stream(path.read_bytes())) as server:
        ours = await ask_ours(server, CLAUDE, request)
        body = server.requests[0].json()
        version = {"anthropic_version": body.pop("anthropic_version")}  # the SDK's own is newer
        del body["stream"]
        with (
            claude(server) as client,
            client.messages.stream(model=CLAUDE, extra_body=version, **body) as events,
        ):
            theirs = events.get_final_message()
    sent, expected = server.requests
    assert sent.json() == expected.json()
    assert _place(sent) == _place(expected)
    texts = (block.text for block in theirs.content if block.type == "text")
    assert ours.text == "".join(texts)
    calls = [block for block in theirs.content if block.type == "tool_use"]
    assert [call.id for call in ours.tool_uses] == [call.id for call in calls]


@pytest.mark.requirement("providers:vertex:native")
async def test_gemini_is_asked_and_read_as_by_the_sdk() -> None:
    request = asking(histories(GEMINI)["parallel_tools"])
    reply = fixtures("gemini")[0].parent / "vertex.sse"
    with serving(stream(reply.read_bytes())) as server:
        ours = await ask_ours(server, GEMINI, request)
        body = server.requests[0].json()
        config = types.GenerateContentConfig.model_validate(
            {
                **body.get("generationConfig", {}),
                "systemInstruction": body["systemInstruction"],
                "tools": body["tools"],
            }
        )
        contents: Any = [types.Content.model_validate(content) for content in body["contents"]]
        with gemini(server) as client:
            models: Any = client.models
            chunks: Iterator[types.GenerateContentResponse] = models.generate_content_stream(
                model=GEMINI, contents=contents, config=config
            )
            texts = [part.text or "" for chunk in chunks for part in chunk.parts or ()]
    sent, expected = server.requests
    assert sent.json()["contents"] == expected.json()["contents"]
    assert _place(sent) == _place(expected)
    assert ours.text == "".join(texts)


def gemini(server: Server) -> genai.Client:
    make: Any = Credentials
    return genai.Client(
        vertexai=True,
        project="my-project",
        location="us-east5",
        credentials=make(token="ya29.mine"),
        http_options=types.HttpOptions(base_url=server.url, api_version="v1"),
    )


def _place(request: Received) -> tuple[str, str, str]:
    return request.method, request.path, request.headers["authorization"]
