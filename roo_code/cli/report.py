"""What a run came to, counted from its records."""

from __future__ import annotations

import time

from msgspec import Struct, field

from roo_code.cli.calls import describe
from roo_code.events import (
    ApprovalDecided,
    ContextCondensed,
    EventRecord,
    MessageAdded,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SideRequestEnded,
    TurnStarted,
)
from roo_code.messages import ToolUseContent, Usage


class Refusal(Struct, frozen=True):
    """A call that the policy, or the mode, did not let run."""

    call: str
    reason: str
    by: str


class RunReport(Struct):
    """Give it every record; the run is that of the first task it hears of."""

    task_id: str = ""
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    last_usage: Usage | None = None
    last_text: str = ""
    ended: RunCompleted | RunFailed | RunCancelled | None = None
    refusals: list[Refusal] = field(default_factory=list[Refusal])
    began: float = field(default_factory=time.monotonic)
    _calls: dict[str, ToolUseContent] = field(default_factory=dict[str, ToolUseContent])

    def next_run(self, task_id: str) -> RunReport:
        """An empty report that knows the calls made so far."""
        return RunReport(task_id=task_id, _calls=self._calls)

    def remember(self, record: EventRecord) -> None:
        """A record from before: only the calls are of interest."""
        if isinstance(record.event, MessageAdded):
            self._calls.update((call.id, call) for call in record.event.message.tool_uses)

    def note(self, record: EventRecord) -> None:
        self.task_id = self.task_id or record.task_id
        match record.event:
            case TurnStarted():
                self.turns += 1
                if record.task_id == self.task_id:
                    self.ended = None
            case MessageAdded(message=message):
                self.remember(record)
                if message.usage:
                    self.last_usage = message.usage
                    self.usage = total(self.usage, message.usage)
                if record.task_id == self.task_id and message.role == "assistant":
                    self.last_text = message.text or self.last_text
            case (
                ContextCondensed(usage=Usage() as usage) | SideRequestEnded(usage=Usage() as usage)
            ):
                self.usage = total(self.usage, usage)
            case ApprovalDecided(approved=False, by="policy" | "mode") as decision:
                call = self._calls.get(decision.tool_use_id)
                shown = describe(call) if call else decision.tool_use_id
                self.refusals.append(Refusal(shown, decision.reason, decision.by))
            case RunCompleted() | RunFailed() | RunCancelled() as ended:
                if record.task_id == self.task_id:
                    self.ended = ended
            case _:
                pass

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def closing(self, seconds: float) -> str:
        """Turns, tokens, cost, time and the task, in a line."""
        usage = self.usage
        read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        parts = [f"{self.turns} turn{'' if self.turns == 1 else 's'}"]
        if self.last_usage is not None:
            parts.append(f"{read:,} tokens in, {usage.output_tokens:,} out")
            parts.append(f"${usage.cost:.4f}" if usage.cost is not None else "cost unknown")
        return " · ".join([*parts, f"{seconds:.1f} s", f"task {self.task_id}"])


def total(first: Usage, second: Usage) -> Usage:
    """Both together; a price that is not known leaves the sum of those that are."""
    costs = [usage.cost for usage in (first, second) if usage.cost is not None]
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cache_read_tokens=first.cache_read_tokens + second.cache_read_tokens,
        cache_write_tokens=first.cache_write_tokens + second.cache_write_tokens,
        reasoning_tokens=first.reasoning_tokens + second.reasoning_tokens,
        cost=sum(costs) if costs else None,
    )
