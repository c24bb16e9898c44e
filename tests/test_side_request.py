"""Requests beside the conversation: counted, bounded, and never a way to the task's own words."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from roo_code.cli.report import RunReport
from roo_code.commands import StartTask
from roo_code.errors import AuthenticationFailed, ToolError
from roo_code.events import (
    Event,
    EventRecord,
    Limits,
    RunCompleted,
    RunFailed,
    SideRequestEnded,
    SideRequestStarted,
    ToolFinished,
)
from roo_code.ipc.usage_count import UsageCount
from roo_code.mcp_access import SampleRequest
from roo_code.messages import Message, TextContent, ToolUseContent, Usage
from roo_code.providers.base import ReplyDeferred
from roo_code.side_request import MOST_CHARACTERS, MOST_TOKENS
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.tools import Tool, ToolContext
from tests.hosts import hosted

COST = Usage(input_tokens=1000, output_tokens=100)
WRITTEN = Message(role="assistant", content=(TextContent(text="a poem"),), usage=COST)


class Wanted(BaseModel):
    texts: list[str] = ["Write."]
    max_tokens: int = 50


class Have(Tool[Wanted]):
    name = "have_written"
    description = "Have the model write something."
    group = "mcp"
    input_type = Wanted
    needs_approval = False

    async def execute(self, arguments: Wanted, context: ToolContext) -> str:
        assert context.sample is not None
        said: list[tuple[Literal["user", "assistant"], str]] = [
            ("assistant", text) for text in arguments.texts
        ]
        request = SampleRequest("s", tuple(said), arguments.max_tokens, "Be brief.")
        try:
            return (await context.sample(request)).text
        except ToolError as error:
            return f"refused: {error}"


async def run(
    folder: Path, provider: ScriptedProvider, limits: Limits | None = None
) -> tuple[list[EventRecord], int, float]:
    """The records, and the tokens and cost that the task's row tells."""
    async with hosted(folder, lambda setup: scripted_client(provider=provider), [Have()]) as task:
        spec = task.spec(limits=limits or Limits())
        await task.host.handle(StartTask(task_id="t", spec=spec))
        records = await task.until_pause("t")
        summary = await task.store.summary("t")
        return records, summary.tokens_in + summary.tokens_out, summary.cost


def calls(**input: object) -> list[ToolUseContent]:
    return [ToolUseContent(id="c", name="have_written", input=dict(input))]  # pyright: ignore[reportArgumentType]


def of(records: list[EventRecord], kind: type[Event]) -> list[Event]:
    return [record.event for record in records if isinstance(record.event, kind)]


async def test_it_is_asked_with_the_askers_words_alone_and_counted(tmp_path: Path) -> None:
    provider = ScriptedProvider(calls(), WRITTEN, "Done.")
    records, tokens, cost = await run(tmp_path, provider)
    (finished,) = of(records, ToolFinished)
    assert isinstance(finished, ToolFinished)
    assert finished.result.content == "a poem"
    aside = provider.requests[1]
    assert aside.system_prompt == "Be brief."
    assert [(m.role, m.text) for m in aside.messages] == [
        ("user", "(continue)"),
        ("assistant", "Write."),
        ("user", "(continue)"),
    ]
    assert (aside.tools, aside.max_tokens) == ((), 50)
    own = 2 * 15  # what a scripted reply says that it took
    assert tokens == 1100 + own
    assert cost == pytest.approx((1000 + 2 * 100 + 2 * (10 + 2 * 5)) / 1_000_000)
    report, count = RunReport(), UsageCount()
    for record in records:
        report.note(record)
        count.note(record.event)
    assert report.usage.input_tokens == 1020
    assert count.tokens.total_tokens_in == 1020


async def test_it_is_reserved_before_and_settled_after(tmp_path: Path) -> None:
    """Three model calls in all: a task that may make two fails before the third."""
    provider = ScriptedProvider(calls(), WRITTEN, "Done.")
    records, _, _ = await run(tmp_path, provider, Limits(turns=2))
    assert isinstance(records[-1].event, RunFailed)
    assert records[-1].event.kind == "BudgetExceeded"
    assert len(provider.requests) == 2
    provider = ScriptedProvider(calls(), WRITTEN, "Done.")
    (tmp_path / "other").mkdir()
    records, _, _ = await run(tmp_path / "other", provider, Limits(turns=1))
    assert isinstance(records[-1].event, RunFailed)
    assert len(provider.requests) == 1
    assert not of(records, SideRequestStarted)


@pytest.mark.parametrize(
    "failure", [AuthenticationFailed("the key sk-1 is wrong"), ReplyDeferred("a prompt")]
)
async def test_why_nothing_came_is_for_the_user_and_not_for_the_asker(
    tmp_path: Path, failure: Exception
) -> None:
    records, _, _ = await run(tmp_path, ScriptedProvider(calls(), failure, "Done."))
    (ended,) = of(records, SideRequestEnded)
    assert isinstance(ended, SideRequestEnded)
    assert ended.error
    (finished,) = of(records, ToolFinished)
    assert isinstance(finished, ToolFinished)
    assert finished.result.content == "refused: The model could not be asked."
    assert isinstance(records[-1].event, RunCompleted)


async def test_it_is_bounded(tmp_path: Path) -> None:
    provider = ScriptedProvider(calls(max_tokens=10**9), WRITTEN, "Done.")
    await run(tmp_path, provider)
    assert provider.requests[1].max_tokens == MOST_TOKENS
    long = calls(texts=["x" * MOST_CHARACTERS, "y"])
    (tmp_path / "other").mkdir()
    provider = ScriptedProvider(long, "Done.")
    records, _, _ = await run(tmp_path / "other", provider)
    assert isinstance(records[-1].event, RunCompleted)
    assert len(provider.requests) == 2


async def test_a_server_that_says_nothing_is_refused_and_the_call_goes_on(tmp_path: Path) -> None:
    records, _, _ = await run(tmp_path, ScriptedProvider(calls(texts=[]), "Done."))
    (finished,) = of(records, ToolFinished)
    assert isinstance(finished, ToolFinished)
    assert finished.result.content.startswith("refused: There is nothing to answer")
