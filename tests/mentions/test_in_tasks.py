"""Mentions through the real composition: read once, kept in the log, the same ever after."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.compose import Composition, HostOptions, open_host
from roo_code.commands import AnswerQuestion, SendMessage, StartTask
from roo_code.errors import RateLimited
from roo_code.events import Event, MentionsRead, RunCompleted, TaskSpec
from roo_code.json_text import JsonValue
from roo_code.messages import ENVIRONMENT_TAG, TextContent, ToolUseContent
from roo_code.task.host import until_pause
from roo_code.testing import ScriptedProvider
from tests.wellformed import problems


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\n")
    (folder / "b.txt").write_text("beta\n")
    return folder


@asynccontextmanager
async def composed(provider: ScriptedProvider, tmp_path: Path) -> AsyncGenerator[Composition]:
    options = HostOptions(folder=tmp_path / "state", provider=lambda _: provider)
    async with open_host(options) as composition:
        yield composition


def start(workspace: Path, prompt: str) -> StartTask:
    approval = ApprovalSettings(level="all", unattended=True)
    provider: dict[str, JsonValue] = {"api_provider": "scripted"}
    spec = TaskSpec(prompt=prompt, workspace=str(workspace), approval=approval, provider=provider)
    return StartTask(task_id="t", spec=spec)


async def run(composition: Composition, after: int = 0) -> list[Event]:
    follow = composition.host.follow("t", after)
    return [record.event async for record in until_pause(follow)]


def texts(provider: ScriptedProvider, request: int, message: int) -> list[str]:
    """All but what the program tells of the surroundings."""
    blocks = provider.requests[request].messages[message].content
    said = [block.text for block in blocks if isinstance(block, TextContent)]
    return [text for text in said if not text.startswith(ENVIRONMENT_TAG)]


async def test_the_model_gets_what_the_prompt_and_later_words_point_at(
    workspace: Path, tmp_path: Path
) -> None:
    provider = ScriptedProvider("Read.", "Read again.")
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Read @/a.txt"))
        first = await run(composition)
        assert isinstance(first[-1], RunCompleted)
        assert [event.names for event in first if isinstance(event, MentionsRead)] == [("@/a.txt",)]
        seen = (await composition.store.summary("t")).last_seq
        (workspace / "a.txt").write_text("changed\n")
        await composition.host.handle(SendMessage(task_id="t", text="Now @/b.txt and @/none"))
        await run(composition, seen)
        title = (await composition.store.summary("t")).title
    assert texts(provider, 0, 0) == [
        "Read @/a.txt",
        "[read_file for 'a.txt']\nFile: a.txt\n1 | alpha",
    ]
    assert texts(provider, 1, 0) == texts(provider, 0, 0)  # as it was, not as it is
    said, b, none = texts(provider, 1, 2)
    assert said == "Now @/b.txt and @/none"
    assert b.endswith("1 | beta")
    assert "no such file" in none
    assert title == "Read @/a.txt"


async def test_a_later_driver_sees_what_the_first_one_read(workspace: Path, tmp_path: Path) -> None:
    failing = ScriptedProvider(*[RateLimited("Not now.", retry_after=0)] * 20)
    async with composed(failing, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Read @/a.txt"))
        async for record in composition.host.follow("t"):
            if isinstance(record.event, MentionsRead):
                break
    (workspace / "a.txt").write_text("changed\n")
    provider = ScriptedProvider("Read.")
    async with composed(provider, tmp_path) as composition:
        await composition.executor.wake("t")
        await run(composition)
        events = [record.event for record in await composition.store.read("t", 0, 100)]
    assert texts(provider, 0, 0)[1].endswith("1 | alpha")
    assert sum(isinstance(event, MentionsRead) for event in events) == 1


async def test_an_answer_may_point_at_something(workspace: Path, tmp_path: Path) -> None:
    question = ToolUseContent(id="q", name="ask_followup_question", input={"question": "Which?"})
    provider = ScriptedProvider([question], "Thanks.")
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "Go."))
        await run(composition)
        seen = (await composition.store.summary("t")).last_seq
        answer = AnswerQuestion(task_id="t", tool_use_id="q", answer="@/b.txt")
        await composition.host.handle(answer)
        await run(composition, seen)
    (shown,) = texts(provider, 1, 2)
    assert shown.endswith("1 | beta")
    assert problems(provider.requests[1].messages) == []


async def test_a_mentioned_file_that_changed_must_be_read_before_it_is_edited(
    workspace: Path, tmp_path: Path
) -> None:
    path = workspace / "a.txt"
    edit: dict[str, JsonValue] = {"path": "a.txt", "line": 1, "content": "new"}
    call = ToolUseContent(id="e", name="insert_content", input=edit)
    provider = ScriptedProvider("Seen.", [call], "Well.")
    async with composed(provider, tmp_path) as composition:
        await composition.host.handle(start(workspace, "See @/a.txt"))
        await run(composition)
        seen = (await composition.store.summary("t")).last_seq
        path.write_text("changed\n")
        await composition.host.handle(SendMessage(task_id="t", text="Edit it."))
        await run(composition, seen)
    assert path.read_text() == "changed\n"
    assert "has changed" in provider.requests[2].messages[-1].content[0].to_json()
