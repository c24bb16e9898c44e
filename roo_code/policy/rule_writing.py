"""`always`: a rule that a person agreed to, added to their own settings, comments kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from roo_code.approval_values import ApprovalRule
from roo_code.config.edit_json import edit_json
from roo_code.config.json_shapes import is_object
from roo_code.config.jsonc import Node, parse
from roo_code.config.paths import roo_home
from roo_code.config.safe_files import locked, replace_file
from roo_code.config.settings_file import SettingsFile
from roo_code.config.sources import SettingsFiles
from roo_code.errors import ConfigError

_SERVERS = "mcpServers"


def write_rule(rule: ApprovalRule, home: Path | None = None) -> None:
    """Add what the rule says; what is there already stays, and a repeat changes nothing."""
    home = home or roo_home()
    settings = {key: value for key, value in rule.always.items() if key != _SERVERS}
    if settings:
        file = SettingsFiles(home, None, {}).user.preferred
        SettingsFile(file).change(lambda data: {**data, **_merged(data, settings, file)})
    if _SERVERS in rule.always:
        server, tool = rule.covers
        _allow_tool(home / "mcp-settings.json", server, tool)


def _merged(data: Mapping[str, Any], added: Mapping[str, Any], file: Path) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in added.items():
        if isinstance(value, list):
            merged[key] = _joined(data.get(key, []), cast(list[Any], value), key, file)
        else:
            merged[key] = value
    return merged


def _joined(before: Any, added: list[Any], key: str, file: Path) -> list[Any]:
    if not isinstance(before, list):
        raise ConfigError(
            f"{key} in {str(file)!r} is not a list.", hint="Correct it: roo config edit."
        )
    listed = cast(list[Any], before)
    return [*listed, *(item for item in added if item not in listed)]


def _allow_tool(file: Path, server: str, tool: str) -> None:
    """Only the server's own entry is touched: nothing else of the file is written anew."""
    with locked(file):
        try:
            text = file.read_text(encoding="utf-8")
            entry = _member(_member(parse(text), _SERVERS), server)
        except (OSError, ValueError):
            entry, text = None, ""
        if entry is None or not is_object(entry.value):
            raise ConfigError(
                f"{str(file)!r} has no server {server!r}, so nothing was written.",
                hint=f"The project may name it: add {tool!r} to its alwaysAllow yourself.",
            )
        known = entry.value
        allowed = _joined(known.get("alwaysAllow", []), [tool], "alwaysAllow", file)
        edited = edit_json(text[entry.start : entry.end], {**known, "alwaysAllow": allowed})
        replace_file(file, (text[: entry.start] + edited + text[entry.end :]).encode())


def _member(node: Node | None, key: str) -> Node | None:
    found = [member.node for member in node.members if member.key == key] if node else []
    return found[-1] if found else None  # of several with one name the last counts
