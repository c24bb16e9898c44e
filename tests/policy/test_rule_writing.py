"""`always` writes what was shown, and leaves all else as it was."""

from pathlib import Path

import pytest

from roo_code.approval_values import ApprovalRule
from roo_code.config.layers import LayeredSettings
from roo_code.errors import ConfigError
from roo_code.json_text import JsonValue, from_json
from roo_code.policy.rule_writing import write_rule

SERVERS = """{
  // mine
  "mcpServers": {
    "other": {"command": "x"}, // stays
    "docs": {
      "command": "docs", // how it starts
      "args": []
    }
  }
}
"""


def command(**always: JsonValue) -> ApprovalRule:
    return ApprovalRule(kind="command", covers=("npm install",), always=always)


NPM = command(allowedCommands=["npm install"])
MCP = ApprovalRule(
    kind="mcp",
    covers=("docs", "find"),
    always={"mcpServers": {"docs": {"alwaysAllow": ["find"]}}, "alwaysAllowMcp": True},
)


def test_a_command_is_added_to_the_list_with_comments_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings" / "settings.json"
    file.parent.mkdir()
    file.write_text(
        '{\n  // my own\n  "allowedCommands": ["ls"], // short\n  "mode": "ask"\n}\n',
        encoding="utf-8",
    )
    write_rule(NPM, tmp_path)
    once = file.read_text(encoding="utf-8")
    write_rule(NPM, tmp_path)
    assert file.read_text(encoding="utf-8") == once
    assert "// my own" in once
    assert "// short" in once
    settings = LayeredSettings(home=tmp_path, environ={}).resolve()
    assert settings.get("allowedCommands") == ["ls", "npm install"]


def test_switches_are_turned_on_where_there_are_no_settings_yet(tmp_path: Path) -> None:
    write_rule(command(allowedCommands=["npm install"], alwaysAllowExecute=True), tmp_path)
    settings = LayeredSettings(home=tmp_path, environ={}).resolve()
    assert settings.get("alwaysAllowExecute") is True
    assert settings.get("allowedCommands") == ["npm install"]  # no more than was shown


def test_a_tool_is_added_to_its_server_and_nothing_else_is_touched(tmp_path: Path) -> None:
    file = tmp_path / "mcp-settings.json"
    file.write_text(SERVERS, encoding="utf-8")
    write_rule(MCP, tmp_path)
    text = file.read_text(encoding="utf-8")
    assert all(comment in text for comment in ("// mine", "// stays", "// how it starts"))
    write_rule(MCP, tmp_path)
    assert file.read_text(encoding="utf-8") == text
    assert '"other": {"command": "x"}' in text
    assert '"alwaysAllow": [' in text
    assert LayeredSettings(home=tmp_path, environ={}).resolve().get("alwaysAllowMcp") is True


@pytest.mark.parametrize("text", [None, "{}", "{broken", '{"mcpServers": {"docs": 1}}'])
def test_a_server_that_is_not_the_users_is_left_alone(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "mcp-settings.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="has no server 'docs'"):
        write_rule(MCP, tmp_path)
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == text


def test_a_list_that_is_none_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "settings" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"allowedCommands": "ls"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="is not a list"):
        write_rule(NPM, tmp_path)
    assert from_json(file.read_bytes()) == {"allowedCommands": "ls"}
