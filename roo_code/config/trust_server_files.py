"""The files of a workspace that a server is started with: whoever changes one changes what runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from roo_code.config.json_shapes import as_object, is_list
from roo_code.config.trust_files import ReadFile, read_file

_PARTS = re.compile(r"[^\s;&|<>()\"'=:,]+")
"""What may be a path in `--require=./a.js`, in a line for a shell, in a list of folders."""
_INTERPRETERS = re.compile(r"(node|nodejs|bun|deno|tsx|python[\d.]*|ruby|php)(\.exe)?")
_ENTRY_POINTS = (
    "package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py",
)  # fmt: skip
"""What an interpreter runs that is given a folder."""


def named_files(root: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, ReadFile]]:
    """Each by its path in the workspace; Unreadable if one cannot be read whole.

    Whether a word is a path cannot be known: it counts if there is such a file.
    """
    base = root / _filled(entry.get("cwd"), root)
    words = command_words(entry)
    interprets = bool(words) and _INTERPRETERS.fullmatch(PurePath(words[0]).name) is not None
    values = [value for value in as_object(entry.get("env")).values() if isinstance(value, str)]
    found: set[Path] = set()
    for word in (*words, *(value for value in values if "\0" not in value)):
        for part in _parts(word):
            path = base / _filled(part, root)
            if interprets and os.path.isdir(path):  # noqa: PTH112 - no error where it may not be looked at
                found.update(path / name for name in _ENTRY_POINTS)
            found.add(path)
    for path in sorted(found):
        lexical, real = Path(os.path.normpath(path)), Path(os.path.realpath(path))
        inside = lexical.is_relative_to(root) or real.is_relative_to(root)
        if inside and os.path.isfile(real):  # noqa: PTH113 - as above
            shown = os.fsencode(os.path.relpath(lexical, root))
            yield shown.decode("utf-8", "backslashreplace"), read_file(real)


def command_words(entry: Mapping[str, Any]) -> list[str]:
    """The command line of an entry."""
    arguments = entry.get("args")
    words = [entry.get("command"), *(arguments if is_list(arguments) else [])]
    return [word for word in words if isinstance(word, str) and "\0" not in word]


def _parts(word: str) -> Iterator[str]:
    yield word
    for part in _PARTS.findall(word):
        yield part
        if part.startswith("-"):
            yield part[2:]  # `-r./hook.js`


def _filled(value: Any, root: Path) -> str:
    return str(value or "").replace("${workspaceFolder}", str(root)).replace("\0", "")
