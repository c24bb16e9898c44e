"""Two tasks of one host share a server that asks: the question of one never reaches the other."""

from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.compose import Composition, HostOptions, open_host
from roo_code.commands import AnswerQuestion, StartTask
from roo_code.events import QuestionAsked, TaskSpec, ToolFinished
from roo_code.messages import ToolUseContent
from roo_code.task.asks import open_asks
from roo_code.task.host import until_pause
from roo_code.testing import ScriptedProvider
from tests.mcp_client.hubs import Place, small
from tests.waiting import until


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("ROO_HOME", str(place.home))
    return place


async def start(composed: Composition, place: Place, task_id: str) -> None:
    spec = TaskSpec(
        prompt="Go.",
        workspace=str(place.workspace),
        provider={"api_provider": "ollama", "api_model_id": "scripted"},
        approval=ApprovalSettings(level="all"),
    )
    await composed.host.handle(StartTask(task_id=task_id, spec=spec))


async def result(composed: Composition, task_id: str) -> str:
    records = [record async for record in until_pause(composed.host.follow(task_id, 0))]
    (found,) = [r.event.result.content for r in records if isinstance(r.event, ToolFinished)]
    return found


async def has_asked(composed: Composition, task_id: str) -> bool:
    return bool(await open_asks(composed.store, task_id))


def script() -> ScriptedProvider:
    return ScriptedProvider([ToolUseContent(id="c", name="mcp--a--inquire", input={})], "Done.")


async def test_each_task_is_asked_its_own_question_or_none(place: Place) -> None:
    place.name(a=small())
    scripts = {"ada": script(), "bob": script()}
    options = HostOptions(provider=lambda setup: scripts[setup.task_id])
    async with open_host(options) as composed:
        await start(composed, place, "ada")
        await until(lambda: has_asked(composed, "ada"))
        await start(composed, place, "bob")
        assert "nobody was asked" in await result(composed, "bob")  # it might be for either
        await answer(composed, "ada", "Ada")
        assert "Ada" in await result(composed, "ada")
        asked = [r.event for r in await composed.store.read("ada") if _is_question(r.event)]
        assert len(asked) == 1


async def answer(composed: Composition, task_id: str, said: str) -> None:
    (ask,) = await open_asks(composed.store, task_id)
    await composed.host.handle(AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=said))


def _is_question(event: object) -> bool:
    return isinstance(event, QuestionAsked)
