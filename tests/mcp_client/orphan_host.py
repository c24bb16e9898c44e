"""A host of ten servers, each with a child that hides, which is killed: see test_orphans.py."""

import asyncio
import json
import sys
from pathlib import Path

from roo_code.mcp_access import McpAnswer
from tests.mcp_client.hubs import Place, small


async def main(folder: Path, moment: str) -> None:
    place = Place(folder)
    pids = {"PIDS": str(folder / "pids")}
    named = {f"s{number}": small("child", env=pids) for number in range(10)}
    place.write(json.dumps({"mcpServers": named}))
    async with place.hub() as hub:
        servers = hub.at(place.workspace)
        calls: list[asyncio.Task[McpAnswer]] = []
        if moment == "connected":
            await hub.ready(place.workspace)
            assert all(status.condition == "connected" for status in servers.statuses())
            calls = [
                asyncio.create_task(servers.call_tool(f"s{number}", "sleep", {}))
                for number in range(10)
            ]
            await asyncio.sleep(0)
        print("ready", flush=True)
        await asyncio.gather(*calls)
        await asyncio.sleep(600)


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
