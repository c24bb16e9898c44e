"""What people say, and what they are shown before they say it."""

from __future__ import annotations

import pytest

from roo_code.cli.answers import NOBODY_HERE, NoAnswers, UnattendedAnswers, details, understand
from roo_code.cli.asks import Ask
from roo_code.commands import AnswerQuestion, RespondToApproval
from roo_code.events import ApprovalRequested, QuestionAsked, Suggestion, Waiting
from tests.cli.records import TASK, call

APPROVAL = Ask(
    waiting=Waiting(kind="approval", tool_use_id="call_1"),
    about=ApprovalRequested(call=call("execute_command", command="ls")),
)


def question(*suggestions: str) -> Ask:
    asked = QuestionAsked(
        tool_use_id="call_1",
        question="Which?",
        suggestions=tuple(Suggestion(text=text) for text in suggestions),
    )
    return Ask(waiting=Waiting(kind="question", tool_use_id="call_1"), about=asked)


@pytest.mark.parametrize(
    ("said", "approved", "feedback"),
    [
        ("y", True, ""),
        ("YES", True, ""),
        ("y but gently", True, "but gently"),
        ("n", False, ""),
        ("no, never", False, "no, never"),
        ("n use make", False, "use make"),
        ("yesterday's file", False, "yesterday's file"),
        ("why?", False, "why?"),
    ],
)
def test_yes_no_and_words(said: str, approved: bool, feedback: str) -> None:
    assert understand(said) == (approved, feedback)


@pytest.mark.parametrize(("suggestions", "answer"), [(("red", "blue"), "red"), ((), NOBODY_HERE)])
async def test_unattended_takes_the_first_suggestion(
    suggestions: tuple[str, ...], answer: str
) -> None:
    command = await UnattendedAnswers().answer(TASK, question(*suggestions))
    assert isinstance(command, AnswerQuestion)
    assert (command.task_id, command.tool_use_id, command.answer) == (TASK, "call_1", answer)


@pytest.mark.parametrize("approved", [True, False])
async def test_unattended_answers_an_old_approval_only_if_told_how(approved: bool) -> None:
    assert await UnattendedAnswers().answer(TASK, APPROVAL) is None
    command = await UnattendedAnswers(approved).answer(TASK, APPROVAL)
    assert isinstance(command, RespondToApproval)
    assert command.approved is approved


async def test_nobody_answers_nothing() -> None:
    assert await NoAnswers().answer(TASK, question("red")) is None


def test_a_command_is_shown_to_its_last_line_and_other_input_in_part() -> None:
    lines = "\n".join(f"echo {n}" for n in range(60))
    shown = details(call("execute_command", command=lines, note=lines))
    assert "  echo 59" in shown
    assert shown[-1] == "  … 20 more lines"
