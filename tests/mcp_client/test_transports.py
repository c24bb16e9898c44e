"""The reference servers of others, over every transport."""

import asyncio
import json
import os
import signal
from itertools import pairwise
from typing import Any

import pytest

from roo_code.errors import ToolError
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpUser, Question, Reply, Sample, SampleRequest
from roo_code.workspace.running import running
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


@pytest.mark.parametrize("kind", ["sse", "streamable-http"])
async def test_everything_over_http(place: Place, kind: str) -> None:
    port = free_port()
    place.name(e=at(kind, port, headers={"X-Own": "yes"}))
    async with everything(PATHS[kind][0], port):
        await exercise(place)


async def test_a_server_may_ask_the_user_and_a_model_where_somebody_answers(place: Place) -> None:
    asked: list[Question | SampleRequest] = []

    async def answer(question: Question) -> Reply:
        asked.append(question)
        return Reply("accept", {"name": "Ada"}) if len(asked) < 3 else Reply("decline")

    async def sample(request: SampleRequest) -> Sample:
        asked.append(request)
        return Sample("written by a model", "a-model")

    place.name(e=node_server("everything"))
    async with place.servers(user=McpUser(answer, sample)) as servers:
        written = await servers.call_tool(
            "e", "trigger-sampling-request", {"prompt": "Write.", "maxTokens": 9}
        )
        assert "written by a model" in written.text
        filled = await servers.call_tool("e", "trigger-elicitation-request", {})
        assert "Ada" in filled.text
        declined = await servers.call_tool("e", "trigger-elicitation-request", {})
        assert "declined" in declined.text
    sampled, question, _ = asked
    assert isinstance(sampled, SampleRequest)
    assert (sampled.server, sampled.max_tokens) == ("e", 9)
    assert isinstance(question, Question)
    assert "name" in question.schema["properties"]


async def test_a_server_is_told_that_nobody_is_there_to_ask(place: Place) -> None:
    place.name(e=node_server("everything"))
    async with place.servers() as servers:
        offered = [tool.name for tool in servers.find("e").offered()]
        assert "trigger-sampling-request" not in offered
        assert "trigger-elicitation-request" not in offered


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


@pytest.mark.parametrize("is_killed", [True, False])
async def test_a_real_server_that_is_killed_or_frozen_in_the_middle_of_a_call(
    place: Place, is_killed: bool
) -> None:
    place.name(e=node_server("everything", timeout=2))
    async with place.servers() as servers:
        (server,) = [child for child in running() if child.owner == os.getpid()]
        assert server.kind == "mcp server"
        call = asyncio.create_task(
            servers.call_tool("e", "trigger-long-running-operation", {"duration": 60})
        )
        await servers.call_tool("e", "echo", {"message": "x"})
        os.kill(server.pid, signal.SIGKILL if is_killed else signal.SIGSTOP)
        with pytest.raises(ToolError, match="ended" if is_killed else "did not answer within 2 s"):
            await call
        if not is_killed:
            os.kill(server.pid, signal.SIGCONT)
        again = await servers.call_tool("e", "echo", {"message": "again"})
        assert again.text == "Echo: again"
        (now,) = [child for child in running() if child.owner == os.getpid()]
        assert (now.pid == server.pid) is not is_killed


def test_the_reference_servers_are_of_the_locked_version() -> None:
    package = NODE_MODULES / "@modelcontextprotocol" / "server-everything" / "package.json"
    assert json.loads(package.read_text(encoding="utf-8"))["version"].startswith("2026.")
