"""What people say, and what they are shown before they say it."""

from __future__ import annotations

import asyncio
import os
import pty

import pytest

from roo_code.approval_values import ApprovalRule
from roo_code.cli.answers import (
    NOBODY_HERE,
    NoAnswers,
    TerminalAnswers,
    UnattendedAnswers,
    details,
    understand,
)
from roo_code.cli.rule_words import choices
from roo_code.cli.style import Style
from roo_code.cli.terminal_input import TerminalInput
from roo_code.commands import AnswerQuestion, RespondToApproval
from roo_code.events import ApprovalRequested, QuestionAsked, ReachedLimit, Suggestion, Waiting
from roo_code.task.asks import Ask
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


async def test_unattended_declines_what_a_running_call_asks() -> None:
    """Who asks is a stranger: not even a suggestion is taken."""
    asked = QuestionAsked(
        tool_use_id="c.q1", question="?", suggestions=(Suggestion(text="yes"),), running_call="c"
    )
    ask = Ask(waiting=Waiting(kind="question", tool_use_id="c.q1"), about=asked)
    command = await UnattendedAnswers(True).answer(TASK, ask)
    assert isinstance(command, AnswerQuestion)
    assert (command.tool_use_id, command.answer) == ("c.q1", "/decline")


async def test_nobody_answers_nothing() -> None:
    assert await NoAnswers().answer(TASK, question("red")) is None


def test_a_command_is_shown_to_its_last_line_and_other_input_in_part() -> None:
    lines = "\n".join(f"echo {n}" for n in range(60))
    for name in ("command", "cmd", "script"):  # a model may call it by any of them
        assert details(call("execute_command", **{name: lines}))[-1] == "  echo 59"
    shown = details(call("write_to_file", content=lines))
    assert shown[-1] == "  … 20 more lines"


NPM = ApprovalRule(
    kind="command", covers=("npm install",), always={"allowedCommands": ["npm install"]}
)
SWITCH = ApprovalRule(kind="edit", always={"alwaysAllowWrite": True})
SERVER = ApprovalRule(
    kind="mcp",
    covers=("docs", "find"),
    always={"mcpServers": {"docs": {"alwaysAllow": ["find"]}}, "alwaysAllowMcp": True},
)
FETCH = ApprovalRule(kind="tool", covers=("web_fetch",))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (None, {}),
        (FETCH, {"t": "yes, and in this task to every web_fetch"}),
        (
            NPM,
            {
                "t": "yes, and in this task to commands that begin with npm install",
                "a": 'always: as t, and adds allowedCommands: ["npm install"] to your settings',
            },
        ),
        (
            SWITCH,
            {
                "t": "yes, and in this task to edits of files in the workspace that are not "
                "protected",
                "a": "always: as t, and adds alwaysAllowWrite: true to your settings",
            },
        ),
        (
            SERVER,
            {
                "t": "yes, and in this task to find of the server docs",
                "a": "always: as t, and adds alwaysAllowMcp: true to your settings and adds find "
                "to alwaysAllow of docs in your mcp-settings.json",
            },
        ),
    ],
)
def test_what_a_wider_yes_means_is_told_before(
    rule: ApprovalRule | None, told: dict[str, str]
) -> None:
    assert dict(choices(rule)) == told


@pytest.mark.parametrize(
    ("rule", "typed", "approved", "scope", "feedback"),
    [
        (NPM, "y", True, "call", ""),
        (NPM, "t", True, "task", ""),
        (NPM, "Always", True, "always", ""),
        (NPM, "a better idea: use yarn", False, "call", "a better idea: use yarn"),
        (NPM, "task", True, "task", ""),
        (FETCH, "a\nt", True, "task", ""),
        (None, "t\na\nn not here", False, "call", "not here"),
    ],
)
async def test_a_person_says_how_far_their_yes_reaches(
    rule: ApprovalRule | None, typed: str, approved: bool, scope: str, feedback: str
) -> None:
    shown, command = await typed_at_terminal(
        Ask(waiting=APPROVAL.waiting, about=APPROVAL.about.replace(rule=rule)), typed
    )
    assert isinstance(command, RespondToApproval)
    assert (command.approved, command.scope, command.feedback) == (approved, scope, feedback)
    assert all(meaning in shown for meaning in choices(rule).values())
    assert ("only by itself" in shown) is ("\n" in typed)


@pytest.mark.parametrize(("typed", "approved"), [("y", True), ("n", False), ("enough", False)])
async def test_a_limit_is_lifted_or_not(typed: str, approved: bool) -> None:
    asked = QuestionAsked(
        tool_use_id="limit_1",
        question="Go on?",
        limit=ReachedLimit(kind="requests", count=20),
    )
    ask = Ask(waiting=Waiting(kind="limit", tool_use_id="limit_1"), about=asked)
    shown, command = await typed_at_terminal(ask, typed)
    assert "Go on?" in shown
    assert isinstance(command, RespondToApproval)
    assert (command.tool_use_id, command.approved) == ("limit_1", approved)
    assert await UnattendedAnswers().answer(TASK, ask) is None


async def typed_at_terminal(ask: Ask, typed: str) -> tuple[str, object]:
    """What was shown and said, by somebody who types a line whenever one is asked for."""
    shown: list[str] = []
    lines = iter(typed.split("\n"))
    master, slave = pty.openpty()
    try:

        def write(text: str) -> None:
            shown.append(text)
            if text.endswith(": "):
                asyncio.get_running_loop().call_soon(os.write, master, f"{next(lines)}\n".encode())

        answers = TerminalAnswers(TerminalInput(slave), write, Style(), questions_shown=False)
        command = await answers.answer(TASK, ask)
        return "".join(shown), command
    finally:
        os.close(master)
        os.close(slave)
