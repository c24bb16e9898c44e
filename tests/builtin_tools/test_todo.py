from pathlib import Path
from typing import Any

import pytest

from roo_code import Agent, ToolContext, Workspace
from roo_code.events import RunCompleted
from roo_code.history import History
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.testing import scripted_client
from roo_code.todo_list import TodoItem
from tests.builtin_tools.calls import Caller


async def test_the_result_counts_the_items(caller: Caller) -> None:
    result = await caller.call("update_todo_list", todos="[x] a\n[-] b\n[ ] c\n[ ] d")
    assert not result.is_error
    assert result.content == "The todo list is updated: 1 completed, 1 in progress, 2 pending."


async def test_a_list_can_be_emptied(caller: Caller) -> None:
    assert (
        await caller.call("update_todo_list", todos="")
    ).content == "The todo list is empty now."


@pytest.mark.parametrize("key", ["plan", "items", "todo_list"])
async def test_the_list_may_have_another_name_and_form(caller: Caller, key: str) -> None:
    result = await caller.call("TodoWrite", **{key: [{"content": "a", "status": "completed"}]})
    assert "1 completed" in result.content


@pytest.mark.parametrize("input", [{}, {"todos": "do it all"}, {"todos": [{"status": "done"}]}])
async def test_what_is_no_list_is_told(caller: Caller, input: dict[str, Any]) -> None:
    result = await caller.call("update_todo_list", **input)
    assert result.is_error
    assert "todos" in result.content


async def test_a_task_with_open_items_is_not_done_if_that_is_wanted(caller: Caller) -> None:
    caller.todos = (
        TodoItem(content="Write", status="completed"),
        TodoItem(content="Test", status="in_progress"),
    )
    assert (await caller.call("attempt_completion", result="Done.")).ends_run
    caller.settings = {"preventCompletionWithOpenTodos": True}
    result = await caller.call("attempt_completion", result="Done.")
    assert result.is_error
    assert not result.ends_run
    assert "[-] Test" in result.content
    assert "Write" not in result.content
    caller.todos = caller.todos[:1]
    assert (await caller.call("attempt_completion", result="Done.")).ends_run


def use(id: str, name: str, **input: str) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=dict(input))


@pytest.mark.requirement("tools:update-todo-list:progress")
async def test_later_turns_see_the_list_and_so_does_whoever_reads_the_log(tmp_path: Path) -> None:
    client = scripted_client(
        [use("1", "update_todo_list", todos="[x] Read\n[ ] Write")],
        [use("2", "attempt_completion", result="Done.")],
        [use("3", "update_todo_list", todos="[x] Read\n[x] Write")],
        [use("4", "attempt_completion", result="Really done.")],
    )
    settings = {"preventCompletionWithOpenTodos": True}
    context = ToolContext(workspace=Workspace(tmp_path), settings=settings)
    agent = Agent(client, context=context)
    events = [event async for event in agent.iter("Do both.")]

    shown = client.requests[1].messages[1].tool_uses[0]
    assert shown.input == {"todos": "[x] Read\n[ ] Write"}
    refused = client.requests[2].messages[-1].content[0]
    assert isinstance(refused, ToolResult)
    assert "[ ] Write" in refused.content
    assert events[-1] == RunCompleted(result="Really done.")
    read, write = History(events).todos  # what a front end folds from the same records
    assert (read.content, read.status) == ("Read", "completed")
    assert (write.content, write.status) == ("Write", "completed")
