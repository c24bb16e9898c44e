"""mode_switch: what the first request in another mode costs, with what is cached by then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.prompt import agent_for, conversation
from benchmarks.report import Column, Table
from roo_code.errors import ToolError
from roo_code.history import History
from roo_code.messages import Message, ToolDefinition, ToolUseContent, Usage
from roo_code.modes.access import check_call
from roo_code.modes.agent import ModeAgent
from roo_code.providers.models import known_models
from roo_code.providers.tokens import count, count_request

_MODEL = "claude-sonnet-4-5"
_SIZES = (10, 100, 400)
ToolsOf = Callable[[ModeAgent], Sequence[ToolDefinition]]


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        "mode_switch: the first request after a switch from code to ask",
        (
            Column("what", "tools told of"),
            Column("messages", "messages", 0),
            Column("read", "read from cache", 0),
            Column("written", "written", 0),
            Column("cost", "US dollars", 4),
            Column("ratio", "/ the same in every mode"),
        ),
        notes=[
            "tokens by o200k_base; a service caches by prefix: tools, then prompt, then messages",
            f"prices of {_MODEL}; ours is the same in every mode; by mode: its groups' tools",
        ],
    )
    with scratch() as folder:
        for size in _SIZES:
            ours = _switch(folder, size, ModeAgent.available_tools)
            theirs = _switch(folder, size, _allowed_tools)
            price = next(info for info in known_models("anthropic") if info.id == _MODEL).cost
            base = price(ours) or 0
            for name, usage in (("the same in every mode", ours), ("by mode", theirs)):
                table.add(
                    name,
                    messages=size,
                    read=usage.cache_read_tokens,
                    written=usage.cache_write_tokens,
                    cost=price(usage),
                    ratio=(price(usage) or 0) / base,
                )
    return [table]


def _switch(folder: Path, size: int, tools_of: ToolsOf) -> Usage:
    history = History(conversation(folder, size))
    before, after = (
        _parts(agent_for(folder, history, mode), history.messages, tools_of)
        for mode in ("code", "ask")
    )
    same = 0
    while same < len(after) and after[same] == before[same]:
        same += 1
    read = sum(tokens for _, tokens in after[:same])
    return Usage(
        cache_read_tokens=read, cache_write_tokens=sum(tokens for _, tokens in after) - read
    )


def _parts(
    agent: ModeAgent, messages: Sequence[Message], tools_of: ToolsOf
) -> list[tuple[str, int]]:
    """The request in the order in which it is cached, each part with its tokens."""
    tools, prompt = tools_of(agent), agent.system_prompt()
    parts = [("".join(tool.to_json() for tool in tools), count_request("", (), tools))]
    parts.append((prompt, count(prompt)))
    return [*parts, *((m.to_json(), count_request("", (m,))) for m in messages)]


def _allowed_tools(agent: ModeAgent) -> Sequence[ToolDefinition]:
    """What a list that follows the mode would hold."""
    return [tool for tool in agent.available_tools() if _is_allowed(agent, tool.name)]


def _is_allowed(agent: ModeAgent, name: str) -> bool:
    tool = agent.tools.get(name)
    assert tool is not None
    try:
        check_call(agent.mode, tool, ToolUseContent(id="c", name=name), agent.context.workspace)
    except ToolError:
        return False
    return True
