"""A recording as a regression test: the agent of today against a model's replies of then.

    async with replayed("fix.jsonl", workspace=tmp_path) as run:
        assert run.divergences == ()

`recording_fixture` makes a pytest fixture of the same.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.events import (
    Event,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    RunCompleted,
    RunParked,
)
from roo_code.messages import Message
from roo_code.policy.approval import ApproveAll, Approver
from roo_code.providers.divergence import Divergence
from roo_code.providers.places import Places, comparable
from roo_code.providers.replaying import Replay, ReplayedTask, refuse
from roo_code.task.artifacts import TaskArtifacts
from roo_code.tools import AnyTool, ToolContext
from roo_code.workspace.workspace import Workspace


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A whole run."""

    events: tuple[Event, ...]
    answer: str
    """What the run came to; empty if it did not complete."""
    divergences: tuple[Divergence, ...]
    """The first request that was not the recorded one, if there was one."""
    workspace: Path
    places: Places

    def comparable(self) -> list[dict[str, Any]]:
        """The events without what is different in every run: equal where nothing has changed."""
        return comparable(self.events, self.places)


@asynccontextmanager
async def replayed(
    path: str | Path,
    *,
    workspace: Path | None = None,
    tools: Literal["real", "recorded"] = "real",
    more_tools: Sequence[AnyTool] = (),
    approver: Approver | None = None,
    prompt: str | None = None,
    strict: bool = False,
) -> AsyncGenerator[Replayed]:
    """Run the recorded task to its end; what it made is there until the block is left.

    Without a `workspace` it works in a new, empty folder. Every call is approved that was not
    refused when recorded; give an `approver` to decide otherwise. The user's part, too, comes
    from the recording. `strict` raises `ReplayDiverged` at the first difference.

    Raises:
        RooCodeError: The recording cannot be used, or the run failed.
    """
    found: list[Divergence] = []
    replay = Replay(
        Path(path), speed=0, tools=tools == "recorded", tell=refuse if strict else found.append
    )
    with tempfile.TemporaryDirectory(prefix="roo-replay-") as scratch:
        folder = workspace or Path(scratch, "workspace")
        folder.mkdir(exist_ok=True)
        kept = TaskArtifacts(Path(scratch, "artifacts"))
        places = Places.here(folder, kept.folder)
        said, images = replay.opening(folder)
        first = Message.from_user(prompt or said, images)
        task = replay.task("", first.text, places, is_subtask=False)
        agent = Agent(
            RooClient(ProviderSettings.read(replay.settings), provider=task.provider),
            more_tools,
            context=ToolContext(
                workspace=Workspace(folder, readable=(kept.folder,)), artifacts=kept
            ),
            approver=task.approver(approver or ApproveAll()),
            max_iterations=None,
        )
        agent.tools.recovery = task.recovery or agent.tools.recovery
        events = [event async for event in _events(agent, task, first)]
        answers = [event.result for event in events if isinstance(event, RunCompleted)]
        yield Replayed(
            events=tuple(events),
            answer=answers[-1] if answers else "",
            divergences=tuple(found),
            workspace=folder,
            places=places,
        )


async def _events(agent: Agent, task: ReplayedTask, first: Message) -> AsyncGenerator[Event]:
    """All that happens, with what the user said then where the run pauses."""
    told: list[Event] = [MessageAdded(message=first)]
    while told:
        for event in told:
            agent.history.apply(event)
            yield event
        last: Event | None = None
        async with aclosing(agent.iter()) as events:
            async for last in events:
                yield last
        told = _answers(agent, task) if isinstance(last, RunParked) else _next(task)


def _answers(agent: Agent, task: ReplayedTask) -> list[Event]:
    waiting = [call for call in agent.history.pending.values() if call.waiting_for]
    asked = [call.deferred for call in waiting if isinstance(call.deferred, QuestionAsked)]
    return [
        QuestionAnswered(tool_use_id=event.tool_use_id, answer=said)
        for event in asked
        if (said := task.answer(event.tool_use_id)) is not None
    ]


def _next(task: ReplayedTask) -> list[Event]:
    said = task.next_message()
    return [] if said is None else [MessageAdded(message=Message.from_user(said))]


def recording_fixture(
    path: str | Path, *, project: str | Path | None = None, **options: Any
) -> Callable[..., Any]:
    """A pytest fixture: `fix = recording_fixture("fix.jsonl", project="projects/calc")`.

    A test that takes it gets the `Replayed` run, made in a fresh copy of the project, or in an
    empty folder. Options are those of `replayed`.
    """
    import pytest  # noqa: PLC0415 - needed by tests only, which have it

    @pytest.fixture
    def recording(tmp_path: Path) -> Replayed:
        workspace = tmp_path / "workspace"
        if project is not None:
            shutil.copytree(project, workspace)
        given = {"workspace": workspace, **options}
        with ThreadPoolExecutor(1) as thread:  # a test may have an event loop of its own here
            return thread.submit(asyncio.run, _run(path, given)).result()

    return recording


async def _run(path: str | Path, options: dict[str, Any]) -> Replayed:
    async with replayed(path, **options) as done:
        return done
