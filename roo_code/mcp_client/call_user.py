"""CallUser: the user of the task whose call a server works on, for what the server wants."""

from __future__ import annotations

import asyncio

from roo_code.errors import ToolError
from roo_code.mcp_access import McpUser, Question, Reply, Sample, SampleRequest
from roo_code.mcp_client.elicitation import Elicitation
from roo_code.mcp_client.strange_text import label, shown
from roo_code.tools import NotAnswered, ToolContext

_YES = ("yes", "y")
_LONGEST_NOTE = 300


class CallUser:
    """Asks one thing at a time. What nobody was asked is in `notes`, for the call's result."""

    def __init__(self, context: ToolContext) -> None:
        self._ask = context.ask
        self._sample = context.sample
        self._task_id = context.task_id
        self._turn = asyncio.Lock()
        self.notes: list[str] = []

    def as_user(self) -> McpUser:
        return McpUser(self.answer, self.sample, self._task_id, self.notes.append)

    async def answer(self, question: Question) -> Reply:
        if self._ask is None:
            self._note(question.server, f"asked the user: {question.message}")
            return Reply("decline")
        try:
            async with self._turn:
                return await Elicitation(question, self._ask).reply()
        except NotAnswered:
            return Reply("cancel")
        except ValueError as error:
            self.notes.append(f"[MCP server {label(question.server)} was not answered: {error}]")
            return Reply("decline")

    async def sample(self, request: SampleRequest) -> Sample:
        """Whatever the user allows of the server unasked, this is asked."""
        if self._ask is None or self._sample is None:
            self._note(request.server, "wanted to ask the model")
            raise ToolError("Nobody is here to allow that the model is asked.")
        try:
            async with self._turn:
                said = await self._ask(_described(request), ("no", "yes"))
                if said.strip().lower() not in _YES:
                    raise ToolError("The user did not allow that the model is asked.")
                return await self._sample(request)
        except NotAnswered:
            raise ToolError("The call has ended.") from None

    def _note(self, server: str, what: str) -> None:
        told = f"MCP server {label(server)} {shown(what, _LONGEST_NOTE)}"
        self.notes.append(f"[{told}. Nobody is here to answer, so it was declined.]")


def _described(request: SampleRequest) -> str:
    said = "\n".join(f"[{role}] {text}" for role, text in request.messages)
    told = f"MCP server {label(request.server)} wants to ask your model, at your cost:\n"
    if request.system_prompt:
        told += f"[system] {shown(request.system_prompt)}\n"
    return f"{told}{shown(said)}\nAllow it? (yes or no)"
