"""What a task has used so far, as Roo counts it."""

from __future__ import annotations

from collections import Counter

from roo_code.events import (
    ApprovalDecided,
    ContextCondensed,
    Event,
    MessageAdded,
    SideRequestEnded,
    ToolFinished,
)
from roo_code.ipc.cline_message import TokenUsage, ToolCount, ToolName, ToolUsage
from roo_code.ipc.tool_asks import counted_as, tool_of
from roo_code.messages import ToolUseContent, Usage


class UsageCount:
    """A fold over the events of one task; a call that was refused is no attempt."""

    def __init__(self) -> None:
        self._total = Usage()
        self._cost = 0.0
        self._context = 0
        self._calls: dict[str, ToolUseContent] = {}
        self._denied: set[str] = set()
        self._attempts: Counter[ToolName] = Counter()
        self._failures: Counter[ToolName] = Counter()
        self.failed: tuple[ToolName, str] | None = None
        """The tool that the last event says has failed, and why."""

    def note(self, event: Event) -> bool:
        """Whether the tokens changed."""
        self.failed = None
        match event:
            case MessageAdded(message=message):
                self._calls.update((call.id, call) for call in message.tool_uses)
                if message.usage is None:
                    return False
                self._add(message.usage)
                self._context = message.usage.total_tokens
                return True
            case ContextCondensed() if not event.error:
                self._context = event.tokens_after
                self._add(event.usage or Usage())
                return True
            case SideRequestEnded(usage=Usage() as usage):
                self._add(usage)
                return True
            case ApprovalDecided(approved=False):
                self._denied.add(event.tool_use_id)
            case ToolFinished(result=result):
                self._finish(result.tool_use_id, result.content if result.is_error else None)
            case _:
                pass
        return False

    def _add(self, usage: Usage) -> None:
        total = self._total
        self._cost += usage.cost or 0
        self._total = Usage(
            input_tokens=total.input_tokens + usage.input_tokens,
            output_tokens=total.output_tokens + usage.output_tokens,
            cache_read_tokens=total.cache_read_tokens + usage.cache_read_tokens,
            cache_write_tokens=total.cache_write_tokens + usage.cache_write_tokens,
        )

    def _finish(self, call_id: str, error: str | None) -> None:
        call = self._calls.pop(call_id, None)
        if call is None or call_id in self._denied:
            self._denied.discard(call_id)
            return
        name = counted_as(tool_of(call))
        self._attempts[name] += 1
        if error is not None:
            self._failures[name] += 1
            self.failed = (name, error)

    @property
    def tokens(self) -> TokenUsage:
        total = self._total
        return TokenUsage(
            total_tokens_in=tokens_in(total),
            total_tokens_out=total.output_tokens,
            total_cache_writes=total.cache_write_tokens or None,
            total_cache_reads=total.cache_read_tokens or None,
            total_cost=self._cost,
            context_tokens=self._context,
        )

    @property
    def tools(self) -> ToolUsage:
        return {
            name: ToolCount(attempts=count, failures=self._failures[name])
            for name, count in self._attempts.items()
        }


def tokens_in(usage: Usage) -> int:
    """Roo's input tokens count those of the cache too."""
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
