"""A model with a small window that refuses what a real service would refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path

from pydantic import BaseModel

from roo_code.agent import Agent
from roo_code.context.condensing import Condenser
from roo_code.context.condensing_settings import CondenseSettings
from roo_code.context.condensing_summary import SYSTEM_PROMPT
from roo_code.errors import ContextTooLong
from roo_code.events import ContextCondensed, Event
from roo_code.history import History
from roo_code.messages import Message, ToolDefinition, ToolUseContent, Usage
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.tokens import count_message, count_request
from roo_code.stream import StreamChunk
from roo_code.task.artifacts import TaskArtifacts
from roo_code.testing import ScriptedProvider
from roo_code.testing.scripted_provider import Reply, ScriptedClient, as_chunks, as_message
from roo_code.tools import Tool, ToolContext, ToolGroup
from roo_code.workspace.workspace import Workspace
from tests.wellformed import problems

Answer = Callable[[int], Reply]


class LookInput(BaseModel):
    characters: int = 10
    at: str = ""
    """Makes one call differ from the next, or it would be refused as a repetition."""


class Look(Tool[LookInput]):
    name = "look"
    description = "Returns so many characters."
    group: ToolGroup = "read"  # pyright: ignore[reportIncompatibleVariableOverride]
    input_type = LookInput
    needs_approval = False
    repeatable = True

    async def execute(self, arguments: LookInput, context: ToolContext) -> str:
        return ("seen it all " * (arguments.characters // 12 + 1))[: arguments.characters]


def look(id: object, characters: int = 10) -> ToolUseContent:
    return ToolUseContent(id=f"c{id}", name="look", input={"characters": characters, "at": str(id)})


class SmallWindow(ScriptedProvider):
    """Answers by the number of the request; a summary has numbers of its own."""

    def __init__(
        self,
        answer: Answer,
        summary: Answer = lambda n: f"Summary {n}.",
        *,
        window: int = 8000,
        told: int | None = None,
        usage: Callable[[Usage], Usage | None] = lambda usage: usage,
    ) -> None:
        super().__init__(
            info=ModelInfo(id="small", context_window=told or window, max_output_tokens=500)
        )
        self._answer, self._summary = answer, summary
        self._window, self._usage = window, usage
        self.is_as_told = told in (None, window)
        self._counted: dict[int, tuple[Message, int]] = {}
        self.answered = self.summaries = self.refused = 0
        self.malformed: list[str] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        self.malformed += problems(request.messages)
        self.requests.append(request)
        taken = count_request(request.system_prompt, (), request.tools)
        taken += sum(map(self._count, request.messages))
        if taken > self._window:
            self.refused += 1
            raise ContextTooLong(f"{taken} tokens are too many", status=400)
        if is_summary(request):
            self.summaries += 1
            reply = self._summary(self.summaries)
        else:
            self.answered += 1
            reply = self._answer(self.answered)
        if isinstance(reply, Exception):
            raise reply
        await asyncio.sleep(0)  # whoever cancels the run gets a turn
        message = as_message(reply)
        told = self._usage(Usage(input_tokens=taken, output_tokens=count_message(message)))
        for chunk in as_chunks(message.replace(usage=told or Usage()), "small"):
            yield chunk

    def _count(self, message: Message) -> int:
        if id(message) not in self._counted:
            size = sum(len(str(getattr(b, "text", ""))) for b in message.content)
            tokens = size if size > 1_000_000 else count_message(message)
            self._counted[id(message)] = (message, tokens)
        return self._counted[id(message)][1]


def is_summary(request: ModelRequest) -> bool:
    return request.system_prompt == SYSTEM_PROMPT


class SmallAgent(Agent):
    """With one tool, so that a small window has room for a conversation."""

    def available_tools(self) -> list[ToolDefinition]:
        return [tool for tool in super().available_tools() if tool.name == "look"]


def small_agent(
    provider: BaseProvider,
    folder: Path,
    *,
    settings: CondenseSettings | None = None,
    history: History | None = None,
) -> SmallAgent:
    assert isinstance(provider, ScriptedProvider)
    context = ToolContext(workspace=Workspace(folder), artifacts=TaskArtifacts(folder / "kept"))
    agent = SmallAgent(
        ScriptedClient(provider),
        [Look()],
        system_prompt="Be brief.",
        context=context,
        history=history,
        max_iterations=None,
    )
    agent.condenser = Condenser(agent, settings)
    return agent


async def events_of(agent: Agent, prompt: str | None = "Go.") -> list[Event]:
    return [event async for event in agent.iter(prompt)]


def condenses(events: list[Event]) -> list[ContextCondensed]:
    return [event for event in events if isinstance(event, ContextCondensed)]


def runs_of_condenses(events: list[Event]) -> Iterator[list[ContextCondensed]]:
    """Those between two things that were said."""
    found: list[ContextCondensed] = []
    for event in events:
        if isinstance(event, ContextCondensed):
            found.append(event)
        elif event.type in ("message_added", "mentions_read"):
            yield found
            found = []
    yield found
