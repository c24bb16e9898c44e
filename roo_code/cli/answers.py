"""Who answers what a task asks: a person at the terminal, a rule, or nobody."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from roo_code.approval_values import ApprovalScope
from roo_code.cli.calls import describe, tool_name
from roo_code.cli.rule_words import choices
from roo_code.cli.style import Style
from roo_code.cli.terminal_input import TerminalInput
from roo_code.commands import AnswerQuestion, Command, RespondToApproval
from roo_code.errors import ConfigError
from roo_code.events import ApprovalRequested, QuestionAsked
from roo_code.mcp_access import DECLINE
from roo_code.messages import ToolUseContent
from roo_code.task.asks import Ask

END_OF_REPLY = "/end"
NOBODY_HERE = "Nobody is here to answer; decide yourself."
_LINES_SHOWN = 40
_SCOPES: dict[str, ApprovalScope] = {
    "t": "task", "task": "task", "a": "always", "always": "always"
}  # fmt: skip


class Answers(Protocol):
    async def answer(self, task_id: str, ask: Ask) -> Command | None:
        """What to tell the task, or None to leave it waiting."""
        ...


class NoAnswers:
    """Whatever is asked waits for somebody to answer it from elsewhere."""

    async def answer(self, task_id: str, ask: Ask) -> Command | None:
        return None


class UnattendedAnswers(Struct, frozen=True):
    """Answers at once. An approval can only be open from an earlier, attended run."""

    approvals: bool | None = None
    """What to say to those; None leaves them open."""

    async def answer(self, task_id: str, ask: Ask) -> Command | None:
        if ask.waiting.kind == "relay":
            raise ConfigError(
                "Nobody is here to carry the prompt to a model and its reply back.",
                hint="Run without --print at a terminal, or answer with roo tasks answer.",
            )
        if isinstance(ask.about, QuestionAsked) and ask.waiting.kind == "question":
            answer = ask.suggestions[0].text if ask.suggestions else NOBODY_HERE
            answer = DECLINE if ask.about.is_live else answer  # a stranger asks
            return AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=answer)
        if self.approvals is None:
            return None
        return RespondToApproval(
            task_id=task_id,
            tool_use_id=ask.id,
            approved=self.approvals,
            feedback="" if self.approvals else "Nobody is here to approve this.",
        )


class RecordedAnswers(Struct, frozen=True):
    """Answers questions as they were answered in a recording, if they were."""

    recorded: Callable[[str, str], str | None]
    """By task and call."""
    otherwise: Answers

    async def answer(self, task_id: str, ask: Ask) -> Command | None:
        said = self.recorded(task_id, ask.id) if isinstance(ask.about, QuestionAsked) else None
        if said is None:
            return await self.otherwise.answer(task_id, ask)
        return AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=said)


class TerminalAnswers:
    """Asks the person."""

    def __init__(
        self,
        input: TerminalInput,
        write: Callable[[str], object],
        style: Style,
        *,
        questions_shown: bool,
    ) -> None:
        self._input = input
        self._write = write
        self._style = style
        self._questions_shown = questions_shown
        """True where the person has seen the record that asks."""

    async def answer(self, task_id: str, ask: Ask) -> Command | None:
        if isinstance(ask.about, ApprovalRequested):
            return await self._approval(task_id, ask.about)
        if isinstance(ask.about, QuestionAsked):
            if not self._questions_shown:
                self._write(f"{self._style.clean(ask.about.question)}\n")
                for number, suggestion in enumerate(ask.suggestions, 1):
                    self._write(f"    {number}. {self._style.clean(suggestion.text)}\n")
            match ask.waiting.kind:
                case "relay":
                    return await self._relay(task_id, ask)
                case "limit":
                    return await self._limit(task_id, ask)
                case _:
                    return await self._question(task_id, ask)
        return None

    async def _approval(self, task_id: str, asked: ApprovalRequested) -> Command | None:
        call, more = asked.call, choices(asked.rule)
        if not (self._questions_shown and self._is_shown_whole(call)):
            for line in details(call):
                self._write(f"    {self._style.clean(line)}\n")
        for key, meaning in more.items():
            self._write(f"    {key}: {self._style.clean(meaning)}\n")
        self._input.forget_typed()
        keys = ", ".join(("y", "n", *more))
        prompt = f"Allow {self._style.clean(call.name)}? {keys}, or what to do instead: "
        said = await self._ask(prompt, self._input.line)
        while said is not None and _scope(said) != "call" and said[0].lower() not in more:
            self._write("This call can be approved only by itself.\n")
            said = await self._ask(prompt, self._input.line)
        if said is None:
            return None
        approved, feedback = understand(said)
        return RespondToApproval(
            task_id=task_id,
            tool_use_id=call.id,
            approved=approved,
            feedback=feedback,
            scope=_scope(said),
        )

    async def _limit(self, task_id: str, ask: Ask) -> Command | None:
        self._input.forget_typed()
        said = await self._ask("y or n: ", self._input.line)
        if said is None:
            return None
        approved, feedback = understand(said)
        return RespondToApproval(
            task_id=task_id, tool_use_id=ask.id, approved=approved, feedback=feedback
        )

    def _is_shown_whole(self, call: ToolUseContent) -> bool:
        """Whether the line that asks has said it all."""
        return len(call.input) == 1 and self._style.cut(describe(call), 2) == describe(call)

    async def _question(self, task_id: str, ask: Ask) -> Command | None:
        choices = ask.suggestions
        hint = f"1-{len(choices)} or your own" if choices else "Your"
        said = await self._ask(f"{hint} answer: ", self._input.lines)
        if said is None:
            return None
        if said.isdecimal() and 0 < int(said) <= len(choices):
            said = choices[int(said) - 1].text
        return AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer=said)

    async def _relay(self, task_id: str, ask: Ask) -> Command | None:
        """The reply as it was pasted, to a line that says that it is all."""
        self._input.forget_typed()
        lines: list[str] = []
        while not any(line.strip() for line in lines):
            hint = f"Give the text above to a model; paste its reply, then a line {END_OF_REPLY}\n"
            self._write(self._style.ask(hint))
            lines = []
            while (line := await self._input.line()) != END_OF_REPLY:
                if line is None:
                    return None
                lines.append(line)
        return AnswerQuestion(task_id=task_id, tool_use_id=ask.id, answer="\n".join(lines))

    async def _ask(self, prompt: str, read: Callable[[], Awaitable[str | None]]) -> str | None:
        """Until something is said; None if the terminal is closed."""
        while True:
            self._write(self._style.ask(prompt))
            said = await read()
            if said is None:
                self._write("\n")
                return None
            if said.strip():
                return said.strip()


def understand(said: str) -> tuple[bool, str]:
    """Yes or no, and what the model should be told: `y`, `n`, `y but …`, or only words."""
    if _scope(said) != "call":
        return True, ""
    first, _, rest = said.partition(" ")
    if first.lower() in ("y", "yes"):
        return True, rest.strip()
    if first.lower() in ("n", "no"):
        return False, rest.strip()
    return False, said


def _scope(said: str) -> ApprovalScope:
    """How far a yes reaches. Only as the one word said: `a` begins many a sentence."""
    return _SCOPES.get(said.lower(), "call")


def details(call: ToolUseContent) -> list[str]:
    """All that a person must see of a call before allowing it; a command is never shortened."""
    lines: list[str] = []
    is_command = tool_name(call) == "execute_command"  # whose line goes by several names
    for key, value in call.input.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        shown = text.splitlines() or [""]
        if len(shown) > _LINES_SHOWN and not is_command and key != "command":
            shown = [*shown[:_LINES_SHOWN], f"… {len(shown) - _LINES_SHOWN} more lines"]
        if len(shown) == 1:
            lines.append(f"{key}: {shown[0]}")
        else:
            lines += [f"{key}:", *(f"  {line}" for line in shown)]
    return lines
