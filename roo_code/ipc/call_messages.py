"""What a task's tool calls are as messages: asked, answered, at work, done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    QuestionAnswered,
    QuestionAsked,
    SubtaskEnded,
    SubtaskStarted,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    ToolStarted,
)
from roo_code.ipc.drafts import MOST_OUTPUT, Change, Drafts
from roo_code.ipc.images import to_data_uris
from roo_code.ipc.tool_asks import DIFF_TOOLS, shown_call, shown_limit, shown_question, tool_of
from roo_code.json_text import partial_json
from roo_code.messages import ToolUseContent

COMPLETION = "the completion"
Changes: TypeAlias = Iterable[Change]


class CallMessages:
    """The part of `ClineMessages` that knows calls; its tables say which events are for it."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._calls: dict[str, ToolUseContent] = {}
        self._asked: set[str] = set()
        """Calls of which the ask has been told in full."""
        self._denied: set[str] = set()
        self._live: dict[str, str] = {}
        """What running calls ask, each with its call."""

    def made(self, calls: Sequence[ToolUseContent]) -> Changes:
        """The calls of a reply; what was begun and is not among them has come to nothing."""
        by_id = {call.id: call for call in calls}
        for id in [id for id in self._calls if id not in by_id]:
            del self._calls[id]
            yield from self._drafts.end(id)
        self._calls |= by_id

    def void(self) -> Changes:
        """Pieces of calls that will be made anew, if at all."""
        for call in [call for id, call in self._calls.items() if id not in self._asked]:
            del self._calls[call.id]
            yield from self._drafts.end(_about(call))

    def close_live(self, *calls: str) -> Changes:
        """Nobody waits any more for what these calls ask; none named: what any asks."""
        for id in [id for id, call in self._live.items() if not calls or call in calls]:
            del self._live[id]
            yield from self._drafts.update(id, is_answered=True)
            self._drafts.forget(id)

    def _grow_call(self, event: ToolInputDelta, now: int) -> None:
        call = ToolUseContent(id=event.tool_use_id, name=event.name)
        shown = shown_call(call)

        def render(written: str) -> str:
            value = partial_json(written)
            return shown_call(call.replace(input=value)).text if isinstance(value, dict) else ""

        self._drafts.grow(
            _about(call), now, event.partial_json, ask=shown.ask, say=shown.say, render=render
        )
        self._calls.setdefault(call.id, call)

    def _grow_output(self, event: ToolOutput, now: int) -> None:
        call = self._calls.get(event.tool_use_id)
        if call is not None and tool_of(call) == "execute_command":
            about = _output_of(event.tool_use_id)
            self._drafts.grow(about, now, event.text, say="command_output", most=MOST_OUTPUT)

    def _ask_approval(self, event: ApprovalRequested, now: int) -> Changes:
        self._calls.setdefault(event.call.id, event.call)
        yield from self._ask(event.call.id, now)

    def _start_call(self, event: ToolStarted, now: int) -> Changes:
        self._calls.setdefault(event.call.id, event.call)
        yield from self._ask(event.call.id, now)
        if shown_call(event.call).ask == "use_mcp_server":
            yield self._drafts.whole(now, say="mcp_server_request_started")

    def _delegate(self, event: SubtaskStarted, now: int) -> Changes:
        yield from self._ask(event.tool_use_id, now)

    def _ask(self, call_id: str, now: int) -> Changes:
        """Tell the ask in full, once; what speaks to the user is told when it does."""
        call = self._calls.get(call_id)
        if call is None or call_id in self._asked or _speaks(call):
            return
        self._asked.add(call_id)
        shown = shown_call(call)
        asked = self._drafts.finish(call_id, now, ask=shown.ask, say=shown.say, text=shown.text)
        yield self._drafts.keep(call_id, asked)

    def _decide(self, event: ApprovalDecided, now: int) -> Changes:
        yield from self._ask(event.tool_use_id, now)
        if not event.approved:
            self._denied.add(event.tool_use_id)
        yield from self._drafts.update(event.tool_use_id, is_answered=True)
        if event.by == "user" and event.reason:
            yield feedback(self._drafts, now, event.reason)

    def _question(self, event: QuestionAsked, now: int) -> Changes:
        if event.limit is not None:
            ask, text = "auto_approval_max_req_reached", shown_limit(event.limit)
        else:
            ask, text = "followup", shown_question(event)
        if event.is_live:
            self._live[event.tool_use_id] = event.running_call
        asked = self._drafts.finish(event.tool_use_id, now, ask=ask, text=text)
        yield self._drafts.keep(event.tool_use_id, asked)

    def _answer(self, event: QuestionAnswered, now: int) -> Changes:
        yield from self._drafts.update(event.tool_use_id, is_answered=True)
        self._live.pop(event.tool_use_id, None)
        if not event.withdrawn:
            yield feedback(self._drafts, now, event.answer, to_data_uris(event.images))

    def _finish_call(self, event: ToolFinished, now: int) -> Changes:
        result = event.result
        yield from self.close_live(result.tool_use_id)
        call = self._calls.pop(result.tool_use_id, None)
        self._asked.discard(result.tool_use_id)
        is_denied = result.tool_use_id in self._denied
        self._denied.discard(result.tool_use_id)
        if call is None:
            return
        tool = tool_of(call)
        is_output = _output_of(call.id) in self._drafts
        yield from self._drafts.end(_output_of(call.id))
        self._drafts.forget(call.id)
        if result.is_error:
            yield from self._drafts.end(_about(call))
        if result.is_error and not is_denied:
            say = "diff_error" if tool in DIFF_TOOLS else "error"
            yield self._drafts.whole(now, say=say, text=result.content)
        elif is_denied or _speaks(call):
            return
        elif tool == "execute_command" and not is_output:
            yield self._drafts.whole(now, say="command_output", text=result.content)
        elif shown_call(call).ask == "use_mcp_server":
            images = to_data_uris(result.images)
            yield self._drafts.whole(
                now, say="mcp_server_response", text=result.content, images=images
            )
        elif tool == "generate_image" and result.images:
            yield self._drafts.whole(now, say="image", images=to_data_uris(result.images))

    def _report(self, event: SubtaskEnded, now: int) -> Changes:
        yield from self._drafts.update(event.tool_use_id, is_answered=True)
        yield self._drafts.whole(now, say="subtask_result", text=event.result)

    GROWING: ClassVar[Mapping[type, Callable[..., None]]] = {
        ToolInputDelta: _grow_call,
        ToolOutput: _grow_output,
    }
    TOLD: ClassVar[Mapping[type, Callable[..., Changes]]] = {
        ApprovalRequested: _ask_approval,
        ApprovalDecided: _decide,
        ToolStarted: _start_call,
        ToolFinished: _finish_call,
        QuestionAsked: _question,
        QuestionAnswered: _answer,
        SubtaskStarted: _delegate,
        SubtaskEnded: _report,
    }


def _output_of(call_id: str) -> str:
    return f"output of {call_id}"


def _about(call: ToolUseContent) -> str:
    return COMPLETION if tool_of(call) == "attempt_completion" else call.id


def _speaks(call: ToolUseContent) -> bool:
    """Whether the call is told as what it says, not as a tool at work."""
    return tool_of(call) in ("attempt_completion", "ask_followup_question")


def feedback(drafts: Drafts, now: int, text: str, images: tuple[str, ...] = ()) -> Change:
    """What the user said."""
    return drafts.whole(now, say="user_feedback", text=text, images=images)
