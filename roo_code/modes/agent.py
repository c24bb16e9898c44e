"""ModeAgent: the agent whose prompt and rights are those of the mode its task is in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TypedDict, Unpack

from msgspec.structs import replace

from roo_code.agent import Agent
from roo_code.client import RooClient
from roo_code.config.mode import Mode
from roo_code.config.paths import roo_home
from roo_code.context.instructions import Instructions
from roo_code.errors import RooCodeError, ToolError
from roo_code.events import Event, RunCompleted, SubtaskEnded, SubtaskStarted
from roo_code.json_text import JsonValue, from_json
from roo_code.messages import ToolDefinition, ToolUseContent
from roo_code.modes.builtin import DEFAULT_MODE
from roo_code.modes.collection import Modes
from roo_code.modes.orchestrator import ModeOrchestrator
from roo_code.modes.task import Task, TaskState
from roo_code.policy.approval import Approver
from roo_code.todo_list import TODO_TOOL
from roo_code.tool_aliases import canonical_name
from roo_code.tools import AnyTool, ToolContext, UnloadedTool
from roo_code.workspace.workspace import Workspace


class AgentOptions(TypedDict, total=False):
    """As `Agent` takes them."""

    system_prompt: str | None
    context: ToolContext
    approver: Approver
    max_iterations: int | None
    metadata: Mapping[str, str]


class ModeAgent(Agent):
    """Tells the model what its mode says, and refuses what its mode does not allow.

    The tools it tells of are the same in every mode, so that a switch costs no cached prefix.
    """

    def __init__(
        self,
        client: RooClient,
        tools: Sequence[AnyTool] = (),
        *,
        mode_slug: str = DEFAULT_MODE,
        project_root: Path | None = None,
        global_config_dir: Path | None = None,
        orchestrator: ModeOrchestrator | None = None,
        task: Task | None = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        if "context" not in options:
            options["context"] = ToolContext(workspace=Workspace(project_root or Path.cwd()))
        context = options["context"]
        self._home = home = global_config_dir or roo_home()
        self.orchestrator = orchestrator or ModeOrchestrator(
            Modes(context.workspace.root, home, context.settings)
        )
        self.task = task or self.orchestrator.create_task(mode_slug)
        self.client_for: Callable[[str], RooClient | None] = lambda mode: None
        """The client of a mode's own profile; None where the mode has none."""
        self.provider_for: Callable[[str], dict[str, JsonValue]] = lambda mode: {}
        """The same as settings, for a subtask in that mode."""
        self._options = options
        self._given_tools = tools
        super().__init__(client, tools, history=self.task.history, **options)
        self.instructions = Instructions(context.workspace, home, context.settings)
        for definition in _definitions():
            load = partial(self._load_tool, definition.name)
            self.tools.register(UnloadedTool(definition, load))
        self._disabled = _disabled_tools(context.settings)
        self.preparations.append(self._enter_mode)

    @property
    def mode(self) -> Mode:
        return self.orchestrator.mode_of(self.task)

    def system_prompt(self) -> str:
        if self._system_prompt is not None:
            return self._system_prompt
        mode = self.mode
        prompt = self.instructions.system_prompt(mode, self.orchestrator.modes.all)
        if mode.slug == (self.task.mode_slug or DEFAULT_MODE):
            return prompt
        return (
            f"{prompt}\n\nThe mode {self.task.mode_slug!r} that this task was in does not exist "
            f"any more, so it is in {mode.slug} mode now. Use switch_mode if that is too little."
        )

    def available_tools(self) -> Sequence[ToolDefinition]:
        known = self.tools.definitions()
        return tuple(tool for tool in known if tool.name not in self._disabled)

    def refusal(self, call: ToolUseContent) -> str | None:
        tool = self.tools.get(call.name)
        if tool is None:
            return None  # the registry says so
        if tool.name in self._disabled:
            return f"The tool {tool.name} is switched off in the user's settings."
        try:
            self.orchestrator.check(self.task, tool, call, self.context.workspace)
        except ToolError as error:
            return str(error)
        return None

    def create_subtask(self, mode_slug: str, message: str) -> Task:
        """A task below this one, for `run` to carry out."""
        return self.orchestrator.create_task(mode_slug, message, self.task)

    async def run(self, task: str | Task) -> str:
        """Run to the end, subtasks included, and return the answer; or carry out a subtask."""
        if isinstance(task, Task):
            return await self._agent_for(task)._run_task(None)
        return await self._run_task(task)

    async def _run_task(self, prompt: str | None) -> str:
        self.task.state, outcome = TaskState.RUNNING, TaskState.FAILED
        try:
            answer = await self._follow(prompt)
            outcome = TaskState.WAITING if self.history.waiting_for else TaskState.COMPLETED
        except asyncio.CancelledError:
            outcome = TaskState.CANCELLED
            raise
        finally:
            self.task.state = outcome
        return answer

    async def _follow(self, prompt: str | None) -> str:
        answer = ""
        while True:
            async for event in self.iter(prompt):
                if isinstance(event, RunCompleted):
                    answer = event.result
            deferred = (call.deferred for call in self.history.pending.values() if call.waiting_for)
            subtasks = [event for event in deferred if isinstance(event, SubtaskStarted)]
            if not subtasks:
                return answer
            prompt = None
            for subtask in subtasks:
                self.history.apply(await self._carry_out(subtask))

    async def _carry_out(self, started: SubtaskStarted) -> SubtaskEnded:
        id = started.subtask_id
        task = self.orchestrator.create_task(started.mode, started.prompt, self.task, id=id)
        is_error = True
        try:
            result = await self.run(task)
        except RooCodeError as error:
            text = f"Subtask {id} failed: {error}"
        else:
            is_error = task.state is not TaskState.COMPLETED
            text = f"Subtask {id} completed.\n\nResult:\n{result}"
            if is_error:
                text = f"Subtask {id} waits for an answer that nobody here can give."
        return SubtaskEnded(
            tool_use_id=started.tool_use_id, subtask_id=id, result=text, is_error=is_error
        )

    def _agent_for(self, task: Task) -> ModeAgent:
        return ModeAgent(
            self.client,
            self._given_tools,
            global_config_dir=self._home,
            orchestrator=self.orchestrator,
            task=task,
            **self._options,
        )

    async def _enter_mode(self) -> AsyncGenerator[Event]:
        """What else depends on the mode follows it before the next request."""
        mode = self.mode.slug
        if self.metadata.get("mode") != mode:
            self.metadata["mode"] = mode
            settings = {**self.context.settings, "mode": mode}
            self.context = replace(self.context, settings=settings)
            if client := self.client_for(mode):
                before, self.client = self.client, client
                await before.aclose()
        return
        yield  # a preparation may tell of events; this one has none

    def _load_tool(self, name: str) -> AnyTool:
        from roo_code.modes import tools  # noqa: PLC0415 - loads pydantic, which few calls need

        if name == tools.SwitchMode.name:
            return tools.SwitchMode(self.orchestrator, self.task)
        return tools.NewTask(self.orchestrator, self.task, lambda mode: self.provider_for(mode))


def _disabled_tools(settings: Mapping[str, JsonValue]) -> frozenset[str]:
    """By their own names, under whichever the settings call them."""
    given = settings.get("disabledTools")
    named = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
    if settings.get("todoListEnabled") is False:
        named.append(TODO_TOOL)
    return frozenset((*named, *map(canonical_name, named)))


@cache
def _definitions() -> tuple[ToolDefinition, ...]:
    """Made by `scripts/tool-definitions` from the tools themselves: see `definitions.json`."""
    text = files("roo_code.modes").joinpath("definitions.json").read_bytes()
    return tuple(ToolDefinition(**entry) for entry in from_json(text))
