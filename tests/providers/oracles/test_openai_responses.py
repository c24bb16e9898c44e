"""Responses read by ours and by OpenAI's SDK alike."""

from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

from roo_code.errors import (
    BadRequest,
    ContextTooLong,
    QuotaExceeded,
    RateLimited,
    ServerFailed,
)
from roo_code.messages import ReasoningContent, TextContent
from roo_code.providers.models import model_info
from roo_code.providers.protocols.openai_responses import OpenAiResponses
from tests.providers.histories import asking, histories
from tests.providers.oracles.seen import Seen, call, fixtures, names, seen_by_us, usage
from tests.providers.oracles.serving import Server, serving, stream
from tests.providers.oracles.typed_dicts import problems
from tests.providers.requests import settings
from tests.providers.services import KEY, ask, provider_at

REPLIES = fixtures("openai_responses")
ERRORS = {
    "failed_server": ServerFailed,
    "failed_rate": RateLimited,
    "failed_prompt": BadRequest,
    "failed_image": BadRequest,
    "failed_context": ContextTooLong,
    "error_event": ServerFailed,
    "error_quota": QuotaExceeded,
}
INCOMPLETE = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


@pytest.mark.requirement("providers:usage:extracted")
@pytest.mark.parametrize("path", REPLIES, ids=names(REPLIES))
async def test_reads_a_reply_as_the_sdk_does(path: Path) -> None:
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "openai-native") as provider:
            ours = await ask(provider)
        theirs = seen_by_sdk(server)
    assert seen_by_us(ours) == theirs


async def test_ids_and_phases_are_kept_for_the_next_turn() -> None:
    path = next(path for path in REPLIES if path.stem == "reasoning_tools")
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "openai-native") as provider:
            ours = await ask(provider)
    thought, said = ours.content[:2]
    assert isinstance(thought, ReasoningContent)
    assert isinstance(said, TextContent)
    assert thought.id == "rs_6820f383d7c08191846711c5df8233bc0ac5ba57aafcbac7"
    assert said.signature == "commentary"


@pytest.mark.parametrize("name", ERRORS)
async def test_an_error_within_the_stream_is_one_for_both(name: str) -> None:
    path = REPLIES[0].parent / "errors" / f"{name}.sse"
    with serving(stream(path.read_bytes())) as server:
        async with provider_at(server.url, "openai-native") as provider:
            with pytest.raises(ERRORS[name]):
                await ask(provider)
        with pytest.raises(openai.APIError):
            seen_by_sdk(server)


MODELS = ("gpt-5.1-codex-max", "gpt-5.1", "gpt-4.1", "o3-mini-high", "gpt-99")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5, "max_tokens": 4000, "openAiNativeServiceTier": "flex"},
    {"reasoning_effort": "high", "verbosity": "low"},
    {"reasoning_effort": "disable"},
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_requests_are_what_the_sdk_types_say(model: str, options: dict[str, Any]) -> None:
    wire, info = OpenAiResponses(), model_info("openai-native", model)
    for name, messages in histories(model).items():
        body = wire.encode(asking(messages), settings("openai-native", **options), info)
        assert list(problems(body, ResponseCreateParamsStreaming)) == [], name


def seen_by_sdk(server: Server) -> Seen:
    response: Any = final_response(server)
    messages = [item for item in response.output if item.type == "message"]
    thoughts = [item for item in response.output if item.type == "reasoning"]
    parts = [part for message in messages for part in message.content]
    used = response.usage
    assert used is not None
    return Seen(
        text="".join(part.text if part.type == "output_text" else part.refusal for part in parts),
        reasoning="".join(
            "\n\n".join(part.text for part in summary_of(thought)) for thought in thoughts
        ),
        calls=[
            call(item.call_id, item.name, item.arguments)
            for item in response.output
            if item.type == "function_call"
        ],
        stop_reason=stop_reason(response),
        usage=usage(
            used.input_tokens,
            used.output_tokens,
            read=used.input_tokens_details.cached_tokens,
            written=used.input_tokens_details.cache_write_tokens,
            reasoning=used.output_tokens_details.reasoning_tokens,
        ),
        signatures=tuple(t.encrypted_content for t in thoughts if t.encrypted_content),
    )


def summary_of(thought: Any) -> list[Any]:
    return list(thought.summary or thought.content or ())


def stop_reason(response: Any) -> str:
    if response.incomplete_details:
        return INCOMPLETE[response.incomplete_details.reason or ""]
    kinds = [item.type for item in response.output]
    refuses = any(
        part.type == "refusal"
        for item in response.output
        if item.type == "message"
        for part in item.content
    )
    return "refusal" if refuses else "tool_use" if "function_call" in kinds else "end_turn"


def final_response(server: Server) -> Any:
    """The whole reply, after a check that its pieces say the same."""
    told = ""
    final: Any = None
    client: Any = openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", max_retries=0)
    with client, client.responses.create(model="scripted", input="Hello", stream=True) as events:
        for event in events:
            if event.type == "response.output_text.delta":
                told += event.delta
            elif event.type in ("response.completed", "response.incomplete"):
                final = event.response
            elif event.type == "response.failed":
                error = event.response.error
                assert error is not None
                raise openai.APIError(error.message, events.response.request, body=error)
            elif event.type == "error":
                raise openai.APIError(event.message, events.response.request, body=None)
    assert final is not None
    assert not told or told == final.output_text
    return final
