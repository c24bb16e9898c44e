"""apply_diff: change parts of a file by SEARCH/REPLACE blocks, all of them or none."""

from __future__ import annotations

import asyncio

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.apply_diff_blocks import FORMAT, Block, parse_blocks
from roo_code.builtin_tools.apply_diff_errors import failure_report
from roo_code.builtin_tools.apply_diff_matching import MatchRules, Placed, place_blocks
from roo_code.builtin_tools.editing.document import Document, LineCounts, count_lines
from roo_code.builtin_tools.editing.opened_file import open_for_edit
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly

_ONE_BLOCK = "<notice>Several changes to a file fit into one call, a block for each.</notice>"


class ApplyDiffInput(ToolInput):
    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "filePath", "filename", "target_file"),
        description="The file, relative to the workspace.",
    )
    diff: str = Field(
        validation_alias=AliasChoices("diff", "patch", "content", "edits", "blocks"),
        description="One or more SEARCH/REPLACE blocks.",
    )


class ApplyDiff(Tool[ApplyDiffInput]):
    name = "apply_diff"
    description = (
        "Change parts of an existing file. The diff consists of blocks; make all changes to a "
        f"file in one call. Each block:\n\n{FORMAT}\n\nThe SEARCH lines must be whole lines as "
        "they are in the file now, enough of them to be found only once near start_line. All "
        "start_line numbers are those before the change. Put a backslash before a line of text "
        "that itself begins like a marker. If one block does not fit, none is applied."
    )
    group = "edit"
    input_type = ApplyDiffInput

    async def execute(self, arguments: ApplyDiffInput, context: ToolContext) -> ToolOutcome:
        blocks = parse_blocks(arguments.diff)
        rules = match_rules(context)
        with told_plainly(arguments.path):
            return await asyncio.to_thread(_edit, context, arguments.path, blocks, rules)


def match_rules(context: ToolContext) -> MatchRules:
    threshold = context.settings.get("fuzzyMatchThreshold")
    if isinstance(threshold, int | float) and not isinstance(threshold, bool):
        return MatchRules(threshold=min(1.0, max(0.5, float(threshold))))
    return MatchRules()


def _edit(context: ToolContext, path: str, blocks: list[Block], rules: MatchRules) -> ToolOutcome:
    file = open_for_edit(context, path)
    text, counts, placed = apply_blocks(file.text, blocks, rules, shown=file.shown)
    if text == file.text:
        return ToolOutcome(f"No changes needed: {file.shown} is already as the diff would make it.")
    digest = file.save(text)
    note = edit_note(file.shown, "modified", size=counts, remarks=_remarks(placed))
    content = f"{note}\n{_ONE_BLOCK}" if len(blocks) == 1 else note
    return ToolOutcome(content, seen_files={file.shown: digest})


def apply_blocks(
    text: str, blocks: list[Block], rules: MatchRules, *, shown: str = "the file"
) -> tuple[str, LineCounts, list[Placed]]:
    """The text with all blocks applied; an error that names every block that does not fit."""
    document = Document(text)
    placed, failures = place_blocks(document.lines, blocks, rules)
    if failures:
        raise ToolError(failure_report(shown, document.lines, failures, len(blocks), rules))
    splices = [place.splice for place in placed]
    return document.with_changes(splices), count_lines(splices), placed


def _remarks(placed: list[Placed]) -> list[str]:
    """A word on blocks that were not taken literally, so that the model can look at the outcome."""
    loose = [place for place in placed if place.remark]
    told = [f"Line {place.splice.start + 1} was matched {place.remark}." for place in loose[:5]]
    if loose:
        told.append("Lines that SEARCH and REPLACE share were left as the file has them.")
    return told
