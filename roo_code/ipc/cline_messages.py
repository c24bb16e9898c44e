"""A task's log as the messages that Roo's front ends show: a pure projection of its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    ContextCondensed,
    EventRecord,
    MessageAdded,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
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
from roo_code.ipc.cline_message import Ask, ClineMessage, ContextCondense, ContextTruncation
from roo_code.ipc.drafts import MOST_OUTPUT, Change, Drafts
from roo_code.ipc.images import to_data_uris
from roo_code.ipc.tool_asks import DIFF_TOOLS, shown_call, shown_limit, shown_question, tool_of
from roo_code.ipc.usage_count import tokens_in
from roo_code.json_text import partial_json, to_json
from roo_code.messages import ImageContent, Message, ReasoningContent, ToolUseContent, Usage

Changes: TypeAlias = Iterable[Change]
_REQUEST = "the request"
_END = "the end"
_COMPLETION = "the completion"
_FAILED_BY: Mapping[str, Ask] = {
    "MistakeLimitReached": "mistake_limit_reached",
    "TurnLimitReached": "auto_approval_max_req_reached",
    "BudgetExceeded": "auto_approval_max_req_reached",
}
_ANTHROPIC = frozenset({"anthropic", "bedrock", "minimax"})


def cline_messages(records: Iterable[EventRecord]) -> list[ClineMessage]:
    """The messages as they stand after these records, in order."""
    view = ClineMessages()
    found: dict[float, ClineMessage] = {}
    for record in records:
        found.update((change.message.ts, change.message) for change in view.show(record))
    found.update((change.message.ts, change.message) for change in view.flush())
    return list(found.values())


class ClineMessages:
    """Give it every record of a task in order; each change is a message that is new or other."""

    def __init__(self) -> None:
        self._drafts = Drafts()
        self._calls: dict[str, ToolUseContent] = {}
        self._asked: set[str] = set()
        """Calls of which the ask has been told in full."""
        self._denied: set[str] = set()
        self._protocol: Literal["openai", "anthropic"] = "openai"
        self._length = 0
        """Messages in the model's history, about."""

    @property
    def has_news(self) -> bool:
        """Whether a message has grown since it was told last."""
        return self._drafts.has_news

    def flush(self) -> list[Change]:
        """Messages that have grown, as they are now."""
        return self._drafts.flush()

    def show(self, record: EventRecord) -> list[Change]:
        """What the record changes; of pieces nothing, until `flush` or what comes after them."""
        now = round(record.at.timestamp() * 1000)
        event = record.event
        if (grow := self._GROWING.get(type(event))) is not None:
            grow(self, event, now)
            return []
        tell = self._TOLD.get(type(event))
        return [*self.flush(), *tell(self, event, now)] if tell is not None else []

    def reopen(self, now: int) -> list[Change]:
        """What is asked of whoever opens a task that nobody drives: to go on, or what is open."""
        last = self._drafts.find(_END)
        if last is None and (open_asks := self._drafts.unanswered()):
            return [Change("created", message) for message in open_asks]
        is_done = last is not None and last.ask == "completion_result"
        ask: Ask = "resume_completed_task" if is_done else "resume_task"
        return [self._drafts.keep(_END, self._drafts.whole(now, ask=ask))]

    # Pieces

    def _grow_text(self, event: TextDelta, now: int) -> None:
        self._drafts.grow("text", now, event.text, say="text")

    def _grow_reasoning(self, event: ReasoningDelta, now: int) -> None:
        self._drafts.grow("reasoning", now, event.text, say="reasoning")

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

    def _restart(self, event: ReplyRestarted, now: int) -> None:
        self._drafts.restart("text")
        self._drafts.restart("reasoning")

    # What is told

    def _create(self, event: TaskCreated, now: int) -> Changes:
        spec = event.spec
        provider, model = (
            str(spec.provider.get(k) or "") for k in ("api_provider", "api_model_id")
        )
        self._protocol = _protocol(provider, model)
        self._length = 1
        yield self._drafts.whole(
            now, say="text", text=spec.prompt, images=to_data_uris(spec.images)
        )

    def _start_turn(self, event: TurnStarted, now: int) -> Changes:
        self._drafts.forget(_END)
        request = self._drafts.whole(now, say="api_req_started", text=self._request())
        yield self._drafts.keep(_REQUEST, request)

    def _retry(self, event: RequestRetried, now: int) -> Changes:
        yield from self._void_calls()
        seconds = max(0, round(event.delay))
        text = f"{event.error}\n<retry_timer>{seconds}</retry_timer>"
        yield self._drafts.whole(now, say="api_req_retry_delayed", text=text)

    def _switch_provider(self, event: ProviderSwitched, now: int) -> Changes:
        yield from self._void_calls()
        text = f"{event.previous} → {event.current}"
        text += f": {event.error}" if event.error else ""
        yield self._drafts.whole(now, say="api_req_retried", text=text)

    def _void_calls(self) -> Changes:
        """Pieces of calls that will be made anew, if at all."""
        for call in [call for id, call in self._calls.items() if id not in self._asked]:
            del self._calls[call.id]
            yield from self._drafts.end(_about(call))

    def _hear(self, event: MessageAdded, now: int) -> Changes:
        message = event.message
        self._length += 1
        if message.role == "user":
            yield from self._drafts.update(_END, is_answered=True)
            self._drafts.forget(_END)
            yield self._feedback(now, message.text, _images(message))
        else:
            self._length += bool(message.tool_uses)
            yield from self._reply(message, now)

    def _reply(self, message: Message, now: int) -> Changes:
        thoughts = "".join(b.text for b in message.content if isinstance(b, ReasoningContent))
        if thoughts or "reasoning" in self._drafts:
            yield self._drafts.finish("reasoning", now, say="reasoning", text=thoughts)
        if message.text or "text" in self._drafts:
            yield self._drafts.finish("text", now, say="text", text=message.text)
        usage = message.usage or Usage()
        yield from self._drafts.update(_REQUEST, text=self._request(usage))
        self._drafts.forget(_REQUEST)
        calls = {call.id: call for call in message.tool_uses}
        for id in [id for id in self._calls if id not in calls]:
            del self._calls[id]
            yield from self._drafts.end(id)  # a call that came to nothing
        self._calls |= calls

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
            yield self._feedback(now, event.reason)

    def _question(self, event: QuestionAsked, now: int) -> Changes:
        if event.limit is not None:
            ask, text = "auto_approval_max_req_reached", shown_limit(event.limit)
        else:
            ask, text = "followup", shown_question(event)
        asked = self._drafts.finish(event.tool_use_id, now, ask=ask, text=text)
        yield self._drafts.keep(event.tool_use_id, asked)

    def _answer(self, event: QuestionAnswered, now: int) -> Changes:
        yield from self._drafts.update(event.tool_use_id, is_answered=True)
        yield self._feedback(now, event.answer, to_data_uris(event.images))

    def _finish_call(self, event: ToolFinished, now: int) -> Changes:
        result = event.result
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

    def _condense(self, event: ContextCondensed, now: int) -> Changes:
        if event.error:
            yield self._drafts.whole(now, say="condense_context_error", text=event.error)
            return
        before, self._length = self._length, min(self._length, event.kept + 1)
        sizes = {
            "prev_context_tokens": event.tokens_before,
            "new_context_tokens": event.tokens_after,
        }
        if event.summary:
            cost = (event.usage.cost if event.usage else None) or 0
            condensed = ContextCondense(cost=cost, summary=event.summary, **sizes)
            yield self._drafts.whole(now, say="condense_context", context_condense=condensed)
        else:
            removed = before - self._length
            truncated = ContextTruncation(truncation_id=str(now), messages_removed=removed, **sizes)
            yield self._drafts.whole(
                now, say="sliding_window_truncation", context_truncation=truncated
            )

    def _complete(self, event: RunCompleted, now: int) -> Changes:
        yield self._drafts.finish(_COMPLETION, now, say="completion_result", text=event.result)
        ended = self._drafts.whole(now, ask="completion_result", text="")
        yield self._drafts.keep(_END, ended)

    def _fail(self, event: RunFailed, now: int) -> Changes:
        yield from self._cut("streaming_failed", event.error)
        ask = _FAILED_BY.get(event.kind, "api_req_failed")
        text = f"{event.error}\n{event.hint}" if event.hint else event.error
        yield self._drafts.keep(_END, self._drafts.whole(now, ask=ask, text=text))

    def _cancel(self, event: RunCancelled, now: int) -> Changes:
        yield from self._cut("user_cancelled")
        yield self._drafts.keep(_END, self._drafts.whole(now, ask="resume_task"))

    def _cut(self, reason: str, message: str = "") -> Changes:
        """No more comes of what was being said or asked."""
        for about in ("reasoning", "text"):
            yield from self._drafts.end(about)
        yield from self._void_calls()
        told = {"cancelReason": reason, **({"streamingFailedMessage": message} if message else {})}
        yield from self._drafts.update(_REQUEST, text=self._request(Usage(), **told))
        self._drafts.forget(_REQUEST)

    def _feedback(self, now: int, text: str, images: tuple[str, ...] = ()) -> Change:
        return self._drafts.whole(now, say="user_feedback", text=text, images=images)

    def _request(self, usage: Usage | None = None, **more: str) -> str:
        """Without usage while the reply comes: that there is no cost tells that it does."""
        told: dict[str, Any] = {"apiProtocol": self._protocol}
        if usage is not None:
            told |= {
                "tokensIn": tokens_in(usage),
                "tokensOut": usage.output_tokens,
                "cacheWrites": usage.cache_write_tokens,
                "cacheReads": usage.cache_read_tokens,
                "cost": usage.cost or 0,
            }
        return to_json(told | more).decode()

    _GROWING: ClassVar[Mapping[type, Callable[..., None]]] = {
        TextDelta: _grow_text,
        ReasoningDelta: _grow_reasoning,
        ToolInputDelta: _grow_call,
        ToolOutput: _grow_output,
        ReplyRestarted: _restart,
    }
    _TOLD: ClassVar[Mapping[type, Callable[..., Changes]]] = {
        TaskCreated: _create,
        TurnStarted: _start_turn,
        RequestRetried: _retry,
        ProviderSwitched: _switch_provider,
        MessageAdded: _hear,
        ApprovalRequested: _ask_approval,
        ApprovalDecided: _decide,
        ToolStarted: _start_call,
        ToolFinished: _finish_call,
        QuestionAsked: _question,
        QuestionAnswered: _answer,
        SubtaskStarted: _delegate,
        SubtaskEnded: _report,
        ContextCondensed: _condense,
        RunCompleted: _complete,
        RunFailed: _fail,
        RunCancelled: _cancel,
    }
    """All that is not here is bookkeeping, and no message of Roo's."""


def _output_of(call_id: str) -> str:
    return f"output of {call_id}"


def _about(call: ToolUseContent) -> str:
    return _COMPLETION if tool_of(call) == "attempt_completion" else call.id


def _speaks(call: ToolUseContent) -> bool:
    """Whether the call is told as what it says, not as a tool at work."""
    return tool_of(call) in ("attempt_completion", "ask_followup_question")


def _images(message: Message) -> tuple[str, ...]:
    return to_data_uris(block for block in message.content if isinstance(block, ImageContent))


def _protocol(provider: str, model: str) -> Literal["openai", "anthropic"]:
    """How the service counts cached tokens, by Roo's rule."""
    claude = (provider == "vertex" and "claude" in model) or (
        provider in ("vercel-ai-gateway", "roo") and model.startswith("anthropic/")
    )
    return "anthropic" if claude or provider in _ANTHROPIC else "openai"
