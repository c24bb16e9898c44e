"""A process that knows the tools of one file: it describes them, or runs one of them.

It gets one request as JSON and answers with one line. It is started in the sandbox, so that what a
user's tool does there it can only do there.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import BinaryIO

from roo_code.builtin_tools.user_tool_calls import Answer, DescribedTool, Request
from roo_code.builtin_tools.user_tool_files import UnusableTool, tools_of_code
from roo_code.errors import ToolError
from roo_code.tools import AnyTool, ToolContext, attempt, parse_input
from roo_code.workspace.workspace import Workspace


def main() -> None:
    answers = _own_output()
    request = Request.from_json(sys.stdin.buffer.read())
    answers.write(_answer(request).to_json().encode())
    answers.close()


def _own_output() -> BinaryIO:
    """The output, for answers alone: what a tool prints goes where errors go."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _answer(request: Request) -> Answer:
    try:
        tools = tools_of_code(Path(request.path), request.code)
        if not request.tool:
            return Answer(tools=tuple(map(_described, tools)))
        tool = {tool.name: tool for tool in tools}.get(request.tool)
        if tool is None:
            return Answer(error=f"There is no tool {request.tool!r} in {request.path} any more.")
        return asyncio.run(_run(tool, request))
    except (UnusableTool, ToolError) as error:
        return Answer(error=str(error))


def _described(tool: AnyTool) -> DescribedTool:
    return DescribedTool(
        name=tool.name,
        description=tool.description,
        group=tool.group,
        input_schema=tool.input_schema(),
        repeatable=tool.repeatable,
        ends_run=tool.ends_run,
        needs_approval=tool.needs_approval,
    )


async def _run(tool: AnyTool, request: Request) -> Answer:
    context = ToolContext(workspace=Workspace(Path(request.workspace)), settings=request.settings)
    result = await attempt(tool, parse_input(tool, request.input), context)
    return Answer(
        outcome=result.content,
        images=result.images,
        is_error=result.is_error,
        seen_files=result.seen_files,
    )


if __name__ == "__main__":
    main()
