"""What the model is told of an edit: Roo's note, with the lines counted."""

from __future__ import annotations

import json
from collections.abc import Iterable


def edit_note(shown: str, operation: str, *, size: object = "", remarks: Iterable[str] = ()) -> str:
    how_much = f" ({size})" if size else ""
    done = f"Successfully {operation} {shown}{how_much}."
    note = {"path": shown, "operation": operation, "notice": " ".join([done, *remarks])}
    return json.dumps(note, ensure_ascii=False)
