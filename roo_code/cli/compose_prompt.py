"""Put together what tells a task's model of its surroundings."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roo_code.context.environment import Environment, Surroundings
from roo_code.context.rule_files import user_home
from roo_code.errors import RooCodeError
from roo_code.events import EnvironmentTold, Event
from roo_code.history import History
from roo_code.mentions.reader import mention_reader
from roo_code.messages import ToolDefinition
from roo_code.modes.agent import ModeAgent
from roo_code.tool_resources import TaskResources
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:
    from roo_code.builtin_tools.list_files_walk import Entry
    from roo_code.providers.replaying import ReplayedTask

_PATIENCE = 2.0
_LONGEST_LINE = 200


class HostPrompts:
    """Has each task's model told what it must know besides the conversation."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def prepare(self, agent: ModeAgent, replayed: ReplayedTask | None) -> None:
        """In a replay, what was told when it was recorded."""
        if replayed is not None:
            agent.preparations.append(partial(_recorded, agent.history, replayed))
            return
        context, history = agent.context, agent.history
        around = Surroundings(
            files=partial(workspace_files, context.workspace),
            git_status=partial(_git_status, context.workspace),
            commands=partial(_commands, context.resources, context.hide),
        )
        environment = Environment(context.workspace, history, context.settings, around)
        modes = agent.orchestrator.modes
        mentions = mention_reader(context, history, lambda slug: modes.get(slug) is not None)
        agent.preparations += [mentions, environment.tell]
        for problem in agent.instructions.problems(agent.mode, modes.all):
            if str(problem) not in self._told:
                self._told.add(str(problem))
                self._tell(f"{problem}. {problem.hint}".strip())


def count_tokens(text: str, tools: Iterable[ToolDefinition] = ()) -> int:
    """As `providers.tokens` counts a request that says no more than this."""
    from roo_code.providers.tokens import count_request  # noqa: PLC0415 - loads the tokenizer

    return count_request(text, (), tools)


async def _recorded(history: History, replayed: ReplayedTask) -> AsyncGenerator[Event]:
    if not history.is_environment_told:
        place = sum(message.role == "assistant" for message in history.messages)
        for text in replayed.environment(place):
            yield EnvironmentTold(text=text)


def workspace_files(workspace: Workspace, limit: int) -> list[str]:
    """Level by level, so that a limit cuts off what lies deepest; one more if there are more."""
    from roo_code.builtin_tools.list_files_walk import Walk, in_order  # noqa: PLC0415 - some want none

    start = workspace.resolve_readable(".")

    has_hidden = workspace.rooignore.exists()

    def hides(entry: Entry) -> bool:
        return has_hidden and workspace.rooignore.hides_file(start.joinpath(*entry.parts))

    walk = Walk(
        home=start,
        start=start,
        limit=limit,
        patience=_PATIENCE,
        cancelled=threading.Event(),
        locks=hides,
        # Whoever works in a home folder does not mean all that is in it.
        recursive=start not in {Path(start.anchor), user_home()},
    )
    listing = walk.list()
    names = [
        "/".join(entry.parts) + "/" * entry.folder
        for entry in sorted(listing.entries, key=in_order)
    ]
    return [*names, "(and more: list_files shows them)"] if listing.cut else names


async def _git_status(workspace: Workspace, limit: int) -> str:
    from roo_code.mentions.git import Git  # noqa: PLC0415 - few want to be told

    try:
        return await Git(workspace).status(limit)
    except RooCodeError:  # there is no repository, or no git
        return ""


def _commands(resources: TaskResources, hide: Callable[[str], str]) -> Mapping[str, bool]:
    if resources.is_empty:
        return {}
    from roo_code.builtin_tools.task_commands import TaskCommands  # noqa: PLC0415 - few start any

    commands = resources.find(TaskCommands)
    if commands is None:
        return {}
    return {
        f"{name}: {hide(' '.join(run.command.split()))[:_LONGEST_LINE]}": run.status is None
        for name, run in commands
    }
