"""A file that was not there before."""

from __future__ import annotations

from roo_code.builtin_tools.editing.document import LineCounts, lines_of
from roo_code.builtin_tools.editing.opened_file import half_character
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.errors import ToolError
from roo_code.tools import ToolContext, ToolOutcome
from roo_code.workspace.file_changes import MISSING
from roo_code.workspace.files import digest, read_state, replace_file


def create_file(context: ToolContext, written: str, text: str) -> ToolOutcome:
    path = context.workspace.resolve(written)
    home, shown = context.workspace.home_of(path), context.workspace.relative(path)
    if read_state(home, path) is not None:
        raise ToolError(
            f"{shown!r} exists already, so it was not created. Read it and edit it instead."
        )
    data = encode_new(text)
    replace_file(home, path, data, MISSING)
    note = edit_note(shown, "created", size=LineCounts(added=len(lines_of(text))))
    return ToolOutcome(note, seen_files={shown: digest(data)})


def encode_new(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise half_character(error) or error from error
