"""An agent in a mode, whose model is scripted."""

from pathlib import Path
from typing import Any

from roo_code.messages import ToolResult, ToolUseContent
from roo_code.modes.agent import ModeAgent
from roo_code.testing import scripted_client
from roo_code.testing.scripted_provider import Reply


def use(id: str, name: str, **input: Any) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=input)


def write(id: str, path: str, name: str = "write_to_file") -> ToolUseContent:
    return use(id, name, path=path, content="text\n")


def done(id: str = "done", result: str = "Done.") -> ToolUseContent:
    return use(id, "attempt_completion", result=result)


def switch(id: str, mode: str, reason: str = "") -> ToolUseContent:
    return use(id, "switch_mode", mode_slug=mode, reason=reason)


def agent(folder: Path, mode: str, *replies: Reply, **options: Any) -> ModeAgent:
    """In the folder, with no modes of the user's."""
    folder.mkdir(parents=True, exist_ok=True)
    return ModeAgent(
        client=scripted_client(*replies),
        mode_slug=mode,
        project_root=folder,
        global_config_dir=folder.parent / "no-home",
        **options,
    )


def results(agent: ModeAgent) -> dict[str, ToolResult]:
    """By the ids of the calls."""
    blocks = [block for message in agent.history.messages for block in message.content]
    return {block.tool_use_id: block for block in blocks if isinstance(block, ToolResult)}


async def try_calls(folder: Path, mode: str, *calls: ToolUseContent, **options: Any) -> list[bool]:
    """Of each call, made in a reply of its own, whether it went through."""
    tried = agent(folder, mode, *([call] for call in calls), "Done.", **options)
    tried.max_iterations = len(calls) + 1
    await tried.run("Go.")
    found = results(tried)
    return [not found[call.id].is_error for call in calls]
