"""The care a tool is run with: repetition check, circuit breaker, retry, metrics."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from roo_code.builtin_tools.circuit_breaker import BreakerRules, CircuitBreaker
from roo_code.builtin_tools.repetition import RepetitionDetector
from roo_code.errors import NotAllowed, RooCodeError, ToolError
from roo_code.json_text import JsonValue
from roo_code.messages import ToolResult
from roo_code.tools import AnyTool, Deferred, ToolContext, attempt, failed, parse_input

logger = logging.getLogger(__name__)

_PERMANENT = (
    FileNotFoundError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)


class ToolMetrics(Struct):
    successes: int = 0
    failures: int = 0
    recovered: int = 0
    """Successes that took more than one try."""


class RetryRules(Struct, frozen=True):
    tries: int = 3
    first_wait: float = 0.5
    growth: float = 3.0

    def wait_before(self, try_number: int) -> float:
        return self.first_wait * self.growth ** (try_number - 2)


class ErrorRecovery:
    """How `ToolRegistry` carries out a call: whatever goes wrong becomes a result."""

    def __init__(
        self,
        *,
        repetition_limit: int = 3,
        retry: RetryRules | None = None,
        breaker: BreakerRules | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.metrics: dict[str, ToolMetrics] = {}
        self.breakers: dict[str, CircuitBreaker] = {}
        self._repetition = RepetitionDetector(repetition_limit)
        self._retry = retry or RetryRules()
        self._breaker_rules = breaker or BreakerRules()
        self._clock = clock
        self._sleep = sleep

    async def __call__(
        self, tool: AnyTool, input_data: Mapping[str, JsonValue], context: ToolContext
    ) -> ToolResult:
        if not tool.ends_run and self._repetition.is_stuck(tool.name, input_data):
            return failed(context.tool_use_id, _stuck(tool.name, self._repetition.limit))
        breaker = self._breaker(tool) if tool.circuit_breaker else None
        if breaker is not None and not breaker.admit():
            return failed(context.tool_use_id, _tripped(tool.name, breaker.seconds_left()))
        works: bool | None = None
        try:
            result, works = await self._run(tool, input_data, context)
        except Deferred:
            self._repetition.reset()  # whoever answers may change everything
            raise
        finally:
            if breaker is not None:
                breaker.abandon() if works is None else breaker.record(works)
        return result

    async def _run(
        self, tool: AnyTool, input_data: Mapping[str, JsonValue], context: ToolContext
    ) -> tuple[ToolResult, bool | None]:
        """The result, and whether it shows that the tool works; None if it shows neither."""
        works: bool | None = None
        tries = 1
        try:
            arguments = parse_input(tool, input_data)
            works = False
            result, tries = await self._try(tool, arguments, context)
            works = not result.is_error
        except Deferred:
            raise
        except ToolError as error:
            result = failed(context.tool_use_id, str(error))
            works = None if isinstance(error, NotAllowed) else works
        except Exception as error:  # boundary: a broken tool must not end the run
            logger.warning("The tool %s failed", tool.name, exc_info=error)
            text = f"{tool.name} failed: {type(error).__name__}: {error}"
            result = failed(context.tool_use_id, text)
        self._count(tool.name, result, tries)
        return result, works

    async def _try(
        self, tool: AnyTool, arguments: Any, context: ToolContext
    ) -> tuple[ToolResult, int]:
        for number in range(1, self._retry.tries):
            try:
                return await attempt(tool, arguments, context), number
            except (OSError, RooCodeError) as error:
                if not tool.repeatable or not _repeat_may_mend(error):
                    raise
                logger.info("%s failed, trying again: %s", tool.name, error)
            await self._sleep(self._retry.wait_before(number + 1))
        return await attempt(tool, arguments, context), self._retry.tries

    def _breaker(self, tool: AnyTool) -> CircuitBreaker:
        return self.breakers.setdefault(tool.name, CircuitBreaker(self._breaker_rules, self._clock))

    def _count(self, name: str, result: ToolResult, tries: int) -> None:
        metrics = self.metrics.setdefault(name, ToolMetrics())
        if result.is_error:
            metrics.failures += 1
            return
        metrics.successes += 1
        metrics.recovered += tries > 1


def _repeat_may_mend(error: OSError | RooCodeError) -> bool:
    if isinstance(error, RooCodeError):
        return error.retryable
    return not isinstance(error, _PERMANENT)


def _stuck(name: str, limit: int) -> str:
    return (
        f"Not run: this {name} call, with this input, has now been made {limit + 1} times in a "
        "row, and it will not come out differently. You seem to be in a loop. Look at the "
        "earlier results, then do something else: other input, another tool, or a question to "
        "the user."
    )


def _tripped(name: str, seconds: float) -> str:
    return (
        f"Not run: {name} has failed so often lately that it is switched off for another "
        f"{seconds:.0f} s. Go on without it, or try again later."
    )
