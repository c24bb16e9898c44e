"""write_to_file: create a file or replace all of it."""

from __future__ import annotations

import asyncio
from pathlib import PurePath

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.editing.document import counted, lines_of
from roo_code.builtin_tools.editing.hidden_keys import refuse_hidden_keys
from roo_code.builtin_tools.editing.opened_file import half_character, refuse_stale
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.builtin_tools.line_numbers import without_numbers
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.file_changes import MISSING
from roo_code.workspace.files import digest, read_state, replace_file
from roo_code.workspace.opening import told_plainly
from roo_code.workspace.text import TextFormat, decode_text, with_newlines

_FENCE = "```"
_KNOWN = "The file holds exactly this content now; there is no need to read it again."


class WriteToFileInput(ToolInput):
    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "filePath", "filename", "target_file"),
        description="The file, relative to the workspace.",
    )
    content: str = Field(
        validation_alias=AliasChoices(
            "content", "contents", "text", "file_text", "file_content", "code_content"
        ),
        description="All of the file's new content, nothing left out, no line numbers.",
    )
    line_count: int | None = Field(
        default=None,
        ge=0,
        description="How many lines the content has. If fewer arrive, nothing is written.",
    )


class WriteToFile(Tool[WriteToFileInput]):
    name = "write_to_file"
    description = (
        "Create a file, or replace all of its content. Missing folders are made. An existing "
        "file keeps its encoding and line endings. To change part of a file, prefer an editing "
        "tool."
    )
    group = "edit"
    input_type = WriteToFileInput

    async def execute(self, arguments: WriteToFileInput, context: ToolContext) -> ToolOutcome:
        _refuse_cut_content(arguments)
        content, remarks = _clean(arguments.content, arguments.path)
        with told_plainly(arguments.path):
            return await asyncio.to_thread(_write, context, arguments.path, content, remarks)


def _refuse_cut_content(arguments: WriteToFileInput) -> None:
    """Models count lines badly, so only a clear gap is taken for a reply that was cut off."""
    expected, lines = arguments.line_count or 0, len(arguments.content.splitlines())
    if expected - lines >= 2 and lines < 0.8 * expected:
        raise ToolError(
            f"The content has {lines} lines but line_count says {expected}, so it seems to be "
            f"cut off. {arguments.path!r} was left as it was. Send the whole content; if it is "
            "very long, write the first part and add the rest with further edits."
        )


def _clean(content: str, path: str) -> tuple[str, list[str]]:
    """The content without what models wrap around it, and remarks on what was taken off."""
    remarks: list[str] = []
    unfenced = _without_fence(content, PurePath(path).suffix.lower())
    if unfenced != content:
        remarks.append("The code fence around the content was removed.")
    bare = without_numbers(unfenced)
    if bare is None:
        return unfenced, remarks
    return bare, [*remarks, "The line numbers before every line were removed."]


def _without_fence(content: str, suffix: str) -> str:
    lines = content.split("\n")
    while len(lines) > 2 and not lines[-1].strip():
        lines.pop()
    first = lines[0].strip()
    if len(lines) < 2 or not first.startswith(_FENCE) or lines[-1].strip() != _FENCE:
        return content
    language = first.strip("`").strip().lower()
    # Markdown may itself begin and end with a fence; only one that says Markdown is around it.
    if suffix in {".md", ".mdx", ".markdown"} and language not in {"md", "markdown"}:
        return content
    inside = lines[1:-1]
    return "\n".join(inside) + "\n" if inside else ""


def _write(context: ToolContext, written: str, content: str, remarks: list[str]) -> ToolOutcome:
    """Write, in the way the file is written now."""
    path = context.workspace.resolve(written)
    home, shown = context.workspace.home_of(path), context.workspace.relative(path)
    before = read_state(home, path)
    if before is not None:
        refuse_stale(context, shown, before)
    decoded = decode_text(before.data) if before and before.data else None
    if decoded:
        refuse_hidden_keys(shown, decoded[0], content)
    data, more = _encode(content, decoded[1] if decoded else None)
    if before is not None and data == before.data:
        more = ["It had exactly this content already; nothing was written."]
    else:
        replace_file(home, path, data, before.version if before else MISSING)
    size = counted(len(lines_of(content)))
    if decoded:
        size += f", formerly {len(lines_of(decoded[0]))}"
    operation = "created" if before is None else "modified"
    note = edit_note(shown, operation, size=size, remarks=[*remarks, *more, _KNOWN])
    return ToolOutcome(note, seen_files={shown: digest(data)})


def _encode(content: str, format: TextFormat | None) -> tuple[bytes, list[str]]:
    text = with_newlines(content, format.newline) if format else content
    try:
        return (format or TextFormat()).encode(text), []
    except UnicodeEncodeError as error:
        if half := half_character(error):
            raise half from error
    remark = "The file is UTF-8 now: its former encoding lacks characters of the new content."
    return TextFormat().encode(text), [remark]
