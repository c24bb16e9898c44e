"""ask_followup_question: the task parks until the user has answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NoReturn, cast

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.tool_input import ToolInput, from_json_text
from roo_code.events import QuestionAsked, Suggestion
from roo_code.json_text import JsonValue
from roo_code.tools import Deferred, Tool, ToolContext


class SuggestedAnswer(ToolInput):
    text: str = Field(
        min_length=1,
        validation_alias=AliasChoices("text", "answer", "label", "option"),
        description="A complete answer that the user may choose.",
    )
    mode: str | None = Field(default=None, description="The mode to go on in if it is chosen.")


def _answers(value: Any) -> Any:
    """Answers may come as bare texts, as one answer, or as JSON."""
    value = from_json_text(value)
    items: Any = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(items, Sequence):
        return items
    return [
        {"text": item} if isinstance(item, str) else item for item in cast(Sequence[Any], items)
    ]


class AskFollowupQuestionInput(ToolInput):
    question: str = Field(
        min_length=1,
        validation_alias=AliasChoices("question", "message", "prompt", "text", "query"),
        description="What you need to know, complete in itself.",
    )
    follow_up: Annotated[tuple[SuggestedAnswer, ...], BeforeValidator(_answers)] = Field(
        default=(),
        validation_alias=AliasChoices("follow_up", "options", "suggestions", "suggest", "choices"),
        description="Two to four answers to choose from, the likeliest first.",
    )


class AskFollowupQuestion(Tool[AskFollowupQuestionInput]):
    name = "ask_followup_question"
    description = (
        "Ask the user for something the task cannot go on without and that no other tool can "
        "find out. Suggest answers that need no further editing."
    )
    group = "modes"
    input_type = AskFollowupQuestionInput
    repeatable = True
    needs_approval = False

    async def execute(self, arguments: AskFollowupQuestionInput, context: ToolContext) -> NoReturn:
        suggestions = tuple(
            Suggestion(text=answer.text, mode=answer.mode) for answer in arguments.follow_up
        )
        raise Deferred(
            QuestionAsked(
                tool_use_id=context.tool_use_id,
                question=arguments.question,
                suggestions=suggestions,
                answer_after=_answer_after(context.settings) if suggestions else None,
            )
        )


def _answer_after(settings: Mapping[str, JsonValue]) -> float | None:
    """Seconds after which the first suggestion is taken; None if only a person answers."""
    milliseconds = settings.get("followupAutoApproveTimeoutMs")
    wanted = settings.get("alwaysAllowFollowupQuestions") is True
    return milliseconds / 1000 if wanted and isinstance(milliseconds, int | float) else None
