"""Keys that the model saw as asterisks must not become asterisks in the file."""

from __future__ import annotations

from roo_code.errors import ToolError
from roo_code.key_shapes import HIDDEN
from roo_code.redaction import redact


def refuse_hidden_keys(shown: str, before: str, after: str) -> None:
    if after.count(HIDDEN) <= before.count(HIDDEN) or redact(before) == before:
        return
    raise ToolError(
        f"{shown!r} holds keys, which you were shown as {HIDDEN}; to write that would destroy "
        "them. Nothing was changed. Edit only the other lines, and leave those with keys out."
    )
