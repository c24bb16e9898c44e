"""What condensing makes of messages."""

from __future__ import annotations

from collections.abc import Sequence

from roo_code.events import ContextCondensed
from roo_code.messages import Message, TextContent, ToolResult

_LEFT_OUT = TextContent(
    text="[What was said here is left out, for the conversation had become too long. Look again "
    "at what you need of it.]"
)


def condensed(messages: Sequence[Message], event: ContextCondensed) -> list[Message]:
    """The last messages as they are; a summary, or the first of all, stands for the rest.

    Made to hold for any log: what is kept begins with a reply, or with words of the user's. What
    services told of tokens is void, for it was of the longer history.
    """
    begins = max(len(messages) - event.kept, 0 if event.summary else 1)
    if begins <= 1 and not event.summary and event.cut <= 0:
        return list(messages)
    kept = [_as_kept(message, event) for message in messages[begins:]]
    if event.summary:
        found = [Message.from_user(event.summary)]
    else:
        found = [_as_kept(message, event) for message in messages[:1]]
        if begins > 1:
            found = [_marked(message) for message in found]
    if kept and kept[0].role == "user":  # it may answer calls that are gone
        words = tuple(b for b in kept[0].content if not isinstance(b, ToolResult))
        kept = [*([Message(role="user", content=words)] if words else []), *kept[1:]]
    for message in kept:
        if message.role == "user":
            add_user(found, message)
        else:
            found.append(message)
    return found


def _as_kept(message: Message, event: ContextCondensed) -> Message:
    message = message.shortened(event.cut, event.artifacts) if event.cut > 0 else message
    return message if message.usage is None else message.replace(usage=None)


def _marked(first: Message) -> Message:
    """With a mark where something is left out, in place of what stood behind an earlier one."""
    said = first.content
    if _LEFT_OUT in said:
        said = said[: said.index(_LEFT_OUT)]
    return first.replace(content=(*said, _LEFT_OUT))


def add_user(messages: list[Message], message: Message) -> None:
    """Two of the user's in a row are one: no service takes them apart."""
    if messages and messages[-1].role == "user":
        merged = (*messages[-1].content, *message.content)
        messages[-1] = Message(role="user", content=merged)
    else:
        messages.append(message)
