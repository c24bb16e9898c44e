"""What we read from Ollama. The lines are as its documentation shows them."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import BadRequest, ConnectionCut, ConnectionFailed, ProtocolError, ServerFailed
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.providers.protocols.ollama_lines import OllamaDecoder
from roo_code.testing import ModelServer
from tests.providers.raw_server import answer, raw_server
from tests.providers.replies import chunks_of, message_of
from tests.providers.services import ask, provider_at

FIXTURES = Path(__file__).parent / "fixtures" / "ollama_chat"
END: dict[str, Any] = {"message": {"role": "assistant", "content": ""}, "done": True}


async def read(*lines: Any) -> Message:
    sent = [(json.dumps(line) if line != "no json" else line).encode() + b"\n" for line in lines]
    return await message_of(chunks_of(OllamaDecoder("ollama"), sent))


async def fixture(name: str) -> Message:
    sent = (FIXTURES / f"{name}.ndjson").read_bytes()
    return await message_of(chunks_of(OllamaDecoder("ollama"), [sent]))


def said(**message: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": False}


async def test_calls_side_by_side_whole_with_their_ids() -> None:
    assert await fixture("parallel_tools") == Message(
        role="assistant",
        content=(
            TextContent(text="I look at both."),
            ToolUseContent(
                id="call_p1",
                name="read_file",
                input={"path": "a/ü.txt", "lines": [1, 2.5], "deep": {"x": None}},
            ),
            ToolUseContent(id="call_p2", name="list_files"),
        ),
        stop_reason="tool_use",
        usage=Usage(input_tokens=169, output_tokens=15),
        model="qwen3",
    )


async def test_calls_without_ids_get_ours() -> None:
    reply = await fixture("tools_without_ids")
    assert [(c.id, c.input) for c in reply.tool_uses] == [
        ("ollama-tool-1", {"path": "a"}),
        ("ollama-tool-2", {"path": "b"}),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        [said(thinking="Hm, "), said(thinking="yes."), said(content="Hi.")],
        [said(content="<think>Hm, "), said(content="yes.</th"), said(content="ink>\n\nHi.")],
    ],
)
async def test_thinking_is_told_from_the_answer(reply: list[Any]) -> None:
    found = await read(*reply, END)
    assert found.content == (ReasoningContent(text="Hm, yes."), TextContent(text="Hi."))


async def test_the_end_of_the_room_is_told() -> None:
    reply = await fixture("length")
    assert (reply.text, reply.stop_reason) == ("As far as this", "max_tokens")


async def test_a_prompt_that_was_all_cached_counts_nothing() -> None:
    assert (await fixture("cached_prompt")).usage == Usage(output_tokens=2)


async def test_a_last_line_without_its_end_is_read() -> None:
    sent = [json.dumps(said(content="Hi.")).encode() + b"\n", json.dumps(END).encode()]
    assert (await message_of(chunks_of(OllamaDecoder("o"), sent))).text == "Hi."


@pytest.mark.requirement("stream:abort:partial")
@pytest.mark.parametrize("length", range(4))
async def test_a_reply_that_ends_early_was_cut(length: int) -> None:
    lines = (FIXTURES / "parallel_tools.ndjson").read_bytes().splitlines(keepends=True)
    with pytest.raises(ConnectionCut, match="ollama ended its reply before it was complete"):
        await message_of(chunks_of(OllamaDecoder("ollama"), lines[:length]))


async def test_an_error_between_the_lines_is_a_failure() -> None:
    with pytest.raises(ServerFailed, match="ollama: an error was encountered while running"):
        await fixture("errors/runner_failed")


@pytest.mark.parametrize(
    "wrong",
    [
        "no json",
        [1],
        {"message": "Hi."},
        said(content=5),
        said(thinking=["x"]),
        said(tool_calls={}),
        said(tool_calls=[{"function": {"arguments": {}}}]),
        said(tool_calls=[{"function": {"name": "x", "arguments": [1]}}]),
        {**END, "eval_count": "many"},
        {**END, "done_reason": 1},
    ],
)
async def test_a_wrong_shape_is_a_protocol_error(wrong: Any) -> None:
    with pytest.raises(ProtocolError):
        await read(wrong, END)


async def test_arguments_as_a_text_are_read_or_kept() -> None:
    (good,) = (await read(said(tool_calls=[named("x", '{"a": 1}')]), END)).tool_uses
    (bad,) = (await read(said(tool_calls=[named("x", '{"a"')]), END)).tool_uses
    assert (good.input, bad.invalid_input) == ({"a": 1}, '{"a"')


def named(name: str, arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


async def test_a_model_that_is_not_there_can_be_pulled() -> None:
    body = b'{"error":"model \'scripted\' not found"}'
    missing = answer("404 Not Found", body, content_type="application/json")
    async with raw_server(missing) as server, provider_at(server.url, "ollama") as provider:
        with pytest.raises(BadRequest, match="model 'scripted' not found") as raised:
            await ask(provider)
    assert "`ollama pull scripted`" in raised.value.hint


async def test_a_server_that_is_not_there_can_be_started() -> None:
    async with ModelServer([]) as server:
        url = server.url
    async with provider_at(url, "ollama") as provider:
        with pytest.raises(ConnectionFailed) as raised:
            await ask(provider)
    assert "`ollama serve`" in raised.value.hint
