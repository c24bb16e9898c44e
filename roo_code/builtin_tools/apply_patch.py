"""apply_patch: add, change, move and delete files, all together or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.apply_patch_files import PatchedFiles
from roo_code.builtin_tools.apply_patch_format import Operation, UpdateFile, parse_patch
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext, ToolOutcome


class ApplyPatchInput(ToolInput):
    patch: str = Field(
        validation_alias=AliasChoices("patch", "input", "diff", "content"),
        description="The patch, from '*** Begin Patch' to '*** End Patch'.",
    )


class ApplyPatch(Tool[ApplyPatchInput]):
    name = "apply_patch"
    description = (
        "Change files with a patch; all of it is applied or nothing. Its form:\n\n"
        "*** Begin Patch\n"
        "*** Add File: <path>\n"
        "+<each line of the new file>\n"
        "*** Delete File: <path>\n"
        "*** Update File: <path>\n"
        "*** Move to: <new path, if it is to move>\n"
        "@@ <a line that the change comes after, such as a function's first; may be left out>\n"
        " <line that stays>\n"
        "-<line to remove>\n"
        "+<line to add>\n"
        "*** End of File   (only if the lines are the file's last)\n"
        "*** End Patch\n\n"
        "Show three lines that stay before and after each change, more if they are not unique."
    )
    group = "edit"
    input_type = ApplyPatchInput

    def paths(self, arguments: ApplyPatchInput) -> tuple[str, ...]:
        try:
            operations = parse_patch(arguments.patch)
        except ToolError:
            return ()  # nothing will be touched
        moves = [
            operation.move_to
            for operation in operations
            if isinstance(operation, UpdateFile) and operation.move_to
        ]
        return tuple(dict.fromkeys([*(operation.path for operation in operations), *moves]))

    async def execute(self, arguments: ApplyPatchInput, context: ToolContext) -> ToolOutcome:
        operations = parse_patch(arguments.patch)
        return await asyncio.to_thread(_apply, context, operations)


def _apply(context: ToolContext, operations: Sequence[Operation]) -> ToolOutcome:
    files = PatchedFiles(context)
    for operation in operations:
        files.take(operation)
    return files.save()
