"""The hub as the conformance suite wants to see a client: run by test_conformance.py.

The suite starts it with the address of its server as the last word, and a scenario's name and data
in the environment.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2

from roo_code.errors import ToolError
from roo_code.mcp_access import McpUser, Question, Reply
from roo_code.mcp_client.circumstances import LoginWays
from tests.mcp_client.hubs import Place
from tests.mcp_client.test_login import Vault

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
METADATA = "https://conformance-test.local/client-metadata.json"


async def accept(question: Question) -> Reply:
    return Reply("accept")


async def browse(url: str) -> None:
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get(url)


async def main(url: str) -> None:
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    oauth = {"clientMetadataUrl": METADATA} if scenario == "auth/basic-cimd" else {}
    if "client_id" in given:
        oauth = {"clientId": given["client_id"], "clientSecret": given["client_secret"]}
    with tempfile.TemporaryDirectory() as folder:
        place, vault = Place(Path(folder)), Vault()
        place.name(s={"type": "streamable-http", "url": url, "oauth": oauth})
        async with place.servers(
            secrets=lambda: vault, login=LoginWays(browse), user=McpUser(answer=accept)
        ) as servers:
            (status,) = servers.statuses()
            if status.condition != "connected":
                sys.exit(status.error)
            for tool in status.listing.tools:
                try:
                    await servers.call_tool("s", tool.name, ARGUMENTS.get(tool.name, {}))
                except ToolError as error:
                    print(error, file=sys.stderr)


asyncio.run(main(sys.argv[-1]))
