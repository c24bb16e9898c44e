"""Ask again where a repeat may help, with growing waits, and say so in the stream."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from roo_code.errors import BadRequest, EmptyReply, ProviderError, RooCodeError
from roo_code.messages import TextContent, ToolUseContent
from roo_code.providers.base import BaseProvider, ModelRequest
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    MessageDelta,
    MessageStop,
    StreamChunk,
    StreamRetry,
)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """When to ask again. The waits of six attempts add up to less than 40 seconds."""

    max_attempts: int = 6
    base: float = 1.0
    """Seconds before the second attempt; each further wait is twice the one before."""
    cap: float = 30.0
    max_wait: float = 60.0
    """A service that wants a longer pause than this is not waited for."""
    jitter: float = 0.25
    """Up to this part is added to each wait, so that many tasks do not come back at once."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    random: Callable[[], float] = random.random

    def delay(self, attempt: int, error: RooCodeError) -> float:
        """Seconds to wait after the given attempt, counted from 1."""
        backoff = min(self.cap, self.base * 2 ** (attempt - 1))
        asked = error.retry_after if isinstance(error, ProviderError) else None
        return max(backoff, asked or 0) + backoff * self.jitter * self.random()


async def with_retry(
    provider: BaseProvider, request: ModelRequest, policy: RetryPolicy
) -> AsyncGenerator[StreamChunk]:
    """The provider's reply. A failed attempt appears as a `StreamRetry` and is made anew."""
    attempt = 0
    while True:
        attempt += 1
        try:
            async with aclosing(_attempt(provider, request)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        except RooCodeError as error:
            if not error.retryable or policy.max_attempts == 1:
                raise
            if attempt >= policy.max_attempts:
                raise with_remark(error, f"tried {attempt} times") from error
            _check_patience(error, policy)
            failure = error
        delay = policy.delay(attempt, failure)
        yield StreamRetry(attempt, delay, failure)
        await policy.sleep(delay)


async def _attempt(provider: BaseProvider, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
    """One attempt, in which a reply without an answer is a failure."""
    answered = False
    stop_reason = None
    async with aclosing(provider.stream(request)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, BlockDelta):
                answered = answered or (chunk.kind == "text" and not chunk.text.isspace())
            elif isinstance(chunk, BlockStart):
                answered = answered or _is_answer(chunk)
            elif isinstance(chunk, MessageDelta):
                stop_reason = chunk.stop_reason or stop_reason
            elif isinstance(chunk, MessageStop) and not answered:
                raise _empty(stop_reason)
            yield chunk


def _is_answer(start: BlockStart) -> bool:
    block = start.block
    if isinstance(block, TextContent):
        return bool(block.text.strip())
    return isinstance(block, ToolUseContent)


def _empty(stop_reason: str | None) -> ProviderError:
    error: ProviderError = EmptyReply("The model's reply was empty.")
    if stop_reason == "max_tokens":  # a repeat would run into the same limit
        error = BadRequest("The model used up its output tokens before it said anything.")
        error.hint = "Allow more output tokens or less reasoning, then resume the task."
    elif stop_reason == "refusal":
        error = BadRequest("The model refused to answer.")
        error.hint = "Send the task a message with other words, or try another model."
    return error


def _check_patience(error: RooCodeError, policy: RetryPolicy) -> None:
    wait = error.retry_after if isinstance(error, ProviderError) else None
    if wait is not None and wait > policy.max_wait:
        raise with_remark(error, f"the service asks to wait {_span(wait)}") from error


def with_remark(error: RooCodeError, remark: str) -> RooCodeError:
    """The same error with a longer message; made without `__init__`, which a subclass changes."""
    remarked = type(error).__new__(type(error))
    remarked.__dict__.update(error.__dict__)
    remarked.args = (f"{str(error).rstrip('.')} ({remark}).",)
    return remarked


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join([*parts, f"{rest} s"] if rest or not parts else parts)
