"""ModeOrchestrator: modes, rights and tasks without a model."""

from pathlib import Path

import pytest

from roo_code.builtin_tools.registry import get_tool_by_name
from roo_code.errors import FileRestrictionError, NotAllowed, ToolError
from roo_code.modes.collection import Modes
from roo_code.modes.orchestrator import ModeOrchestrator
from roo_code.modes.task import Task, TaskState
from roo_code.workspace.workspace import Workspace
from tests.modes.calls import write


@pytest.fixture
def orchestrator(tmp_path: Path) -> ModeOrchestrator:
    return ModeOrchestrator(Modes(tmp_path, tmp_path / "home"))


@pytest.mark.requirement("modes:task:fields")
def test_what_a_task_holds(orchestrator: ModeOrchestrator) -> None:
    task = orchestrator.create_task("architect", "Design it.")
    assert task.id
    assert task.mode_slug == "architect"
    assert task.state is TaskState.PENDING
    assert [message.text for message in task.messages] == ["Design it."]
    assert task.parent_task is None
    assert task.child_task_ids == []


@pytest.mark.requirement("modes:new-task:links", "modes:new-task:own-history")
def test_a_subtask_knows_its_parent_and_has_messages_of_its_own(
    orchestrator: ModeOrchestrator,
) -> None:
    parent = orchestrator.create_task("orchestrator", "All of it.")
    child = orchestrator.create_task("code", "A part.", parent)
    assert child.parent_task is parent
    assert parent.child_task_ids == [child.id]
    assert [message.text for message in child.messages] == ["A part."]
    assert [message.text for message in parent.messages] == ["All of it."]


@pytest.mark.requirement("modes:orchestrator:duties")
def test_it_loads_modes_decides_on_tools_and_keeps_tasks(
    orchestrator: ModeOrchestrator, tmp_path: Path
) -> None:
    (tmp_path / ".roo" / "modes").mkdir(parents=True)
    (tmp_path / ".roo" / "modes" / "docs.yaml").write_text(
        "groups: [read, edit]\nfile_restrictions: {allow_patterns: [^docs/]}\n"
    )
    task = orchestrator.create_task("docs", "Write.")
    tool = get_tool_by_name("write_to_file")
    assert tool is not None
    assert orchestrator.tasks == {task.id: task}
    orchestrator.check(task, tool, write("1", "docs/a.md"), Workspace(tmp_path))
    with pytest.raises(FileRestrictionError, match=r"docs mode can only edit files matching \^doc"):
        orchestrator.check(task, tool, write("1", "a.md"), Workspace(tmp_path))
    with pytest.raises(NotAllowed, match="write_to_file is not allowed in ask mode"):
        orchestrator.check(
            orchestrator.create_task("ask"), tool, write("1", "a.md"), Workspace(tmp_path)
        )


def test_a_switch_changes_the_task(orchestrator: ModeOrchestrator) -> None:
    task = orchestrator.create_task("architect")
    assert orchestrator.switch_mode(task, "code", "It is designed.").slug == "code"
    assert task.mode_slug == "code"
    assert orchestrator.mode_of(task).group("command") is not None


@pytest.mark.parametrize(
    ("slug", "said"), [("cook", "no mode 'cook'. These exist:\n- code: "), ("ask", "already in")]
)
def test_a_switch_that_makes_no_sense_changes_nothing(
    orchestrator: ModeOrchestrator, slug: str, said: str
) -> None:
    task = orchestrator.create_task("ask")
    with pytest.raises(ToolError, match=said):
        orchestrator.switch_mode(task, slug)
    assert task.mode_slug == "ask"


def test_an_unknown_mode_makes_no_task(orchestrator: ModeOrchestrator) -> None:
    parent = orchestrator.create_task("code")
    with pytest.raises(ToolError, match="no mode 'cook'"):
        orchestrator.create_task("cook", "Soup.", parent)
    assert parent.child_task_ids == []


def test_a_task_under_an_id_is_made_once(orchestrator: ModeOrchestrator) -> None:
    parent = Task("code")
    first = orchestrator.create_task("ask", "What?", parent, id="x")
    assert orchestrator.create_task("ask", "What?", parent, id="x") is first
    assert parent.child_task_ids == ["x"]


def test_tasks_do_not_nest_without_end(orchestrator: ModeOrchestrator) -> None:
    task = orchestrator.create_task("code")
    for _ in range(5):
        task = orchestrator.create_task("code", "Deeper.", task)
    with pytest.raises(ToolError, match="5 deep below the first"):
        orchestrator.create_task("code", "Deeper.", task)
    assert orchestrator.create_task("code", "Deeper.", task, most_depth=6).depth == 6
