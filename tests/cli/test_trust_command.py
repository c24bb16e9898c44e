"""`roo trust`, and being asked when a run starts."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builtin_tools.test_user_tools import GREET
from tests.cli.conftest import Roo, calls, completion

ASKED = "Trust it as it is now?"


def trust(roo: Roo, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*roo.program, "trust", *arguments, "-w", str(roo.workspace)]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=roo.environment,
        timeout=50, check=False,
    )  # fmt: skip


def states(roo: Roo) -> dict[str, str]:
    done = trust(roo, "list", "--json")
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return {row["name"]: row["state"] for row in rows}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def tool(roo: Roo) -> Path:
    path = roo.workspace / ".roo/tools/greet.py"
    write(path, GREET)
    return path


def test_consent_is_listed_granted_lost_by_a_change_and_revoked(roo: Roo, tool: Path) -> None:
    assert states(roo) == {".roo/tools": "pending"}
    done = trust(roo, "grant", ".roo/tools", "--yes")
    assert (done.returncode, "class Greet(Tool[GreetInput])" in done.stdout) == (0, True)
    assert states(roo) == {".roo/tools": "granted"}
    listed = trust(roo, "list").stdout
    assert listed.startswith("granted ")
    assert listed.strip().endswith("user_tool        .roo/tools")
    write(tool, GREET + "# changed\n")
    assert states(roo) == {".roo/tools": "changed"}
    trust(roo, "grant", "--all", "--yes")
    tool.unlink()
    assert states(roo) == {".roo/tools": "gone"}
    assert trust(roo, "revoke", "tools").returncode == 0
    assert states(roo) == {}
    assert "nothing here" in trust(roo, "list").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("grant",), "Name it, or say --all."),
        (("grant", "--all"), "say --yes"),
        (("grant", "other", "--yes"), "These do: .roo/tools"),
        (("revoke",), "Name it, or say --all."),
        (("revoke", "other"), "See roo trust list."),
    ],
)
def test_what_is_not_said_is_asked_for(
    roo: Roo, tool: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = trust(roo, *arguments)
    assert done.returncode == 1
    assert told in done.stderr
    assert states(roo) == {".roo/tools": "pending"}


def test_a_digest_names_one_of_any_workspace(roo: Roo, tool: Path) -> None:
    trust(roo, "grant", "--all", "--yes")
    digest = json.loads(trust(roo, "list", "--json").stdout)[0]["digest"]
    roo.workspace = roo.workspace.parent / "other"
    roo.workspace.mkdir()
    assert states(roo) == {".roo/tools": "granted"}
    assert trust(roo, "revoke", "--all").returncode == 1
    assert trust(roo, "revoke", digest[:12]).returncode == 0
    assert states(roo) == {}


def test_a_project_cannot_steer_the_terminal_of_who_is_asked(roo: Roo) -> None:
    server = {"command": "safe\x1b[2K\x1b[1A\u202efdp.exe"}
    write(roo.workspace / ".roo/mcp.json", json.dumps({"mcpServers": {"a\x1b]0;x\x07": server}}))
    shown = trust(roo, "grant", "--all", "--yes").stdout + trust(roo, "list").stdout
    assert "safe\\x1b[2K" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_damaged_store_is_told_and_nothing_is_trusted(roo: Roo, tool: Path) -> None:
    trust(roo, "grant", "--all", "--yes")
    write(roo.home / "trust.json", "{")
    done = trust(roo, "list")
    assert done.returncode == 1
    assert "grant anew" in done.stderr
    server = roo.serve(completion("Done."))
    assert roo.run("-p", "Go.").returncode == 0
    assert "greet" not in [tool["name"] for tool in server.requests[0].body["tools"]]


def test_a_run_without_anybody_leaves_out_what_is_not_trusted_and_says_so(roo: Roo) -> None:
    write(roo.workspace / ".roo/commands/deploy.md", "!`make deploy`")
    write(roo.workspace / ".roo/skills/ship/SKILL.md", "---\nname: ship\ndescription: x\n---\nGo.")
    write(roo.workspace / ".roo/skills/ship/run.sh", "exit 1")
    for replies in range(2):
        server = roo.serve(
            calls(run_slash_command={"command": "deploy"}, skill={"skill": "ship"}),
            completion("Done."),
        )
        done = roo.run("-p", "Do it.")
        assert done.returncode == 0, done.stderr
        told = str(server.requests[1].body["messages"][-1])
        notice = [line for line in done.stderr.splitlines() if "roo trust grant NAME" in line]
        if replies == 0:
            assert len(notice) == 1
            assert ".roo/commands/deploy.md (slash command with shell)" in notice[0]
            assert "roo trust grant .roo/commands/deploy.md" in told
            assert "roo trust grant .roo/skills/ship" in told
            assert "make deploy" not in told
            trust(roo, "grant", "deploy", "ship", "--yes")
        else:
            assert notice == []
            assert "make deploy" in told
            assert "Skill: ship" in told


def test_at_a_terminal_each_is_asked_for_once(roo: Roo, tool: Path) -> None:
    write(roo.workspace / ".roo/commands/deploy.md", "!`make deploy`")
    server = roo.serve(completion("Done."), completion("Again."), completion("And again."))
    terminal = roo.terminal("--oneshot", "Go.")
    assert "class Greet(Tool[GreetInput])" in terminal.wait_for(ASKED)
    terminal.line("yes")
    assert "make deploy" in terminal.wait_for(ASKED)
    terminal.line("never")
    assert terminal.exit_code() == 0
    assert states(roo) == {".roo/tools": "granted", ".roo/commands/deploy.md": "refused"}
    assert "greet" in [tool["name"] for tool in server.requests[0].body["tools"]]
    terminal = roo.terminal("--oneshot", "Go.")
    assert terminal.exit_code() == 0
    assert ASKED not in terminal.output
    write(tool, GREET + "# changed\n")
    terminal = roo.terminal("--oneshot", "Go.")
    assert "# changed" in terminal.wait_for(ASKED)
    terminal.line("")
    assert terminal.exit_code() == 0
    assert states(roo)[".roo/tools"] == "changed"
    assert "greet" not in [tool["name"] for tool in server.requests[2].body["tools"]]


def test_the_doctor_says_what_waits_and_what_is_broken(roo: Roo, tool: Path) -> None:
    def told() -> tuple[str, str]:
        command = [*roo.program, "doctor", "--format", "json", "-w", str(roo.workspace)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=roo.environment, timeout=50, check=False
        )
        findings: list[dict[str, str]] = json.loads(done.stdout)["findings"]
        (found,) = [finding for finding in findings if finding["name"] == "trust"]
        return found["state"], found["text"]

    assert told() == ("note", "not used before you consent: .roo/tools")
    trust(roo, "grant", "--all", "--yes")
    assert told() == ("ok", "1 of 1 that could run here are trusted")
    write(roo.home / "trust.json", "{")
    assert told()[0] == "broken"
