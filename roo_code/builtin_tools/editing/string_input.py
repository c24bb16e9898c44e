"""What the tools that replace a string are given."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.tool_input import ToolInput


class StringEditInput(ToolInput):
    file_path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("file_path", "path", "filePath", "filename", "target_file"),
        description="The file, relative to the workspace or absolute.",
    )
    old_string: str = Field(
        min_length=1,
        validation_alias=AliasChoices("old_string", "oldString", "old_str", "old_text", "search"),
        description="The text to replace, as it is in the file.",
    )
    new_string: str = Field(
        validation_alias=AliasChoices("new_string", "newString", "new_str", "new_text", "replace"),
        description="The text to put in its place; empty to delete it.",
    )
