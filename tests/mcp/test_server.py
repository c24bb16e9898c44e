"""McpModesServer: the protocol, message by message."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.mcp import McpModesServer
from roo_code.mcp.messages import MessageParser, MessageWriter, RpcError
from roo_code.mcp.server import Connection

INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2024-11-05", "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


class Client:
    """What one client says and hears."""

    def __init__(self, server: McpModesServer) -> None:
        self.heard: list[dict[str, Any]] = []
        self.server = server
        self._connection = Connection(server, "s", self.heard.append)

    def send(self, message: object) -> None:
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._connection.receive(text)

    async def ask(self, method: str, id: object = 1, **params: Any) -> dict[str, Any]:
        before = len(self.heard)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        while len(self.heard) == before:
            await asyncio.sleep(0)
        return self.heard[-1]

    async def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        answer = await self.ask("tools/call", name=name, arguments=arguments)
        (block,) = answer["result"]["content"]
        assert block["type"] == "text"
        return block["text"], answer["result"]["isError"]

    @property
    def task(self) -> Any:
        return self.server.sessions.get_session("s").current_task


@pytest.fixture
def server(tmp_path: Path) -> McpModesServer:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".roo" / "modes").mkdir(parents=True)
    (project / ".roo" / "modes" / "docs.yaml").write_text(
        "name: Docs\ngroups: [read, edit]\nfile_restrictions:\n  allow_patterns: ['\\.md$']\n"
        "description: Writes\nsystem_prompt: x\n"
    )
    (home / "modes").mkdir(parents=True)
    (home / "modes" / "global-one.yaml").write_text("name: Mine\ngroups: [read]\n")
    return McpModesServer(project_root=project, global_config_dir=home)


@pytest.fixture
def client(server: McpModesServer) -> Client:
    made = Client(server)
    made.send(INITIALIZE)
    made.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return made


@pytest.mark.requirement("mcp-server:construct:paths", "mcp-server:resources:list")
async def test_modes_of_project_and_home_are_resources(client: Client) -> None:
    listed = (await client.ask("resources/list"))["result"]["resources"]
    found = {resource["uri"]: resource for resource in listed}
    slugs = {"architect", "code", "ask", "debug", "orchestrator", "docs", "global-one"}
    assert set(found) == {f"roo://modes/{slug}" for slug in slugs}
    assert found["roo://modes/docs"]["name"] == "Docs"
    assert found["roo://modes/docs"]["mimeType"] == "application/yaml"


@pytest.mark.requirement("mcp-server:resources:read")
async def test_a_mode_is_read_as_its_configuration(client: Client) -> None:
    answer = await client.ask("resources/read", uri="roo://modes/docs")
    (content,) = answer["result"]["contents"]
    assert "slug: docs" in content["text"]
    assert "\\.md$" in content["text"]
    for uri in ("roo://modes/none", "roo://tasks/none", "file:///etc/passwd", "roo://other"):
        error = (await client.ask("resources/read", uri=uri))["error"]
        assert error["code"] == -32002
        assert uri in error["message"]


async def test_files_of_the_workspace_can_be_read_and_no_others(
    client: Client, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / "a b.txt").write_text("hello ü", encoding="utf-8")
    (project / "secret.txt").write_text("hidden")
    (project / ".rooignore").write_text("secret.txt\n")
    (tmp_path / "outside.txt").write_text("outside")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "data.bin").write_bytes(b"\xff\x00")
    answer = await client.ask("resources/read", uri="roo://workspace/a%20b.txt")
    assert answer["result"]["contents"][0]["text"] == "hello ü"
    for name in ("secret.txt", "../outside.txt", "link.txt", "data.bin", "none", "%2Fetc%2Fpasswd"):
        assert "error" in await client.ask("resources/read", uri=f"roo://workspace/{name}")
    templates = (await client.ask("resources/templates/list"))["result"]["resourceTemplates"]
    assert [t["uriTemplate"] for t in templates] == [
        "roo://tasks/{task_id}",
        "roo://workspace/{+path}",
    ]


@pytest.mark.requirement("mcp-server:init:reply")
async def test_initialize_is_answered_as_the_protocol_says(server: McpModesServer) -> None:
    client = Client(server)
    client.send(INITIALIZE)
    assert client.heard == [
        {
            "jsonrpc": "2.0",
            "id": 0,
            "result": {
                "protocolVersion": "2024-11-05",
                "serverInfo": {"name": "roo-modes-server", "version": "1.0.0"},
                "capabilities": {"resources": {}, "tools": {}},
            },
        }
    ]


@pytest.mark.parametrize(
    ("wanted", "answered"), [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")]
)
async def test_the_version_is_the_clients_if_it_is_known(
    server: McpModesServer, wanted: str, answered: str
) -> None:
    client = Client(server)
    answer = await client.ask("initialize", protocolVersion=wanted)
    assert answer["result"]["protocolVersion"] == answered


@pytest.mark.requirement("mcp-server:init:then-ready")
async def test_before_initialize_nothing_is_served_but_ping(server: McpModesServer) -> None:
    client = Client(server)
    for method in ("resources/list", "tools/list", "tools/call", "resources/read"):
        assert (await client.ask(method))["error"]["code"] == -32600
    assert (await client.ask("ping"))["result"] == {}
    client.send(INITIALIZE)
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert server.sessions.get_session("s").initialized
    assert "result" in await client.ask("tools/list")


@pytest.mark.requirement("mcp-server:route:methods", "mcp-server:protocol:envelope")
async def test_every_response_has_the_id_of_its_request_and_notifications_have_none(
    client: Client,
) -> None:
    for id in (7, "seven", 0):
        for method, params in (
            ("ping", {}),
            ("resources/list", {}),
            ("resources/read", {"uri": "roo://modes/code"}),
            ("tools/list", {}),
            ("tools/call", {"name": "switch_mode", "arguments": {"mode_slug": "ask"}}),
            ("initialize", {"protocolVersion": "2024-11-05"}),
        ):
            answer = await client.ask(method, id, **params)
            assert (answer["jsonrpc"], answer["id"]) == ("2.0", id)
            assert ("result" in answer) != ("error" in answer)
    before = len(client.heard)
    for method in ("notifications/initialized", "notifications/cancelled", "tools/list", "what"):
        client.send({"jsonrpc": "2.0", "method": method})
    client.send({"jsonrpc": "2.0", "id": 5, "result": {}})  # an answer nobody asked for
    await asyncio.sleep(0.01)
    assert len(client.heard) == before


@pytest.mark.requirement("mcp-server:protocol:errors")
async def test_what_is_wrong_is_told_by_its_code_and_the_server_goes_on(client: Client) -> None:
    wrong: list[tuple[Any, int, int | None]] = [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        ([], -32600, None),
        ({"id": 1, "method": "ping"}, -32600, 1),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 1}, -32600, 1),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1, "method": 3}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32602, 1),
    ]
    for message, code, id in wrong:
        client.send(message)
        answer = client.heard[-1]
        assert (answer["error"]["code"], answer["id"]) == (code, id), message
    for method, params, code in (
        ("what", {}, -32601),
        ("resources/read", {}, -32602),
        ("resources/read", {"uri": 3}, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": "new_task", "arguments": 3}, -32602),
        ("initialize", {}, -32602),
    ):
        assert (await client.ask(method, **params))["error"]["code"] == code, method
    assert (await client.ask("ping"))["result"] == {}


@pytest.mark.requirement("mcp-server:tools:list")
async def test_the_tools_of_modes_are_listed_with_their_schemas(client: Client) -> None:
    tools = (await client.ask("tools/list"))["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["switch_mode", "new_task"]
    for tool in tools:
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])


@pytest.mark.requirement("mcp-server:tools:call-result")
async def test_switch_mode_changes_the_mode_of_the_sessions_task(client: Client) -> None:
    assert client.task.mode_slug == "code"
    assert await client.call("switch_mode", mode_slug="architect", reason="plan") == (
        "Switched to Architect mode",
        False,
    )
    assert client.task.mode_slug == "architect"
    assert await client.call("switch_mode", mode_slug="code") == ("Switched to Code mode", False)
    assert await client.call("switch_mode", mode_slug="code") == ("Switched to Code mode", False)


@pytest.mark.requirement("mcp-server:tools:call-errors")
async def test_calls_that_cannot_be_done_change_nothing(client: Client) -> None:
    task, mode = client.task, client.task.mode_slug
    for name, arguments, told in (
        ("dance", {}, "There is no tool 'dance'"),
        ("switch_mode", {"mode_slug": "wizard"}, "There is no mode 'wizard'"),
        ("switch_mode", {"mode_slug": 3}, "Expected `str`"),
        ("switch_mode", {}, "missing required field `mode_slug`"),
        ("new_task", {"mode": "wizard", "message": "x"}, "There is no mode 'wizard'"),
        ("new_task", {"mode": "code"}, "missing required field `message`"),
        ("start_task", {"prompt": "x"}, "There is no tool 'start_task'"),
    ):
        text, is_error = await client.call(name, **arguments)
        assert is_error
        assert told in text
    assert client.task is task
    assert (task.mode_slug, task.child_task_ids) == (mode, [])


@pytest.mark.requirement("mcp-server:tools:new-task")
async def test_new_task_is_a_child_and_becomes_the_current_one(client: Client) -> None:
    parent = client.task
    text, is_error = await client.call("new_task", mode="code", message="Create UserService")
    assert not is_error
    assert text.startswith("Created new task in code mode: Create UserService")
    child = client.task
    assert child is not parent
    assert child.parent is parent
    assert parent.child_task_ids == [child.id]
    assert [message.text for message in child.messages] == ["Create UserService"]


@pytest.mark.requirement("mcp-server:run:stdio", "mcp-server:structure:parts")
async def test_it_runs_on_streams_until_the_input_ends(server: McpModesServer) -> None:
    lines = [INITIALIZE, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]
    source = io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"\n  \n")
    sink = io.BytesIO()
    await asyncio.wait_for(server.run(source, sink), 10)
    answers = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1]


@pytest.mark.requirement("mcp-server:structure:parts")
def test_parsing_and_writing_are_parts_of_their_own() -> None:
    written: list[bytes] = []
    MessageWriter(written.append).write({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert written == [b'{"jsonrpc":"2.0","id":1,"result":{}}\n']
    with pytest.raises(RpcError):
        MessageParser().parse(b"no")
    from roo_code.mcp import server as module
    from roo_code.mcp.session import SessionManager
    from roo_code.mcp.tools import ToolHandler

    assert module.MessageParser is MessageParser
    assert callable(ToolHandler.call_tool)
    assert module.SessionManager is SessionManager
