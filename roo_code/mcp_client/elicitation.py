"""What a server wants to know, asked of a person: field by field, or an address to be opened."""

from __future__ import annotations

from typing import Any, Literal

from roo_code.mcp_access import Question, Reply
from roo_code.mcp_client.form_fields import FormField, fields_of
from roo_code.mcp_client.strange_text import label, shown
from roo_code.tools import AskUser

DECLINE, CANCEL, SKIP, DEFAULT, DONE = "/decline", "/cancel", "/skip", "/default", "/done"
_WRONG_TWICE = "cancel"


class _Refused(Exception):
    def __init__(self, action: Literal["decline", "cancel"]) -> None:
        self.action: Literal["decline", "cancel"] = action


async def put(question: Question, ask: AskUser) -> Reply:
    """The user's reply. What is refused or wrong twice is not asked further.

    Raises:
        ValueError: The form is not one that a person could fill in.
        NotAnswered: The call that the server works on has ended meanwhile.
    """
    fields = [] if question.url else fields_of(question.schema)
    opening = f"MCP server {label(question.server)} asks: {shown(question.message)}"
    try:
        if question.url:
            return await _visit(question, opening, ask)
        if not fields:
            await _heard(ask, f"{opening}\n(/done to agree, {_REFUSALS})", (DONE, DECLINE))
            return Reply("accept")
        return Reply("accept", await _filled_in(fields, opening, ask))
    except _Refused as refused:
        return Reply(refused.action)


_REFUSALS = f"{DECLINE} to refuse, {CANCEL} to stop"


async def _visit(question: Question, opening: str, ask: AskUser) -> Reply:
    """Nothing is opened by itself: who sent the address is a stranger."""
    text = (
        f"{opening}\nIt wants you to open this address: {shown(question.url)}\n"
        f"Do so only if you trust it. ({DONE} when you have done what it wants, {_REFUSALS})"
    )
    await _heard(ask, text, (DONE, DECLINE))
    return Reply("accept")


async def _filled_in(fields: list[FormField], opening: str, ask: AskUser) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for number, field in enumerate(fields, 1):
        place = f" ({number} of {len(fields)})" if len(fields) > 1 else ""
        said = opening if number == 1 else f"MCP server {opening.split(' ', 3)[2]} asks further:"
        await _ask_field(field, f"{said}\n\n{field.about()}{place}", content, ask)
    return content


async def _ask_field(
    field: FormField, text: str, content: dict[str, Any], ask: AskUser
) -> None:
    """Into `content`, unless it is left out; asked again once with what is wrong."""
    words = [f"{DEFAULT} for {label(str(field.schema['default']))}"] if field.has_default else []
    words += [f"{SKIP} to leave it out"] if not (field.is_required or field.has_default) else []
    hint = f"({', '.join([*words, _REFUSALS])})"
    suggestions = field.suggestions()
    choices = (*suggestions, DECLINE) if suggestions else ()
    wrong = ""
    for _ in range(2):
        said = await _heard(ask, f"{wrong}{text}\n{hint}", choices)
        if (said == DEFAULT and field.has_default) or (said == SKIP and not field.is_required):
            return
        try:
            content[field.name] = field.parse(said)
        except ValueError as error:
            wrong = f"{error}\n\n"
        else:
            return
    raise _Refused(_WRONG_TWICE)


async def _heard(ask: AskUser, text: str, suggestions: tuple[str, ...]) -> str:
    said = (await ask(text, suggestions)).strip()
    if said.lower() == DECLINE:
        raise _Refused("decline")
    if said.lower() == CANCEL:
        raise _Refused("cancel")
    return said
