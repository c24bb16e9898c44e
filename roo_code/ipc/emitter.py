"""Emitter: whoever wants to know is called, in the order in which they said so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, TypeAlias, cast

_Result: TypeAlias = Awaitable[None] | None
Listener: TypeAlias = (
    Callable[[], _Result] | Callable[[Any], _Result] | Callable[[Any, Any], _Result]
)
"""Takes what the event says of itself."""


class Emitter:
    """A listener that takes time holds up the connection it hears of, and no other."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, list[Listener]] = defaultdict(list)

    def on(self, name: str, listener: Listener) -> None:
        self._listeners[name].append(listener)

    def off(self, name: str, listener: Listener) -> None:
        if listener in self._listeners[name]:
            self._listeners[name].remove(listener)

    async def emit(self, name: str, *arguments: Any) -> None:
        for listener in list(self._listeners[name]):
            result = cast(Callable[..., _Result], listener)(*arguments)
            if isawaitable(result):
                await result
