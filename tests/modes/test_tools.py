"""switch_mode and new_task as the model calls them."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.events import Event, ModeSwitched, SubtaskStarted
from roo_code.json_text import from_json
from roo_code.messages import ToolResult
from roo_code.modes.agent import ModeAgent
from roo_code.modes.collection import Modes
from roo_code.modes.orchestrator import ModeOrchestrator
from roo_code.modes.task import Task
from roo_code.modes.tools import NewTask, SwitchMode
from roo_code.tools import AnyTool, ToolContext, define
from roo_code.workspace.workspace import Workspace
from tests.modes.calls import agent, results, use


async def call(made: ModeAgent) -> tuple[ToolResult, list[Event]]:
    """The result of the one call that the model makes, and all events before its second reply."""
    events = [event async for event in made.iter("Go.")]
    return next(iter(results(made).values())), events


def tools(folder: Path) -> list[AnyTool]:
    known, task = ModeOrchestrator(Modes(folder)), Task("code")
    return [SwitchMode(known, task), NewTask(known, task, lambda mode: {})]


def test_what_models_are_told_is_current(tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "roo_code/modes/definitions.json"
    assert from_json(file.read_bytes()) == [define(tool).to_dict() for tool in tools(tmp_path)]


@pytest.mark.requirement("modes:switch:input")
@pytest.mark.parametrize("name", ["mode_slug", "mode"])
async def test_a_switch_is_an_event_with_its_reason(tmp_path: Path, name: str) -> None:
    asked = use("1", "switch_mode", **{name: "code"}, reason="Time to build.")
    result, events = await call(agent(tmp_path / "w", "architect", [asked], "Done."))
    assert not result.is_error
    switched = ModeSwitched(mode="code", previous="architect", reason="Time to build.")
    assert switched in events


@pytest.mark.requirement("modes:switch:input")
@pytest.mark.parametrize("mode", ["cook", "Code", "../code", "code; ask"])
async def test_an_unknown_mode_is_refused_with_a_list(tmp_path: Path, mode: str) -> None:
    asked = use("1", "switch_mode", mode_slug=mode, reason="x")
    made = agent(tmp_path / "w", "ask", [asked], "Done.")
    result, events = await call(made)
    assert result.is_error
    for slug in ("code", "architect", "ask", "debug", "orchestrator"):
        assert f"- {slug}: " in result.content
    assert not any(isinstance(event, ModeSwitched) for event in events)
    assert made.task.mode_slug == "ask"


async def test_the_mode_it_is_in_is_said_so(tmp_path: Path) -> None:
    asked = use("1", "switch_mode", mode_slug="ask")
    result, events = await call(agent(tmp_path / "w", "ask", [asked], "Done."))
    assert result.content == "The task is already in ask mode."
    assert not any(isinstance(event, ModeSwitched) for event in events)


@pytest.mark.requirement("modes:new-task:input")
@pytest.mark.parametrize("name", ["mode", "mode_slug"])
async def test_a_new_task_is_made_with_mode_and_message(tmp_path: Path, name: str) -> None:
    asked = use("1", "new_task", **{name: "code"}, message="See \\@/a.md, \\\\@x.")
    made = agent(tmp_path / "w", "orchestrator", [asked])
    events = [event async for event in made.iter("Go.")]
    (started,) = (event for event in events if isinstance(event, SubtaskStarted))
    assert (started.mode, started.prompt) == ("code", "See @/a.md, \\@x.")
    child = made.orchestrator.tasks[started.subtask_id]
    assert (child.mode_slug, child.messages[0].text) == ("code", started.prompt)
    assert child.parent_task is made.task


async def test_the_id_of_a_new_task_is_always_the_same(tmp_path: Path) -> None:
    """So that a crash before it is stored cannot make two of one."""
    ids: set[str] = set()
    for _ in range(2):
        made = agent(tmp_path / "w", "code", [use("1", "new_task", mode="ask", message="What?")])
        made.task.id = "t"
        ids |= {e.subtask_id async for e in made.iter("Go.") if isinstance(e, SubtaskStarted)}
    assert len(ids) == 1


@pytest.mark.parametrize(
    ("input", "said"),
    [
        ({"mode": "cook", "message": "Soup."}, "There is no mode 'cook'. These exist:"),
        ({"mode": "code", "message": ""}, "message"),
        ({"mode": "code"}, "message"),
        ({"message": "x"}, "mode"),
        ({"mode": "code", "message": "x", "todos": "no item"}, "todos"),
    ],
)
async def test_a_wrong_new_task_is_refused(
    tmp_path: Path, input: dict[str, Any], said: str
) -> None:
    made = agent(tmp_path / "w", "code", [use("1", "new_task", **input)], "Done.")
    result, _ = await call(made)
    assert result.is_error
    assert said in result.content
    assert made.task.child_task_ids == []


@pytest.mark.parametrize("todos", ["[ ] one\n[x] two", [{"content": "one"}]])
async def test_first_steps_reach_the_new_task(tmp_path: Path, todos: Any) -> None:
    asked = use("1", "new_task", mode="code", message="Go on.", todos=todos)
    made = agent(tmp_path / "w", "code", [asked])
    events = [event async for event in made.iter("Go.")]
    (started,) = (event for event in events if isinstance(event, SubtaskStarted))
    assert started.prompt.startswith("Go on.\n\nBegin with this todo list:\n[ ] one")


async def test_first_steps_can_be_required(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    context = ToolContext(
        workspace=Workspace(tmp_path / "w"), settings={"newTaskRequireTodos": True}
    )
    asked = use("1", "new_task", mode="code", message="Go on.")
    made = agent(tmp_path / "w", "code", [asked], "Done.", context=context)
    result, _ = await call(made)
    assert "todos is missing" in result.content


async def test_the_depth_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    context = ToolContext(workspace=Workspace(tmp_path / "w"), settings={"maxSubtaskDepth": 0})
    asked = use("1", "new_task", mode="code", message="Go on.")
    made = agent(tmp_path / "w", "code", [asked], "Done.", context=context)
    result, _ = await call(made)
    assert "no deeper one may be started" in result.content
