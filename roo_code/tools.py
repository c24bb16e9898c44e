"""What a tool is, and the registry that runs one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
)

from msgspec import Struct, field
from msgspec.structs import replace

from roo_code.errors import ToolError, UnknownTool
from roo_code.events import Event, QuestionAsked, SubtaskStarted
from roo_code.json_text import JsonValue
from roo_code.mcp_access import McpAccess, Sample, SampleRequest
from roo_code.messages import ImageContent, ToolDefinition, ToolResult, ToolUseContent
from roo_code.todo_list import TodoItem
from roo_code.tool_aliases import TOOL_ALIASES, canonical_name
from roo_code.tool_resources import TaskResources
from roo_code.workspace.child_marks import task_of_children
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:  # loaded with the first tool that runs, not before the first request
    from pydantic import BaseModel

__all__ = [
    "TOOL_ALIASES",
    "AnyTool",
    "Artifacts",
    "AskUser",
    "Deferred",
    "NotAnswered",
    "Recovery",
    "Tool",
    "ToolContext",
    "ToolGroup",
    "ToolOutcome",
    "ToolRegistry",
    "UnloadedTool",
    "define",
    "run_once",
]

ToolGroup: TypeAlias = Literal["read", "edit", "command", "browser", "mcp", "modes", "advanced"]
InputT = TypeVar("InputT", bound="BaseModel")

MAX_RESULT_CHARACTERS = 200_000
"""More than this of one result goes to an artifact: no window holds it and no log should."""
_LONGEST_ERROR = 20_000

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_current_use_id: ContextVar[str | None] = ContextVar("current_use_id", default=None)


class Deferred(Exception):
    """Raise in a tool whose answer comes later, from a person or another task; the run parks."""

    def __init__(self, event: QuestionAsked | SubtaskStarted) -> None:
        super().__init__(event.type)
        self.event = event


class NotAnswered(Exception):
    """What a running call asked will not be answered: the call has ended meanwhile."""


AskUser: TypeAlias = Callable[[str, Sequence[str]], Awaitable[str]]
"""A question and the answers to choose from, though others may be given; raises NotAnswered."""


class ToolOutcome(NamedTuple):
    """What a tool returns when text alone will not do."""

    content: str
    images: tuple[ImageContent, ...] = ()
    is_error: bool = False
    seen_files: Mapping[str, str] = {}
    """Files whose content the model knows now: path in the workspace to digest."""


class Artifacts(Protocol):
    """Where a tool leaves what is too large for the model to read at once."""

    def write(self, name: str, data: bytes) -> Path: ...

    def path(self, name: str) -> Path: ...


def _no_events(event: Event) -> None:
    """Nobody listens."""


def _as_it_is(text: str) -> str:
    return text


def _no_secret(name: str) -> str:
    return ""


class ToolContext(Struct, frozen=True):
    """All a tool may touch besides its own input."""

    workspace: Workspace = field(default_factory=lambda: Workspace(Path.cwd()))
    tool_use_id: str = ""
    task_id: str = ""
    emit: Callable[[Event], None] = _no_events
    """Say what happens while the tool runs, such as output; not stored."""
    artifacts: Artifacts | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Roo's settings by their own names, such as `commandExecutionTimeout`."""
    failed_calls: tuple[str, ...] = ()
    """Names of the tools that failed earlier in the same turn."""
    seen_files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The files the model has seen, by their paths in the workspace, each with the digest of
    what it saw; kept in the log, so it holds after a restart too."""
    todos: tuple[TodoItem, ...] = ()
    """The task's todo list, kept in the log as well."""
    resources: TaskResources = field(default_factory=TaskResources)
    """What outlives the call, such as a browser or a command in the background."""
    confined: bool = False
    """Whether what the call runs must be in a sandbox: nobody was asked whether it may."""
    hide: Callable[[str], str] = _as_it_is
    """Takes the run's keys out of a text, for tools that write artifacts of their own."""
    secret: Callable[[str], str] = _no_secret
    """A key by the name of its setting, such as `openRouterImageApiKey`; empty if there is none."""
    mcp: McpAccess | None = None
    """The MCP servers of the task's workspace, where it has any."""
    ask: AskUser | None = None
    """Asks the user while the call goes on; None where nobody could answer."""
    sample: Callable[[SampleRequest], Awaitable[Sample]] | None = None
    """Has the task's model write something aside, at the task's cost; raises ToolError."""
    recovery: Recovery | None = None


class Tool(ABC, Generic[InputT]):
    """Subclass, name the input type, do the work in `execute`. Nothing is kept on the tool."""

    name: str
    description: str
    group: ClassVar[ToolGroup]
    input_type: type[InputT]
    repeatable: ClassVar[bool] = False
    """True if the tool changes nothing: it may run beside others and again after a crash."""
    ends_run: ClassVar[bool] = False
    needs_approval: ClassVar[bool] = True
    """False for tools that only talk to the user or keep notes."""
    in_sandbox: ClassVar[bool] = False
    """Whether what it runs goes into the task's sandbox, where there is one."""
    circuit_breaker: ClassVar[bool] = False

    @abstractmethod
    async def execute(self, arguments: InputT, context: ToolContext) -> str | ToolOutcome:
        """Do the work and return what the model should read."""

    @property
    def current_use_id(self) -> str | None:
        """The id of the call being executed here, each concurrent call seeing its own."""
        return _current_use_id.get()

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema the model is shown."""
        from roo_code.tool_schema import shown_schema  # noqa: PLC0415 - loads pydantic

        return shown_schema(self.input_type)

    def paths(self, arguments: InputT) -> tuple[str, ...]:
        """The files a call would touch, for the policy to judge."""
        path = getattr(arguments, "path", None)
        return (path,) if isinstance(path, str) else ()

    def server(self, arguments: InputT) -> tuple[str, str]:
        """The MCP server that a call would go to and its tool, for the policy to judge."""
        return "", ""

    def is_allowed_by(self, servers: McpAccess, arguments: InputT) -> bool:
        """Whether the user lets such a call to a server run unasked."""
        server, tool = self.server(arguments)
        return bool(tool) and servers.always_allows(server, tool)

    async def execute_with_recovery(
        self, input_data: Mapping[str, JsonValue], context: ToolContext | None = None
    ) -> ToolResult:
        """Validate, run under the context's recovery, and turn failure into a result."""
        context = context or ToolContext()
        return await (context.recovery or run_once)(self, input_data, context)


AnyTool: TypeAlias = Tool[Any]
Recovery: TypeAlias = Callable[
    [AnyTool, Mapping[str, JsonValue], ToolContext], Awaitable[ToolResult]
]
"""How a call is carried out: once, or with the care of `builtin_tools.error_recovery`."""


async def run_once(
    tool: AnyTool, input_data: Mapping[str, JsonValue], context: ToolContext
) -> ToolResult:
    """No recovery: one attempt. Here a tool's failure becomes text for the model."""
    try:
        return await attempt(tool, parse_input(tool, input_data), context)
    except ToolError as error:
        return failed(context.tool_use_id, str(error))


async def attempt(tool: AnyTool, arguments: BaseModel, context: ToolContext) -> ToolResult:
    """One execution, with its result in shape; errors are the caller's to handle."""
    if context.confined and not tool.in_sandbox:  # in the process that let it through, it was
        raise ToolError(
            "This call was let through because it would run in a sandbox, and here it would not. "
            "It was not run. Call it again to have it decided anew."
        )
    outcome = await tool.execute(arguments, context)
    if isinstance(outcome, str):
        outcome = ToolOutcome(outcome)
    return ToolResult(
        tool_use_id=context.tool_use_id,
        content=bounded(outcome.content, context) or "(the tool returned nothing)",
        images=outcome.images,
        is_error=outcome.is_error,
        ends_run=tool.ends_run and not outcome.is_error,
        seen_files=dict(outcome.seen_files),
    )


def failed(tool_use_id: str, message: str) -> ToolResult:
    if len(message) > _LONGEST_ERROR:  # it may repeat what the model wrote, however long that was
        half = _LONGEST_ERROR // 2
        omitted = f"[... {len(message) - 2 * half:,} characters left out ...]"
        message = f"{message[:half]}\n{omitted}\n{message[-half:]}"
    return ToolResult(tool_use_id=tool_use_id, content=message, is_error=True)


def parse_input(tool: AnyTool, input_data: Mapping[str, JsonValue]) -> BaseModel:
    """The typed input, or a ToolError that names each bad field."""
    from pydantic import ValidationError  # noqa: PLC0415 - the tool has loaded it

    try:
        return tool.input_type.model_validate(dict(input_data))
    except ValidationError as error:
        lines = [
            f"- {'.'.join(str(part) for part in detail['loc']) or 'input'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_input=False)
        ]
        raise ToolError(f"Invalid input for {tool.name}:\n" + "\n".join(lines)) from error


def bounded(content: str, context: ToolContext) -> str:
    """The content, or its head and tail with the whole of it kept as an artifact."""
    if len(content) <= MAX_RESULT_CHARACTERS:
        return content
    content = context.hide(content)  # an artifact must not hold the run's keys either
    half = MAX_RESULT_CHARACTERS // 2
    where = "The rest was not kept."
    if context.artifacts is not None:
        name = f"result-{_UNSAFE.sub('_', context.tool_use_id)}.txt"  # the id is the service's
        path = context.artifacts.write(name, content.encode("utf-8", "surrogatepass"))
        where = f"All of it is in {path}."
    omitted = len(content) - 2 * half
    return (
        f"[Result cut: {len(content):,} characters, {omitted:,} of them left out below. {where}]\n"
        f"{content[:half]}\n[... {omitted:,} characters left out ...]\n{content[-half:]}"
    )


def define(tool: AnyTool) -> ToolDefinition:
    """The tool as the model is told of it."""
    return ToolDefinition(
        name=tool.name, description=tool.description, input_schema=tool.input_schema()
    )


class UnloadedTool(NamedTuple):
    """A tool that is advertised before its code is loaded, which its first call does."""

    definition: ToolDefinition
    load: Callable[[], AnyTool]


class ToolRegistry:
    """Tools by name. `load_builtin` is how a built-in is found that nobody registered."""

    def __init__(
        self,
        tools: Iterable[AnyTool | UnloadedTool] = (),
        *,
        recovery: Recovery | None = None,
        load_builtin: Callable[[str], AnyTool | None] = lambda name: None,
    ) -> None:
        self.recovery = recovery
        self.find_other: Callable[[str], AnyTool | None] = lambda name: None
        """How a tool is found that is neither on the list nor built in, such as a server's."""
        self._load_builtin = load_builtin
        self._entries: dict[str, AnyTool | UnloadedTool] = {}
        self._unadvertised: dict[str, AnyTool] = {}
        """Built-ins that were called though nobody told the model of them."""
        self._definitions: dict[str, ToolDefinition] = {}
        for tool in tools:
            self.register(tool)

    @property
    def tools(self) -> dict[str, AnyTool]:
        """Every tool by its name, loaded."""
        return {name: self._loaded(name) for name in list(self._entries)} | self._unadvertised

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self.tools.values())

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told: the same from turn to turn, each made only once."""
        for name, entry in self._entries.items():
            if name not in self._definitions:
                known = entry.definition if isinstance(entry, UnloadedTool) else define(entry)
                self._definitions[name] = known
        return tuple(self._definitions[name] for name in self._entries)

    def register(self, tool: AnyTool | UnloadedTool) -> None:
        name = tool.definition.name if isinstance(tool, UnloadedTool) else tool.name
        self._entries[name] = tool
        self._definitions.pop(name, None)

    def unregister(self, name: str) -> None:
        """Take it off the list; a built-in can still be called."""
        self._entries.pop(name, None)
        self._definitions.pop(name, None)

    def get(self, name: str) -> AnyTool | None:
        """By its own name, by alias, from the built-ins or elsewhere; None if all four fail."""
        if name in self._entries:
            return self._loaded(name)
        canonical = canonical_name(name)
        if canonical in self._entries:
            return self._loaded(canonical)
        if canonical not in self._unadvertised and (tool := self._load_builtin(canonical)):
            self._unadvertised[canonical] = tool
        return self._unadvertised.get(canonical) or self.find_other(name)

    async def execute(
        self, tool_use: ToolUseContent, context: ToolContext | None = None
    ) -> ToolResult:
        """Run one call. Whatever goes wrong in a known way comes back as a result."""
        tool = self.get(tool_use.name)
        if tool is None:
            return failed(tool_use.id, str(UnknownTool(tool_use.name, tuple(self._entries))))
        if tool_use.invalid_input is not None:
            return failed(
                tool_use.id,
                f"The input of this {tool_use.name} call is not a JSON object, so it was not run. "
                f"It may have been cut off. Received: {tool_use.invalid_input[:500]!r}",
            )
        _current_use_id.set(tool_use.id)
        if context is not None:
            task_of_children.set(context.task_id)
        context = replace(context or ToolContext(), tool_use_id=tool_use.id, recovery=self.recovery)
        return await tool.execute_with_recovery(tool_use.input, context)

    def _loaded(self, name: str) -> AnyTool:
        entry = self._entries[name]
        if isinstance(entry, UnloadedTool):
            entry = self._entries[name] = entry.load()
        return entry
