import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.mcp_client.config import ConfigFiles, FoundServers, read_servers
from tests.mcp_client.hubs import Place


def read(place: Place, environ: dict[str, str] | None = None) -> FoundServers:
    files = ConfigFiles.of(place.workspace, place.home)
    return read_servers(files, place.workspace, environ or {})


@pytest.mark.requirement("mcp-hub:config:files")
def test_both_files_name_servers_and_the_projects_wins(place: Place) -> None:
    place.name(mine={"command": "a"}, both={"command": "mine"})
    place.name(project=True, theirs={"command": "b"}, both={"command": "theirs"})
    found = read(place).servers
    named = {name: (server.entry.source, server.entry.command) for name, server in found.items()}
    assert named == {
        "mine": ("global", "a"),
        "theirs": ("project", "b"),
        "both": ("project", "theirs"),
    }


def test_the_users_file_is_in_the_home_of_roo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROO_HOME", raising=False)
    files = ConfigFiles.of(Path("/work/project"))
    assert files.user == Path.home() / ".roo" / "mcp-settings.json"
    assert files.project == Path("/work/project/.roo/mcp.json")


WHOLE: dict[str, Any] = {
    "type": "stdio",
    "command": "run",
    "args": ["-x"],
    "cwd": "sub",
    "env": {"A": "1"},
    "disabled": True,
    "timeout": 3600,
    "alwaysAllow": ["look"],
    "disabledTools": ["drop"],
    "watchPaths": ["run.js"],
    "cacheSeconds": 5,
    "connections": 2,
}


def test_an_entry_takes_all_that_roo_knows(place: Place) -> None:
    place.name(
        program=WHOLE,
        page={"type": "sse", "url": "https://a.example/sse", "headers": {"X": "y"}},
        other={"type": "streamable-http", "url": "http://localhost:1/mcp", "timeout": 1},
    )
    found = read(place)
    assert not found.problems
    program, page, other = (server.entry for server in found.servers.values())
    assert (program.args, program.env, program.cwd) == (("-x",), {"A": "1"}, "sub")
    assert (program.disabled, program.timeout, program.watch_paths) == (True, 3600, ("run.js",))
    assert (program.always_allow, program.disabled_tools) == (("look",), ("drop",))
    assert (program.cache_seconds, program.connections) == (5, 2)
    assert (page.type, page.headers) == ("sse", {"X": "y"})
    assert (other.type, other.timeout) == ("streamable-http", 1)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"command": "a", "url": "http://b.example"}, "either a command or url"),
    ({"command": "a", "headers": {"X": "y"}}, "either a command or headers"),
    ({"url": "http://b.example"}, "needs a type"),
    ({"type": "sse"}, "needs a url"),
    ({"type": "stdio"}, "needs a command"),
    ({"type": "stdio", "url": "http://b.example"}, "url does not go with the type stdio"),
    ({"type": "sse", "url": "http://b.example", "env": {"A": "b"}}, "env does not go with"),
    ({"type": "carrier-pigeon", "command": "a"}, "stdio, sse or streamable-http"),
    ({"type": "sse", "url": "b.example"}, "http:// or https://"),
    ({"command": "a", "args": "b"}, "list of texts"),
    ({"command": "a", "env": {"A": 1}}, "names and texts"),
    ({"command": "a", "disabled": "yes"}, "true or false"),
    ({"command": "a", "connections": 99}, "from 1 to 16"),
    ({}, "nothing to connect to"),
]


@pytest.mark.requirement("mcp-hub:config:schema")
@pytest.mark.parametrize(("entry", "said"), WRONG)
def test_a_wrong_entry_is_refused_alone(place: Place, entry: dict[str, Any], said: str) -> None:
    place.name(wrong=entry, right=WHOLE | {"type": "stdio"}, implied={"command": "a"})
    found = read(place)
    assert list(found.servers) == ["right", "implied"]
    assert found.servers["implied"].entry.type == "stdio"
    (problem,) = found.problems
    assert said in problem.message
    assert problem.key.startswith("mcpServers.wrong")


@pytest.mark.requirement("mcp-hub:config:timeout-range")
@pytest.mark.parametrize("timeout", [0, 0.5, 3601, -1, "60", True])
def test_a_timeout_out_of_range_is_refused(place: Place, timeout: Any) -> None:
    place.name(
        wrong={"command": "a", "timeout": timeout},
        least={"command": "a", "timeout": 1},
        most={"command": "a", "timeout": 3600},
    )
    found = read(place)
    assert [server.entry.timeout for server in found.servers.values()] == [1, 3600]
    assert "from 1 to 3600" in found.problems[0].message


def test_a_problem_tells_file_and_line(place: Place) -> None:
    place.write('{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "timeout": 0\n}}}')
    (problem,) = read(place).problems
    assert problem.place == f"{place.home / 'mcp-settings.json'}:5"
    place.write('{\n  "mcpServers": {\n    "a": {"command" "x"}\n}}')
    (problem,) = read(place).problems
    assert problem.place.endswith(":3")
    assert "broken" in problem.message


def test_a_list_of_servers_is_refused_with_its_place(place: Place) -> None:
    place.write('{"mcpServers": []}')
    assert "object of names" in read(place).problems[0].message
    place.write('{"mcpServers": {"a": 1}}')
    assert "must be an object" in read(place).problems[0].message


@pytest.mark.requirement("mcp-hub:config:env-injection")
def test_variables_are_filled_in_and_unset_ones_are_told(place: Place) -> None:
    place.name(
        a={
            "command": "${TOOL}",
            "args": ["--root=${workspaceFolder}", "${env:WORD}${env:WORD}"],
            "env": {"TOKEN": "${env:TOKEN}", "OTHER": "${MISSING}"},
        }
    )
    found = read(place, {"TOOL": "run", "WORD": "x", "TOKEN": "secret-value"})
    entry = found.servers["a"].entry
    assert (entry.command, entry.args) == ("run", (f"--root={place.workspace}", "xx"))
    assert entry.env == {"TOKEN": "secret-value", "OTHER": "${MISSING}"}
    assert entry.unset == ("MISSING",)
    assert "MISSING is not set" in found.problems[0].message
    assert found.servers["a"].raw["env"]["TOKEN"] == "${env:TOKEN}"


def test_no_secret_is_shown(place: Place) -> None:
    place.name(a={"type": "sse", "url": "https://a.example", "headers": {"X": "Bearer abc-secret"}})
    entry = read(place).servers["a"].entry
    assert "secret" not in repr(entry)
    assert entry.hide("abc-secret failed, Bearer abc-secret") == "(hidden) failed, (hidden)"


def test_what_a_user_consents_to_is_as_the_file_has_it(place: Place) -> None:
    raw = {"command": "${TOOL}", "args": ["a"]}
    place.write(json.dumps({"mcpServers": {"a": raw}}), project=True)
    assert read(place, {"TOOL": "evil"}).servers["a"].raw == raw
