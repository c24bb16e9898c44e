"""`roo mcp serve`: what it says where it cannot serve."""

import socket
from pathlib import Path

import pytest

from roo_code.cli.main import run_cli


def test_a_port_that_is_taken_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run_cli(["mcp", "serve", "--http", "--port", str(port)]) == 1
    told = capsys.readouterr().err
    assert f"Error: 127.0.0.1:{port} cannot be served: Address already in use.\n" in told
    assert "Choose another --port" in told
    assert "Traceback" not in told


def test_other_machines_are_not_served_with_a_token_nobody_chose(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROO_MCP_TOKEN", raising=False)
    assert run_cli(["mcp", "serve", "--http", "--host", "0.0.0.0"]) == 1
    assert "Set ROO_MCP_TOKEN to a long random text" in capsys.readouterr().err
