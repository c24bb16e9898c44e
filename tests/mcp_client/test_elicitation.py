"""What a server asks, as a person sees it, and what becomes of the answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from roo_code.mcp_access import Question, Reply
from roo_code.mcp_client.elicitation import Elicitation


class Person:
    """Says these things, one after the other."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.shown: list[str] = []
        self.choices: list[tuple[str, ...]] = []

    async def ask(self, question: str, suggestions: Sequence[str]) -> str:
        self.shown.append(question)
        self.choices.append(tuple(suggestions))
        return self._answers.pop(0)

    async def reply(self, question: Question) -> Reply:
        return await Elicitation(question, self.ask).reply()


def form(message: str = "Tell me.", **properties: Any) -> Question:
    required = [name for name, field in properties.items() if field.get("required")]
    return Question("s", message, {"properties": properties, "required": required})


NAME = {"type": "string", "title": "Your name", "required": True}


async def test_each_field_is_asked_and_its_answer_is_a_value() -> None:
    person = Person("Ada", "41", "yes")
    reply = await person.reply(form(name=NAME, age={"type": "integer"}, ok={"type": "boolean"}))
    assert reply == Reply("accept", {"name": "Ada", "age": 41, "ok": True})
    assert person.shown[0].startswith("MCP server s asks: Tell me.\n\n(1 of 3) Your name\n")
    assert person.shown[1].startswith(
        "MCP server s asks further.\n\n(2 of 3) age (may be left out)"
    )
    assert person.choices == [(), (), ("yes", "no", "/decline")]


async def test_what_is_left_out_is_not_sent_and_what_is_required_cannot_be() -> None:
    person = Person("/skip", "/default", "/skip", "Ada")
    asked = form(
        a={"type": "string"}, b={"type": "integer", "default": 3}, c={"type": "string", **NAME}
    )
    assert await person.reply(asked) == Reply("accept", {"c": "/skip"})
    assert "/skip to leave it out" in person.shown[0]
    assert "/default for 3" in person.shown[1]
    assert "/skip" not in person.shown[2]


async def test_a_wrong_answer_is_asked_again_once() -> None:
    person = Person("old", "41")
    asked = form(age={"type": "integer", "required": True})
    assert await person.reply(asked) == Reply("accept", {"age": 41})
    assert person.shown[1].startswith("That is not a whole number. MCP server s asks for:\nage\n")
    assert await Person("old", "older").reply(form(age={"type": "integer"})) == Reply("cancel")


@pytest.mark.parametrize("word", ["/decline", "/cancel", " /DECLINE "])
async def test_a_person_may_refuse_at_any_field(word: str) -> None:
    reply = await Person("Ada", word).reply(form(name=dict(NAME), b={"type": "string"}))
    assert reply == Reply("cancel" if "cancel" in word else "decline")


async def test_an_address_is_shown_and_only_a_clear_word_is_a_yes() -> None:
    asked = Question("s", "Log in.", {}, url="https://example.org/login")
    person = Person("/done")
    assert await person.reply(asked) == Reply("accept")
    assert "open this address: https://example.org/login" in person.shown[0]
    assert "only if you trust the server" in person.shown[0]
    assert await Person("/decline").reply(asked) == Reply("decline")
    assert await Person("hm", "what is this?").reply(asked) == Reply("cancel")
    assert await Person("no thanks", "done").reply(Question("s", "Ready?", {})) == Reply("accept")


async def test_a_strangers_text_is_cleaned_and_bounded() -> None:
    nasty = "\x1b[2J\x07Your \u202epassword\u202c" + "x" * 5000
    person = Person("a")
    asked = form(nasty, f={"type": "string", "title": "\x1b]0;t\x07" + "y" * 500})
    await person.reply(asked)
    (shown,) = person.shown
    assert not set(shown) & set("\x1b\x07\u202e\u202c")
    assert len(shown) < 3000
    assert "more characters" in shown
