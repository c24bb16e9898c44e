"""What a tool is, and the registry that runs one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError

from roo_code.errors import ToolError, UnknownTool
from roo_code.events import Event, QuestionAsked, SubtaskStarted
from roo_code.messages import ImageContent, ToolResult, ToolUseContent
from roo_code.tool_aliases import TOOL_ALIASES, canonical_name
from roo_code.workspace.workspace import Workspace

__all__ = [
    "TOOL_ALIASES",
    "AnyTool",
    "Artifacts",
    "Deferred",
    "Recovery",
    "Tool",
    "ToolContext",
    "ToolGroup",
    "ToolOutcome",
    "ToolRegistry",
    "run_once",
]

ToolGroup: TypeAlias = Literal["read", "edit", "command", "browser", "mcp", "modes", "advanced"]
InputT = TypeVar("InputT", bound=BaseModel)

MAX_RESULT_CHARACTERS = 200_000
"""More than this of one result goes to an artifact: no window holds it and no log should."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_current_use_id: ContextVar[str | None] = ContextVar("current_use_id", default=None)


class Deferred(Exception):
    """Raise in a tool whose answer comes later, from a person or another task; the run parks."""

    def __init__(self, event: QuestionAsked | SubtaskStarted) -> None:
        super().__init__(event.type)
        self.event = event


@dataclass(frozen=True)
class ToolOutcome:
    """What a tool returns when text alone will not do."""

    content: str
    images: tuple[ImageContent, ...] = ()
    is_error: bool = False


class Artifacts(Protocol):
    """Where a tool leaves what is too large for the model to read at once."""

    def write(self, name: str, data: bytes) -> Path: ...

    def path(self, name: str) -> Path: ...


def _no_events(event: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class ToolContext:
    """All a tool may touch besides its own input."""

    workspace: Workspace = field(default_factory=lambda: Workspace(Path.cwd()))
    tool_use_id: str = ""
    emit: Callable[[Event], None] = _no_events
    """Say what happens while the tool runs, such as output; not stored."""
    artifacts: Artifacts | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Roo's settings by their own names, such as `commandExecutionTimeout`."""
    failed_calls: tuple[str, ...] = ()
    """Names of the tools that failed earlier in the same turn."""
    recovery: Recovery | None = None


class Tool(ABC, Generic[InputT]):
    """Subclass, name the input type, do the work in `execute`. Nothing is kept on the tool."""

    name: ClassVar[str]
    description: ClassVar[str]
    group: ClassVar[ToolGroup]
    input_type: type[InputT]
    repeatable: ClassVar[bool] = False
    """True if the tool changes nothing: it may run beside others and again after a crash."""
    ends_run: ClassVar[bool] = False
    needs_approval: ClassVar[bool] = True
    """False for tools that only talk to the user or keep notes."""
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
        return _shown_schema(self.input_type)

    def paths(self, arguments: InputT) -> tuple[str, ...]:
        """The files a call would touch, for the policy to judge."""
        path = getattr(arguments, "path", None)
        return (path,) if isinstance(path, str) else ()

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
    outcome = await tool.execute(arguments, context)
    if isinstance(outcome, str):
        outcome = ToolOutcome(outcome)
    return ToolResult(
        tool_use_id=context.tool_use_id,
        content=bounded(outcome.content, context) or "(the tool returned nothing)",
        images=outcome.images,
        is_error=outcome.is_error,
        ends_run=tool.ends_run and not outcome.is_error,
    )


def failed(tool_use_id: str, message: str) -> ToolResult:
    return ToolResult(tool_use_id=tool_use_id, content=message, is_error=True)


def parse_input(tool: AnyTool, input_data: Mapping[str, JsonValue]) -> BaseModel:
    """The typed input, or a ToolError that names each bad field."""
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


class ToolRegistry:
    """Tools by name. `load_builtin` is how a built-in is found that nobody registered."""

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        recovery: Recovery | None = None,
        load_builtin: Callable[[str], AnyTool | None] = lambda name: None,
    ) -> None:
        self.tools: dict[str, AnyTool] = {tool.name: tool for tool in tools}
        self.recovery = recovery
        self._load_builtin = load_builtin

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self.tools.values())

    def register(self, tool: AnyTool) -> None:
        self.tools[tool.name] = tool

    def get(self, name: str) -> AnyTool | None:
        """By its own name, then by alias, then from the built-ins; None if all three fail."""
        if tool := self.tools.get(name):
            return tool
        canonical = canonical_name(name)
        if tool := self.tools.get(canonical):
            return tool
        if tool := self._load_builtin(canonical):
            self.register(tool)
        return tool

    async def execute(
        self, tool_use: ToolUseContent, context: ToolContext | None = None
    ) -> ToolResult:
        """Run one call. Whatever goes wrong in a known way comes back as a result."""
        tool = self.get(tool_use.name)
        if tool is None:
            return failed(tool_use.id, str(UnknownTool(tool_use.name, tuple(self.tools))))
        if tool_use.invalid_input is not None:
            return failed(
                tool_use.id,
                f"The input of this {tool_use.name} call is not a JSON object, so it was not run. "
                f"It may have been cut off. Received: {tool_use.invalid_input[:500]!r}",
            )
        _current_use_id.set(tool_use.id)
        context = replace(context or ToolContext(), tool_use_id=tool_use.id, recovery=self.recovery)
        return await tool.execute_with_recovery(tool_use.input, context)


@cache
def _shown_schema(input_type: type[BaseModel]) -> dict[str, Any]:
    """Pydantic's schema without titles, which cost tokens, and references, which some refuse."""
    schema = input_type.model_json_schema()
    shown = _plain(schema, schema.get("$defs", {}))
    shown.setdefault("properties", {})
    shown["additionalProperties"] = False
    return shown


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    items = cast(dict[str, Any], node)
    if reference := items.get("$ref"):
        target = definitions[str(reference).removeprefix("#/$defs/")]
        items = {**target, **{key: value for key, value in items.items() if key != "$ref"}}
    plain: dict[str, Any] = {}
    for key, value in items.items():
        if key == "properties":  # here the keys are names of fields, and one may be "title"
            plain[key] = {name: _plain(child, definitions) for name, child in value.items()}
        elif key not in {"title", "$defs"}:
            plain[key] = _plain(value, definitions)
    return _without_null(plain)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """An optional field is one that may be left out; saying null as well only confuses models."""
    choices: list[Any] = node.get("anyOf", [])
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) == len(choices) or len(others) != 1:
        return node
    rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
    return {**others[0], **rest}
