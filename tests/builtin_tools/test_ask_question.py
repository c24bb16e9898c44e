from typing import Any

import pytest

from roo_code.events import QuestionAsked, Suggestion
from roo_code.tools import Deferred
from tests.builtin_tools.calls import Caller


@pytest.mark.parametrize(
    "follow_up",
    [
        [{"text": "Yes", "mode": "code"}, {"text": "No", "mode": None}],
        '[{"text": "Yes", "mode": "code"}, {"answer": "No"}]',
        [{"label": "Yes", "mode": "code"}, "No"],
    ],
)
async def test_a_question_is_left_for_the_user(caller: Caller, follow_up: Any) -> None:
    with pytest.raises(Deferred) as deferred:
        await caller.call("ask_followup_question", question="Go on?", follow_up=follow_up)
    assert deferred.value.event == QuestionAsked(
        tool_use_id="call_1",
        question="Go on?",
        suggestions=(Suggestion(text="Yes", mode="code"), Suggestion(text="No")),
    )


async def test_suggestions_may_be_missing(caller: Caller) -> None:
    with pytest.raises(Deferred) as deferred:
        await caller.call("ask_user", question="Which one?", follow_up=None)
    assert deferred.value.event == QuestionAsked(tool_use_id="call_1", question="Which one?")


async def test_a_question_may_be_asked_again(caller: Caller) -> None:
    for _ in range(6):
        with pytest.raises(Deferred):
            await caller.call("ask_followup_question", question="Go on?")


async def test_no_question_is_an_error(caller: Caller) -> None:
    result = await caller.call("ask_followup_question", question="", follow_up=["Yes"])
    assert result.is_error
    assert "question" in result.content
