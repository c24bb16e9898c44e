import json
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from roo_code.errors import ConfigError, ProviderError
from roo_code.messages import (
    Message,
    ReasoningContent,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
)
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.recorder import RecordingProvider, RecordingWriter
from roo_code.providers.recording import ReplyLine, TimedChunk, read_recording
from roo_code.providers.replay import ReplayProvider
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

GOLDEN = Path(__file__).with_name("recording-1.jsonl")
MODEL = ModelInfo(id="m-1", context_window=1000, input_price=1.5)
TOOL = ToolDefinition(name="read_file", description="Reads.", input_schema={"default": None})
CALL = ToolUseContent(id="call-1", name="read_file")
CHUNKS: list[StreamChunk] = [
    MessageStart(usage={"input_tokens": 7}, model="m-1"),
    BlockStart(0, ReasoningContent()),
    BlockDelta(0, "reasoning", "Hmm. ☃"),
    BlockDelta(0, "signature", "sig"),
    BlockStop(0),
    BlockStart(1, TextContent(text="")),
    BlockDelta(1, "text", "Let me "),
    BlockDelta(1, "text", "look.\n"),
    BlockStop(1),
    BlockStart(2, CALL),
    BlockDelta(2, "json", '{"path": '),
    BlockDelta(2, "json", '"a.py"}'),
    BlockStop(2),
    MessageDelta("tool_use", {"output_tokens": 5}, 0.25),
    MessageStop(),
]


def timed(chunks: list[StreamChunk], step: int = 0) -> list[TimedChunk]:
    return [TimedChunk(number * step, chunk) for number, chunk in enumerate(chunks)]


def text_reply(text: str) -> list[StreamChunk]:
    return [
        MessageStart(),
        BlockStart(0, TextContent(text="")),
        BlockDelta(0, "text", text),
        BlockStop(0),
        MessageDelta("end_turn"),
        MessageStop(),
    ]


def request(replies: int = 0) -> ModelRequest:
    messages = [Message.from_user("Go.")]
    for number in range(replies):
        messages += [
            Message(role="assistant", content=(TextContent(text=f"reply {number}"),)),
            Message.from_user("And on."),
        ]
    return ModelRequest(system_prompt="Be kind.", messages=tuple(messages), tools=(TOOL,))


class Fixed(BaseProvider):
    """Says the same each time."""

    def __init__(self, chunks: list[StreamChunk]) -> None:
        self.chunks = chunks

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        for chunk in self.chunks:
            yield chunk

    def model_info(self) -> ModelInfo:
        return MODEL


async def reply_of(provider: BaseProvider, asked: ModelRequest) -> Message:
    return await ApiStream(provider.stream(asked)).get_final_message()


async def record(path: Path, *calls: tuple[ModelRequest, list[StreamChunk]]) -> None:
    writer = RecordingWriter(path, "fixed", MODEL)
    for asked, chunks in calls:
        recorder = RecordingProvider(Fixed(chunks), writer)
        assert [chunk async for chunk in recorder.stream(asked)] == chunks
    writer.close()


async def test_what_was_recorded_is_replayed_chunk_by_chunk(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(), CHUNKS))
    provider = ReplayProvider(read_recording(path), speed=0)
    assert [chunk async for chunk in provider.stream(request())] == CHUNKS
    assert provider.model_info() == MODEL


async def test_a_process_that_comes_later_gets_the_reply_of_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, *((request(n), text_reply(f"reply {n}")) for n in range(3)))
    for number in (2, 0, 1):
        provider = ReplayProvider(read_recording(path), speed=0)
        assert (await reply_of(provider, request(number))).text == f"reply {number}"


async def test_the_last_reply_counts_where_a_call_was_made_again(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(), text_reply("lost")), (request(), text_reply("kept")))
    provider = ReplayProvider(read_recording(path), speed=0)
    assert (await reply_of(provider, request())).text == "kept"


async def test_a_reply_that_was_cut_off_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(), CHUNKS[:-1]))
    recording = read_recording(path)
    assert len(list(recording.requests())) == 1
    assert recording.replies == {}


def includes(written: Any, golden: Any) -> bool:
    """Fields may be added to what is written, never changed or left out."""
    if isinstance(golden, dict):
        return all(
            key in written and includes(written[key], value)
            for key, value in cast(dict[str, Any], golden).items()
        )
    if isinstance(golden, list):
        items = cast(list[Any], golden)
        return len(items) == len(written) and all(map(includes, written, items))
    return written == golden


def test_what_is_written_is_version_1(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = RecordingWriter(path, "fixed", MODEL)
    writer.request(0, request())
    writer.reply(0, timed(CHUNKS, step=3))
    writer.tool_result(ToolResult(tool_use_id="call-1", content="text"))
    writer.request(1, request(1))
    writer.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["created"] = "2026-01-02T03:04:05Z"
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert all(map(includes, lines, golden))
    assert len(lines) == len(golden)
    assert oct(path.stat().st_mode & 0o777) == "0o600"


def test_version_1_is_read_for_ever() -> None:
    recording = read_recording(GOLDEN)
    assert recording.header.model == MODEL
    assert recording.replies[0].chunks == tuple(timed(CHUNKS, step=3))
    assert recording.results == {"call-1": ToolResult(tool_use_id="call-1", content="text")}
    assert list(recording.requests()) == [(0, request(0)), (1, request(1))]


async def test_requests_are_stored_as_what_changed_and_read_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    condensed = ModelRequest(
        system_prompt="Be brief.", messages=(Message.from_user("Summary."),), tools=(TOOL,)
    )
    asked = [request(0), request(1), condensed]
    await record(path, *((one, text_reply("ok")) for one in asked))
    read = [one for _, one in read_recording(path).requests()]
    assert [one.messages for one in read] == [one.messages for one in asked]
    assert [one.system_prompt for one in read] == ["Be kind.", "Be kind.", "Be brief."]
    assert [tuple(one.tools) for one in read] == [(TOOL,)] * 3


async def test_an_opened_recording_goes_on_behind_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(0), text_reply("reply 0")))
    with path.open("ab") as file:
        file.write(b'{"type":"request","index":1,"mess')
    assert set(read_recording(path).replies) == {0}
    await record(path, (request(1), text_reply("reply 1")))
    recording = read_recording(path)
    assert set(recording.replies) == {0, 1}
    assert [one.messages for _, one in recording.requests()] == [
        request(0).messages,
        request(1).messages,
    ]


async def test_a_last_line_without_its_newline_counts_if_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(0), text_reply("reply 0")))
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    assert set(read_recording(path).replies) == {0}
    await record(path, (request(1), text_reply("reply 1")))
    assert set(read_recording(path).replies) == {0, 1}


async def test_every_cut_of_the_file_is_whole_up_to_its_last_line(tmp_path: Path) -> None:
    path, cut = tmp_path / "run.jsonl", tmp_path / "cut.jsonl"
    await record(path, *((request(n), text_reply(f"reply {n}")) for n in range(2)))
    data = path.read_bytes()
    first_line = data.index(b"\n")
    for size in range(first_line, len(data), 7):
        cut.write_bytes(data[:size])
        assert set(read_recording(cut).replies) <= {0, 1}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (b"", "is not a recording"),
        (b"hello\n", "is not a recording"),
        (b'{"type":"recording","version":2}\n', "is of version 2; this program reads version 1"),
        (b'{"type":"reply","index":0,"chunks":[]}\n', "is not a recording"),
    ],
)
def test_a_file_that_is_no_recording_is_said_to_be_none(
    tmp_path: Path, damage: bytes, message: str
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(damage)
    with pytest.raises(ConfigError, match=message) as caught:
        read_recording(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"\xff\xfe",
        b'{"type":"reply","index":9}',
        b'{"type":"reply","index":9,"chunks":[{"ms":0,"type":"surprise"}]}',
        b'{"type":"reply","index":9,"chunks":[{"type":"message_stop"}]}',
        b'{"type":"reply","index":9,"chunks":["?"]}',
        b'{"type":"recording","version":1,"created":"2026-01-01T00:00:00Z","provider":"x",'
        b'"model":{"id":"m"}}',
    ],
)
async def test_damage_is_told_with_its_line_and_what_to_do(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(0), text_reply("reply 0")))
    path.write_bytes(path.read_bytes() + line + b"\n" + b"{}\n")
    with pytest.raises(ConfigError, match="damaged in line 4") as caught:
        read_recording(path)
    assert "before line 4" in caught.value.hint


def test_a_missing_file_is_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_recording(tmp_path / "none.jsonl")


async def test_a_call_that_was_not_recorded_is_refused_and_not_retried(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(0), text_reply("reply 0")))
    provider = ReplayProvider(read_recording(path), speed=0)
    with pytest.raises(ProviderError, match="holds 1 replies and none for model call 3") as caught:
        await reply_of(provider, request(2))
    assert not caught.value.retryable
    assert caught.value.hint


async def test_speed_is_a_multiple_of_the_recorded_pace(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = RecordingWriter(path, "fixed", MODEL)
    writer.reply(0, timed(text_reply("slow"), step=40))  # 200 ms in all
    writer.close()
    recording = read_recording(path)

    async def seconds(speed: float) -> float:
        began = time.monotonic()
        await reply_of(ReplayProvider(recording, speed=speed), request())
        return time.monotonic() - began

    assert await seconds(1) >= 0.2
    assert 0.05 <= await seconds(4) < 0.2
    assert await seconds(0) < 0.05


async def test_unknown_fields_of_a_later_minor_format_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, (request(0), text_reply("reply 0")))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["later"] = True
        for chunk in line.get("chunks", []):
            chunk["later"] = True
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    reply = read_recording(path).replies[0]
    assert isinstance(reply, ReplyLine)
    assert [chunk for _, chunk in reply.chunks] == text_reply("reply 0")
