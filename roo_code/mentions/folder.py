"""A folder that was mentioned: what is in it, and what its text files say."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple

from roo_code.builtin_tools.images import media_type
from roo_code.builtin_tools.list_files_walk import Entry, Walk, in_order
from roo_code.builtin_tools.read_file_document import document_kind
from roo_code.errors import ToolError
from roo_code.workspace.opening import open_file
from roo_code.workspace.text import HEAD_BYTES, guess_encoding
from roo_code.workspace.workspace import Workspace

MOST_ENTRIES = 200
MOST_FILES = 50
_PATIENCE = 10.0


class Folder(NamedTuple):
    tree: str
    texts: tuple[str, ...]
    """Paths of the files whose content may be shown."""
    others: int
    """How many files with text there are besides."""


def look_into(workspace: Workspace, folder: Path) -> Folder:
    """One level of it. Blocks; meant for a thread."""

    def is_hidden(entry: Entry) -> bool:
        return workspace.rooignore.hides_file(folder.joinpath(*entry.parts))

    walk = Walk(
        home=workspace.home_of(folder),
        start=folder,
        limit=MOST_ENTRIES,
        patience=_PATIENCE,
        cancelled=threading.Event(),
        locks=is_hidden,
    )
    listing = walk.list()
    entries = sorted(listing.entries, key=in_order)
    names = [f"{entry.parts[0]}{'/' if entry.folder else ''}" for entry in entries]
    if listing.cut:
        names.append(f"(cut at {MOST_ENTRIES} entries)")
    files = [folder / entry.parts[0] for entry in entries if not entry.folder]
    texts = [workspace.relative(file) for file in files if _is_text(workspace, file)]
    return Folder(_tree(names), tuple(texts[:MOST_FILES]), len(texts[MOST_FILES:]))


def _tree(names: list[str]) -> str:
    if not names:
        return "(empty)"
    *others, last = (name.encode("utf-8", "replace").decode() for name in names)
    return "\n".join([*(f"├── {name}" for name in others), f"└── {last}"])


def _is_text(workspace: Workspace, file: Path) -> bool:
    try:
        path = workspace.resolve_readable(str(file))
        with os.fdopen(open_file(workspace.home_of(path), path), "rb") as opened:
            head = opened.read(HEAD_BYTES)
    except (OSError, ToolError):
        return False
    is_other = media_type(head) or document_kind(path.name, head)
    return not is_other and guess_encoding(head) is not None
