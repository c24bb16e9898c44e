"""RooClient: settings in, a stream out."""

from typing import Any

import pytest
from pydantic import BaseModel

from roo_code.client import RooClient
from roo_code.errors import AuthenticationFailed
from roo_code.messages import (
    ImageContent,
    Message,
    TextContent,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import ModelInfo
from roo_code.providers.retry import RetryPolicy
from roo_code.stream import ApiStream
from roo_code.testing import ModelServer, ScriptedProvider, scripted_client
from roo_code.tools import Tool, ToolContext
from tests.providers.requests import settings

HELLO = [Message.from_user("Hello")]


class EchoInput(BaseModel):
    text: str


class Echo(Tool[EchoInput]):
    name = "echo"
    description = "Say it again."
    group = "read"
    input_type = EchoInput

    async def execute(self, arguments: EchoInput, context: ToolContext) -> str:
        return arguments.text


def client_at(server: ModelServer, **fields: Any) -> RooClient:
    known = {"api_key": "k", "api_base_url": server.url, "api_model_id": "m"}
    return RooClient(
        settings("anthropic", **{**known, **fields}), retry=RetryPolicy(base=0, jitter=0)
    )


@pytest.mark.requirement("client:create-message:signature")
async def test_a_message_is_created_as_a_stream() -> None:
    async with ModelServer(["Hi there."]) as server:
        client = client_at(server)
        stream = client.create_message(
            system_prompt="Be brief.", messages=HELLO, tools=[Echo()], metadata={"task_id": "t"}
        )
        assert isinstance(stream, ApiStream)
        assert server.requests == []  # nothing is sent before it is read
        assert (await stream.get_final_message()).text == "Hi there."
        await client.aclose()
    sent = server.requests[0].body
    assert sent["system"][0]["text"] == "Be brief."
    assert sent["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    }


async def test_metadata_and_tools_reach_the_provider() -> None:
    client = scripted_client("Hi.")
    await client.create_message("", HELLO, [Echo()], {"task_id": "t"}).get_final_message()
    request = client.requests[0]
    assert request.metadata == {"task_id": "t"}
    assert [tool.name for tool in request.tools] == ["echo"]


async def test_a_tool_is_described_once_and_for_all_turns() -> None:
    client = scripted_client("a", "b")
    echo = Echo()
    for _ in range(2):
        await client.create_message("", HELLO, [echo]).get_final_message()
    first, second = (request.tools[0] for request in client.requests)
    assert first is second


async def test_a_failure_that_may_pass_is_retried() -> None:
    async with ModelServer([{"text": "Hi.", "faults": [529, "drop"]}]) as server:
        client = client_at(server)
        assert (await client.create_message("", HELLO).get_final_message()).text == "Hi."
        await client.aclose()
    assert len(server.requests) == 3


async def test_how_often_is_a_setting() -> None:
    async with ModelServer([{"text": "Hi.", "faults": [529]}]) as server:
        client = RooClient(client_at(server, max_attempts=1).settings)
        with pytest.raises(Exception, match="answered 529"):
            await client.create_message("", HELLO).get_final_message()
        await client.aclose()


@pytest.mark.requirement("stream:usage:live")
async def test_usage_can_be_read_while_the_reply_arrives() -> None:
    reply = {"text": "a b c", "usage": {"input_tokens": 7, "output_tokens": 3}}
    async with ModelServer([reply]) as server:
        client = client_at(server)
        stream = client.create_message("", HELLO)
        seen = [stream.usage.total_tokens async for _ in stream.stream()]
        await client.aclose()
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (8, 10)


async def test_a_wrong_key_is_told_without_the_key() -> None:
    async with ModelServer(["Hi."], key="right-key") as server:
        client = client_at(server, api_key="wrong-key")
        with pytest.raises(AuthenticationFailed) as raised:
            await client.create_message("", HELLO).get_final_message()
        assert "wrong-key" not in repr((raised.value, client.settings, vars(client)))
        await client.aclose()


PRICED = ModelInfo(id="m", max_output_tokens=1000, input_price=3, output_price=15)


def reply_of(usage: Usage | None) -> Message:
    return Message(role="assistant", content=(TextContent(text="x" * 300),), usage=usage)


def test_an_estimate_without_a_reply_counts_everything() -> None:
    client = scripted_client(provider=ScriptedProvider(info=PRICED))
    image = ImageContent(media_type="image/png", data="a" * 9000)
    messages = [Message.from_user("x" * 300, [image])]
    guess = client.estimate("y" * 30, messages)
    assert (guess.input_tokens, guess.output_tokens) == (110 + 1600, 1000)
    assert guess.cost == pytest.approx(0.02013)
    assert client.estimate("", [Message.from_user("你好\ud800")]).input_tokens == 3


def test_an_estimate_stands_on_the_last_reply() -> None:
    client = scripted_client(provider=ScriptedProvider(info=PRICED))
    used = Usage(input_tokens=100, output_tokens=20, cache_read_tokens=5000, cache_write_tokens=80)
    call = ToolUseContent(id="1", name="echo", input={"text": "hi"})
    messages = [
        Message.from_user("x" * 100_000),
        reply_of(used),
        Message.from_tools([ToolResult(tool_use_id="1", content="z" * 300)]),
    ]
    assert client.estimate("y" * 30_000, messages).input_tokens == 5200 + 100
    without_usage = Message(role="assistant", content=(call,))
    assert client.estimate("", [*messages, without_usage]).input_tokens == 5200 + 106


def test_an_estimate_allows_for_a_cache_that_must_be_written_anew() -> None:
    cached = ModelInfo(id="m", input_price=3, output_price=15, cache_write_price=4)
    client = scripted_client(provider=ScriptedProvider(info=cached))
    used = Usage(cache_read_tokens=1_000_000)
    cost = client.estimate("", [*HELLO, reply_of(used)]).cost
    assert cost == pytest.approx(4 + 8192 * 15 / 1_000_000)


def test_an_estimate_of_an_unknown_model_has_no_cost() -> None:
    client = scripted_client(provider=ScriptedProvider(info=ModelInfo(id="m")))
    assert client.estimate("", HELLO) == Usage(input_tokens=2, output_tokens=8192)


@pytest.mark.requirement("providers:cost:per-request")
def test_a_reply_is_priced_by_the_service_or_by_the_list() -> None:
    client = scripted_client(provider=ScriptedProvider(info=PRICED))
    used = Usage(input_tokens=1_000_000, output_tokens=100_000)
    priced = client.priced(reply_of(used)).usage
    assert priced == used.replace(cost=4.5)
    told = reply_of(Usage(input_tokens=1, cost=0.25))
    assert client.priced(told) is told
    silent = reply_of(None)
    assert client.priced(silent) is silent


async def test_what_a_router_charges_is_the_cost() -> None:
    reply = {"text": "Hi.", "usage": {"input_tokens": 5, "output_tokens": 2, "cost": 0.125}}
    async with ModelServer([reply], extra_fields={"usage"}) as server:
        client = RooClient(
            settings("openrouter", api_key="k", api_base_url=server.url, api_model_id="m")
        )
        found = client.priced(await client.create_message("", HELLO).get_final_message())
        await client.aclose()
    assert found.usage == Usage(input_tokens=5, output_tokens=2, cost=0.125)
