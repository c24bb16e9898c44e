"""Follows the files that name servers, and those whose change restarts one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.workspace_servers import WorkspaceServers

DEBOUNCE_MS = 100
_POLL_MS = 1000
"""How often to look even so: a link's target, or a file on a network, may change unseen."""
_BUILT = "build/index.js"
_Signature: TypeAlias = "tuple[tuple[str, int, int, int], ...]"


async def follow(servers: WorkspaceServers, also: Iterable[Path] = ()) -> None:
    """Until cancelled. `also` are files whose change may change what is trusted."""
    awatch: Any = import_module("watchfiles").awatch  # loaded late: few runs have servers
    config = [servers.files.user, servers.files.project, *also]
    known = _Known(servers, config)
    while True:
        folders = known.folders()
        changes = awatch(
            *folders,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=DEBOUNCE_MS // 2,
            recursive=False,
            yield_on_timeout=True,
            rust_timeout=_POLL_MS,
        )
        async with aclosing(changes):
            async for _ in changes:
                await known.look()
                if known.folders() != folders:
                    break  # watch the right ones


class _Known:
    """The files as they were when they were last looked at."""

    def __init__(self, servers: WorkspaceServers, config: list[Path]) -> None:
        self._servers = servers
        self._config = config
        self._config_was = _signature(config)
        self._were: dict[str, tuple[object, _Signature]] = {}
        self._note()

    def folders(self) -> list[Path]:
        watched = [path for pool in self._servers for path in self._watched(pool.entry)]
        return sorted({_nearest(path) for path in (*self._config, *watched)})

    async def look(self) -> None:
        config_is = _signature(self._config)
        if config_is != self._config_was:
            self._config_was = config_is
            await self._servers.reload()
        changed = [
            pool
            for pool in self._servers
            if (was := self._were.get(pool.entry.name)) is not None
            and was[0] is pool
            and was[1] != _signature(self._watched(pool.entry))
        ]
        self._note()
        await asyncio.gather(*(pool.restart() for pool in changed))

    def _note(self) -> None:
        self._were = {
            pool.entry.name: (pool, _signature(self._watched(pool.entry))) for pool in self._servers
        }

    def _watched(self, entry: ServerEntry) -> list[Path]:
        folder = entry.folder(self._servers.around.workspace)
        built = [argument for argument in entry.args if _BUILT in argument]
        return [folder / Path(name).expanduser() for name in (*entry.watch_paths, *built)]


def _signature(paths: Iterable[Path]) -> _Signature:
    """Changes with the files, and with what is in the folders among them."""
    found: list[tuple[str, int, int, int]] = []
    for path in paths:
        try:
            inside = sorted(path.iterdir()) if path.is_dir() else []
        except OSError:
            inside = []
        for file in (path, *inside):
            try:
                status = file.stat()
            except OSError:
                continue
            found.append((str(file), status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _nearest(path: Path) -> Path:
    """The folder of a file that may come to be, or the nearest above it that is there."""
    folder = path if path.is_dir() else path.parent
    while not folder.is_dir():
        folder = folder.parent
    return folder
