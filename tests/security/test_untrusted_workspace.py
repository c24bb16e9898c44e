"""Nothing of an untrusted workspace runs before consent, whichever way it tries."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roo_code.testing.model_replies import ScriptedReply
from roo_code.testing.model_server import ModelServer
from tests.cli.conftest import calls, completion, serving
from tests.security.hostile_workspace import Hostile

KEY = "sk-test-1234567890"
ROO = Path(sys.executable).parent / "roo"
PROMPT = "Look at @/code.txt, @git-changes, @/ and @terminal, then /deploy and /yaml."


class Run:
    """`roo` as it is installed, started in the workspace by somebody with `.` on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trap = _Trap()
        workspace = folder / "project"
        workspace.mkdir()
        self.hostile = Hostile(workspace, folder / "canaries", self.trap.url)
        self.environment = {
            "PATH": os.pathsep.join([".", "", os.environ["PATH"]]),
            "HOME": str(folder / "user"),
            "ROO_HOME": str(folder / "home"),
            "TMPDIR": str(folder),
            "ANTHROPIC_API_KEY": KEY,
            "LANG": "C.UTF-8",
        }
        (folder / "user").mkdir()

    def roo(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(ROO), *arguments],
            cwd=self.hostile.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
            timeout=60,
            check=False,
        )

    def prompt(
        self, *replies: ScriptedReply
    ) -> tuple[subprocess.CompletedProcess[str], ModelServer]:
        with serving(replies, KEY) as server:
            model = ("--provider", "anthropic", "--base-url", server.url)
            return self.roo(*model, "-p", PROMPT), server


class _Trap:
    """A server that nobody may ask."""

    def __init__(self) -> None:
        self._serving = serving([], KEY)
        self.server = self._serving.__enter__()
        self.url = self.server.url

    def close(self) -> None:
        self._serving.__exit__(None, None, None)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path)
    try:
        yield run
    finally:
        run.trap.close()


GRANTED = (".roo/tools", ".roo/settings.json", "deploy", "ship", "stdio", "named")
REPLIES = (
    calls(
        run_slash_command={"command": "deploy"},
        skill={"skill": "ship"},
        helper={},
        use_mcp_tool={"server_name": "stdio", "tool_name": "x", "arguments": {}},
        execute_command={"command": "./go.sh"},
        search_files={"path": ".", "regex": "after"},
        list_files={"path": ".", "recursive": True},
        list_code_definition_names={"path": "."},
        read_file={"path": "code.txt"},
    ),
    completion("Done."),
)


def test_a_run_executes_nothing_of_the_workspace(run: Run) -> None:
    done, server = run.prompt(*REPLIES)
    assert done.returncode == 0, done.stderr
    assert run.hostile.ran() == set()
    assert run.trap.server.requests == []
    first, second = (str(request.body) for request in server.requests)
    assert "+after" in first, "git was asked"
    assert KEY not in first + second
    for name in (".roo/commands/deploy.md", ".roo/skills/ship"):
        assert f"roo trust grant {name}" in second
    for told in ("roo trust grant .roo/tools", "MCP server stdio", "autoApprovalEnabled"):
        assert told in done.stderr


def test_git_fetches_nothing_that_the_repository_says_is_elsewhere(run: Run) -> None:
    run.hostile.lose_object()
    done, _ = run.prompt(completion("Done."))
    assert done.returncode == 0, done.stderr
    assert run.hostile.ran() == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "commands"),
        ("list", "modes"),
        ("list", "sessions"),
        ("list", "models", "--offline", "--provider", "anthropic"),
        ("doctor",),
        ("config", "show"),
        ("config", "list"),
        ("profiles", "list"),
        ("tasks", "list"),
        ("policy", "explain", "ls"),
        ("ps",),
        ("prompt", "show"),
        ("modes", "list"),
        ("trust", "list"),
        ("trust", "list", "--json"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_a_command_that_only_looks_executes_nothing(run: Run, arguments: tuple[str, ...]) -> None:
    done = run.roo(*arguments)
    assert "Traceback" not in done.stderr
    assert run.hostile.ran() == set()
    assert run.trap.server.requests == []


def test_after_consent_what_was_consented_to_runs_and_nothing_else(run: Run) -> None:
    granted = run.roo("trust", "grant", *GRANTED, "--yes")
    assert granted.returncode == 0, granted.stderr
    assert run.hostile.ran() == set()
    done, server = run.prompt(*REPLIES)
    assert done.returncode == 0, done.stderr
    assert run.hostile.ran() == {"mcp-stdio", "user-tool", "allowed-command"}
    assert run.trap.server.requests == []
    told = str(server.requests[1].body)
    assert "helper" in [tool["name"] for tool in server.requests[0].body["tools"]]
    assert "slash-command" in told
    assert "Skill: ship" in told


def test_what_changes_after_consent_does_not_run(run: Run) -> None:
    run.roo("trust", "grant", *GRANTED, "--yes")
    hostile = run.hostile
    for name in ("server.sh", ".roo/tools/_hidden.py", ".roo/settings.json"):
        path = hostile.workspace / name
        hostile.write(name, path.read_text(encoding="utf-8") + "\n")
    run.prompt(*REPLIES)
    assert hostile.ran() == set()
