"""Change which servers a file names, and leave every other byte of it as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roo_code.config.documents import parse_document, read_text
from roo_code.config.edit_json import edit_json
from roo_code.config.json_shapes import is_object
from roo_code.config.jsonc import parse
from roo_code.config.safe_files import locked, replace_file
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError
from roo_code.mcp_client.config import SERVERS


def set_server(file: Path, name: str, entry: dict[str, Any] | None) -> bool:
    """Name the server in the file, or without an entry take it out; whether it was there."""
    with locked(file):
        text = _text(file)
        servers = parse_document(file, text).data.get(SERVERS, {})
        if not is_object(servers):
            raise ConfigError(f"{SERVERS} in {str(file)!r} must be an object; mend it first.")
        was_there = name in servers
        wanted = {key: value for key, value in servers.items() if key != name}
        if entry is not None:
            wanted[name] = entry
        if entry is not None or was_there:
            replace_file(file, _edited(text, wanted).encode())
    return was_there


def _text(file: Path) -> str:
    try:
        text = read_text(file) or ""
        parse_document(file, text)
    except Unreadable as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise ConfigError(f"{place}: {error}.", hint="Mend the file first.") from None
    return text


def _edited(text: str, servers: dict[str, Any]) -> str:
    node = parse(text) if text.strip() else None
    members = {member.key: member.node for member in node.members} if node else {}
    if SERVERS not in members:
        data = dict(node.value) if node else {}
        return edit_json(text, {**data, SERVERS: servers})
    inner = members[SERVERS]
    return (
        text[: inner.start]
        + edit_json(text[inner.start : inner.end], servers).rstrip("\n")
        + text[inner.end :]
    )
