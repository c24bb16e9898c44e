"""insert_content: add lines to a file without replacing any."""

from __future__ import annotations

import asyncio

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.editing.document import Document, LineCounts, Splice, lines_of
from roo_code.builtin_tools.editing.new_file import create_file
from roo_code.builtin_tools.editing.opened_file import find_for_edit
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly


class InsertContentInput(ToolInput):
    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "filePath", "filename", "target_file"),
        description="The file, relative to the workspace.",
    )
    line: int = Field(
        ge=0,
        validation_alias=AliasChoices("line", "line_number", "insert_line", "start_line"),
        description="Insert before this line, counted from 1; 0 adds at the end of the file.",
    )
    content: str = Field(
        validation_alias=AliasChoices("content", "contents", "text", "new_str", "insert_text"),
        description="The lines to insert, with their indentation.",
    )


class InsertContent(Tool[InsertContentInput]):
    name = "insert_content"
    description = (
        "Insert lines into a file before a given line, or with line 0 at its end. Nothing is "
        "replaced. A file that does not exist is created, with line 0 or 1."
    )
    group = "edit"
    input_type = InsertContentInput

    async def execute(self, arguments: InsertContentInput, context: ToolContext) -> ToolOutcome:
        with told_plainly(arguments.path):
            return await asyncio.to_thread(_insert, context, arguments)


def _insert(context: ToolContext, arguments: InsertContentInput) -> ToolOutcome:
    if not arguments.content:
        raise ToolError("There is nothing to insert: content is empty.")
    file = find_for_edit(context, arguments.path)
    if file is None:
        if arguments.line > 1:
            raise ToolError(f"{arguments.path!r} does not exist; to create it, use line 0 or 1.")
        return create_file(context, arguments.path, arguments.content)
    document, new = Document(file.text), lines_of(arguments.content)
    total = len(document.lines)
    if arguments.line > total + 1:
        raise ToolError(
            f"{file.shown!r} has {total} lines, so nothing can be inserted before line "
            f"{arguments.line}. Use line 0 to add at the end."
        )
    place = arguments.line - 1 if arguments.line else total
    digest = file.save(document.with_changes([Splice(place, place, tuple(new))]))
    where = "at the end" if place == total else f"before what was line {place + 1}"
    note = edit_note(
        file.shown, "modified", size=LineCounts(len(new)), remarks=[f"Inserted {where}."]
    )
    return ToolOutcome(note, seen_files={file.shown: digest})
