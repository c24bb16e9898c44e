"""prompt: what a model is told before the first word; what putting a request together takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.context.environment import Environment
from roo_code.events import Event, MessageAdded, TaskCreated, TaskSpec, ToolFinished, TurnStarted
from roo_code.history import History
from roo_code.json_text import to_json
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent
from roo_code.modes.agent import ModeAgent
from roo_code.modes.builtin import BUILTIN_MODES
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.tokens import count, count_request
from roo_code.testing import ScriptedProvider
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

_ROUNDS = 30
_SIZES = (10, 100, 1000)
_SETTINGS = ProviderSettings(api_provider="anthropic", api_model_id="bench")
_INFO = ModelInfo(id="bench", context_window=200_000)
_ROO = {"architect": 37_951, "ask": 32_299}
"""Characters of Roo's own test snapshots (tools described in the prompt, no rules), from
src/core/prompts/__tests__/__snapshots__/add-custom-instructions at eb0bbe7 of its repository."""


def measure(endpoint: Endpoint) -> list[Table]:
    with scratch() as folder:
        return [_tokens(folder), _assembling(folder)]


def _tokens(folder: Path) -> Table:
    table = Table(
        "prompt: size before the user's first word, without rules",
        (
            Column("mode", "mode"),
            Column("tokens", "prompt tokens", 0),
            Column("tools", "tools tokens", 0),
            Column("characters", "all characters", 0),
            Column("roo", "Roo's characters", 0),
            Column("ratio", "/ Roo's"),
        ),
        notes=[
            "tokens by o200k_base; the tools are the same in every mode and go by the API",
            "Roo's: its own test snapshots, of a version that describes tools in the prompt",
        ],
    )
    for mode in BUILTIN_MODES:
        agent = agent_for(folder, History(), mode.slug)
        prompt, tools = agent.system_prompt(), agent.available_tools()
        characters = len(prompt) + sum(len(tool.to_json()) for tool in tools)
        roo = _ROO.get(mode.slug)
        table.add(
            mode.slug,
            tokens=count(prompt),
            tools=count_request("", (), tools),
            characters=characters,
            roo=roo,
            ratio=characters / roo if roo else None,
        )
    return table


def _assembling(folder: Path) -> Table:
    table = Table(
        "prompt: milliseconds to put a request together",
        (
            Column("messages", "messages"),
            Column("first", "first of a process", 2),
            Column("next", "each next", 2),
            Column("prompt", "of it the prompt", 3),
            Column("around", "and looking around", 3),
            Column("json", "and the JSON", 2),
            Column("kb", "KB", 1),
        ),
        notes=[
            f"median of {_ROUNDS}; prompt, tools and messages to a body in Anthropic's format",
            "first: nothing is kept yet; next: two messages more; 20 files seen by the model",
        ],
    )
    for number in range(20):
        (folder / f"{number}.txt").write_text("text\n" * 100, encoding="utf-8")
    for size in _SIZES:
        _measure_size(folder, size, table)
    return table


def _measure_size(folder: Path, size: int, table: Table) -> None:
    history = History(conversation(folder, size))
    history.seen_files = {f"{number}.txt": "" for number in range(20)}
    environment = Environment(Workspace(folder), history, {})
    around = asyncio.run(_look(environment, history))
    agent = agent_for(folder, history)
    kept = AnthropicMessages("bench")

    def body(format: AnthropicMessages, agent: ModeAgent) -> object:
        request = ModelRequest(
            system_prompt=agent.system_prompt(),
            messages=tuple(history.messages),
            tools=agent.available_tools(),
        )
        return format.encode(request, _SETTINGS, _INFO)

    def next_body() -> object:
        return body(kept, agent)

    def more() -> None:
        for event in _turn(len(history.messages)):
            history.apply(event)

    first = _time(lambda: body(AnthropicMessages("bench"), agent_for(folder, history)))
    table.add(
        str(size),
        first=first,
        next=_time(lambda: to_json(next_body()), before=more),
        prompt=_time(agent.system_prompt),
        around=around,
        json=_time(lambda: to_json(next_body())) - _time(next_body),
        kb=len(to_json(next_body())) / 1024,
    )


async def _look(environment: Environment, history: History) -> float:
    """Milliseconds where nothing has changed, which is before most requests."""
    taken: list[float] = []
    for _ in range(_ROUNDS):
        history.is_environment_told = False
        started = time.perf_counter()
        async for event in environment.tell():
            history.apply(event)
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000


def agent_for(folder: Path, history: History, mode: str = "code") -> ModeAgent:
    client = RooClient(_SETTINGS, provider=ScriptedProvider())
    context = ToolContext(workspace=Workspace(folder))
    agent = ModeAgent(client, mode_slug=mode, context=context, global_config_dir=folder / "home")
    agent.history = history
    return agent


def conversation(folder: Path, size: int) -> list[Event]:
    events: list[Event] = [
        TaskCreated(spec=TaskSpec(prompt="Do it.", workspace=str(folder), mode="code"))
    ]
    for number in range(1, size, 2):
        events += _turn(number)
    return events


def _turn(number: int) -> list[Event]:
    """A reply that reads a file, and the file: two messages."""
    call = ToolUseContent(id=f"call_{number}", name="read_file", input={"path": f"{number}.py"})
    reply = Message(role="assistant", content=(TextContent(text="I look at the next."), call))
    result = ToolResult(tool_use_id=call.id, content="1 | a line of code\n" * 40)
    return [TurnStarted(turn=1), MessageAdded(message=reply), ToolFinished(result=result)]


def _time(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    taken: list[float] = []
    for _ in range(_ROUNDS):
        before()
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000
