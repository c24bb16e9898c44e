"""Recordings as regression tests, of our own agent by our own helper."""

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.errors import ProviderError, ReplayDiverged
from roo_code.events import Event, EventRecord, QuestionAnswered, QuestionAsked, ToolStarted
from roo_code.json_text import JsonValue
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent
from roo_code.policy.approval import CallFacts, Verdict, refuse
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.places import Places, comparable
from roo_code.providers.recording import place
from roo_code.providers.run_recorder import RecordedCall, RunRecorder
from roo_code.stream import StreamChunk
from roo_code.task.artifacts import TaskArtifacts
from roo_code.testing import replayed
from roo_code.testing.scripted_provider import as_chunks
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

INFO = ModelInfo(id="model-1", input_price=1, output_price=2)
Turn = Callable[[ModelRequest], Message]


def calls(name: str, id: str = "c", **input: JsonValue) -> Turn:
    call = ToolUseContent(id=f"{id}-{name}", name=name, input=input)
    return lambda _: Message(role="assistant", content=(TextContent(text="So."), call))


def done(result: str) -> Turn:
    return calls("attempt_completion", result=result)


class Model(BaseProvider):
    """Says what its turns make of the request."""

    def __init__(self, *turns: Turn) -> None:
        self._turns = turns

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        for chunk in as_chunks(self._turns[place(request)](request), INFO.id):
            yield chunk

    def model_info(self) -> ModelInfo:
        return INFO


async def record(
    path: Path, workspace: Path, *turns: Turn, more: tuple[str, ...] = ()
) -> tuple[list[Event], Places]:
    """A task as it was recorded, elsewhere."""
    workspace.mkdir(exist_ok=True)
    kept = TaskArtifacts(workspace.parent / "artifacts-of-then")
    places = Places.here(workspace, kept.folder)
    settings = ProviderSettings(api_provider="scripted", api_model_id="model-1")
    recorder = RunRecorder(path)
    call = RecordedCall(task_id="t", is_subtask=False, settings=settings, places=places)
    agent = Agent(
        RooClient(settings, provider=recorder.recorded(Model(*turns), call)),
        context=ToolContext(workspace=Workspace(workspace, (kept.folder,)), artifacts=kept),
        max_iterations=None,
    )
    events: list[Event] = []
    for prompt in (f"Work in {workspace}", *more):
        async for event in agent.iter(prompt):
            events.append(event)
            recorder.note(EventRecord(task_id="t", seq=0, at=datetime.now(UTC), event=event))
            if isinstance(event, QuestionAsked):
                answer = QuestionAnswered(tool_use_id=event.tool_use_id, answer="blue")
                agent.history.apply(answer)
    recorder.close()
    return events, places


async def test_a_recording_is_run_again_in_another_folder(tmp_path: Path) -> None:
    path, then = tmp_path / "run.jsonl", tmp_path / "then"
    events, places = await record(
        path,
        then,
        calls("write_to_file", path=str(then / "a.txt"), content="hi\n"),
        calls("execute_command", id="d", command=f"cat {then}/a.txt; pwd"),
        done(f"It is in {then}."),
    )
    async with replayed(path) as run:
        assert run.divergences == ()
        assert run.answer == f"It is in {run.workspace}."
        assert (run.workspace / "a.txt").read_text(encoding="utf-8") == "hi\n"
        assert run.comparable() == comparable(events, places)
    assert not run.workspace.exists()


def read_artifact(request: ModelRequest) -> Message:
    result = request.messages[-1].content[-1]
    assert isinstance(result, ToolResult)
    name = re.findall(r"Artifact ID: (\S+)\n", result.content)[0]
    return calls("read_command_output", id="r", artifact_id=name)(request)


async def test_files_with_new_names_are_found_under_them(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    long = calls("execute_command", command="seq 1 3000")
    events, places = await record(path, tmp_path / "then", long, read_artifact, done("Read."))
    async with replayed(path, strict=True) as run:
        read = [event.call.input for event in run.events if isinstance(event, ToolStarted)][1]
        assert (Path(run.places.folders["artifacts"]) / str(read["artifact_id"])).is_file()
        assert run.comparable() == comparable(events, places)


async def test_recorded_results_run_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    marker = tmp_path / "marker"
    await record(
        path, tmp_path / "then", calls("execute_command", command=f"touch {marker}"), done("Ok.")
    )
    marker.unlink()
    async with replayed(path, tools="recorded", strict=True) as run:
        assert run.answer == "Ok."
        assert list(run.workspace.iterdir()) == []
    assert not marker.exists()


async def test_what_changed_is_told(tmp_path: Path) -> None:
    path, then, now = tmp_path / "run.jsonl", tmp_path / "then", tmp_path / "now"
    for folder, text in ((then, "one\n"), (now, "two\n")):
        folder.mkdir()
        (folder / "a.txt").write_text(text, encoding="utf-8")
    await record(path, then, calls("read_file", path="a.txt"), done("Read."))
    async with replayed(path, workspace=now) as run:
        (found,) = run.divergences
        assert (found.turn, run.answer) == (2, "Read.")
        assert "-1 | one\n+1 | two" in found.diff
    with pytest.raises(ReplayDiverged, match="At model call 2"):
        async with replayed(path, workspace=now, strict=True):
            pass
    async with replayed(path, workspace=then, prompt="Something else") as run:
        assert run.divergences[0].turn == 1


async def test_the_users_part_is_played_too(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    asks = calls("ask_followup_question", question="Which?", follow_up=["red", "blue"])

    def answers(request: ModelRequest) -> Message:
        assert "blue" in str(request.messages)
        return done("Blue.")(request)

    def last(request: ModelRequest) -> Message:
        return Message(role="assistant", content=(TextContent(text="Sure."),))

    await record(path, tmp_path / "then", asks, answers, last, more=("Sure?",))
    for tools in ("real", "recorded"):
        async with replayed(path, tools=tools, strict=True) as run:
            assert run.answer == "Sure."
            assert any(isinstance(event, QuestionAnswered) for event in run.events)


async def test_an_approver_may_refuse(tmp_path: Path) -> None:
    class Nothing:
        async def decide(self, facts: CallFacts) -> Verdict:
            return refuse(facts, "not here")

    path = tmp_path / "run.jsonl"
    await record(path, tmp_path / "then", calls("execute_command", command="true"), done("Ok."))
    async with replayed(path, approver=Nothing()) as run:
        assert not any(
            isinstance(event, ToolStarted) and event.call.name == "execute_command"
            for event in run.events
        )
        assert "not here" in run.divergences[0].diff


async def test_a_recording_that_ends_too_early_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, tmp_path / "then", calls("execute_command", command="true"), done("Ok."))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    with pytest.raises(ProviderError, match="holds 1 replies and none for model call 2"):
        async with replayed(path):
            pass


USERS_TEST = """\
from roo_code.testing import recording_fixture

fix = recording_fixture("fix.jsonl", project="calc")
again = recording_fixture("fix.jsonl", tools="recorded", strict=True)


def test_calc_is_mended(fix):
    assert fix.divergences == (), fix.divergences[0]
    assert fix.answer == "It adds now."
    assert "a + b" in (fix.workspace / "calc.py").read_text()


async def test_with_a_loop(again):
    assert again.answer == "It adds now."
"""


async def test_a_recording_is_a_fixture_of_users_tests(tmp_path: Path) -> None:
    (tmp_path / "calc").mkdir()
    (tmp_path / "calc" / "calc.py").write_text("def add(a, b):\n    return a - b\n", "utf-8")
    then = tmp_path / "then"
    shutil.copytree(tmp_path / "calc", then)
    fixed = "def add(a, b):\n    return a + b\n"
    await record(
        tmp_path / "fix.jsonl",
        then,
        calls("read_file", path="calc.py"),
        calls("write_to_file", path="calc.py", content=fixed),
        done("It adds now."),
    )
    (tmp_path / "test_calc.py").write_text(USERS_TEST, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [*command, "-o", "asyncio_mode=auto", "test_calc.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout
