"""edit_file: put a text in place of another, however its blanks are set, or create a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.editing.new_file import create_file
from roo_code.builtin_tools.editing.plain_text import PlainText, Span
from roo_code.builtin_tools.editing.string_edit import not_found, replace_string
from roo_code.builtin_tools.editing.string_input import StringEditInput
from roo_code.errors import NotAllowed, ToolError
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly

_BLANKS = re.compile(r"\s+")


class EditFileInput(StringEditInput):
    old_string: str = Field(
        validation_alias=AliasChoices("old_string", "oldString", "old_str", "old_text", "search"),
        description="The text to replace, as it is in the file; empty to create a new file.",
    )
    expected_replacements: int = Field(
        default=1,
        ge=1,
        validation_alias=AliasChoices("expected_replacements", "expectedReplacements", "count"),
        description="How often old_string is in the file. All of them are replaced.",
    )


class EditFile(Tool[EditFileInput]):
    name = "edit_file"
    description = (
        "Replace text in a file, or create a file with an empty old_string. old_string must be in "
        "the file as often as expected_replacements says; differences in blanks are forgiven."
    )
    group = "edit"
    input_type = EditFileInput

    def paths(self, arguments: EditFileInput) -> tuple[str, ...]:
        return (arguments.file_path,)

    async def execute(self, arguments: EditFileInput, context: ToolContext) -> ToolOutcome:
        try:
            with told_plainly(arguments.file_path):
                return await asyncio.to_thread(_edit, context, arguments)
        except NotAllowed:
            raise
        except ToolError as error:
            raise ToolError(f"<error_details>\n{error}\n</error_details>") from error


def _edit(context: ToolContext, arguments: EditFileInput) -> ToolOutcome:
    path, old, new = arguments.file_path, arguments.old_string, arguments.new_string
    if not old:
        return create_file(context, path, new)
    expected = arguments.expected_replacements
    outcome = replace_string(context, path, old, new, partial(_find, expected=expected))
    if expected > 1 and outcome.seen_files:
        return outcome._replace(content=f"{outcome.content} ({expected} replacements)")
    return outcome


def _find(text: PlainText, old: str, shown: str, *, expected: int) -> Sequence[Span]:
    """Literally, then with other blanks between the same words, then with any or none at all."""
    counts: list[int] = []
    for spans in (text.find(old), _matches(text, _tolerant(old)), _matches(text, _tokens(old))):
        if len(spans) == expected:
            return spans
        counts.append(len(spans))
    if not any(counts):
        raise not_found(text, old, shown)
    raise ToolError(
        f"old_string is in {shown!r} {counts[0]} times exactly, {counts[1]} or {counts[2]} times "
        f"if blanks are ignored, but expected_replacements is {expected}; nothing was changed. "
        "Give the right number, or more lines around the place."
    )


def _matches(text: PlainText, pattern: str) -> list[Span]:
    return [Span(*match.span()) for match in re.finditer(pattern, text.text)] if pattern else []


def _tolerant(old: str) -> str:
    """A run of blanks stands for any such run; one with a line end, for any with or without."""
    parts: list[str] = []
    position = 0
    for blanks in _BLANKS.finditer(old):
        parts.append(re.escape(old[position : blanks.start()]))
        parts.append(r"\s+" if "\n" in blanks[0] else r"[ \t]+")
        position = blanks.end()
    return "".join([*parts, re.escape(old[position:])]) if old.strip() else ""


def _tokens(old: str) -> str:
    return r"\s+".join(re.escape(word) for word in old.split())
