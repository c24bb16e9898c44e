"""The todo list of a task, as the model writes it: kept in its calls, so it needs no store."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from roo_code.json_text import JsonValue, from_json
from roo_code.values import Value

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]

TODO_TOOL = "update_todo_list"
TODO_KEYS = ("todos", "todo_list", "todo", "list", "items", "tasks", "plan", "steps", "checklist")
"""Under which of these the list stands in a call."""

_LINE = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*\[\s*(?P<mark>[ xX~-]?)\s*\]\s+(?P<content>.*\S)\s*")
_TEXTS = ("content", "text", "title", "task", "step", "description", "name")
_STATES = ("status", "state", "done", "completed")
_MARKS: dict[str, TodoStatus] = {"x": "completed", "-": "in_progress", "~": "in_progress"}
_WORDS: dict[str, TodoStatus] = {
    **dict.fromkeys(("completed", "complete", "done", "finished", "true"), "completed"),
    **dict.fromkeys(("in_progress", "doing", "active", "started", "current"), "in_progress"),
}
_SHOWN: dict[TodoStatus, str] = {"pending": " ", "in_progress": "-", "completed": "x"}


class TodoItem(Value):
    content: str
    status: TodoStatus = "pending"

    @property
    def line(self) -> str:
        return f"[{_SHOWN[self.status]}] {self.content}"


def read_todos(written: JsonValue) -> tuple[TodoItem, ...]:
    """The items of a checklist; ValueError if there is text in it but not one item.

    Models also send lists of objects, as other agents want them, and such lists as text.
    """
    match _from_json(written) if isinstance(written, str) else written:
        case str(text):
            return _read_lines(text.splitlines())
        case list(entries) if all(isinstance(entry, str) for entry in entries):
            return _read_lines(map(str, entries))
        case list(entries):
            return tuple(map(_read_object, entries))
        case _:
            raise ValueError("it must be text with one item to a line, such as '[ ] Write tests'")


def todos_in_call(arguments: Mapping[str, JsonValue]) -> tuple[TodoItem, ...]:
    """The list that a call to the todo tool, which went well, has set."""
    given = next((arguments[key] for key in TODO_KEYS if arguments.get(key) is not None), "")
    try:
        return read_todos(given)
    except ValueError:  # a user's own tool of that name took what ours would not
        return ()


def checklist(items: Iterable[TodoItem]) -> str:
    return "\n".join(item.line for item in items)


def _from_json(text: str) -> JsonValue:
    if not text.lstrip().startswith(("[{", '["')):
        return text
    try:
        return from_json(text)
    except ValueError:
        return text


def _read_lines(lines: Iterable[str]) -> tuple[TodoItem, ...]:
    """What is no item is left out: headings, remarks."""
    written = [line for line in lines if line.strip()]
    found = [match for line in written if (match := _LINE.fullmatch(line))]
    if written and not found:
        raise ValueError("no line of it is an item: write '[ ] text', '[-] text' or '[x] text'")
    return tuple(
        TodoItem(content=match["content"], status=_MARKS.get(match["mark"].lower(), "pending"))
        for match in found
    )


def _read_object(entry: JsonValue) -> TodoItem:
    fields: Mapping[str, JsonValue] = entry if isinstance(entry, dict) else {}
    content = next((text for key in _TEXTS if (text := _words(fields.get(key)))), "")
    if not content:
        raise ValueError("an item has no text: put it in 'content'")
    state = next((fields[key] for key in _STATES if fields.get(key) is not None), "")
    word = str(state).strip().lower().replace("-", "_").replace(" ", "_")
    return TodoItem(content=content, status=_WORDS.get(word, "pending"))


def _words(value: JsonValue) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
