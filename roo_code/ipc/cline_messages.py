"""A task's log as the messages that Roo's front ends show: a pure projection of its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from roo_code.events import (
    ContextCondensed,
    EventRecord,
    MessageAdded,
    ProviderSwitched,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
    TaskCreated,
    TextDelta,
    TurnStarted,
)
from roo_code.ipc.call_messages import COMPLETION, CallMessages, feedback
from roo_code.ipc.cline_message import Ask, ClineMessage, ContextCondense, ContextTruncation
from roo_code.ipc.drafts import Change, Drafts
from roo_code.ipc.images import to_data_uris
from roo_code.ipc.usage_count import tokens_in
from roo_code.json_text import to_json
from roo_code.messages import ImageContent, Message, ReasoningContent, Usage

Changes: TypeAlias = Iterable[Change]
_REQUEST = "the request"
_END = "the end"
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
        self._calls = CallMessages(self._drafts)
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
        for part in (self, self._calls):
            if (grow := part.GROWING.get(type(event))) is not None:
                grow(part, event, now)
            if (tell := part.TOLD.get(type(event))) is not None:
                return [*self.flush(), *tell(part, event, now)]
        return []

    def reopen(self, now: int) -> list[Change]:
        """What is asked of whoever opens a task that nobody drives: to go on, or what is open."""
        closed = list(self._calls.close_live())
        last = self._drafts.find(_END)
        if last is None and (open_asks := self._drafts.unanswered()):
            return [*closed, *(Change("created", message) for message in open_asks)]
        is_done = last is not None and last.ask == "completion_result"
        ask: Ask = "resume_completed_task" if is_done else "resume_task"
        return [*closed, self._drafts.keep(_END, self._drafts.whole(now, ask=ask))]

    # Pieces

    def _grow_text(self, event: TextDelta, now: int) -> None:
        self._drafts.grow("text", now, event.text, say="text")

    def _grow_reasoning(self, event: ReasoningDelta, now: int) -> None:
        self._drafts.grow("reasoning", now, event.text, say="reasoning")

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
        yield from self._calls.void()
        seconds = max(0, round(event.delay))
        text = f"{event.error}\n<retry_timer>{seconds}</retry_timer>"
        yield self._drafts.whole(now, say="api_req_retry_delayed", text=text)

    def _switch_provider(self, event: ProviderSwitched, now: int) -> Changes:
        yield from self._calls.void()
        text = f"{event.previous} → {event.current}"
        text += f": {event.error}" if event.error else ""
        yield self._drafts.whole(now, say="api_req_retried", text=text)

    def _hear(self, event: MessageAdded, now: int) -> Changes:
        message = event.message
        self._length += 1
        if message.role == "user":
            yield from self._drafts.update(_END, is_answered=True)
            self._drafts.forget(_END)
            yield feedback(self._drafts, now, message.text, _images(message))
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
        yield from self._calls.made(message.tool_uses)

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
        yield self._drafts.finish(COMPLETION, now, say="completion_result", text=event.result)
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
        yield from self._calls.void()
        told = {"cancelReason": reason, **({"streamingFailedMessage": message} if message else {})}
        yield from self._drafts.update(_REQUEST, text=self._request(Usage(), **told))
        self._drafts.forget(_REQUEST)

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

    GROWING: ClassVar[Mapping[type, Callable[..., None]]] = {
        TextDelta: _grow_text,
        ReasoningDelta: _grow_reasoning,
        ReplyRestarted: _restart,
    }
    TOLD: ClassVar[Mapping[type, Callable[..., Changes]]] = {
        TaskCreated: _create,
        TurnStarted: _start_turn,
        RequestRetried: _retry,
        ProviderSwitched: _switch_provider,
        MessageAdded: _hear,
        ContextCondensed: _condense,
        RunCompleted: _complete,
        RunFailed: _fail,
        RunCancelled: _cancel,
    }
    """All that is not here is bookkeeping, and no message of Roo's."""


def _images(message: Message) -> tuple[str, ...]:
    return to_data_uris(block for block in message.content if isinstance(block, ImageContent))


def _protocol(provider: str, model: str) -> Literal["openai", "anthropic"]:
    """How the service counts cached tokens, by Roo's rule."""
    claude = (provider == "vertex" and "claude" in model) or (
        provider in ("vercel-ai-gateway", "roo") and model.startswith("anthropic/")
    )
    return "anthropic" if claude or provider in _ANTHROPIC else "openai"
