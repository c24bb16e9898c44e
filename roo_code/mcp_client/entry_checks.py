"""Whether a server's entry is one, and what is wrong with it if not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from roo_code.config.json_shapes import is_list, is_object
from roo_code.mcp_client.entry import DEFAULT_TIMEOUT, OAuthOptions, ServerEntry, ServerType, Source

T = TypeVar("T")

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 1, 3600
MOST_CONNECTIONS = 16
_TYPES: dict[str, ServerType] = {
    "stdio": "stdio",
    "sse": "sse",
    "streamable-http": "streamable-http",
    "http": "streamable-http",
    "streamableHttp": "streamable-http",
}
_STDIO_ONLY = ("command", "args", "env", "cwd", "watchPaths")
_HTTP_ONLY = ("url", "headers", "oauth")


class BadEntry(Exception):
    def __init__(self, message: str, field: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.field = field
        self.hint = hint


def checked_entry(
    name: str, source: Source, raw: Mapping[str, Any], unset: Iterable[str] = ()
) -> ServerEntry:
    """The entry, or BadEntry that says which field is wrong and how to mend it."""
    kind = _type(raw)
    if not name.strip():
        raise BadEntry("a server needs a name")
    oauth = _read(raw, "oauth", _object, {})
    return ServerEntry(
        name=name,
        source=source,
        type=kind,
        command=_read(raw, "command", _text, ""),
        args=_read(raw, "args", _texts, ()),
        env=_read(raw, "env", _text_map, {}),
        cwd=_read(raw, "cwd", _text, ""),
        url=_read(raw, "url", _url, ""),
        headers=_read(raw, "headers", _text_map, {}),
        disabled=_read(raw, "disabled", _flag, False),
        timeout=_read(raw, "timeout", _timeout, DEFAULT_TIMEOUT),
        always_allow=_read(raw, "alwaysAllow", _texts, ()),
        disabled_tools=_read(raw, "disabledTools", _texts, ()),
        watch_paths=_read(raw, "watchPaths", _texts, ()),
        cache_seconds=_read(raw, "cacheSeconds", _seconds, 0.0),
        connections=_read(raw, "connections", _connections, 1),
        oauth=OAuthOptions(
            client_id=_read(oauth, "clientId", _text, ""),
            client_secret=_read(oauth, "clientSecret", _text, ""),
            scope=_read(oauth, "scope", _text, ""),
            client_metadata_url=_read(oauth, "clientMetadataUrl", _text, ""),
        ),
        unset=tuple(unset),
    )


def _type(raw: Mapping[str, Any]) -> ServerType:
    """By its `type`, which an entry with a command may leave out."""
    stdio = [field for field in _STDIO_ONLY if raw.get(field)]
    http = [field for field in _HTTP_ONLY if raw.get(field)]
    if "command" in stdio and http:
        raise BadEntry(f"a server has either a command or {http[0]}, not both", http[0])
    given = raw.get("type", "stdio" if "command" in raw else None)
    if given is None:
        hint = 'Give "command" to start a program, or "type" and "url" to reach one.'
        raise BadEntry("a server with a url needs a type" if http else "nothing to connect to",
                       hint=hint)  # fmt: skip
    kind = _TYPES.get(given) if isinstance(given, str) else None
    if kind is None:
        raise BadEntry("must be stdio, sse or streamable-http", "type")
    needed, wrong = ("command", http) if kind == "stdio" else ("url", stdio)
    if wrong:
        raise BadEntry(f"{wrong[0]} does not go with the type {kind}", wrong[0])
    if not raw.get(needed):
        raise BadEntry(f"a server of the type {kind} needs a {needed}")
    return kind


def _read(raw: Mapping[str, Any], field: str, read: Callable[[Any], T | None], default: T) -> T:
    if raw.get(field) is None:
        return default
    value = read(raw[field])
    if value is None:
        raise BadEntry(_WANTED[read], field)
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and "\0" not in value else None


def _texts(value: Any) -> tuple[str, ...] | None:
    if not is_list(value) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(value)


def _text_map(value: Any) -> dict[str, str] | None:
    if not is_object(value) or not all(isinstance(item, str) for item in value.values()):
        return None
    return dict(value)


def _object(value: Any) -> dict[str, Any] | None:
    return value if is_object(value) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _url(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        parts = urlsplit(value)
    except ValueError:
        return None
    return value if parts.scheme in ("http", "https") and parts.hostname else None


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)


def _timeout(value: Any) -> float | None:
    number = _number(value)
    return number if number and SHORTEST_TIMEOUT <= number <= LONGEST_TIMEOUT else None


def _seconds(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and number >= 0 else None


def _connections(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 1 <= value <= MOST_CONNECTIONS else None


_WANTED: dict[Callable[[Any], Any], str] = {
    _text: "must be text",
    _texts: "must be a list of texts",
    _text_map: "must be an object of names and texts",
    _object: "must be an object",
    _flag: "must be true or false",
    _url: "must be an address that begins with http:// or https://",
    _timeout: f"must be a number of seconds from {SHORTEST_TIMEOUT} to {LONGEST_TIMEOUT}",
    _seconds: "must be a number of seconds, 0 or more",
    _connections: f"must be a whole number from 1 to {MOST_CONNECTIONS}",
}
