"""A settings file as read: its values, and the line of each."""

from __future__ import annotations

import json
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from roo_code.config.json_shapes import is_object
from roo_code.config.unreadable import Unreadable
from roo_code.config.yaml_text import line_in_yaml, parse_yaml

if TYPE_CHECKING:
    from roo_code.config.jsonc import Node

Signature: TypeAlias = tuple[int, int, int]
"""Changes whenever the file does: inode, size and time."""

SUFFIXES = (".json", ".yaml", ".yml")
_MOST_BYTES = 4_000_000


class Document(NamedTuple):
    path: Path
    text: str
    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"Document({str(self.path)!r})"

    def line_of(self, *path: str | int) -> int | None:
        """Where the value begins; found anew each time, since it is seldom asked."""
        if is_yaml(self.path):
            return line_in_yaml(self.text, path)
        return _json_line(self.text, path)


def is_yaml(path: Path) -> bool:
    return path.suffix in (".yaml", ".yml")


def signature_of(path: Path) -> Signature | None:
    """None if there is no such file."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(_reason(error)) from None
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("it is not a regular file")  # a pipe would keep us waiting
    return status.st_ino, status.st_size, status.st_mtime_ns


def read_document(path: Path) -> Document | None:
    """What the file holds, None if there is none; else Unreadable."""
    text = read_text(path)
    return None if text is None else parse_document(path, text)


def read_text(path: Path) -> str | None:
    """The file as it is, None if there is none; else Unreadable."""
    signature = signature_of(path)
    if signature is None:
        return None
    if signature[1] > _MOST_BYTES:
        raise Unreadable(f"it is larger than {_MOST_BYTES:,} bytes")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(_reason(error)) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Unreadable("it is not UTF-8 text", line) from None


def parse_document(path: Path, text: str) -> Document:
    body = text.removeprefix("\ufeff")
    if not body.strip():
        return Document(path, text, {})
    data = parse_yaml(body) if is_yaml(path) else _parse_json(body)
    if data is None:
        data = {}
    if not is_object(data):
        raise Unreadable("it must hold an object of names and values", 1)
    names: list[Any] = list(data)
    for name in names:
        if not isinstance(name, str):  # YAML takes yes for true, and 1 for a number
            raise Unreadable(f"the name {name!r} must be text; put it in quotes")
    return Document(path, text, data)


def _reason(error: OSError) -> str:
    return f"it cannot be read: {(error.strerror or 'unknown error').lower()}"


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        pass
    from roo_code.config import jsonc  # noqa: PLC0415 - most files are plain JSON

    try:
        return jsonc.parse(text).value
    except jsonc.JsonError as error:
        raise Unreadable(f"the JSON is broken: {error}", error.line) from None


def _refuse(name: str) -> None:
    raise ValueError(name)


def _json_line(text: str, path: tuple[str | int, ...]) -> int | None:
    if not text.removeprefix("\ufeff").strip():
        return None
    node = _tree(text)
    place = node.start
    for part in path:
        if isinstance(part, int):
            if part >= len(node.items):
                return None
            node = node.items[part]
            place = node.start
            continue
        member = next((m for m in reversed(node.members) if m.key == part), None)
        if member is None:
            return None
        place, node = member.start, member.node
    return text.count("\n", 0, place) + 1


@lru_cache(maxsize=8)
def _tree(text: str) -> Node:
    """Kept, since a file with several problems is asked for several lines, time and again."""
    from roo_code.config import jsonc  # noqa: PLC0415 - lines are seldom asked for

    return jsonc.parse(text)
