"""Instructions that a user or a project keeps in a file, as the model is shown them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from roo_code.config.documents import read_text
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ToolError
from roo_code.workspace.files import read_bytes
from roo_code.workspace.opening import told_plainly
from roo_code.workspace.workspace import Workspace


def read_instructions(
    path: Path, source: Literal["project", "global"], workspace: Workspace
) -> str:
    """The text of the file; a project's must lie in the workspace, wherever links lead."""
    if source == "project":
        with told_plainly(str(path)):
            real = workspace.resolve(str(path))
            data = read_bytes(workspace.home_of(real), real)
        text = None if data is None else data.decode("utf-8", "replace")
    else:
        try:
            text = read_text(path)
        except Unreadable as error:
            raise ToolError(f"{str(path)!r}: {error}.") from error
    if text is None:
        raise ToolError(f"{str(path)!r} is gone.")
    return text


def titled(facts: Mapping[str, str], title: str, body: str) -> str:
    """What is known of the instructions, then they themselves."""
    lines = [f"{name}: {value}" for name, value in facts.items() if value.strip()]
    return "\n".join([*lines, "", f"--- {title} ---", "", body.strip()])
