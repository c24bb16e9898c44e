"""Records as text for a person to read as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, assert_never

from roo_code.cli.calls import (
    command_output,
    describe,
    exit_code,
    is_told_otherwise,
    outcome,
    tool_name,
)
from roo_code.cli.report import RunReport
from roo_code.cli.rule_words import time_left
from roo_code.cli.style import Style
from roo_code.errors import UserFacingError
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    CondenseRequested,
    ContextCondensed,
    EnvironmentTold,
    Event,
    EventRecord,
    MentionsRead,
    MessageAdded,
    ModeSwitched,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SideRequestEnded,
    SideRequestStarted,
    SpecChanged,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    TextDelta,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    ToolStarted,
    TurnStarted,
)
from roo_code.messages import Message, ToolResult, ToolUseContent
from roo_code.todo_list import TODO_TOOL, todos_in_call

_INDENT = "    "
_LINES_SHOWN = 20
_REASON_LINES = 3
_RETRY_REASONS = {
    "RateLimited": "rate limited",
    "Overloaded": "the service is too busy",
    "ServerFailed": "the service failed",
    "ConnectionFailed": "no connection",
    "ConnectionCut": "the connection was cut",
    "TimedOut": "no answer",
}


class TextRenderer:
    """Give it the records in order; write what it returns as it is."""

    def __init__(
        self,
        style: Style,
        *,
        echo: bool = True,
        markdown: Callable[[str], str] | None = None,
    ) -> None:
        self._style = style
        self._echo = echo
        """Show what the user says; a terminal has shown it when it was typed."""
        self._markdown = markdown
        """Makes a final result pleasant to read where that is possible."""
        self._main = ""
        self._calls: dict[str, ToolUseContent] = {}
        self._streamed = ""
        self._seen_output: set[str] = set()
        self._newest_call = ""
        self._open: Literal["", "text", "thinking", "output"] = ""
        """What the line now being written is part of."""
        self.activity: str | None = None
        """What is being waited for."""

    def begin(self, task_id: str) -> Iterator[str]:
        self._main = task_id
        yield from ()

    def remember(self, record: EventRecord) -> None:
        """A record from before: only the calls are of interest."""
        if isinstance(record.event, MessageAdded):
            self._calls.update((call.id, call) for call in record.event.message.tool_uses)

    def show(self, record: EventRecord) -> Iterator[str]:
        self._main = self._main or record.task_id
        self.remember(record)
        yield from self._show(record.event, is_main=record.task_id == self._main)

    def fail(self, error: UserFacingError) -> Iterator[str]:
        yield from self._stop()

    def end(self, report: RunReport | None = None) -> Iterator[str]:
        yield from self._stop()

    def _stop(self) -> Iterator[str]:
        self.activity = None
        yield from self._close()

    def _show(self, event: Event, *, is_main: bool) -> Iterator[str]:
        match event:
            case TextDelta() | ReasoningDelta() | ToolInputDelta() | ToolOutput():
                yield from self._delta(event)
            case TurnStarted() | ReplyRestarted() | MessageAdded():
                yield from self._model_call(event)
            case RequestRetried() | ProviderSwitched():
                yield from self._trouble(event)
            case ToolStarted() | ToolFinished() | ApprovalRequested() | ApprovalDecided():
                yield from self._tool(event)
            case QuestionAsked() | QuestionAnswered() | SubtaskStarted() | SubtaskEnded():
                yield from self._deferred(event)
            case RunCompleted() | RunFailed() | RunCancelled() | RunParked():
                self.activity = None
                yield from self._ended(event, is_main=is_main)
            case MentionsRead() | ModeSwitched() | ContextCondensed() | SideRequestEnded():
                yield from self._noted(event)
            case SideRequestStarted(purpose=purpose):
                self.activity = f"Thinking for {self._style.cut(purpose, 1)}"
            case TaskCreated() | SpecChanged() | EnvironmentTold() | CondenseRequested():
                pass
            case _:
                assert_never(event)

    def _noted(
        self, event: MentionsRead | ModeSwitched | ContextCondensed | SideRequestEnded
    ) -> Iterator[str]:
        match event:
            case MentionsRead(names=names):
                told = f"read {', '.join(names)}"
            case ModeSwitched(mode=mode, reason=reason):
                told = f"mode {mode}: {reason}" if reason else f"mode {mode}"
            case ContextCondensed(tokens_before=before, tokens_after=after, error=error):
                told = f"condensed {before:,} tokens to {after:,}"
                told += f" without a summary: {error}" if error else ""
            case SideRequestEnded(purpose=purpose, usage=usage, error=error):
                tokens = f"{usage.total_tokens:,} tokens" if usage else "no answer"
                told = f"the model was asked for {purpose}: {error or tokens}"
        yield from self._line(f"{self._style.bold('•')} {self._style.cut(told, 2)}")

    def _delta(
        self, event: TextDelta | ReasoningDelta | ToolInputDelta | ToolOutput
    ) -> Iterator[str]:
        match event:
            case TextDelta(text=text):
                self._streamed += text
                yield from self._continue("text", self._style.clean(text))
            case ReasoningDelta(text=text):
                if self._open != "thinking":
                    yield from self._close()
                    yield self._style.dim("[thinking] ")
                self._open = "thinking"
                yield self._style.dim(self._style.clean(text))
            case ToolInputDelta(name=name):
                self.activity = f"Writing the input of {name}"
            case ToolOutput(tool_use_id=id, text=text):
                self._seen_output.add(id)
                yield from self._output(text)

    def _trouble(self, event: RequestRetried | ProviderSwitched) -> Iterator[str]:
        reason = _RETRY_REASONS.get(event.kind, event.error)
        if isinstance(event, RequestRetried):
            then = f"again in {event.delay:.0f} s (attempt {event.attempt + 1})"
            self.activity = "Waiting to try again"
        else:
            then = f"{event.current} answers from here on, after {event.previous}"
            self.activity = "Thinking"
        shown = f"{self._style.cut(reason)}; {then}" if reason else then
        yield from self._line(self._style.ask(f"! {shown}"))

    def _model_call(self, event: TurnStarted | ReplyRestarted | MessageAdded) -> Iterator[str]:
        match event:
            case TurnStarted():
                self._streamed = ""
                self.activity = "Thinking"
            case ReplyRestarted():
                self._streamed = ""
                yield from self._line(self._style.dim("(the reply was cut off; here it is anew)"))
            case MessageAdded(message=message) if message.role == "assistant":
                yield from self._reply(message)
            case MessageAdded(message=message):
                yield from self._said(message.text)

    def _reply(self, message: Message) -> Iterator[str]:
        """What of the reply has not been streamed; all of it, if the task runs elsewhere."""
        text, streamed = message.text, self._streamed
        self._streamed = text
        self.activity = None
        if text.startswith(streamed):
            text = text[len(streamed) :]
        elif streamed:
            yield from self._close()
        if text:
            yield from self._continue("text", self._style.clean(text))
        yield from self._close()

    def _tool(
        self, event: ToolStarted | ToolFinished | ApprovalRequested | ApprovalDecided
    ) -> Iterator[str]:
        match event:
            case ToolStarted(call=call):
                self._calls[call.id] = call
                if not is_told_otherwise(call):
                    self._newest_call = call.id
                    self.activity = f"Running {tool_name(call)}"
                    yield from self._line(f"{self._style.bold('•')} {self._named(call.id)}")
            case ToolFinished(result=result):
                self.activity = "Thinking"
                yield from self._finished(result)
            case ApprovalRequested(call=call, reason=reason):
                self._calls[call.id] = call
                yield from self._line(f"{self._style.ask('?')} {self._named(call.id)}")
                if reason and reason not in describe(call):
                    shown = self._style.cut(reason, 4, _REASON_LINES)
                    yield from self._line(_INDENT + self._style.dim(shown))
            case ApprovalDecided(approved=False, by=by, tool_use_id=id, reason=why) if by != "user":
                shown = f"refused: {why}" if why else "refused"
                shown = self._style.cut(shown, 4, _REASON_LINES)
                yield from self._line(f"{self._style.bad('✗')} {self._named(id)}")
                yield from self._line(f"{_INDENT}{self._style.bad(shown)}")
                self._calls.pop(id, None)  # its result says nothing new
            case ApprovalDecided():
                pass

    def _finished(self, result: ToolResult) -> Iterator[str]:
        call = self._calls.pop(result.tool_use_id, None)
        if call is None or (is_told_otherwise(call) and not result.is_error):
            return
        is_command = tool_name(call) == "execute_command"
        if is_command and not result.is_error and call.id not in self._seen_output:
            yield from self._output(_beginning(command_output(result)))
        is_bad = result.is_error or (is_command and bool(exit_code(result)))
        mark = self._style.bad("✗") if is_bad else self._style.good("✓")
        other = "" if call.id == self._newest_call else f"{self._style.cut(describe(call), 40)}: "
        told = self._style.cut(other + outcome(call, result), 6)
        yield from self._line(f"  {mark} {self._style.dim(told)}")
        if tool_name(call) == TODO_TOOL and not result.is_error:
            for item in todos_in_call(call.input):
                yield from self._line(_INDENT + self._style.cut(item.line, 2))

    def _deferred(
        self, event: QuestionAsked | QuestionAnswered | SubtaskStarted | SubtaskEnded
    ) -> Iterator[str]:
        match event:
            case QuestionAsked(question=question, suggestions=suggestions):
                yield from self._line(self._style.ask("? ") + self._style.clean(question))
                for number, suggestion in enumerate(suggestions, 1):
                    yield from self._line(
                        f"{_INDENT}{number}. {self._style.clean(suggestion.text)}"
                    )
                if told := time_left(event):
                    yield from self._line(_INDENT + self._style.dim(self._style.cut(told, 4)))
                self.activity = None
            case QuestionAnswered(answer=answer):
                self.activity = "Waiting"
                yield from self._said(answer)
            case SubtaskStarted(mode=mode, prompt=prompt):
                shown = self._style.cut(f"subtask in {mode} mode: {prompt}", 2)
                yield from self._line(f"{self._style.bold('•')} {shown}")
                self.activity = "Waiting for the subtask"
            case SubtaskEnded(result=result, is_error=is_error):
                mark = self._style.bad("✗") if is_error else self._style.good("✓")
                shown = self._style.cut(result, 4)
                yield from self._line(f"  {mark} {self._style.dim(shown)}")

    def _ended(
        self, event: RunCompleted | RunFailed | RunCancelled | RunParked, *, is_main: bool
    ) -> Iterator[str]:
        yield from self._close()
        if is_main and isinstance(event, RunCompleted) and event.result != self._streamed:
            shown = self._style.clean(event.result)
            shown = self._markdown(shown) if self._markdown else shown
            yield "\n" + shown.strip("\n") + "\n" * (2 if self._style.terminal else 1)

    def _said(self, text: str) -> Iterator[str]:
        if self._echo and text:
            yield from self._line(self._style.bold("> ") + self._style.clean(text))

    def _named(self, call_id: str) -> str:
        call = self._calls.get(call_id)
        return self._style.cut(describe(call) if call else call_id, 2)

    def _output(self, text: str) -> Iterator[str]:
        """Indented, wherever in a line the last piece ended."""
        for line in self._style.clean(text).splitlines(keepends=True):
            if self._open != "output":
                yield from self._close()
                yield _INDENT
            content = line.rstrip("\n")
            yield self._style.dim(content) + line[len(content) :]
            self._open = "" if line.endswith("\n") else "output"

    def _continue(self, kind: Literal["text", "thinking"], text: str) -> Iterator[str]:
        if self._open != kind:
            yield from self._close()
        if text:
            yield text
            self._open = "" if text.endswith("\n") else kind

    def _line(self, text: str) -> Iterator[str]:
        yield from self._close()
        yield text + "\n"

    def _close(self) -> Iterator[str]:
        if self._open:
            self._open = ""
            yield "\n"


def _beginning(output: str) -> str:
    lines = output.splitlines()
    if not lines:
        return ""
    if len(lines) > _LINES_SHOWN:
        lines = [*lines[:_LINES_SHOWN], f"… {len(lines) - _LINES_SHOWN} more lines"]
    return "\n".join(lines) + "\n"
