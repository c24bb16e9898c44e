"""The reference servers of others, over every transport."""

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest

from roo_code.errors import ToolError
from roo_code.json_text import JsonValue
from tests.mcp_client.http_servers import everything, free_port
from tests.mcp_client.hubs import NODE_MODULES, Place, needs_node, node_server
from tests.waiting import until

pytestmark = needs_node

PATHS = {"sse": ("sse", "/sse"), "streamable-http": ("streamableHttp", "/mcp")}


def at(kind: str, port: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "url": f"http://127.0.0.1:{port}{PATHS[kind][1]}", **more}


async def exercise(place: Place) -> None:
    """What every transport must carry: calls, progress, images, resources, prompts, roots."""
    async with place.servers() as servers:
        (status,) = servers.statuses()
        assert (status.condition, status.error) == ("connected", "")
        assert (await servers.call_tool("e", "echo", {"message": "ä"})).text == "Echo: ä"
        told: list[str] = []
        operation = {"duration": 0.2, "steps": 2}
        answer = await servers.call_tool(
            "e", "trigger-long-running-operation", operation, on_progress=told.append
        )
        assert "completed" in answer.text
        await until(lambda: told == ["1 of 2", "2 of 2"])
        assert (await servers.call_tool("e", "get-tiny-image", {})).images
        assert (await servers.call_tool("e", "get-sum", {"a": 1, "b": "x"})).is_error
        together = (servers.call_tool("e", "get-sum", {"a": n, "b": n}) for n in range(20))
        texts = [answer.text for answer in await asyncio.gather(*together)]
        assert texts == [f"The sum of {n} and {n} is {2 * n}." for n in range(20)]
        uri = status.listing.resources[0].uri
        assert (await servers.read_resource("e", uri)).text
        assert await servers.get_prompt("mcp--e--simple-prompt", "")
        roots = await servers.call_tool("e", "get-roots-list", {})
        assert str(place.workspace) in roots.text


async def test_everything_over_stdio(place: Place) -> None:
    place.name(e=node_server("everything"))
    await exercise(place)


@pytest.mark.requirement("mcp-hub:transport:sse")
@pytest.mark.parametrize("kind", ["sse", "streamable-http"])
async def test_everything_over_http(place: Place, kind: str) -> None:
    port = free_port()
    place.name(e=at(kind, port, headers={"X-Own": "yes"}))
    async with everything(PATHS[kind][0], port):
        await exercise(place)


async def test_memory_and_filesystem_side_by_side(place: Place) -> None:
    (place.workspace / "note.txt").write_text("hello\n", encoding="utf-8")
    memory = node_server("memory", env={"MEMORY_FILE_PATH": str(place.home / "memory.jsonl")})
    place.name(memory=memory, files=node_server("filesystem", "${workspaceFolder}"))
    async with place.servers() as servers:
        entity: dict[str, JsonValue] = {
            "name": "Roo",
            "entityType": "program",
            "observations": ["hops"],
        }
        await servers.call_tool("memory", "create_entities", {"entities": [entity]})
        graph = await servers.call_tool("memory", "read_graph", {})
        assert "hops" in graph.text
        path = str(place.workspace / "note.txt")
        read = await servers.call_tool("files", "read_text_file", {"path": path})
        assert read.text == "hello\n"
        denied = await servers.call_tool("files", "read_text_file", {"path": "/etc/passwd"})
        assert denied.is_error


@pytest.mark.requirement("mcp-hub:sse:reconnect")
@pytest.mark.parametrize("kind", ["sse", "streamable-http"])
async def test_a_server_that_comes_back_is_used_again(place: Place, kind: str) -> None:
    """It is killed in the middle of a call, which fails at once and is not repeated."""
    port = free_port()
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0.01)

    place.name(e=at(kind, port))
    async with place.hub(pause=pause) as hub:
        async with everything(PATHS[kind][0], port):
            servers = await hub.ready(place.workspace)
            call = asyncio.create_task(
                servers.call_tool("e", "trigger-long-running-operation", {"duration": 60})
            )
            await until(lambda: servers.find("e").first.calls == 1)
            await servers.call_tool("e", "echo", {"message": "x"})
        with pytest.raises(ToolError):
            async with asyncio.timeout(10):
                await call
        await until(lambda: servers.statuses()[0].condition == "disconnected")
        async with everything(PATHS[kind][0], port):
            answer = await servers.call_tool("e", "echo", {"message": "again"})
            assert answer.text == "Echo: again"
        assert any(later > sooner for sooner, later in pairwise(waits))


def test_the_reference_servers_are_of_the_locked_version() -> None:
    package = NODE_MODULES / "@modelcontextprotocol" / "server-everything" / "package.json"
    assert json.loads(package.read_text(encoding="utf-8"))["version"].startswith("2026.")
