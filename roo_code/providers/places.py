"""What two runs of the same may differ in: where they took place, when, and under which numbers.

Here alone is said what does not count as a difference between a recording and its replay.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.events import (
    EnvironmentTold,
    Event,
    ProviderSwitched,
    ReplyRestarted,
    RequestRetried,
    ToolFinished,
)
from roo_code.providers.text_edits import edited_value

_VOLATILE = {
    "artifact": r"(?<=\bcmd-)\d{12,}(?=\.txt)",
    "id": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    "process": r"(?<=as process group )\d+|(?<=`kill -- -)\d+(?=`)",
    "processes": r"(?<=Still running in the background: )[\d, ]+(?=\.\))",
    "address": r"(?<= at )0x[0-9a-f]{6,16}\b",
    "time": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    "duration": r"(?<![\w.])\d+\.\d+(?= ?(?:s|ms|us|secs?|seconds)\b)",
}
NEW_NAME = r"/(?:tmp[a-z0-9_]{8}|tmp\.\w{10}|[\w.-]*[-.](?=\w*[0-9A-Z_])\w{6,})(?!\w)"
"""What `mktemp` and its like call a file below the folder for temporary ones."""
CARRIED = frozenset({"artifact", "id", "process", "temporary"})
"""What a later reply may name again."""
BEFORE_PATH, AFTER_PATH = r"(?<![A-Za-z0-9_.]{2})", r"(?![\w-]|\.\w)"
"""A path is whole; before it may stand one letter, as in `-I/usr/include`."""
_JOINED = {"text_delta": "text", "reasoning_delta": "text", "tool_output": "text"}
_JOINED["tool_input_delta"] = "partial_json"


class Volatile(NamedTuple):
    kind: str
    text: str


class Places:
    """Folders by name. Their names are the same everywhere, and what stands in texts for them."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = {name: path for name, path in folders.items() if len(path) > 1}
        named = {name: (path, AFTER_PATH) for name, path in self.folders.items()}
        if "temp" in named:  # first, for a folder may be the one for temporary files and another
            named = {"temporary": (self.folders["temp"], NEW_NAME), **named}
        longest_first = sorted(named.items(), key=lambda item: -len(item[1][0]))
        kinds = {
            name: f"{BEFORE_PATH}{re.escape(path)}{after}" for name, (path, after) in longest_first
        }
        patterns = (f"(?P<{kind}>{pattern})" for kind, pattern in {**kinds, **_VOLATILE}.items())
        self._pattern = re.compile("|".join(patterns))

    @classmethod
    def here(cls, workspace: Path, artifacts: Path | None = None) -> Places:
        """Of this machine. The longest path that fits counts, so one may lie in another."""
        folders = {
            "workspace": os.path.realpath(workspace),
            "home": os.environ.get("HOME", "").rstrip("/"),
            "temp": tempfile.gettempdir(),
        }
        if artifacts is not None:
            folders["artifacts"] = str(artifacts)
        return cls(folders)

    def neutral(self, text: str) -> str:
        """The text as it would be wherever and whenever it was written."""
        return self._pattern.sub(lambda match: f"<{match.lastgroup}>", text)

    def volatile(self, text: str) -> list[Volatile]:
        """What `neutral` replaces, in order."""
        found = self._pattern.finditer(text)
        return [Volatile(match.lastgroup or "", match.group()) for match in found]


def comparable(events: Iterable[Event], places: Places) -> list[dict[str, Any]]:
    """Events as two runs of the same have them in common.

    Pieces of one text are joined, since their size is a matter of time. So is the order in which
    calls that ran side by side ended, and whether a request had to be repeated. Digests of files
    are left out: a file may name the folder it lies in.
    """
    kept: list[dict[str, Any]] = []
    for event in events:
        if not isinstance(event, RequestRetried | ProviderSwitched | ReplyRestarted):
            _add(_without_digests(event).to_dict(), kept)
    return [edited_value(data, places.neutral) for data in _in_order(kept)]


def _without_digests(event: Event) -> Event:
    if isinstance(event, EnvironmentTold):
        return event.replace(seen_files={})
    if not isinstance(event, ToolFinished):
        return event
    seen = dict.fromkeys(event.result.seen_files, "")
    return ToolFinished(result=event.result.replace(seen_files=seen))


def _add(data: dict[str, Any], kept: list[dict[str, Any]]) -> None:
    field = _JOINED.get(data["type"])
    last = kept[-1] if kept else {}
    if field and {**last, field: ""} == {**data, field: ""}:
        last[field] += data[field]
    else:
        kept.append(data)


def _in_order(kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    ended: list[dict[str, Any]] = []
    for data in [*kept, {"type": ""}]:
        if data["type"] == "tool_finished":
            ended.append(data)
            continue
        yield from sorted(ended, key=lambda data: data["result"]["tool_use_id"])
        ended.clear()
        if data["type"]:
            yield data
