"""fetch_instructions: how to go about kinds of work that few tasks need to know of."""

from __future__ import annotations

from importlib.resources import files

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext

KINDS = ("create_mcp_server", "create_mode")


class FetchInstructionsInput(ToolInput):
    task: str = Field(
        min_length=1,
        validation_alias=AliasChoices("task", "name", "topic", "kind"),
        description=f"What you are about to do: {' or '.join(KINDS)}.",
        json_schema_extra={"enum": list(KINDS)},
    )


class FetchInstructions(Tool[FetchInstructionsInput]):
    name = "fetch_instructions"
    description = (
        "Get step-by-step instructions before you do one of these: create_mcp_server (a server "
        "that offers new tools), create_mode (a custom mode with its own role and rights)."
    )
    group = "read"
    input_type = FetchInstructionsInput
    repeatable = True

    async def execute(self, arguments: FetchInstructionsInput, context: ToolContext) -> str:
        kind = arguments.task.strip().lower().replace("-", "_").replace(" ", "_")
        if kind not in KINDS:
            raise ToolError(
                f"There are no instructions for {arguments.task!r}. There are some for: "
                f"{', '.join(KINDS)}."
            )
        folder = files("roo_code.builtin_tools.instructions")
        return (folder / f"{kind}.md").read_text(encoding="utf-8")
