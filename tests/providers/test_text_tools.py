"""A model without tool calls of its own makes the same ones in text."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.messages import (
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.catalog import create_provider
from roo_code.providers.text_tools import TextToolsProvider, call_text, describe
from roo_code.stream import (
    ApiStream,
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)
from roo_code.testing import ModelServer, ScriptedProvider
from roo_code.testing.scripted_provider import DEFAULT_INFO
from tests.providers.requests import CONVERSATION, READ, request
from tests.providers.requests import settings as provider_settings
from tests.providers.services import HELLO

CALL = "<read_file>\n<path>a</path>\n</read_file>"


class Said(BaseProvider):
    """Says chunks as they are."""

    def __init__(self, *chunks: StreamChunk) -> None:
        self._chunks = chunks
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        self.asked.append(request)
        for chunk in self._chunks:
            yield chunk

    def model_info(self) -> ModelInfo:
        return ModelInfo(id="plain", supports_tools=False)


def texts(*parts: str, stop_reason: str | None = "end_turn") -> tuple[StreamChunk, ...]:
    deltas = (BlockDelta(0, "text", part) for part in parts)
    start = BlockStart(0, TextContent(text=""))
    return (MessageStart(), start, *deltas, BlockStop(0), MessageDelta(stop_reason), MessageStop())


async def reply(*chunks: StreamChunk, messages: Sequence[Message] = HELLO.messages) -> Message:
    asked = request(messages)
    stream = ApiStream(TextToolsProvider(Said(*chunks)).stream(asked))
    return await stream.get_final_message()


async def test_a_call_in_text_is_a_call() -> None:
    found = await reply(*texts("I look.\n\n", CALL[:9], CALL[9:], "\n\n", CALL))
    assert found.content == (
        TextContent(text="I look.\n\n"),
        ToolUseContent(id="call_1", name="read_file", input={"path": "a"}),
        ToolUseContent(id="call_2", name="read_file", input={"path": "a"}),
    )
    assert found.stop_reason == "tool_use"


async def test_the_ids_of_calls_go_on_from_those_before() -> None:
    found = await reply(*texts(CALL), messages=CONVERSATION)
    assert [call.id for call in found.tool_uses] == ["call_3"]


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", None])
async def test_a_call_without_an_end_is_never_whole(reason: str | None) -> None:
    cut = [CALL[:length] for length in range(len("<read_file>\n<"), len(CALL))]
    for text in cut:
        found = await reply(*texts(text, stop_reason=reason))
        assert all(call.invalid_input is not None for call in found.tool_uses)
    found = await reply(*texts(cut[-1], stop_reason=reason))
    assert found.stop_reason == ("max_tokens" if reason == "max_tokens" else "tool_use")


async def test_what_is_not_text_passes_through_in_its_place() -> None:
    native = ToolUseContent(id="n", name="read_file", input={"path": "b"})
    found = await reply(
        MessageStart({"input_tokens": 3}, "m"),
        BlockStart(0, ReasoningContent()),
        BlockDelta(0, "reasoning", "Hm. <stop>"),
        BlockDelta(0, "signature", "sig"),
        BlockStop(0),
        BlockStart(1, TextContent(text="First ")),
        BlockDelta(1, "text", "text."),
        BlockStart(2, native),
        BlockStop(2),
        BlockStart(3, TextContent(text="Second.")),
        MessageDelta(None, {"output_tokens": 4}),
        MessageStop(),
    )
    assert found.content == (
        ReasoningContent(text="Hm. <stop>", signature="sig"),
        TextContent(text="First text."),
        native,
        TextContent(text="Second."),
    )
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.output_tokens) == (3, 4)
    assert (found.model, found.stop_reason) == ("m", None)


async def test_the_history_is_plain_text_and_stays_the_same() -> None:
    inner = Said(*texts("Done."))
    provider = TextToolsProvider(inner)
    for _ in range(2):
        await ApiStream(provider.stream(request())).get_final_message()
    first, second = inner.asked
    assert first.tools == ()
    assert first.system_prompt == second.system_prompt
    assert first.system_prompt.startswith("Be brief.\n\n# Tools")
    assert [a is b for a, b in zip(first.messages, second.messages, strict=True)] == [True] * 3
    said, results = first.messages[1], first.messages[2]
    assert said.text == f'I look.\n\n{CALL}\n\n<read_file>\n{{"pa\n</read_file>'
    assert isinstance(said.content[0], ReasoningContent)
    assert results.content == (
        TextContent(text="[read_file] Result:\nA\n\n"),
        ImageContent(media_type="image/png", data="aGk="),
        TextContent(text="[read_file] Error:\nno JSON\n\n"),
        TextContent(text="And c?"),
    )


def test_a_tool_is_described_with_all_that_it_takes() -> None:
    schema: dict[str, Any] = {
        "properties": {
            "path": {"type": "string", "title": "Path", "description": "Where."},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        },
        "required": ["path"],
        "$defs": {"Line": {"type": "integer"}},
    }
    tool = ToolDefinition(name="read_file", description="Read.\n", input_schema=schema)
    assert describe([tool]).endswith(
        "## read_file\n"
        "Read.\n"
        "- path (required, text): Where.\n"
        '- lines (optional, {"type":"array","items":{"$ref":"#/$defs/Line"}})\n'
        '$defs: {"Line":{"type":"integer"}}\n'
    )


@settings(deadline=None)
@given(path=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r")))
async def test_a_call_written_as_the_model_is_to_write_it_is_the_same_call(path: str) -> None:
    call = ToolUseContent(id="call_1", name="read_file", input={"path": path})
    assert (await reply(*texts(call_text(call)))).content == (call,)


@pytest.mark.parametrize("protocol", [None, "xml", "native"])
@pytest.mark.parametrize("supports_tools", [True, False])
def test_model_or_settings_choose_the_protocol(protocol: str | None, supports_tools: bool) -> None:
    info = {} if supports_tools else {"supportsNativeTools": False}
    fields: dict[str, Any] = {"toolProtocol": protocol} if protocol else {}
    made = create_provider(
        provider_settings(
            "openai",
            api_key="k-123456",
            api_model_id="m",
            openAiCustomModelInfo={"contextWindow": 1, **info},
            **fields,
        )
    )
    wanted = not supports_tools if protocol is None else protocol == "xml"
    assert isinstance(made, TextToolsProvider) == wanted


async def test_an_agent_works_with_calls_in_text_over_the_wire() -> None:
    ends = "<attempt_completion>\n<result>Found < 3.</result>\n</attempt_completion>"
    replies = [f"I look.\n{CALL}", ends]
    async with ModelServer(replies) as server:
        chosen = ProviderSettings(
            api_provider="openai",
            api_key="k",
            api_base_url=f"{server.url}/v1",
            api_model_id="m",
            toolProtocol="xml",
        )
        client = RooClient(chosen)
        assert await Agent(client).run("Look.") == "Found < 3."
        await client.aclose()
    first, second = (sent.body for sent in server.requests)
    assert "tools" not in first
    assert "## read_file" in first["messages"][0]["content"]
    assert "[read_file] Error:" in str(second["messages"][-1]["content"])
    assert server.problems() == []


async def test_a_result_keeps_its_name_where_the_call_is_gone() -> None:
    inner = ScriptedProvider("Done.", info=DEFAULT_INFO)
    lonely = Message.from_tools([ToolResult(tool_use_id="gone", content="x")])
    await ApiStream(TextToolsProvider(inner).stream(request([lonely]))).get_final_message()
    assert inner.requests[0].messages[0].text == "[tool] Result:\nx\n\n"
    assert READ not in inner.requests[0].tools
