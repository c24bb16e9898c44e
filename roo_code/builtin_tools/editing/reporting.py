"""What the model is told of an edit: Roo's note, with the lines counted."""

from __future__ import annotations

import json
from collections.abc import Iterable

from roo_code.builtin_tools.editing.document import LineCounts

KNOWN = "There is no need to read it again."


def edit_note(
    shown: str, operation: str, *, counts: LineCounts | None = None, remarks: Iterable[str] = ()
) -> str:
    what = f" ({counts})" if counts else ""
    done = f"Successfully {operation} {shown}{what}."
    note = {"path": shown, "operation": operation, "notice": " ".join([done, *remarks])}
    return json.dumps(note, ensure_ascii=False)
