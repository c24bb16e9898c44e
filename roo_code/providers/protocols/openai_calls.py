"""Tool calls that arrive in pieces, put together whatever a server leaves out or repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from roo_code.errors import ProtocolError
from roo_code.json_text import to_json
from roo_code.messages import ToolUseContent
from roo_code.providers.protocols.fields import Fields, object_in, text_in
from roo_code.stream import BlockDelta, BlockStart, BlockStop, StreamChunk

TakeIndex = Callable[[], int]


class _Call:
    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.index: int | None = None
        self.waiting: list[str] = []
        """Arguments that came before the call's name and id."""


class CallFragments:
    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._slots: dict[int, _Call] = {}
        """The last of each number."""
        self._ids: set[str] = set()

    @property
    def any(self) -> bool:
        return bool(self._ids)

    def add(self, piece: Fields, take_index: TakeIndex) -> list[StreamChunk]:
        function = object_in(piece, "function")
        id, name = text_in(piece, "id"), text_in(function, "name")
        arguments = _arguments(function)
        call = self._find(_slot(piece), id, name)
        call.id = call.id or id
        call.name = call.name or name
        if arguments:
            call.waiting.append(arguments)
        return self._advance(call, take_index) if call.id and call.name else []

    def finish(self, take_index: TakeIndex) -> Iterator[StreamChunk]:
        for number, call in enumerate(self._calls):
            if not call.name:
                if call.waiting or call.id:
                    raise ProtocolError("A tool call of the reply has no name.")
                continue
            call.id = call.id or f"call_{number}"
            yield from self._advance(call, take_index)
        for call in self._calls:
            if call.index is not None:
                yield BlockStop(call.index)

    def _advance(self, call: _Call, take_index: TakeIndex) -> list[StreamChunk]:
        chunks: list[StreamChunk] = []
        if call.index is None:
            call.index = take_index()
            chunks.append(
                BlockStart(call.index, ToolUseContent(id=self._own_id(call), name=call.name))
            )
        chunks += [BlockDelta(call.index, "json", text) for text in call.waiting]
        call.waiting.clear()
        return chunks

    def _find(self, slot: int | None, id: str, name: str) -> _Call:
        """The call a piece belongs to, or a new one."""
        if slot is None:
            known = self._find_unnumbered(id, name)
        else:
            known = self._slots.get(slot)
            # Some servers number every call 0, others invent an id for every piece.
            if known and id and name and known.id not in ("", id):
                known = None
        if known is None:
            known = _Call()
            self._calls.append(known)
            if slot is not None:
                self._slots[slot] = known
        return known

    def _find_unnumbered(self, id: str, name: str) -> _Call | None:
        if id:
            return next((call for call in self._calls if call.id == id), None)
        return self._calls[-1] if self._calls and not name else None

    def _own_id(self, call: _Call) -> str:
        own, number = call.id, 2
        while own in self._ids:
            own = f"{call.id}_{number}"
            number += 1
        self._ids.add(own)
        return own


def _slot(piece: Fields) -> int | None:
    slot = piece.get("index")
    if slot is not None and not isinstance(slot, int):
        raise ProtocolError("In the reply, the 'index' of a tool call is not a number.")
    return slot


def _arguments(function: Fields) -> str:
    arguments: Any = function.get("arguments")
    if isinstance(arguments, dict):  # whole, and not as text
        return to_json(arguments).decode()
    return text_in(function, "arguments")
