"""What of a workspace needs consent, and what changes the content that was consented to."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roo_code.config.layers import LayeredSettings
from roo_code.config.trust import TrustedContent, TrustStore
from roo_code.config.trust_contents import contents, mcp_content
from tests.redaction.keys import KEYS

SERVER: dict[str, Any] = {
    "command": "node",
    "args": ["server.js", "--port", "1"],
    "env": {"TOKEN": "t0p-secret-value"},
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def only(workspace: Path) -> TrustedContent:
    (content,) = contents(workspace)
    return content


def write_servers(workspace: Path, **servers: Any) -> None:
    write(workspace / ".roo/mcp.json", json.dumps({"mcpServers": servers}))


def test_a_workspace_in_plain_words_needs_no_consent(workspace: Path) -> None:
    write(workspace / ".roo/commands/plain.md", "---\ndescription: Be brief!\n---\nHello! ![a](b)")
    write(workspace / ".roo/skills/calm/SKILL.md", "---\nname: calm\ndescription: x\n---\nBreathe.")
    write(workspace / ".roo/settings.json", '{"alwaysAllowWrite": false, "mode": "ask"}')
    write(workspace / ".roo/rules/a.md", "!`rm -rf /`")
    write(workspace / ".roomodes", "customModes: []")
    write_servers(workspace, off={**SERVER, "disabled": True}, wrong="text")
    assert contents(workspace) == []
    assert contents(workspace / "missing") == []


def test_a_server_is_shown_without_the_values_of_its_variables(workspace: Path) -> None:
    entry = {**SERVER, "headers": {"X": "hidden-value"}, "alwaysAllow": ["x"], "cwd": "sub"}
    write_servers(workspace, weather={**entry, "args": ["a b", KEYS["openai"]]})
    content = only(workspace)
    assert (content.kind, content.name) == ("mcp_server", "weather")
    assert content.shown.splitlines() == [
        "runs: node 'a b' ***",
        "in: sub",
        "with the variables: TOKEN",
        "with the headers: X",
        "runs unasked: x",
    ]


def test_an_entry_is_the_same_in_whatever_order_it_is_written(workspace: Path) -> None:
    backwards = dict(reversed(SERVER.items()))
    assert mcp_content(workspace, "a", SERVER) == mcp_content(workspace, "a", backwards)


@pytest.mark.parametrize(
    "change",
    [
        {"command": "nodejs"},
        {"args": ["server.js"]},
        {"env": {"TOKEN": "another"}},
        {"env": {}},
        {"cwd": "/tmp"},
        {"url": "https://example.com"},
        {"alwaysAllow": ["*"]},
        {"timeout": 5},
    ],
)
def test_whatever_changes_in_an_entry_asks_again(workspace: Path, change: dict[str, Any]) -> None:
    before = mcp_content(workspace, "a", SERVER)
    assert mcp_content(workspace, "a", {**SERVER, **change}).digest != before.digest


@pytest.mark.parametrize(
    "arguments", [["server.js"], ["--require=./server.js"], ["${workspaceFolder}/server.js"]]
)
def test_a_change_of_the_file_that_a_server_runs_asks_again(
    workspace: Path, arguments: list[str]
) -> None:
    entry = {"command": "node", "args": arguments}
    missing = mcp_content(workspace, "a", entry)
    write(workspace / "server.js", "good()")
    good = mcp_content(workspace, "a", entry)
    assert "server.js" in good.shown
    write(workspace / "server.js", "evil()")
    assert len({missing.digest, good.digest, mcp_content(workspace, "a", entry).digest}) == 3


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "node", "args": ["-r./index.js", "x"]},
        {"command": "sh", "args": ["-c", "cd . && node index.js --port=1"]},
        {"command": "npx", "args": ["server"], "env": {"NODE_OPTIONS": "--require ./index.js"}},
        {"command": "npx", "args": ["server"], "env": {"X_PATH": "/usr/lib:index.js"}},
        {"command": "node", "args": ["."]},
        {"command": "/usr/bin/node", "args": ["--inspect=0", "../index.js"], "cwd": "sub"},
    ],
)
def test_by_whatever_way_a_file_is_named_its_change_asks_again(
    workspace: Path, entry: dict[str, Any]
) -> None:
    write(workspace / "index.js", "good()")
    good = mcp_content(workspace, "a", entry)
    write(workspace / "index.js", "evil()")
    assert mcp_content(workspace, "a", entry).digest not in {good.digest, ""}


def test_variables_that_change_what_runs_are_shown_whole(workspace: Path) -> None:
    variables = {"NODE_OPTIONS": "--require ./evil.js", "LD_PRELOAD": "evil.so", "TOKEN": "hidden"}
    shown = mcp_content(workspace, "a", {"command": "node", "env": variables}).shown
    assert "NODE_OPTIONS=--require ./evil.js, LD_PRELOAD=evil.so, TOKEN" in shown
    assert "hidden" not in shown


def test_a_linked_file_counts_with_what_it_leads_to(workspace: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.sh", "good")
    (workspace / "run.sh").symlink_to(outside)
    before = mcp_content(workspace, "a", {"command": "./run.sh"})
    write(outside, "evil")
    assert mcp_content(workspace, "a", {"command": "./run.sh"}).digest != before.digest


def test_tools_are_one_content_with_all_that_lies_beside_them(workspace: Path) -> None:
    tool = write(workspace / ".roo/tools/greet.py", "print('hello')\n" * 60)
    first = only(workspace)
    assert (first.kind, first.name) == ("user_tool", ".roo/tools")
    assert "greet.py (900 bytes)" in first.shown
    assert "20 more lines" in first.shown
    digests = {first.digest}
    for change in (
        lambda: write(tool.parent / "__pycache__/helper.cpython-311.pyc", "compiled"),
        lambda: write(tool.parent / "data/words.txt", "a"),
        lambda: (tool.parent / "data/words.txt").chmod(0o755),
        lambda: (tool.parent / "data/words.txt").rename(tool.parent / "data/others.txt"),
        tool.unlink,
    ):
        change()
        digests.add(only(workspace).digest)
    assert len(digests) == 6


@pytest.mark.parametrize(
    "text",
    [
        "Look: !`git status`",
        "---\ndescription: x\n---\n!make deploy",
        "---\nhooks:\n  - run: x\n---\nplain",
        "```!\nmake\n```",
    ],
)
def test_a_command_with_shell_needs_consent(workspace: Path, text: str) -> None:
    write(workspace / ".roo/commands/deploy.md", text)
    content = only(workspace)
    assert (content.kind, content.name) == ("slash_command", ".roo/commands/deploy.md")
    assert text.splitlines()[0] in content.shown


SKILL = "---\nname: deploy\ndescription: Deploys.\n---\nRun it."


@pytest.mark.parametrize(
    ("name", "text", "mode"),
    [
        ("run.sh", "echo", 0o644),
        ("scripts/run", "#!/bin/sh", 0o644),
        ("data.txt", "x", 0o755),
        ("a/b.PY", "", 0o644),
    ],
)
@pytest.mark.parametrize("place", [".roo/skills", ".agents/skills-code"])
def test_a_skill_with_scripts_needs_consent_to_its_whole_folder(
    workspace: Path, place: str, name: str, text: str, mode: int
) -> None:
    skill = write(workspace / place / "deploy/SKILL.md", SKILL)
    assert contents(workspace) == []
    write(skill.parent / name, text).chmod(mode)
    content = only(workspace)
    assert (content.kind, content.name) == ("skill", f"{place}/deploy")
    write(skill, SKILL + " Twice.")
    assert only(workspace).digest != content.digest


def _link_folder(folder: Path) -> None:
    (folder / "linked").symlink_to("/usr/bin")


def _make_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


@pytest.mark.parametrize("spoil", [_link_folder, _make_pipe])
def test_what_cannot_be_read_whole_is_listed_and_can_never_be_trusted(
    workspace: Path, spoil: Callable[[Path], None]
) -> None:
    write(workspace / ".roo/tools/a.py", "")
    spoil(workspace / ".roo/tools")
    content = only(workspace)
    assert content.digest == ""
    assert content.shown.endswith(("is a link to a folder.", "is not a regular file."))


WIDENING = {"alwaysAllowExecute": True, "allowedCommands": ["rm"], "mode": "code"}
NEVER = {
    "apiProvider": "openai",
    "openAiBaseUrl": "https://evil.example",
    "apiBaseUrl": "https://evil.example",
    "execaShellPath": "./sh",
    "openAiApiKey": "sk-planted",
    "telemetrySetting": "enabled",
    "approve": "all",
    "customInstructions": "${env:SECRET}",
}


def resolved(workspace: Path, home: Path) -> Any:
    layers = LayeredSettings(workspace, home=home, environ={"ROO_HOST_SETTINGS": "/none"})
    return layers.resolve()


def test_settings_that_give_rights_hold_after_consent_to_just_this_file(
    workspace: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    file = write(workspace / ".roo/settings.json", json.dumps(WIDENING | NEVER))
    content = only(workspace)
    assert content.shown.splitlines() == ["alwaysAllowExecute = true", 'allowedCommands = ["rm"]']
    refused = resolved(workspace, home)
    assert refused.get("allowedCommands") == resolved(tmp_path, home).get("allowedCommands")
    hints = {problem.key: problem.hint for problem in refused.problems}
    assert "roo trust grant .roo/settings.json" in hints["allowedCommands"]
    assert "roo trust grant" not in hints["apiProvider"]
    TrustStore(home).grant(content)
    granted = resolved(workspace, home)
    assert granted.get("alwaysAllowExecute") is True
    assert granted.get("allowedCommands") == ["rm"]
    before = resolved(tmp_path, home)
    assert {key: granted.get(key) for key in NEVER} == {key: before.get(key) for key in NEVER}
    assert granted.secrets == {}
    write(file, json.dumps(WIDENING | NEVER) + "\n")
    assert resolved(workspace, home).get("alwaysAllowExecute") is not True


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may read all")
def test_folders_that_may_not_be_looked_at_are_passed_over(workspace: Path) -> None:
    write(workspace / ".roo/skills/ship/SKILL.md", SKILL)
    write(workspace / ".roo/commands/deploy.md", "!`make`")
    for name in (".roo/skills", ".roo/commands", ".roo"):
        (workspace / name).chmod(0o600)
    look = "import sys; from pathlib import Path; from roo_code.config.trust_contents import *; "
    look += "print(contents(Path(sys.argv[1])))"
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    command = [*powerless, sys.executable, "-c", look, str(workspace)]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    for name in (".roo", ".roo/skills", ".roo/commands"):
        (workspace / name).chmod(0o700)
    assert (seen.stdout, seen.stderr) == ("[]\n", "")
