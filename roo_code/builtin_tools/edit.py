"""edit: put one text in place of another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.editing.plain_text import PlainText, Span
from roo_code.builtin_tools.editing.string_edit import not_found, replace_string, several
from roo_code.builtin_tools.editing.string_input import StringEditInput
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly


class EditInput(StringEditInput):
    replace_all: bool = Field(
        default=False,
        validation_alias=AliasChoices("replace_all", "replaceAll", "all"),
        description="Replace every occurrence; otherwise there must be only one.",
    )


class Edit(Tool[EditInput]):
    name = "edit"
    description = (
        "Replace text in an existing file. old_string must be in the file exactly as given, blanks "
        "and indentation included, and only once unless replace_all is true."
    )
    group = "edit"
    input_type = EditInput

    def paths(self, arguments: EditInput) -> tuple[str, ...]:
        return (arguments.file_path,)

    async def execute(self, arguments: EditInput, context: ToolContext) -> ToolOutcome:
        find = partial(_find, replace_all=arguments.replace_all)
        with told_plainly(arguments.file_path):
            return await asyncio.to_thread(
                replace_string,
                context,
                arguments.file_path,
                arguments.old_string,
                arguments.new_string,
                find,
            )


def _find(text: PlainText, old: str, shown: str, *, replace_all: bool) -> Sequence[Span]:
    spans = text.find(old)
    if not spans:
        raise not_found(text, old, shown)
    if len(spans) > 1 and not replace_all:
        raise several(text, spans, shown, ", or set replace_all to change them all")
    return spans
