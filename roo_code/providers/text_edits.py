"""Replace parts of texts, also where a text comes in pieces and a part lies across several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from roo_code.key_shapes import HIDDEN
from roo_code.messages import ReasoningContent, TextContent, ToolUseContent
from roo_code.providers.recording import TimedChunk
from roo_code.redaction import Redactor
from roo_code.stream import BlockDelta, BlockStart, StreamChunk

V = TypeVar("V")


class Edit(NamedTuple):
    """What stands in place of `text[start:end]`. Edits of one text are in order and apart."""

    start: int
    end: int
    text: str


FindEdits: TypeAlias = Callable[[str], Sequence[Edit]]


def hidden_keys(redact: Redactor) -> FindEdits:
    return lambda text: [Edit(*span, HIDDEN) for span in redact.spans(text)]


def edited(text: str, edits: Sequence[Edit]) -> str:
    return _cut(text, 0, len(text), edits) if edits else text


def edited_value(value: V, edit: Callable[[str], str]) -> V:
    """The same JSON value with every text in it edited, names of fields too."""
    found: Any = value
    if isinstance(found, str):
        found = edit(found)
    elif isinstance(found, list | tuple):
        found = [edited_value(item, edit) for item in cast("Sequence[Any]", found)]
    elif isinstance(found, dict):
        items = cast("dict[Any, Any]", found).items()
        found = {edited_value(key, edit): edited_value(item, edit) for key, item in items}
    return found


def edited_chunks(
    chunks: Sequence[TimedChunk], find: FindEdits, find_in_json: FindEdits | None = None
) -> tuple[TimedChunk, ...]:
    """The reply with what `find` finds in each of its blocks replaced; as many chunks as before.

    `find_in_json` is for the inputs of calls, whose pieces are JSON and not the text itself.
    """
    pieces: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    changed: list[StreamChunk] = [chunk for _, chunk in chunks]
    for number, chunk in enumerate(changed):
        if isinstance(chunk, BlockDelta):
            pieces[chunk.index, chunk.kind].append(number)
        elif isinstance(chunk, BlockStart):
            changed[number] = chunk._replace(block=_edited_block(chunk.block, find))
    for (_, kind), numbers in pieces.items():
        deltas = [cast("BlockDelta", changed[number]) for number in numbers]
        whole = "".join(delta.text for delta in deltas)
        edits = (find_in_json or find)(whole) if kind == "json" else find(whole)
        end = 0
        for number, delta in zip(numbers, deltas, strict=True) if edits else ():
            start, end = end, end + len(delta.text)
            changed[number] = delta._replace(text=_cut(whole, start, end, edits))
    return tuple(TimedChunk(c.milliseconds, new) for c, new in zip(chunks, changed, strict=True))


def _edited_block(
    block: TextContent | ReasoningContent | ToolUseContent, find: FindEdits
) -> TextContent | ReasoningContent | ToolUseContent:
    def edit(text: str) -> str:
        return edited(text, find(text))

    if isinstance(block, ToolUseContent):
        return block.replace(input=edited_value(block.input, edit))
    return block.replace(text=edit(block.text))


def _cut(whole: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """The piece of the edited text that `whole[start:end]` becomes."""
    pieces: list[str] = []
    at = start
    for edit in edits:
        if edit.end > start and edit.start < end:
            pieces.append(whole[at : max(at, edit.start)])
            if edit.start >= start:
                pieces.append(edit.text)
            at = min(max(at, edit.end), end)
    return "".join([*pieces, whole[at:end]])
