"""`roo mcp`, as a person runs it."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from roo_code.cli.main import run_cli
from tests.mcp_client.hubs import SMALL, Place, small


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


class Mcp:
    def __init__(self, place: Place, captured: pytest.CaptureFixture[str]) -> None:
        self.place = place
        self._captured = captured

    def __call__(self, *words: str) -> Ran:
        code = run_cli(["mcp", *words])
        shown = self._captured.readouterr()
        return Ran(code, shown.out, shown.err)


@pytest.fixture
def mcp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Mcp:
    place = Place(tmp_path)
    monkeypatch.setenv("ROO_HOME", str(place.home))
    monkeypatch.chdir(place.workspace)
    return Mcp(place, capsys)


def test_a_server_is_added_shown_and_removed(mcp: Mcp) -> None:
    assert "No MCP servers" in mcp("list").out
    file = mcp.place.home / "mcp-settings.json"
    file.write_text('{\n  // mine\n  "mcpServers": {\n    "x": {"command": "x"} // keep\n  }\n}\n')
    added = mcp("add", "a", "--env", "KEY=${env:KEY}", "--timeout", "5", "--", "python", "-m", "b")
    assert added.out == f"Added a in {file}.\n"
    text = file.read_text(encoding="utf-8")
    assert "// mine" in text
    assert "// keep" in text
    listed = json.loads(mcp("list", "--json").out)["servers"]
    assert [(row["name"], row["state"], row["what"]) for row in listed] == [
        ("x", "enabled", "x"),
        ("a", "enabled", "python -m b"),
    ]
    assert mcp("remove", "a").code == 0
    assert '"a"' not in file.read_text(encoding="utf-8")
    again = mcp("remove", "a")
    assert (again.code, again.out) == (1, "")
    assert "There is no server a" in again.err


def test_an_address_may_be_the_projects(mcp: Mcp) -> None:
    assert mcp("add", "d", "https://d.example/mcp", "--project", "--header", "A=b=c").code == 0
    file = mcp.place.workspace / ".roo" / "mcp.json"
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "mcpServers": {
            "d": {
                "type": "streamable-http",
                "url": "https://d.example/mcp",
                "headers": {"A": "b=c"},
            }
        }
    }
    assert "not trusted" in mcp("list").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "a", "--timeout", "0", "--", "x"), "from 1 to 3600"),
        (("add", "a", "--env", "KEY", "--", "x"), "NAME=VALUE"),
        (("add", "a", "https://a.example", "more"), "no further words"),
        (("add", "a", "--header", "A=b", "--", "x"), "either a command or headers"),
        (("call", "a", "b", "[1]"), "must be a JSON object"),
        (("call", "a", "b", "{"), "not JSON"),
        (("call", "a", "b"), "There is no server a"),
        (("tools", "a"), "There is no server a"),
        (("test", "a"), "There is no server a"),
        (("login", "a"), "There is no server a"),
    ],
)
def test_a_mistake_is_one_sentence(mcp: Mcp, words: tuple[str, ...], said: str) -> None:
    ran = mcp(*words)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


def test_a_broken_file_is_not_overwritten(mcp: Mcp) -> None:
    file = mcp.place.home / "mcp-settings.json"
    file.write_text('{"mcpServers": {', encoding="utf-8")
    ran = mcp("add", "a", "--", "x")
    assert ran.code == 1
    assert "Mend the file first" in ran.err
    assert file.read_text(encoding="utf-8") == '{"mcpServers": {'


def test_servers_are_tried_and_used_by_hand(mcp: Mcp) -> None:
    mcp.place.name(a=small(), off=small(disabled=True), gone={"command": "no-such-program"})
    tried = mcp("test")
    assert tried.code == 1
    assert "a                    connected" in tried.out
    assert "no-such-program" in tried.out
    assert mcp("test", "a").code == 0
    (told,) = json.loads(mcp("test", "a", "--json").out)
    assert (told["condition"], told["prompts"]) == ("connected", ["review"])
    offered = mcp("tools", "a").out
    assert "tool      echo  Say it again." in offered
    assert "resource  small://note  A note." in offered
    called = mcp("call", "a", "echo", '{"text": "by hand"}')
    assert (called.code, called.out) == (0, "by hand\n")
    assert mcp("call", "a", "fails").code == 1
    raw = json.loads(mcp("call", "a", "echo", '{"text": "x"}', "--json").out)
    assert raw["content"][0]["text"] == "x"


def test_a_login_is_for_addresses(mcp: Mcp) -> None:
    mcp.place.name(a={"command": "python", "args": [SMALL]})
    assert "nothing to log in to" in mcp("login", "a").err
