"""What a service keeps of a request for the next one: checks on the encoded bytes.

A prompt cache holds tools, then system prompt, then messages, up to the first byte that differs.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

from roo_code.json_text import to_json
from roo_code.messages import Message, TextContent
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.protocols.base import WireFormat
from tests.providers.histories import TOOLS, histories, reply
from tests.providers.requests import settings

Json = dict[str, Any]


class Layout(NamedTuple):
    """Where a format keeps what is cached."""

    messages: str = "messages"
    tools: str = "tools"
    system: str = ""
    """Empty where the system prompt is the first of the messages."""
    marks: frozenset[str] = frozenset()
    """Fields that only say what to cache; they wander to the end with every turn."""


def check_prefixes(wire: WireFormat, info: ModelInfo, layout: Layout, **fields: Any) -> None:
    """Turn by turn, and when the mode changes, what was sent before comes first again, alike."""
    known = histories(info.id)
    answer = reply(TextContent(text="That is all."))
    for name, messages in known.items():
        long = (*messages, answer, *known["tools"], answer, *known["plain"])
        turns = [n + 1 for n, message in enumerate(long) if message.role == "user"]
        bodies = [encoded(wire, info, long[:n], **fields) for n in turns]
        for earlier, later in pairwise(bodies):
            for part in filter(None, (layout.tools, layout.system)):
                assert to_json(earlier[part]) == to_json(later[part]), (name, part)
            before, after = (_messages(body, layout) for body in (earlier, later))
            assert after.startswith(before), name
            assert len(after) > len(before), name
    check_modes(wire, info, layout, **fields)


def check_modes(wire: WireFormat, info: ModelInfo, layout: Layout, **fields: Any) -> None:
    """Another mode has other words for the model, and the same tools."""
    messages = histories(info.id)["tools"]
    code = encoded(wire, info, messages, **fields)
    ask = encoded(wire, info, messages, system_prompt="You only answer.", mode="ask", **fields)
    assert to_json(code[layout.tools]) == to_json(ask[layout.tools])
    if layout.system:
        assert code[layout.system] != ask[layout.system]
        assert _messages(code, layout) == _messages(ask, layout)


def encoded(
    wire: WireFormat,
    info: ModelInfo,
    messages: Sequence[Message],
    system_prompt: str = "Be brief.",
    mode: str = "code",
    **fields: Any,
) -> Json:
    request = ModelRequest(
        system_prompt=system_prompt,
        messages=messages,
        tools=TOOLS,
        metadata={"task_id": "task-1", "mode": mode},
    )
    return wire.encode(request, settings(**fields), info)


def _messages(body: Json, layout: Layout) -> bytes:
    """As bytes, without the bracket that ends them."""
    messages = body[layout.messages]
    return to_json(_without(messages, layout.marks) if layout.marks else messages)[:-1]


def _without(node: Any, marks: frozenset[str]) -> Any:
    """Without a part that is only a mark, too; and one text alone in a list is that text."""
    if isinstance(node, list):
        items = [_without(item, marks) for item in cast("list[Any]", node)]
        kept: list[Any] = [item for item in items if item != {}]
        first = cast("Json", kept[0]) if kept and isinstance(kept[0], dict) else {}
        is_text = len(kept) == 1 and first == {"type": "text", "text": first.get("text")}
        return first["text"] if is_text else kept
    if isinstance(node, dict):
        fields = cast("Json", node)
        return {key: _without(value, marks) for key, value in fields.items() if key not in marks}
    return node
