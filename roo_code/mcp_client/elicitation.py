"""What a server wants to know, asked of a person: field by field, or an address to be opened."""

from __future__ import annotations

from typing import Any, Literal

from roo_code.mcp_access import DECLINE, Question, Reply
from roo_code.mcp_client.form_fields import FormField, fields_of
from roo_code.mcp_client.strange_text import label, shown
from roo_code.tools import AskUser

DONE, CANCEL, SKIP, DEFAULT = "/done", "/cancel", "/skip", "/default"
_REFUSALS = f"{DECLINE} to refuse, {CANCEL} to stop"
_AGREED = (DONE, "done", "yes", "y", "ok")
_TRIES = 2


class _Refused(Exception):
    def __init__(self, action: Literal["decline", "cancel"]) -> None:
        super().__init__(action)
        self.action: Literal["decline", "cancel"] = action


class Elicitation:
    """One thing a server asks. Whatever it says is a stranger's text, and shown as such."""

    def __init__(self, question: Question, ask: AskUser) -> None:
        self._question = question
        self._ask = ask
        self._server = f"MCP server {label(question.server)}"

    async def reply(self) -> Reply:
        """The user's reply; what is wrong twice is given up.

        Raises:
            ValueError: The form is not one that a person could fill in.
            NotAnswered: The call that the server works on has ended meanwhile.
        """
        fields = fields_of(self._question.schema)
        said = f"{self._server} asks: {shown(self._question.message)}"
        try:
            if fields:
                return Reply("accept", await self._filled_in(fields, said))
            await self._agreed(said)
        except _Refused as refused:
            return Reply(refused.action)
        return Reply("accept")

    async def _agreed(self, said: str) -> None:
        """Nothing is opened by itself, and only a clear word is a yes."""
        if self._question.url:
            said += (
                f"\nIt wants you to open this address: {shown(self._question.url)}\n"
                "Open it only if you trust the server."
            )
        for _ in range(_TRIES):
            answer = await self._heard(f"{said}\n({DONE} to agree, {_REFUSALS})", (DONE, DECLINE))
            if answer.lower() in _AGREED:
                return
        raise _Refused("cancel")

    async def _filled_in(self, fields: list[FormField], said: str) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for number, field in enumerate(fields, 1):
            place = f"({number} of {len(fields)}) " if len(fields) > 1 else ""
            await self._fill_in(field, f"{said}\n\n{place}{field.about()}", content)
            said = f"{self._server} asks further."
        return content

    async def _fill_in(self, field: FormField, text: str, content: dict[str, Any]) -> None:
        """Into `content`, unless it is left out."""
        leaving = ""
        if field.has_default:
            leaving = f"{DEFAULT} for {field.shown_default}, "
        elif not field.is_required:
            leaving = f"{SKIP} to leave it out, "
        given = field.suggestions()
        for _ in range(_TRIES):
            said = await self._heard(
                f"{text}\n({leaving}{_REFUSALS})", (*given, DECLINE) if given else ()
            )
            if leaving and said.lower() in (DEFAULT, SKIP):
                return
            try:
                content[field.name] = field.parse(said)
            except ValueError as error:
                text = f"{error} {self._server} asks for:\n{field.about()}"
            else:
                return
        raise _Refused("cancel")

    async def _heard(self, text: str, suggestions: tuple[str, ...]) -> str:
        said = (await self._ask(text, suggestions)).strip()
        if said.lower() == DECLINE:
            raise _Refused("decline")
        if said.lower() == CANCEL:
            raise _Refused("cancel")
        return said
