"""The servers of one workspace: the user's own and, where they are trusted, the project's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from roo_code.config.problem import Problem
from roo_code.errors import RooCodeError, ToolError, TransportError
from roo_code.json_text import JsonValue, to_json
from roo_code.mcp_access import McpAnswer, McpUser, nobody_listens
from roo_code.mcp_client.benchmark import Benchmark
from roo_code.mcp_client.circumstances import Circumstances
from roo_code.mcp_client.config import ConfigFiles, FoundServer, FoundServers, read_servers
from roo_code.mcp_client.entry import ServerEntry, Source
from roo_code.mcp_client.names import PREFIX, ToolPlace, loose, native_names
from roo_code.mcp_client.pool import ServerPool
from roo_code.mcp_client.status import McpStatus


class WorkspaceServers:
    """Shared by all tasks of the workspace; `McpAccess` for their tools."""

    def __init__(
        self,
        files: ConfigFiles,
        around: Circumstances,
        benchmark: Benchmark,
        *,
        is_trusted: Callable[[FoundServer], bool] = lambda found: False,
        tell: Callable[[McpStatus], None] = lambda status: None,
    ) -> None:
        self.files = files
        self.around = around
        self.benchmark = benchmark
        self.problems: tuple[Problem, ...] = ()
        self.untrusted: tuple[str, ...] = ()
        """Names of the project's servers that the user has not consented to."""
        self.version = 0
        """Grows with every change of what the servers offer."""
        self.is_loaded = asyncio.Event()
        """Set once the files have been read for the first time."""
        self._is_trusted = is_trusted
        self._tell_status = tell
        self._pools: dict[str, ServerPool] = {}
        self._reloading = asyncio.Lock()
        self._told: dict[str, tuple[object, ...]] = {}

    def __iter__(self) -> Iterator[ServerPool]:
        return iter(self._pools.values())

    async def reload(self) -> None:
        """Read the files; start, stop and reconnect only those servers that they change."""
        async with self._reloading:
            found = await asyncio.to_thread(read_servers, self.files, self.around.workspace)
            self.problems = found.problems
            wanted = self._wanted(found)
            gone = [pool for pool in self._pools.values() if not _goes_on(pool, wanted)]
            for pool in gone:
                del self._pools[pool.entry.name]
            await asyncio.gather(*(pool.stop() for pool in gone))
            for name, entry in wanted.items():
                if name in self._pools:
                    if self._pools[name].entry != entry:
                        self._pools[name].update(entry)
                else:
                    may_start = partial(self._may_run, found.servers[name])
                    self._pools[name] = ServerPool(entry, self.around, self._heard, may_start)
                    self._pools[name].start()
            self._pools = {name: self._pools[name] for name in wanted}
            self._changed()

    async def aclose(self) -> None:
        async with self._reloading:
            pools, self._pools = self._pools, {}
            await asyncio.gather(*(pool.stop() for pool in pools.values()))

    async def settled(self, seconds: float) -> None:
        """Until all are connected or have failed, but no longer than so."""
        waits = [asyncio.ensure_future(pool.first.settled()) for pool in self]
        if not waits:
            return
        _, late = await asyncio.wait(waits, timeout=seconds)
        for wait in late:
            wait.cancel()

    def statuses(self) -> list[McpStatus]:
        return [pool.status() for pool in self]

    def places(self) -> dict[str, ToolPlace]:
        """All tools on offer, by the names under which the model calls them."""
        return native_names(
            ToolPlace(pool.entry.name, tool.name) for pool in self for tool in pool.offered()
        )

    def instructions(self) -> dict[str, str]:
        """What connected servers say of themselves to the model."""
        listed = {pool.entry.name: pool.first.listing.instructions for pool in self}
        return {name: text for name, text in listed.items() if text}

    def find(self, server: str, source: Source | None = None) -> ServerPool:
        alike = [pool for name, pool in self._pools.items() if loose(name) == loose(server)]
        pool = self._pools.get(server) or (alike[0] if len(alike) == 1 else None)
        if pool is None or (source is not None and pool.entry.source != source):
            raise ToolError(self._not_found(server, source))
        if pool.entry.disabled:
            raise ToolError(f"The MCP server {server} is disabled in the settings.")
        return pool

    def always_allows(self, server: str, tool: str) -> bool:
        return server in self._pools and self._pools[server].entry.allows(tool)

    def lists_resource(self, server: str, uri: str) -> bool:
        pool = self._pools.get(server)
        return pool is not None and any(r.uri == uri for r in pool.first.listing.resources)

    async def call_tool(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        on_progress: Callable[[str], None] = nobody_listens,
        user: McpUser | None = None,
        source: Source | None = None,
    ) -> McpAnswer:
        pool = self.find(server, source)
        self.benchmark.tell("mcp:tool:start", server, tool_name=tool)
        began = time.perf_counter()
        try:
            answer = await pool.call_tool(tool, arguments, on_progress, user)
        except RooCodeError as error:
            hidden = self.around.hide(pool.entry.hide(str(error)))
            facts = {"tool_name": tool, "duration": _since(began), "error": hidden}
            self.benchmark.tell_call("mcp:tool:error", server, arguments, None, **facts)
            raise _readable(server, error) from error
        facts = {"tool_name": tool, "duration": _since(began), "response_size": _size(answer)}
        self.benchmark.tell_call("mcp:tool:success", server, arguments, answer.raw, **facts)
        return answer

    async def read_resource(
        self, server: str, uri: str, *, source: Source | None = None
    ) -> McpAnswer:
        pool = self.find(server, source)
        began = time.perf_counter()
        try:
            answer = await pool.read_resource(uri)
        except RooCodeError as error:
            hidden = self.around.hide(pool.entry.hide(str(error)))
            facts: dict[str, Any] = {"uri": uri, "duration": _since(began), "error": hidden}
            self.benchmark.tell("mcp:resource:error", server, **facts)
            raise _readable(server, error) from error
        facts = {"uri": uri, "duration": _since(began), "response_size": _size(answer)}
        self.benchmark.tell("mcp:resource", server, **facts)
        return answer

    def prompts(self) -> dict[str, tuple[ServerPool, str]]:
        """Servers' prompts by their names as slash commands."""
        offered = {
            ToolPlace(pool.entry.name, prompt.name): pool
            for pool in self
            for prompt in pool.first.listing.prompts
        }
        return {name: (offered[place], place.tool) for name, place in native_names(offered).items()}

    async def get_prompt(self, name: str, arguments: str) -> str | None:
        """The words after the command fill the prompt's arguments, the last taking the rest."""
        if not name.startswith(PREFIX) or (found := self.prompts().get(name)) is None:
            return None
        pool, prompt = found
        names = next(p.arguments for p in pool.first.listing.prompts if p.name == prompt)
        words = arguments.split(None, max(len(names) - 1, 0))
        try:
            return await pool.get_prompt(prompt, dict(zip(names, words, strict=False)))
        except TransportError as error:
            raise _readable(pool.entry.name, error) from error

    def _wanted(self, found: FoundServers) -> dict[str, ServerEntry]:
        """What is to run: the trusted, and what an unreadable file named before."""
        trusted: dict[str, ServerEntry] = {}
        untrusted: list[str] = []
        for name, server in found.servers.items():
            if self._may_run(server):
                trusted[name] = server.entry
            else:
                untrusted.append(name)
        self.untrusted = tuple(untrusted)
        kept = {
            name: pool.entry
            for name, pool in self._pools.items()
            if pool.entry.source in found.unreadable
        }
        return {**kept, **trusted}

    def _may_run(self, server: FoundServer) -> bool:
        """Asked again before each start: what a trusted entry starts may have changed."""
        entry = server.entry
        return entry.source == "global" or entry.disabled or self._is_trusted(server)

    def _heard(self, pool: ServerPool) -> None:
        status = pool.status()
        told = (status.condition, status.error)
        if self._told.get(status.name) != told:
            self._told[status.name] = told
            self.benchmark.tell(
                "mcp:connection",
                status.name,
                transport=status.type,
                condition=status.condition,
                duration=pool.first.connect_seconds * 1000,
                error=status.error,
            )
        self._changed()
        self._tell_status(status)

    def _changed(self) -> None:
        self.version += 1

    def _not_found(self, server: str, source: Source | None) -> str:
        asked = f" with source {source}" if source else ""
        listed = ", ".join(pool.entry.name for pool in self if not pool.entry.disabled) or "none"
        told = (
            f"No connection found for server: {server}{asked}. Please make sure to use MCP "
            f"servers available under 'Connected MCP Servers'. They are: {listed}."
        )
        if server in self.untrusted:
            told += (
                f" The project names a server {server}, which the user has not consented to: "
                "roo trust grant."
            )
        return told


def _goes_on(pool: ServerPool, wanted: Mapping[str, ServerEntry]) -> bool:
    entry = wanted.get(pool.entry.name)
    return entry is not None and entry.connects_like(pool.entry)


def _readable(server: str, error: RooCodeError) -> RooCodeError:
    """For the model, which cannot tell how its words are carried."""
    return ToolError(f"{server}: {error}") if isinstance(error, TransportError) else error


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)


def _size(answer: McpAnswer) -> int:
    return len(to_json(answer.raw).decode())
