"""Whom the program itself connects to, seen by a hook in its own interpreter."""

import json
import socket
from pathlib import Path

import pytest

from roo_code.testing.model_server import ModelServer
from tests.cli.conftest import Roo, calls, completion

HOOK = """
import sys


def seen(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        with open({log!r}, "a") as log:
            log.write(f"{{event}} {{arguments[-1] if event == 'socket.connect' else arguments}}\\n")


sys.addaudithook(seen)
"""


@pytest.fixture
def connections(tmp_path: Path) -> Path:
    """A file with a line for each; its folder is to be on the path of Python."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    log = hooks / "connections"
    (hooks / "sitecustomize.py").write_text(HOOK.format(log=str(log)))
    return log


def elsewhere(log: Path, server: ModelServer) -> list[str]:
    """Those to others than the server, of which there must be some to it."""
    address = server.url.removeprefix("http://").replace(":", "', ")
    lines = log.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("socket.connect") and address in line]
    return [line for line in lines if address not in line]


def test_a_run_connects_to_the_service_it_was_given_and_to_nothing_else(
    roo: Roo, connections: Path
) -> None:
    (roo.workspace / "note.txt").write_text("see https://example.com/ and http://10.0.0.1/\n")
    server = roo.serve(
        calls(
            read_file={"path": "note.txt"},
            search_files={"path": ".", "regex": "see"},
            list_files={"path": "."},
            list_code_definition_names={"path": "calc.py"},
            execute_command={"command": "cat note.txt"},
            write_to_file={"path": "a.txt", "content": "https://example.com/\n"},
            update_todo_list={"todos": "[ ] https://example.com/"},
        ),
        completion("Done, see https://example.com/"),
    )
    done = roo.run(
        "-p", "--approve", "all", "Look at @/note.txt", PYTHONPATH=str(connections.parent)
    )
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 2
    assert elsewhere(connections, server) == []


def test_what_nobody_agreed_to_is_not_contacted(roo: Roo, connections: Path) -> None:
    """Neither what the model asks for nor what the project names."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        (roo.workspace / ".roo").mkdir()
        servers = {"theirs": {"type": "streamable-http", "url": f"{url}/mcp"}}
        (roo.workspace / ".roo/mcp.json").write_text(json.dumps({"mcpServers": servers}))
        settings = {"anthropicBaseUrl": url, "openAiBaseUrl": url}
        (roo.workspace / ".roo/settings.json").write_text(json.dumps(settings))
        server = roo.serve(
            calls(web_fetch={"url": "https://example.com/"}),
            calls(use_mcp_tool={"server_name": "theirs", "tool_name": "x", "arguments": {}}),
            completion("Done"),
        )
        path = str(connections.parent)
        done = roo.run("-p", "--approve", "auto", "Look around", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 3
    assert elsewhere(connections, server) == []
