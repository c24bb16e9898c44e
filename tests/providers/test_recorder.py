from pathlib import Path

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.events import (
    ApprovalDecided,
    Event,
    MessageAdded,
    TaskCreated,
    TaskSpec,
    ToolFinished,
    TurnStarted,
)
from roo_code.messages import (
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.providers.afterwards import record_log, record_missing, untimed
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.places import Places
from roo_code.providers.recorder import RecordingWriter, check_target
from roo_code.providers.recording import ToolResultLine, read_recording
from roo_code.providers.run_recorder import RecordedCall, RunRecorder
from roo_code.stream import ApiStream
from roo_code.testing.scripted_provider import ScriptedProvider
from tests.cli.records import records

MODEL = ModelInfo(id="m-1")
CALL = ToolUseContent(id="c1", name="read_file", input={"path": "a.py"})
DECIDED = ApprovalDecided(tool_use_id="c1", approved=True, by="user", reason="fine")
REPLY = Message(
    role="assistant",
    content=(
        ReasoningContent(text="Hm.", signature="sig"),
        ReasoningContent(redacted="secret"),
        TextContent(text="Let me look."),
        CALL,
        ToolUseContent(id="c2", name="read_file", invalid_input='{"path": '),
    ),
    stop_reason="tool_use",
    usage=Usage(input_tokens=5, output_tokens=3, cost=0.25),
    model="m-1",
)
RESULTS = (
    ToolResult(tool_use_id="c1", content="text"),
    ToolResult(tool_use_id="c2", content="not JSON", is_error=True),
)
LAST = Message(role="assistant", content=(TextContent(text="Done."),), usage=Usage())


def log() -> list[Event]:
    return [
        TaskCreated(spec=TaskSpec(prompt="Look", workspace="/w")),
        TurnStarted(turn=1),
        MessageAdded(message=REPLY),
        DECIDED,
        *(ToolFinished(result=result) for result in RESULTS),
        TurnStarted(turn=2),
        MessageAdded(message=LAST),
        MessageAdded(message=Message.from_user("And?")),
    ]


def history() -> list[Message]:
    return [
        Message.from_user("Look"),
        REPLY,
        Message.from_tools(RESULTS),
        LAST,
        Message.from_user("And?"),
    ]


def frame(spec: TaskSpec) -> ModelRequest:
    return ModelRequest(system_prompt=f"In {spec.workspace}", messages=())


async def test_a_message_told_as_chunks_is_the_message_again() -> None:
    async def chunks():
        for _, chunk in untimed(REPLY):
            yield chunk

    assert await ApiStream(chunks()).get_final_message() == REPLY


def test_a_log_becomes_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = RecordingWriter(path, "p", MODEL)
    assert record_log(writer, log(), frame) == 2
    writer.close()
    recording = read_recording(path)
    requests = dict(recording.requests())
    assert requests[0].system_prompt == "In /w"
    assert list(requests[1].messages) == history()[:3]
    assert sorted(recording.replies) == [0, 1]
    lines = [line for line in recording.lines if isinstance(line, ToolResultLine)]
    assert [line.decision for line in lines] == [DECIDED, None]
    assert [line.result for line in lines] == list(RESULTS)


def test_a_history_fills_in_what_was_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = RecordingWriter(path, "p", MODEL)
    request = ModelRequest(system_prompt="S", messages=tuple(history()))
    record_missing(writer, request)
    size = path.stat().st_size
    record_missing(writer, request)
    writer.close()
    assert path.stat().st_size == size, "once"
    recording = read_recording(path)
    assert sorted(recording.replies) == [0, 1]
    assert list(dict(recording.requests())[1].messages) == history()[:3]
    assert list(recording.results.values()) == list(RESULTS)


async def test_a_run_is_recorded_with_its_decisions_and_its_subtasks_apart(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = RunRecorder(path)
    for task_id, said in (("main", "One."), ("sub", "Two.")):
        provider = recorder.recorded(
            ScriptedProvider(said, info=MODEL),
            RecordedCall(
                task_id=task_id,
                is_subtask=task_id == "sub",
                settings=ProviderSettings(api_provider="p", api_model_id="m-1"),
                places=Places({"workspace": "/w"}),
            ),
        )
        asked = ModelRequest(system_prompt="", messages=(Message.from_user(task_id),))
        await ApiStream(provider.stream(asked)).get_final_message()
        for record in records(DECIDED, ToolFinished(result=RESULTS[0]), task_id=task_id):
            recorder.note(record)
    recorder.close()
    recording = read_recording(path)
    assert (recording.header.task, recording.subtasks) == ("main", ("sub",))
    assert recording.header.settings == {"api_provider": "p", "api_model_id": "m-1"}
    for task in (None, "sub"):
        lines = list(recording.of_task(task))
        assert [line.type for line in lines] == ["request", "reply", "tool_result"]
        assert isinstance(lines[2], ToolResultLine)
        assert lines[2].decision == DECIDED


async def test_keys_and_headers_of_the_settings_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = RunRecorder(path)
    settings = ProviderSettings.read(
        {
            "api_provider": "p",
            "api_key": "planted-key-value",
            "headers": {"X-Api-Token": "planted-header-value", "X-Name": "plain-header-value"},
            "awsSecretKey": "planted-option-value",
        }
    )
    said = "planted-key-value planted-header-value plain-header-value planted-option-value"
    provider = recorder.recorded(
        ScriptedProvider(said, info=MODEL),
        RecordedCall(task_id="t", is_subtask=False, settings=settings, places=Places({})),
    )
    asked = ModelRequest(system_prompt=said, messages=(Message.from_user(said),))
    reply = await ApiStream(provider.stream(asked)).get_final_message()
    recorder.close()
    assert reply.text == said, "only the recording is without them"
    data = path.read_text(encoding="utf-8")
    assert "planted" not in data
    assert data.count("plain-header-value") == 3


def test_one_process_at_a_time_writes_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = RecordingWriter(path, "p", MODEL)
    with pytest.raises(ConfigError, match="is being written by another process"):
        check_target(path, goes_on=True)
    with pytest.raises(ConfigError, match="is being written by another process"):
        RecordingWriter(path, "p", MODEL)
    writer.close()
    RecordingWriter(path, "p", MODEL).close()


def test_a_full_disk_ends_the_run_and_is_told() -> None:
    writer = RecordingWriter(Path("/dev/full"), "p", MODEL)
    writer.tool_result(RESULTS[0])  # comes from the log, which must not suffer
    with pytest.raises(ConfigError, match="cannot be written: No space left"):
        writer.request(0, ModelRequest(system_prompt="", messages=()))
    with pytest.raises(ConfigError, match="cannot be written: No space left"):
        writer.close()


def test_a_recording_goes_on_only_with_its_own_task(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    RecordingWriter(path, "p", MODEL, task="one").close()
    with pytest.raises(ConfigError, match="is that of another task"):
        RecordingWriter(path, "p", MODEL, task="two")
    RecordingWriter(path, "p", MODEL, task="one").close()
    with pytest.raises(ConfigError, match="exists already"):
        check_target(path, goes_on=False)
