"""Ask the model something beside the task's own conversation, at the task's cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from roo_code.client import RooClient
from roo_code.commands import new_id
from roo_code.errors import RooCodeError, ToolError
from roo_code.events import Event, SideRequestEnded, SideRequestStarted
from roo_code.mcp_access import Sample, SampleRequest
from roo_code.messages import Message, TextContent, Usage
from roo_code.providers.base import PLACE, ReplyDeferred

MOST_TOKENS = 4096
"""Of a reply, whatever is asked for."""
MOST_CHARACTERS = 200_000


class SideRequests(Struct, frozen=True):
    client: RooClient
    metadata: Mapping[str, str]
    record: Callable[[Event], Awaitable[None]]
    """Stores an event, and reserves what the request may cost, before it is sent."""

    async def sample(self, request: SampleRequest) -> Sample:
        """What the model writes. The asker is a stranger: why there is nothing is not for it."""
        messages = _messages(request)
        id, purpose = new_id(), f"MCP server {request.server}"
        most = max(1, min(request.max_tokens, MOST_TOKENS))
        expected = self.client.estimate(request.system_prompt, messages, most)
        await self.record(SideRequestStarted(request_id=id, purpose=purpose, expected=expected))
        text, usage, error = "", None, ""
        try:
            text, usage = await self._write(request.system_prompt, messages, most)
        except RooCodeError as failed:
            error = str(failed)
        except ReplyDeferred:
            error = "The model can only be asked through a person."
        await self.record(
            SideRequestEnded(request_id=id, purpose=purpose, usage=usage, error=error)
        )
        if error:
            raise ToolError("The model could not be asked.")
        return Sample(text, self.client.model_info.id)

    async def _write(
        self, system_prompt: str, messages: list[Message], most: int
    ) -> tuple[str, Usage | None]:
        stream = self.client.create_message(
            system_prompt, messages, (), {**self.metadata, PLACE: "-1"}, max_tokens=most
        )
        try:
            async for _ in stream.stream():
                pass
            reply = self.client.priced(await stream.get_final_message())
        finally:
            await stream.aclose()
        return reply.text, reply.usage


def _messages(request: SampleRequest) -> list[Message]:
    """In turns, the user's first: services take nothing else."""
    if sum(len(text) for _, text in request.messages) > MOST_CHARACTERS:
        raise ToolError(f"Only {MOST_CHARACTERS:,} characters can be sampled from at once.")
    turns: list[Message] = []
    for role, text in request.messages:
        if turns and turns[-1].role == role:
            turns[-1] = turns[-1].replace(content=(*turns[-1].content, TextContent(text=text)))
        else:
            turns.append(Message(role=role, content=(TextContent(text=text),)))
    if not turns:
        raise ToolError("There is nothing to answer: no message was given.")
    if turns[0].role == "assistant":
        turns.insert(0, Message.from_user("(continue)"))
    if turns[-1].role == "assistant":
        turns.append(Message.from_user("(continue)"))
    return turns
