"""Calls tools as the user whose number it is given: one JSON line for each call."""

import asyncio
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from roo_code.builtin_tools.registry import create_registry
from roo_code.builtin_tools.user_tools import everybody_trusts, load_user_tools
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace
from tests.sandbox.driver import become

LATER = ("roo_code.sandbox.chosen_sandbox", "roo_code.builtin_tools.confined_tools")


async def call(asked: dict[str, Any]) -> ToolResult:
    workspace, settings = Path(asked["workspace"]), asked["settings"]
    tools = load_user_tools(
        Path(asked["home"], "tools"), everybody_trusts, lambda text: sys.exit(text),
        settings=settings, workspace=workspace,
    )  # fmt: skip
    context = ToolContext(workspace=Workspace(workspace), settings=settings)
    try:
        use = ToolUseContent(id="1", name=asked["tool"], input=asked["input"])
        return await create_registry(*tools).execute(use, context)
    finally:
        await context.resources.aclose()


def main() -> None:
    for name in LATER:
        import_module(name)
    create_registry().get("execute_command")
    if len(sys.argv) > 1:
        become(int(sys.argv[1]))
    for line in sys.stdin:
        asked = json.loads(line)
        os.environ["HOME"] = asked["home"]
        result = asyncio.run(call(asked))
        said = {"content": result.content, "is_error": result.is_error}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
