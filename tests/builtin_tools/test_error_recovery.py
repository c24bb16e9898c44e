import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from roo_code.builtin_tools.circuit_breaker import BreakerRules
from roo_code.builtin_tools.error_recovery import ErrorRecovery, ToolMetrics
from roo_code.errors import (
    ConnectionFailed,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    ToolError,
)
from roo_code.events import QuestionAsked
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.tools import Deferred, Tool, ToolContext, ToolOutcome, ToolRegistry

Outcome = str | ToolOutcome | BaseException


class Input(BaseModel):
    word: str = ""


class Scripted(Tool[Input]):
    """Does what it was told to do, one thing a time, then succeeds."""

    name = "scripted"
    description = "Does as told."
    group = "advanced"
    input_type = Input
    repeatable = True
    circuit_breaker = True

    def __init__(self, *script: Outcome) -> None:
        self.script = list(script)
        self.executions = 0

    async def execute(self, arguments: Input, context: ToolContext) -> str | ToolOutcome:
        self.executions += 1
        outcome = self.script.pop(0) if self.script else "done"
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


class Effectful(Scripted):
    repeatable = False


class Unbroken(Scripted):
    circuit_breaker = False


class Bench:
    """A registry with a clock of its own, on which only sleeping takes time."""

    def __init__(self, tool: Scripted, **options: Any) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.tool = tool
        self.recovery = ErrorRecovery(clock=lambda: self.now, sleep=self._sleep, **options)
        self._registry = ToolRegistry([tool], recovery=self.recovery)
        self._calls = 0

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    async def call(self, word: str | None = None) -> ToolResult:
        """A call, each with other words unless they are given."""
        self._calls += 1
        input = {"word": word or f"word {self._calls}"}
        use = ToolUseContent(id=f"call_{self._calls}", name="scripted", input=dict(input))
        return await self._registry.execute(use)

    @property
    def metrics(self) -> ToolMetrics:
        return self.recovery.metrics["scripted"]


@pytest.mark.requirement("recovery:repetition:detects", "recovery:repetition:warns")
async def test_the_fourth_same_call_in_a_row_is_answered_with_a_warning() -> None:
    bench = Bench(Scripted())
    results = [await bench.call("again") for _ in range(5)]
    assert [result.is_error for result in results] == [False, False, False, True, True]
    assert bench.tool.executions == 3
    assert "made 4 times in a row" in results[3].content
    assert results[3].tool_use_id == "call_4"


@pytest.mark.requirement("recovery:repetition:detects")
async def test_any_other_call_ends_a_repetition() -> None:
    bench = Bench(Scripted())
    words = ["a", "a", "a", "b", "a", "a", "a"]
    assert not any([(await bench.call(word)).is_error for word in words])


@pytest.mark.requirement("recovery:repetition:warns")
@pytest.mark.parametrize(("limit", "executions"), [(1, 1), (5, 5), (0, 9)])
async def test_how_many_repeats_are_too_many_can_be_set(limit: int, executions: int) -> None:
    bench = Bench(Scripted(), repetition_limit=limit)
    for _ in range(9):
        await bench.call("again")
    assert bench.tool.executions == executions


@pytest.mark.requirement("recovery:repetition:detects")
async def test_the_order_of_fields_makes_no_other_call() -> None:
    recovery = ErrorRecovery(repetition_limit=1)
    tool = Scripted()
    first = await recovery(tool, {"word": "a", "more": 1}, ToolContext())
    second = await recovery(tool, {"more": 1, "word": "a"}, ToolContext())
    assert (first.is_error, second.is_error) == (False, True)


@pytest.mark.requirement("recovery:retry:three-tries")
@pytest.mark.parametrize(
    ("script", "executions", "content"),
    [
        (["fine"], 1, "fine"),
        ([OSError("busy"), "fine"], 2, "fine"),
        ([OSError("busy"), TimeoutError("slow"), "fine"], 3, "fine"),
        ([OSError("busy"), OSError("busy"), OSError("at last")], 3, "at last"),
    ],
)
async def test_a_call_is_tried_three_times_at_most(
    script: list[Outcome], executions: int, content: str
) -> None:
    bench = Bench(Scripted(*script))
    result = await bench.call()
    assert content in result.content
    assert result.is_error == (content == "at last")
    assert bench.tool.executions == executions


@pytest.mark.requirement("recovery:retry:backoff")
async def test_each_wait_is_longer_than_the_one_before() -> None:
    bench = Bench(Scripted(*[OSError("busy")] * 3))
    await bench.call()
    first, second = bench.waits
    assert 0 < first < second


@pytest.mark.requirement("recovery:retry:only-safe")
@pytest.mark.parametrize(
    "error",
    [
        ToolError("no such file"),
        NotAllowed("the mode forbids it"),
        QuotaExceeded("nothing left"),
        FileNotFoundError("gone"),
        PermissionError("not yours"),
        ValueError("a bug"),
    ],
)
async def test_what_a_repeat_cannot_mend_is_not_repeated(error: Exception) -> None:
    bench = Bench(Scripted(error))
    result = await bench.call()
    assert result.is_error
    assert str(error) in result.content
    assert (bench.tool.executions, bench.waits) == (1, [])


@pytest.mark.parametrize("error", [ConnectionFailed("cut"), RateLimited("slow"), OSError("busy")])
async def test_what_a_repeat_may_mend_is_repeated(error: Exception) -> None:
    bench = Bench(Scripted(error))
    assert (await bench.call()).content == "done"


@pytest.mark.requirement("recovery:retry:only-safe")
async def test_a_tool_with_side_effects_is_never_repeated() -> None:
    bench = Bench(Effectful(OSError("busy")))
    assert (await bench.call()).is_error
    assert bench.tool.executions == 1


@pytest.mark.requirement("recovery:retry:only-safe", "tools:input:schema-checked")
async def test_bad_input_is_not_tried_at_all() -> None:
    tool = Scripted()
    result = await ErrorRecovery()(tool, {"word": [1]}, ToolContext())
    assert result.is_error
    assert "word" in result.content
    assert tool.executions == 0


@pytest.mark.requirement("recovery:metrics:counts")
async def test_successes_failures_and_recoveries_are_counted() -> None:
    bench = Bench(
        Scripted("fine", OSError("busy"), "fine", ToolError("no"), ToolOutcome("no", is_error=True))
    )
    for _ in range(5):
        await bench.call()
    assert bench.metrics == ToolMetrics(successes=3, failures=2, recovered=1)


@pytest.mark.requirement("recovery:result:error-not-raise")
@pytest.mark.parametrize("error", [RuntimeError("broken"), ProviderError("refused"), KeyError("x")])
async def test_whatever_a_tool_raises_becomes_a_result(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    result = await Bench(Unbroken(error)).call()
    assert result.is_error
    assert str(error) in result.content
    assert type(error).__name__ in result.content
    assert caplog.records[0].exc_info is not None


async def test_being_cancelled_and_deferring_are_not_failures() -> None:
    bench = Bench(
        Scripted(
            asyncio.CancelledError(),
            Deferred(QuestionAsked(tool_use_id="call_2", question="Which?")),
        )
    )
    with pytest.raises(asyncio.CancelledError):
        await bench.call()
    with pytest.raises(Deferred):
        await bench.call()
    assert bench.recovery.metrics == {}


RULES = BreakerRules(window=4, least_calls=4, failure_rate=0.5, cool_down=60)


def failures(count: int) -> list[Outcome]:
    return [ToolError(f"no {n}") for n in range(count)]


@pytest.mark.requirement("recovery:breaker:opens")
async def test_when_half_of_the_calls_fail_the_circuit_opens() -> None:
    bench = Bench(Scripted("fine", *failures(2)), breaker=RULES)
    assert [(await bench.call()).is_error for _ in range(4)] == [False, True, True, False]
    result = await bench.call()
    assert result.is_error
    assert "another 60 s" in result.content
    assert bench.tool.executions == 4


@pytest.mark.requirement("recovery:breaker:optional")
async def test_a_tool_without_a_breaker_is_always_called() -> None:
    bench = Bench(Unbroken(*failures(20)), breaker=RULES)
    for _ in range(20):
        await bench.call()
    assert bench.tool.executions == 20
    assert bench.recovery.breakers == {}


@pytest.mark.requirement("recovery:breaker:recovers")
async def test_after_the_cool_down_one_trial_decides() -> None:
    bench = Bench(Scripted(*failures(5)), breaker=RULES)
    for _ in range(4):
        await bench.call()
    bench.now += 59
    assert "switched off" in (await bench.call()).content
    bench.now += 1
    assert (await bench.call()).content == "no 4"
    assert "another 60 s" in (await bench.call()).content
    bench.now += 60
    assert [(await bench.call()).content for _ in range(3)] == ["done"] * 3
    assert bench.recovery.breakers["scripted"].state == "closed"


@pytest.mark.requirement("recovery:breaker:recovers")
async def test_only_one_call_is_the_trial() -> None:
    bench = Bench(Scripted(*failures(4)), breaker=RULES)
    for _ in range(4):
        await bench.call()
    bench.now += 60
    release = asyncio.Event()

    async def wait(arguments: Input, context: ToolContext) -> str:
        await release.wait()
        return "done"

    bench.tool.execute = wait
    trial = asyncio.create_task(bench.call())
    await asyncio.sleep(0)
    assert "switched off" in (await bench.call()).content
    release.set()
    assert (await trial).content == "done"


@pytest.mark.parametrize("end", [NotAllowed("refused"), asyncio.CancelledError()])
async def test_a_trial_without_an_outcome_leaves_the_next_call_to_decide(
    end: BaseException,
) -> None:
    bench = Bench(Scripted(*failures(4), end), breaker=RULES)
    for _ in range(4):
        await bench.call()
    bench.now += 60
    if isinstance(end, asyncio.CancelledError):
        with pytest.raises(asyncio.CancelledError):
            await bench.call()
    else:
        assert (await bench.call()).is_error
    assert (await bench.call()).content == "done"


def reason(text: str) -> str:
    return next((words for words in ("loop", "switched off") if words in text), text)


@pytest.mark.requirement("recovery:flow:order")
async def test_repetition_comes_first_then_the_breaker_then_the_tries_then_the_metrics() -> None:
    bench = Bench(Scripted(*failures(5)), breaker=RULES, repetition_limit=2)
    said: list[str] = []
    counts: list[int] = []
    for word in ["a", "a", "a", "b", "c", "d", "d", "d"]:
        said.append((await bench.call(word)).content)
        counts.append(bench.metrics.failures)
    assert [reason(text) for text in said] == [
        *("no 0", "no 1", "loop"),  # a repetition is not executed,
        *("no 2", "no 3"),  # and here the circuit opens:
        *("switched off", "switched off", "loop"),
    ]
    assert counts == [1, 2, 2, 3, 4, 4, 4, 4]


async def test_a_tool_can_be_called_by_itself() -> None:
    recovery = ErrorRecovery()
    context = ToolContext(tool_use_id="call_1", recovery=recovery)
    result = await Scripted("fine").execute_with_recovery({"word": "a"}, context)
    assert result == ToolResult(tool_use_id="call_1", content="fine")
    assert recovery.metrics["scripted"].successes == 1
