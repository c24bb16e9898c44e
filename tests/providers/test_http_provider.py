"""Wire formats over real HTTP, against a server that is as strict as the services."""

import asyncio
from typing import Any

import pytest

from roo_code.errors import ConnectionCut, ConnectionFailed, RooCodeError, TimedOut
from roo_code.messages import Message, ReasoningContent, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import ModelRequest
from roo_code.stream import ApiStream, BlockDelta
from roo_code.testing import ModelServer
from tests.providers.raw_server import answer, raw_server
from tests.providers.requests import CONVERSATION, READ
from tests.providers.services import HELLO, KEY, ask, provider_at

EACH = pytest.mark.parametrize("name", ["anthropic", "openai", "bedrock", "ollama"])
REPLY: dict[str, Any] = {
    "reasoning": "Hm, 你好.",
    "text": "Grüße 🎉, I look.",
    "tool_calls": [
        {"id": "a", "name": "read_file", "input": {"path": "ä"}},
        {"id": "b", "name": "list_files"},
    ],
    "usage": {"input_tokens": 50, "output_tokens": 9, "cache_read_tokens": 7},
}


@EACH
@pytest.mark.parametrize("write_size", [None, 1, 7])
async def test_a_reply_arrives_whole_however_its_bytes_are_split(
    name: str, write_size: int | None
) -> None:
    async with (
        ModelServer([{**REPLY, "write_size": write_size, "chunk_size": 3}], key=KEY) as server,
        provider_at(server.url, name) as provider,
    ):
        reply = await ask(provider)
    signature = "c2lnbmVk" if name in ("anthropic", "bedrock") else None
    assert reply.content == (
        ReasoningContent(text="Hm, 你好.", signature=signature),
        TextContent(text="Grüße 🎉, I look."),
        ToolUseContent(id="a", name="read_file", input={"path": "ä"}),
        ToolUseContent(id="b", name="list_files"),
    )
    assert server.problems() == []


@pytest.mark.requirement("stream:normalise:all-providers")
async def test_the_same_content_is_the_same_message_in_either_format() -> None:
    replies: list[dict[str, Any]] = [
        {**REPLY, "reasoning": ""},
        {**REPLY, "tool_calls": []},
        {"text": "Cut", "stop_reason": "max_tokens"},
    ]
    for reply in replies:
        found: list[Message] = []
        for name in ("anthropic", "openai"):
            async with ModelServer([reply]) as server, provider_at(server.url, name) as provider:
                found.append(await ask(provider))
        ours, theirs = (
            [b for b in m.content if not isinstance(b, ReasoningContent)] for m in found
        )
        assert ours == theirs
        assert found[0].stop_reason == found[1].stop_reason
        assert found[0].usage == found[1].usage


@EACH
async def test_every_kind_of_content_can_be_sent_back(name: str) -> None:
    asked = ModelRequest(system_prompt="Be brief.", messages=CONVERSATION, tools=(READ,))
    async with (
        ModelServer(["unused", "Done."], key=KEY) as server,
        provider_at(server.url, name, reasoning_effort="high") as provider,
    ):
        assert (await ask(provider, asked)).text == "Done."
    assert server.problems() == []


@EACH
async def test_one_connection_serves_many_turns(name: str) -> None:
    async with ModelServer(["One.", "Two."]) as server, provider_at(server.url, name) as provider:
        first = await ask(provider)
        messages = (*HELLO.messages, first, Message.from_user("And?"))
        second = await ask(provider, ModelRequest(system_prompt="", messages=messages))
    assert (first.text, second.text) == ("One.", "Two.")
    assert (server.connections, len(server.requests)) == (1, 2)


async def test_a_provider_may_be_used_in_one_event_loop_after_another() -> None:
    async with ModelServer(["One."]) as server, provider_at(server.url) as provider:

        def in_a_loop_of_its_own() -> str:
            async def run() -> str:
                reply = await ask(provider)
                await provider.aclose()
                return reply.text

            return asyncio.run(run())

        assert await asyncio.to_thread(in_a_loop_of_its_own) == "One."
        assert (await ask(provider)).text == "One."


@EACH
async def test_cancelling_closes_the_connection_at_once(name: str) -> None:
    hang = {"text": "a b c d", "chunk_size": 1, "faults": [{"kind": "hang", "after_chunks": 5}]}
    async with ModelServer([hang]) as server, provider_at(server.url, name) as provider:
        stream = ApiStream(provider.stream(HELLO))
        arrived = asyncio.Event()

        async def consume() -> None:
            async for chunk in stream.stream():
                if isinstance(chunk, BlockDelta):
                    arrived.set()

        consumer = asyncio.create_task(consume())
        async with asyncio.timeout(5):
            await arrived.wait()
            consumer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await consumer
            async with asyncio.timeout(1):
                await server.requests[0].client_gone.wait()
    assert not stream.complete


async def test_closing_the_stream_closes_the_connection() -> None:
    hang = {"text": "a b c d", "chunk_size": 1, "faults": [{"kind": "hang", "after_chunks": 5}]}
    async with ModelServer([hang]) as server, provider_at(server.url) as provider:
        stream = ApiStream(provider.stream(HELLO))
        async for chunk in stream.stream():
            if isinstance(chunk, BlockDelta):
                break
        await stream.aclose()
        async with asyncio.timeout(1):
            await server.requests[0].client_gone.wait()


@EACH
@pytest.mark.parametrize(
    "fault", ["drop", "cut", {"kind": "cut", "after_bytes": 1}, {"kind": "cut", "after_chunks": 3}]
)
async def test_a_lost_connection_is_a_cut(name: str, fault: Any) -> None:
    replies = [{"text": "A long reply.", "chunk_size": 2, "faults": [fault]}]
    async with ModelServer(replies) as server, provider_at(server.url, name) as provider:
        with pytest.raises(ConnectionCut) as raised:
            await ask(provider)
    assert f"{name} (127.0.0.1:" in str(raised.value)


async def test_a_reply_whose_end_is_lost_after_its_last_word_is_whole() -> None:
    said = b'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\n'
    cut = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n"
    async with raw_server(cut + said) as server, provider_at(server.url, "openai") as provider:
        assert (await ask(provider)).text == "Hi."


@pytest.mark.parametrize("fault", ["hang", {"kind": "hang", "after_chunks": 2}])
async def test_silence_times_out(fault: Any) -> None:
    replies = [{"text": "Hi.", "faults": [fault]}]
    async with (
        ModelServer(replies) as server,
        provider_at(server.url, request_timeout=0.05) as provider,
    ):
        with pytest.raises(TimedOut, match=r"sent nothing for 0\.05 s"):
            await ask(provider)


async def test_slow_is_not_silent() -> None:
    replies = [{"text": "Hi.", "faults": [{"kind": "slow", "seconds": 0.03}]}]
    async with (
        ModelServer(replies) as server,
        provider_at(server.url, request_timeout=1) as provider,
    ):
        assert (await ask(provider)).text == "Hi."


async def test_no_connection_names_the_address_and_the_reason() -> None:
    async with ModelServer([]) as server:
        url = server.url
    async with provider_at(f"{url}/?token=hidden") as provider:
        with pytest.raises(ConnectionFailed) as raised:
            await ask(provider)
    host = url.removeprefix("http://")
    assert str(raised.value) == f"Could not connect to anthropic ({host}): Connection refused."


async def test_no_message_holds_the_key_or_a_secret_header() -> None:
    echo = f"wrong key {KEY}, token tok-98765 and https://h/?q=1"
    body = f'{{"error": {{"message": "{echo}"}}}}'.encode()
    async with (
        raw_server(answer("401 Unauthorized", body, content_type="application/json")) as server,
        provider_at(server.url, headers={"X-Auth": "Bearer tok-98765"}) as provider,
    ):
        with pytest.raises(RooCodeError) as raised:
            await ask(provider)
        said = [repr(provider), repr(vars(provider)), str(raised.value), repr(raised.value)]
        assert "wrong key ***, token *** and" in str(raised.value)
    assert not [text for text in said if KEY in text or "tok-98765" in text]


async def test_what_is_not_text_in_a_file_can_still_be_sent() -> None:
    call = ToolUseContent(id="1", name="read_file", input={"path": "x"})
    messages = (
        Message.from_user("Read \ud800."),
        Message(role="assistant", content=(call,)),
        Message.from_tools([ToolResult(tool_use_id="1", content="caf\udce9 \x00 ok")]),
    )
    asked = ModelRequest(system_prompt="", messages=messages)
    for name in ("anthropic", "openai"):
        async with (
            ModelServer(["unused", "Read."]) as server,
            provider_at(server.url, name) as provider,
        ):
            assert (await ask(provider, asked)).text == "Read."
        assert "caf? \x00 ok" in str(server.requests[0].body["messages"]).replace("\\x00", "\x00")
