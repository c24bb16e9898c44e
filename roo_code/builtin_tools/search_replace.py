"""search_replace: put one text in place of another that is there only once."""

from __future__ import annotations

import asyncio

from roo_code.builtin_tools.editing.string_edit import only_one, replace_string
from roo_code.builtin_tools.editing.string_input import StringEditInput
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly


class SearchReplace(Tool[StringEditInput]):
    name = "search_replace"
    description = (
        "Replace one occurrence of a text in an existing file. old_string must be in the file "
        "exactly as given and only once: take three or more lines before and after the place."
    )
    group = "edit"
    input_type = StringEditInput

    def paths(self, arguments: StringEditInput) -> tuple[str, ...]:
        return (arguments.file_path,)

    async def execute(self, arguments: StringEditInput, context: ToolContext) -> ToolOutcome:
        path, old, new = arguments.file_path, arguments.old_string, arguments.new_string
        with told_plainly(path):
            return await asyncio.to_thread(replace_string, context, path, old, new, only_one)
