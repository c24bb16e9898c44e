"""The todo list as models write it, and as the history of a task keeps it."""

import pytest

from roo_code.events import Event, MessageAdded, TaskCreated, TaskSpec, ToolFinished, ToolStarted
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.messages import Message, ToolResult, ToolUseContent
from roo_code.todo_list import TodoItem, TodoStatus, checklist, read_todos


def item(content: str, status: TodoStatus = "pending") -> TodoItem:
    return TodoItem(content=content, status=status)


PLAN = (item("Read", "completed"), item("Write", "in_progress"), item("Test"))


@pytest.mark.parametrize(
    "written",
    [
        "[x] Read\n[-] Write\n[ ] Test",
        "- [X] Read\n- [~] Write\n- [ ] Test\n",
        "# Plan\n\n* [x] Read \n  1. [-]  Write\n2) [] Test\nThat is all.",
        ["[x] Read", "[-] Write", "[ ] Test"],
        [
            {"content": "Read", "status": "completed", "activeForm": "Reading"},
            {"step": "Write", "status": "in-progress"},
            {"text": "Test", "status": "pending"},
        ],
        '[{"title": "Read", "done": true}, {"task": "Write", "state": "doing"}, {"name": "Test"}]',
    ],
)
def test_a_checklist_may_be_written_in_many_ways(written: JsonValue) -> None:
    assert read_todos(written) == PLAN


def test_a_list_is_shown_as_a_checklist_that_reads_the_same() -> None:
    assert checklist(PLAN) == "[x] Read\n[-] Write\n[ ] Test"
    assert read_todos(checklist(PLAN)) == PLAN


@pytest.mark.parametrize("written", ["", " \n", []])
def test_an_empty_list_has_no_items(written: JsonValue) -> None:
    assert read_todos(written) == ()


@pytest.mark.parametrize(
    "written", ["Read, then write", 7, None, {"a": 1}, [{"status": "done"}], [1]]
)
def test_what_is_no_list_is_refused(written: JsonValue) -> None:
    with pytest.raises(ValueError, match="item"):
        read_todos(written)


def reply(*calls: tuple[str, str, JsonValue]) -> MessageAdded:
    content = tuple(
        ToolUseContent(id=id, name=name, input={"todos": todos}) for id, name, todos in calls
    )
    return MessageAdded(message=Message(role="assistant", content=content))


def finished(id: str, *, is_error: bool = False) -> ToolFinished:
    return ToolFinished(result=ToolResult(tool_use_id=id, content="ok", is_error=is_error))


def after(*events: Event) -> tuple[TodoItem, ...]:
    start = TaskCreated(spec=TaskSpec(prompt="Go.", workspace="/w"))
    return History([start, *events]).todos


def test_the_history_knows_the_list_from_the_calls() -> None:
    first = reply(("1", "update_todo_list", "[ ] Read"))
    assert after(first) == ()
    assert after(first, finished("1")) == (item("Read"),)
    second = reply(("2", "TodoWrite", [{"content": "Write", "status": "done"}]))
    assert after(first, finished("1"), second, finished("2")) == (item("Write", "completed"),)
    said = MessageAdded(message=Message.from_user("Go on."))
    assert after(first, finished("1"), said) == (item("Read"),)


def test_a_call_that_failed_or_was_cut_short_changes_no_list() -> None:
    first, second = reply(("1", "todo", "[ ] a")), reply(("2", "todo", "[ ] b"))
    assert after(first, finished("1"), second, finished("2", is_error=True)) == (item("a"),)
    cut = [ToolStarted(call=second.message.tool_uses[0]), reply(("3", "read_file", ""))]
    assert after(first, finished("1"), second, *cut) == (item("a"),)


def test_of_two_lists_in_one_reply_the_later_counts_whichever_was_done_first() -> None:
    both = reply(("1", "update_todo_list", "[ ] a"), ("2", "update_todo_list", "[x] a"))
    assert after(both, finished("2"), finished("1")) == (item("a", "completed"),)


def test_a_users_own_tool_of_that_name_may_take_something_else() -> None:
    assert after(reply(("1", "update_todo_list", 7)), finished("1")) == ()
