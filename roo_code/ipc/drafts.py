"""Messages that are told while they grow: each keeps its `ts` from the first piece to the last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from roo_code.ipc.cline_message import Ask, ClineMessage, Say

MOST_OUTPUT = 64 * 1024
"""Characters that are shown of a command's output while it runs; older ones go."""


class Change(NamedTuple):
    action: Literal["created", "updated"]
    message: ClineMessage


class _Draft(Struct):
    message: ClineMessage
    parts: list[str] = field(default_factory=list[str])
    render: Callable[[str], str] | None = None
    """What is shown of the pieces, where that is not the pieces."""
    most: int | None = None
    is_told: bool = False
    is_dirty: bool = False


class Drafts:
    """By what a message is about. A message is told when it is asked for, not at every piece."""

    def __init__(self) -> None:
        self._drafts: dict[str, _Draft] = {}
        self._last_ts = 0

    def __contains__(self, about: str) -> bool:
        return about in self._drafts

    def whole(
        self, now: int, *, ask: Ask | None = None, say: Say | None = None, **fields: Any
    ) -> Change:
        """One that is complete from the start."""
        kind = "ask" if ask else "say"
        return Change(
            "created", ClineMessage(ts=self._new_ts(now), kind=kind, ask=ask, say=say, **fields)
        )

    def keep(self, about: str, change: Change) -> Change:
        """Remember a message, to update it later."""
        self._drafts[about] = _Draft(change.message, [change.message.text or ""], is_told=True)
        return change

    def grow(
        self,
        about: str,
        now: int,
        piece: str,
        *,
        ask: Ask | None = None,
        say: Say | None = None,
        render: Callable[[str], str] | None = None,
        most: int | None = None,
    ) -> None:
        draft = self._drafts.get(about)
        if draft is None:
            message = self.whole(now, ask=ask, say=say).message
            draft = self._drafts[about] = _Draft(message, render=render, most=most)
        draft.parts.append(piece)
        draft.is_dirty = True

    def restart(self, about: str) -> None:
        """Forget the pieces; the next ones take their place."""
        if draft := self._drafts.get(about):
            draft.parts = []

    @property
    def has_news(self) -> bool:
        return any(draft.is_dirty for draft in self._drafts.values())

    def flush(self) -> list[Change]:
        """The messages that have grown, as they are now."""
        changes: list[Change] = []
        for draft in self._drafts.values():
            if draft.is_dirty:
                raw = "".join(draft.parts)
                if draft.most is not None and len(raw) > draft.most:
                    raw = raw[-draft.most // 2 :]
                draft.parts = [raw]
                text = draft.render(raw) if draft.render else raw
                changes.append(self._tell(draft, text=text, partial=True))
        return changes

    def finish(
        self, about: str, now: int, *, ask: Ask | None = None, say: Say | None = None, **fields: Any
    ) -> Change:
        """The message is complete, told in pieces before or not."""
        draft = self._drafts.pop(about, None)
        if draft is None:
            return self.whole(now, ask=ask, say=say, **fields)
        return self._tell(draft, **{"partial": False if draft.is_told else None, **fields})

    def end(self, about: str) -> list[Change]:
        """No more comes of it, and it stays as it is."""
        draft = self._drafts.pop(about, None)
        if draft is None or not draft.is_told:
            return []
        return [self._tell(draft, partial=False)]

    def update(self, about: str, **fields: Any) -> list[Change]:
        """Of one that was kept; it stays so."""
        draft = self._drafts.get(about)
        return [self._tell(draft, **fields)] if draft is not None else []

    def find(self, about: str) -> ClineMessage | None:
        draft = self._drafts.get(about)
        return draft.message if draft is not None else None

    def unanswered(self) -> list[ClineMessage]:
        """The asks that were told in full and kept."""
        messages = [draft.message for draft in self._drafts.values()]
        return [m for m in messages if m.kind == "ask" and not (m.partial or m.is_answered)]

    def forget(self, about: str) -> None:
        self._drafts.pop(about, None)

    def _tell(self, draft: _Draft, **fields: Any) -> Change:
        draft.message = replace(draft.message, **fields)
        change = Change("updated" if draft.is_told else "created", draft.message)
        draft.is_told = True
        draft.is_dirty = False
        return change

    def _new_ts(self, now: int) -> int:
        """The time in milliseconds, or the next number if that is taken."""
        self._last_ts = max(now, self._last_ts + 1)
        return self._last_ts
