"""What the model of a task would get now, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roo_code.cli.calls import describe
from roo_code.cli.style import Style
from roo_code.history import History
from roo_code.messages import ImageContent, Message, TextContent, ToolResult, ToolUseContent
from roo_code.task.store import TaskStore

_PAGE = 500


async def history_of(store: TaskStore, task_id: str) -> History:
    """The conversation that a stored task's log comes to."""
    history = History()
    after = 0
    while page := await store.read(task_id, after, _PAGE):
        for record in page:
            history.apply(record.event)
        after = page[-1].seq
    return history


def context_lines(messages: Sequence[Message], style: Style) -> str:
    """Every message, in full but for images."""
    return "\n\n".join(style.clean(text) for message in messages for text in _parts(message))


def _parts(message: Message) -> Iterator[str]:
    for block in message.content:
        match block:
            case TextContent(text=text):
                yield f"[{message.role}]\n{text}"
            case ToolUseContent():
                yield f"[call {block.id}]\n{describe(block)}"
            case ToolResult():
                kind = "error" if block.is_error else "result"
                yield f"[{kind} of {block.tool_use_id}]\n{block.content}"
            case ImageContent(media_type=media_type):
                yield f"[{message.role}: {media_type}]"
            case _:
                pass
