"""Replies in Mistral's dialect read by ours and by Mistral's SDK alike."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mistralai.client import Mistral
from mistralai.client.errors import SDKError
from mistralai.client.models import ChatCompletionStreamRequest

from roo_code.errors import AuthenticationFailed, BadRequest, ProviderError, RateLimited
from roo_code.json_text import from_json, to_json
from roo_code.providers.catalog import CATALOG
from roo_code.providers.models import model_info
from roo_code.providers.protocols.openai_chat import OpenAiChat
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Seen, call, fixtures, names, seen_by_us, usage
from tests.providers.oracles.serving import Server, json_reply, serving, stream
from tests.providers.requests import settings
from tests.providers.services import KEY, ask, provider_at

REPLIES = fixtures("openai_chat/mistral")
REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
STATUSES = {
    (401, "Unauthorized"): AuthenticationFailed,
    (400, "Expected last role User or Tool"): BadRequest,
    (429, "Requests rate limit exceeded"): RateLimited,
}


@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "mistral") as provider:
            ours = await ask(provider)
        theirs = seen_by_sdk(server)
    assert seen_by_us(ours) == theirs


@pytest.mark.parametrize(("status", "message"), STATUSES)
async def test_a_refusal_is_one_for_both(status: int, message: str) -> None:
    error = {"object": "error", "message": message, "type": "invalid_request_message", "code": 3230}
    with serving(json_reply(error, status)) as server:
        async with provider_at(server.url, "mistral") as provider:
            with pytest.raises(ProviderError, match=message) as caught:
                await ask(provider)
        with pytest.raises(SDKError):
            seen_by_sdk(server)
    assert caught.value.kind == STATUSES[status, message].__name__


@pytest.mark.parametrize("model", ["codestral-latest", "magistral-medium-latest"])
def test_requests_are_what_the_sdk_models_say(model: str) -> None:
    """What the models do not know, they drop, so that it would be missing from what they dump."""
    wire, info = OpenAiChat(CATALOG["mistral"].quirks), model_info("mistral", model)
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings("mistral", temperature=0.5), info)
        sent: Any = from_json(to_json(body))
        read = ChatCompletionStreamRequest.model_validate(sent)
        assert read.model_dump(mode="json", exclude_unset=True, by_alias=True) == sent, name


def test_no_message_of_the_user_follows_a_result() -> None:
    wire, info = (
        OpenAiChat(CATALOG["mistral"].quirks),
        model_info("mistral", "magistral-medium-latest"),
    )
    for name, messages in histories(info.id).items():
        roles = [
            m["role"] for m in wire.encode(asking(messages), settings("mistral"), info)["messages"]
        ]
        assert ("tool", "user") not in pairwise(roles), name


def seen_by_sdk(server: Server) -> Seen:
    text, thoughts, reason = "", "", ""
    calls: list[Any] = []
    used: Any = None
    client: Any = Mistral(api_key=KEY, server_url=server.url)
    with (
        client,
        client.chat.stream(
            model="scripted", messages=[{"role": "user", "content": "Hello"}]
        ) as events,
    ):
        for event in events:
            choice = event.data.choices[0]
            content = choice.delta.content
            parts: list[Any] = [content] if isinstance(content, str) else list(content or [])
            for part in parts:
                if isinstance(part, str):
                    text += part
                elif part.type == "thinking":
                    thoughts += "".join(thought.text for thought in part.thinking)
                else:
                    text += part.text
            calls += choice.delta.tool_calls or []
            reason = choice.finish_reason or reason
            used = event.data.usage or used
    assert used is not None
    return Seen(
        text=text,
        reasoning=thoughts,
        calls=[call(c.id, c.function.name, str(c.function.arguments)) for c in calls],
        stop_reason=REASONS[str(reason)],
        usage=usage(used.prompt_tokens or 0, used.completion_tokens or 0),
    )
