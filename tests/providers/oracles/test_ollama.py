"""Replies read by ours and by Ollama's client alike; our requests checked by its types."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import (
    AuthenticationFailed,
    BadRequest,
    Overloaded,
    ProviderError,
    RateLimited,
    ServerFailed,
)
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.ollama_chat import OllamaChat
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Call, Seen, fixtures, names, seen_by_us, usage
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.requests import settings
from tests.providers.services import ask, provider_at

ollama: Any = import_module("ollama")  # by name: its types are not whole
types: Any = import_module("ollama._types")

MEDIA_TYPE = "application/x-ndjson"
REPLIES = fixtures("ollama_chat")
STATUSES: dict[int, type[ProviderError]] = {
    400: BadRequest,
    401: AuthenticationFailed,
    404: BadRequest,
    429: RateLimited,
    500: ServerFailed,
    503: Overloaded,
}


@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_client_does(path: Path) -> None:
    with serving(stream(path.read_bytes(), MEDIA_TYPE)) as server:
        async with provider_at(server.url, "ollama") as provider:
            ours = seen_by_us(await ask(provider))
        theirs = seen_by_client(server)
    # The client has no ids for calls; those of the server are ours, or we make some.
    assert len({c.id for c in ours.calls}) == len(ours.calls)
    assert ours._replace(calls=[c._replace(id="") for c in ours.calls]) == theirs


async def test_an_error_within_the_stream_is_one_for_both() -> None:
    path = REPLIES[0].parent / "errors" / "runner_failed.ndjson"
    with serving(stream(path.read_bytes(), MEDIA_TYPE)) as server:
        async with provider_at(server.url, "ollama") as provider:
            with pytest.raises(ServerFailed, match="unexpected EOF"):
                await ask(provider)
        with pytest.raises(ollama.ResponseError, match="unexpected EOF"):
            seen_by_client(server)


@pytest.mark.parametrize("status", STATUSES)
async def test_a_refusal_is_one_for_both(status: int) -> None:
    with serving(json_reply({"error": "No."}, status)) as server:
        async with provider_at(server.url, "ollama") as provider:
            with pytest.raises(ProviderError, match="No") as caught:
                await ask(provider)
        with pytest.raises(ollama.ResponseError) as theirs:
            seen_by_client(server)
    assert theirs.value.status_code == caught.value.status == status
    assert type(caught.value) is STATUSES[status]


@pytest.mark.parametrize("model", ["qwen3", "gpt-oss:20b"])
@pytest.mark.parametrize(
    "options", [{}, {"ollamaNumCtx": 8192, "temperature": 0.5}, {"reasoning_effort": "high"}]
)
def test_requests_are_what_the_types_of_the_client_say(model: str, options: dict[str, Any]) -> None:
    """It would send what we send: nothing is left out or changed on its way through its types."""
    wire = OllamaChat()
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings("ollama", **options), ModelInfo(id=model))
        again = types.ChatRequest.model_validate(body).model_dump(exclude_none=True)
        assert again == body, name
        assert types.Options(**body.get("options", {})).model_dump(exclude_none=True) == (
            body.get("options", {})
        )


def test_the_client_sends_the_same_bytes_to_the_same_place() -> None:
    """Ours, given to it as its arguments."""
    body = OllamaChat().encode(
        asking(histories("qwen3")["tools"]), settings("ollama"), ModelInfo(id="qwen3")
    )
    with (
        serving(stream(REPLIES[0].read_bytes(), MEDIA_TYPE)) as server,
        ollama.Client(host=server.url) as client,
    ):
        list(client.chat(**body))
    assert server.requests[0].path == "/api/chat"
    assert server.requests[0].json() == body


def seen_by_client(server: Server) -> Seen:
    asked = [{"role": "user", "content": "Hello"}]
    with ollama.Client(host=server.url) as client:
        parts = list(client.chat(model="scripted", messages=asked, stream=True))
    said = [part.message for part in parts]
    calls = [
        Call("", found.function.name, dict(found.function.arguments))
        for message in said
        for found in message.tool_calls or ()
    ]
    last = parts[-1]
    reasons = {"stop": "tool_use" if calls else "end_turn", "length": "max_tokens"}
    return Seen(
        text="".join(message.content or "" for message in said),
        reasoning="".join(message.thinking or "" for message in said),
        calls=calls,
        stop_reason=reasons[last.done_reason or ""],
        usage=usage(last.prompt_eval_count or 0, last.eval_count or 0),
    )
