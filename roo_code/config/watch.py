"""Settings that follow their files while a program runs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Settings

if TYPE_CHECKING:
    import asyncio

DEBOUNCE_MS = 50
_POLL_MS = 1000
"""How often to look even so: a link's target, or a file on a network, may change unseen."""


async def follow_settings(
    layers: LayeredSettings, stop: asyncio.Event | None = None
) -> AsyncGenerator[Settings]:
    """The settings as they are, then again whenever they differ, until `stop`.

    A file caught half written changes nothing: what it said before holds until it is whole.
    """
    awatch: Any = import_module("watchfiles").awatch  # loaded late: a single run follows nothing
    last = layers.resolve()
    yield last
    while stop is None or not stop.is_set():
        folders = _folders(layers)
        changes = awatch(
            *folders,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=DEBOUNCE_MS // 2,
            stop_event=stop,
            recursive=False,
            yield_on_timeout=True,
            rust_timeout=_POLL_MS,
        )
        async with aclosing(changes):
            async for _ in changes:
                now = layers.resolve()
                if _differ(now, last):
                    last = now
                    yield now
                if _folders(layers) != folders:
                    break  # a folder came or went: watch the right ones
            else:
                return


def _folders(layers: LayeredSettings) -> list[Path]:
    """The folders of all files that may come to be, or the nearest above them that is there."""
    wanted = {path.parent for place in layers.files.places for path in place.files}
    wanted.add(layers.files.profiles.parent)
    return sorted({_nearest(folder) for folder in wanted})


def _nearest(folder: Path) -> Path:
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _differ(one: Settings, other: Settings) -> bool:
    return (
        one.values != other.values
        or one.problems != other.problems
        or {key: entry.value for key, entry in one.secrets.items()}
        != {key: entry.value for key, entry in other.secrets.items()}
    )
